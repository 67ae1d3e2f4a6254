//! What recovery found: where boards, catalogue and the histories of accounts begin.
//!
//! Owns: the look at a recovered world. Never does: change it.
//! Invariants: they are of the same record. Known limits: every book and every open order is copied once.

use crate::common::time::ms;
use crate::custody::chains::Chains;
use crate::custody::settings::ChainSettings;
use crate::feed::sources::Sources;
use crate::market::board::{Board, Boards};
use crate::market::campaigns::Campaigns;
use crate::market::catalog::{Catalog, Seeds, SharedCatalog};
use crate::market::contract_board::board_of;
use crate::market::contracts;
use crate::market::depth::Depth;
use crate::market::desks::Desks;
use crate::market::saved::save_all;
use crate::market::stocks::Stocks;
use crate::market::traders::Traders;
use crate::orders::leg_history::LegHistories;
use std::collections::BTreeMap;
use std::sync::Arc;
use xng_cell::World;
use xng_core::account::Order;
use xng_core::account::facts::AccountStatus;
use xng_core::account::histories::Histories;
use xng_core::account::leg_orders::LegOrder;
use xng_core::account::recent::Place;
use xng_core::chain::ChainId;
use xng_core::convert::params::ConvertParams;
use xng_core::coupon::CampaignId;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, EntityId, MarketId, UpdateId};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::region::{Country, Products};
use xng_core::registry::{AssetListed, AuditAnchored};
use xng_core::seconds::DeskId;
use xng_core::spot::{MarketParams, MarketState, Side, StateReason};
use xng_core::stock::CalendarId;
use xng_runtime::CellHandle;
use xng_runtime::shell::Actors;

/// What recovery found of a market.
struct Found {
    params: MarketParams,
    state: MarketState,
    reason: StateReason,
    bids: Vec<(Ticks, Lots)>,
    asks: Vec<(Ticks, Lots)>,
    update: UpdateId,
}

/// What recovery found of everything that is public.
pub(crate) struct Public {
    pub(crate) lsn: Lsn,
    time: TimeNs,
    /// Open orders of all accounts.
    open: Vec<(AccountId, Order)>,
    /// Open orders of all accounts in contracts' books.
    open_in_books: Vec<(AccountId, LegOrder)>,
    assets: Vec<AssetListed>,
    /// What is not offered, by country.
    barred: BTreeMap<Country, Products>,
    /// The newest anchor of the office's audit.
    pub(crate) audit_anchor: Option<(AuditAnchored, TimeNs)>,
    markets: Vec<Found>,
    indices: BTreeMap<MarketId, (Amount, i64)>,
    contracts: contracts::Found,
    /// Parameters of conversion.
    convert: Option<ConvertParams>,
    /// In their saved forms.
    desks: Vec<(DeskId, Vec<u8>)>,
    /// The same of calendars.
    calendars: Vec<(CalendarId, Vec<u8>)>,
    /// Number of the last corporate action of each market of stocks, and whether it is under way.
    actions: Vec<(MarketId, u32, bool)>,
    /// The same of traders.
    traders: Vec<(AccountId, Vec<u8>)>,
    /// The same of campaigns.
    campaigns: Vec<(CampaignId, Vec<u8>)>,
    /// The same of chains.
    chains: Vec<(ChainId, Vec<u8>)>,
    /// Accounts that may not act.
    pub(crate) locked: Vec<AccountId>,
    /// The highest account that any record names.
    pub(crate) highest: Option<AccountId>,
}

impl Public {
    /// Asks a cell that runs. What is halted is shown as what it is: it takes no orders.
    pub(crate) fn of(cell: &CellHandle, halted: &[EntityId]) -> std::io::Result<Public> {
        let state = cell.with_world(|world| public_state(world)).recv();
        let mut public = state.map_err(|_| std::io::Error::other("the cell does not answer"))?;
        for found in public.markets.iter_mut().filter(|f| halted.contains(&EntityId::Market(f.params.market))) {
            found.state = MarketState::Halt;
        }
        Ok(public)
    }

    /// Makes boards of what recovery found.
    pub(crate) fn boards(&self, sources: &Sources) -> Boards {
        let boards = Boards::default();
        for found in &self.markets {
            let depth = Depth::new(found.bids.iter().copied(), found.asks.iter().copied(), found.update);
            let source = sources.label(&found.params.symbol);
            let mut board = Board::new(found.params.clone(), found.state, source, depth);
            board.index = self.indices.get(&found.params.market).copied();
            boards.insert(board);
        }
        boards
    }

    /// Adds boards of contracts that have a book.
    pub(crate) fn contract_boards(&self, fold: &contracts::Fold, boards: &Boards, sources: &Sources) {
        for contract in fold.contracts() {
            let label = contract.params().map(|params| sources.label(&params.symbol));
            if let Some(board) = label.and_then(|label| board_of(contract, label)) {
                boards.insert(board);
            }
        }
    }

    /// Histories that begin with what recovery found.
    pub(crate) fn histories(&mut self) -> Histories {
        let since = Place { lsn: self.lsn, time: self.time };
        Histories::since(since, std::mem::take(&mut self.open))
    }

    /// The same of contracts' books.
    pub(crate) fn leg_histories(&mut self) -> LegHistories {
        let since = Place { lsn: self.lsn, time: self.time };
        LegHistories::since(since, std::mem::take(&mut self.open_in_books))
    }

    /// Contracts from what recovery found on.
    pub(crate) fn contracts(&self) -> std::io::Result<contracts::Fold> {
        contracts::Fold::from(&self.contracts).map_err(std::io::Error::other)
    }

    /// Desks of seconds options from what recovery found on.
    pub(crate) fn desks(&self) -> std::io::Result<Arc<Desks>> {
        Desks::found(&self.desks).map(Arc::new).map_err(std::io::Error::other)
    }

    /// Calendars of stocks from what recovery found on.
    pub(crate) fn stocks(&self) -> std::io::Result<Arc<Stocks>> {
        Stocks::found(&self.calendars, &self.actions).map(Arc::new).map_err(std::io::Error::other)
    }

    /// Traders from what recovery found on.
    pub(crate) fn traders(&self) -> std::io::Result<Arc<Traders>> {
        Traders::found(&self.traders, (self.lsn, self.time)).map(Arc::new).map_err(std::io::Error::other)
    }

    /// Campaigns of coupons from what recovery found on.
    pub(crate) fn campaigns(&self) -> std::io::Result<Arc<Campaigns>> {
        Campaigns::found(&self.campaigns).map(Arc::new).map_err(std::io::Error::other)
    }

    /// Chains from what recovery found on.
    pub(crate) fn chains(&self, settings: &[ChainSettings]) -> std::io::Result<Arc<Chains>> {
        let accounts = settings.iter().map(|chain| Ok((chain.chain(), chain.keys().map_err(std::io::Error::other)?)));
        let accounts = accounts.collect::<std::io::Result<BTreeMap<_, _>>>()?;
        let tokens =
            settings.iter().filter_map(|chain| Some((chain.chain(), chain.evm.as_ref()?.token_network.clone())));
        Chains::found(&self.chains, accounts, tokens.collect()).map(Arc::new).map_err(std::io::Error::other)
    }

    /// The catalogue of what recovery found.
    pub(crate) fn catalog(&self, seeds: Arc<Seeds>, fold: &contracts::Fold, desks: &Desks) -> SharedCatalog {
        let catalog = SharedCatalog::new(Catalog::default(), seeds.clone());
        for asset in &self.assets {
            catalog.follow(&asset.clone().into());
        }
        let mut listed = Catalog::clone(&catalog.now());
        for params in fold.contracts().filter_map(|contract| contract.params()) {
            listed.contracts.insert(params.contract, params.symbol.clone());
        }
        for found in &self.markets {
            listed.insert_market(&found.params, &seeds);
            if let Some(info) = listed.markets.get_mut(&found.params.market) {
                (info.state, info.reason) = (found.state, found.reason);
            }
        }
        listed.barred.clone_from(&self.barred);
        listed.times_barred = u64::from(!self.barred.is_empty());
        listed.convert.clone_from(&self.convert);
        listed.desks = desks.all(0).0.into_iter().map(|desk| (desk.params.desk, desk.params)).collect();
        listed.copy = seeds.trader_terms().unwrap_or_default();
        listed.option_amounts = seeds.option_amounts();
        SharedCatalog::new(listed, seeds)
    }
}

fn public_state(world: &World<Actors>) -> Public {
    let found = |(_, m): (MarketId, &xng_core::spot::Market)| {
        let (book, update) = m.book();
        m.params().map(|params| Found {
            params: params.clone(),
            state: m.state().0,
            reason: m.state().1,
            bids: book.depth(Side::Buy).collect(),
            asks: book.depth(Side::Sell).collect(),
            update,
        })
    };
    let mut indices = BTreeMap::new();
    for (_, price) in world.prices().iter() {
        if let (Some(listed), Some((index, time))) = (price.listed(), price.index()) {
            indices.extend(listed.markets().map(|market| (market, (index, ms(time)))));
        }
    }
    // The ticks of a stock's price know nothing of its splits; its market does.
    let stocks = world.markets().iter().filter(|(market, _)| market.is_stock());
    indices.extend(stocks.filter_map(|(market, m)| m.index().map(|(index, time)| (market, (index, ms(time))))));
    Public {
        lsn: world.lsn(),
        time: world.time(),
        open: world.accounts().iter().flat_map(|(id, account)| account.open_orders().map(move |o| (id, *o))).collect(),
        open_in_books: world
            .accounts()
            .iter()
            .filter(|(id, _)| !id.is_desk())
            .flat_map(|(id, account)| {
                let waiting = account.conditionals().iter().map(LegOrder::from_conditional);
                account
                    .book_orders()
                    .iter()
                    .map(|own| LegOrder::from_own(own))
                    .chain(waiting)
                    .map(move |order| (id, order))
            })
            .collect(),
        assets: world.registry().get(()).into_iter().flat_map(|r| r.assets()).cloned().collect(),
        barred: world.registry().get(()).map(|r| r.barred().clone()).unwrap_or_default(),
        audit_anchor: world.registry().get(()).and_then(|r| r.anchor()).cloned(),
        markets: world.markets().iter().filter_map(found).collect(),
        indices,
        contracts: contracts::Found::of(
            world.contracts().iter(),
            world.accounts().iter().flat_map(|(_, account)| account.tickets()),
        ),
        convert: world.accounts().get(AccountId::CONVERT_HOUSE).and_then(|house| house.convert_params()).cloned(),
        desks: save_all(world.desks().iter()),
        calendars: save_all(world.calendars().iter()),
        actions: world
            .markets()
            .iter()
            .filter_map(|(id, m)| m.last_action().map(|(last, on)| (id, last, on)))
            .collect(),
        traders: save_all(world.traders().iter()),
        campaigns: save_all(world.campaigns().iter()),
        chains: save_all(world.chains().iter()),
        locked: world
            .accounts()
            .iter()
            .filter(|(_, a)| a.status() == AccountStatus::Locked)
            .map(|(id, _)| id)
            .collect(),
        highest: world.accounts().iter().map(|(id, _)| id).max(),
    }
}
