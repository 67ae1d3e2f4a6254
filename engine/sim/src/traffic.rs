//! What clients ask: random commands of every kind, most with request keys, some repeated.
//!
//! Owns: a seed's users, markets and prices. Never does: look at the engine; it asks the auditor what is open.
//! Invariants: commands are what a gateway could send. Known limits: prices move by chance only.

use crate::auditor::Auditor;
use crate::fake_accounts::{COIN, FakeAccounts, TOKEN};
use crate::fake_chain::FakeChain;
use crate::regions::country_of;
use crate::rng::Rng;
use crate::traffic_legs::list_book;
use crate::traffic_stocks::Stock;
use xng_core::account::facts::{AccountStatus, GrantItem, GrantKind};
use xng_core::account::{
    AccountCommand, ConvertCommand, OpenTicket, OrderName, Property, SpotCommand, TicketCommand, Tier,
};
use xng_core::contract::ContractCommand;
use xng_core::contract::brackets::{Bracket, Brackets};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::params::{ContractParams, TicketParams};
use xng_core::contract::tickets::{Stops, TicketId};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, ClientOrderId, EntityId, MarketId, OrderId, PriceId, RequestKey, Wallet};
use xng_core::money::{Amount, FeePpm, Lots, MAX_AMOUNT, ONE, Ticks};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::registry::{AssetListed, AuditAnchored, RegistryCommand};
use xng_core::spot::{
    Leg, LevelFees, MarketCommand, MarketParams, MarketState, NewOrder, OrderGroup, OrderKind, QuoteLevel, Replaced,
    Side, Stp, Terms, Tif, Trigger, TriggerKind,
};

/// The house.
pub const HOUSE: AccountId = AccountId(1_000);
pub(crate) const FIRST_USER: u64 = 100_001;
pub(crate) const ASSETS: [AssetId; 4] = [AssetId(1), AssetId(2), AssetId(3), AssetId(4)];
/// What contracts are paid in.
pub(crate) const SETTLE: AssetId = AssetId(3);
const WALLETS: &[Wallet] = Wallet::ALL;

/// Which request key a command comes with.
#[derive(Debug, Clone, Copy)]
pub enum KeyOf {
    /// None.
    Nothing,
    /// One of its own, or none.
    Request,
    /// That of the quote which it uses.
    Quote(RequestKey),
}

/// What a seed's exchange is like.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Users.
    pub users: u64,
    /// What the house has of each asset; with little, its ladders take all of it.
    pub inventory: i64,
    /// Markets, with the middle of their prices in ticks.
    pub markets: Vec<(MarketParams, i64)>,
    /// A contract on each market's price.
    pub contracts: Vec<ContractParams>,
    /// What the insurance has when it begins, whole units.
    pub insurance: i64,
    /// Prices of so many are far from their market's middle, one of how many.
    pub far: u64,
    /// Mostly contracts are traded, by few, on prices that come often.
    pub of_contracts: bool,
    /// Two markets of stocks.
    pub(crate) stocks: [Stock; 2],
    /// Mostly these are traded.
    pub(crate) of_stocks: bool,
    /// Half of what is asked is about traders and their tickets, and weeks pass, so that shares are paid several times.
    pub(crate) of_copying: bool,
    /// Half of what is asked is about addresses and withdrawals, and the chain is read more often.
    pub(crate) of_custody: bool,
}

impl Setting {
    /// Draws one.
    pub fn draw(rng: &mut Rng) -> Setting {
        let users = rng.pick(&[3, 20, 200, 2_000]);
        let count = 1 + rng.below(4) as u16;
        let pairs = [(1, 3), (2, 3), (2, 1), (4, 3)];
        let markets = (0..count).map(|n| {
            let (base, quote) = pairs[usize::from(n)];
            let (tick, step) = rng.pick(&[(1_000_000, 1_000), (100, 100_000_000), (10, 10_000_000), (100_000_000, 1)]);
            let params = MarketParams {
                market: MarketId(n + 1),
                version: 0,
                symbol: format!("M{}", n + 1),
                base: AssetId(base),
                quote: AssetId(quote),
                tick: Amount(tick),
                step: Amount(step),
                min_lots: Lots(1),
                max_lots: Lots(1_000_000),
                min_notional: Amount::ZERO,
                band_ppm: 900_000,
                protection_ppm: 100_000,
                max_open_orders: rng.pick(&[5, 50, 200]) as u32,
                fees: vec![
                    LevelFees { maker: FeePpm(800), taker: FeePpm(1_000) },
                    LevelFees { maker: FeePpm(0), taker: FeePpm(400) },
                ],
                stale_after_ms: rng.pick(&[0, 0, 5_000]),
                house_quoted: rng.chance(1, 2),
                stock: None,
            };
            (params, 1_000 + rng.below(9_000) as i64)
        });
        let markets: Vec<(MarketParams, i64)> = markets.collect();
        let contracts = markets.iter().map(|(market, _)| contract(market, rng.chance(2, 3))).collect();
        let inventory = rng.pick(&[1, 20, 500, 1_000_000]);
        let (insurance, far) = (rng.pick(&[0, 100, 1_000, 100_000]), rng.pick(&[2, 4, 10, 10]));
        let of_contracts = rng.chance(1, 3);
        let users = if of_contracts { rng.pick(&[3, 8, 20]) } else { users };
        let inventory = if of_contracts { inventory.max(50_000) } else { inventory };
        let (stocks, of_stocks) = (Stock::draw(rng), !of_contracts && rng.chance(1, 3));
        let users = if of_stocks { rng.pick(&[3, 8, 20]) } else { users };
        let of_copying = of_contracts && rng.chance(1, 4);
        let of_custody = !of_contracts && !of_stocks && rng.chance(1, 2);
        let users = if of_custody { rng.pick(&[3, 8]) } else { users };
        Setting {
            users,
            inventory,
            markets,
            contracts,
            insurance,
            far,
            of_contracts,
            stocks,
            of_stocks,
            of_copying,
            of_custody,
        }
    }

    /// Everything that must happen before anybody trades.
    pub fn opening(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for asset in ASSETS {
            let listed = AssetListed { asset, name: format!("A{asset}"), wallets: Wallet::ACCOUNTS.to_vec() };
            commands.push(Command::Registry((), RegistryCommand::ListAsset(listed)));
        }
        for ((params, middle), contract) in self.markets.iter().zip(&self.contracts) {
            let listed = ContractCommand::List(Box::new(contract.clone()));
            commands.push(Command::Contract(contract.contract, listed));
            commands.push(list_book(contract, self.of_contracts));
            let (market, price) = (params.market, PriceId(params.market.0));
            let hearers = vec![EntityId::Market(market), EntityId::Contract(contract.contract)];
            let listed = PriceListed { price, symbol: params.symbol.clone(), hearers };
            commands.push(Command::Market(market, MarketCommand::List(Box::new(params.clone()))));
            commands.push(Command::Price(price, PriceCommand::List(listed)));
            commands.push(self.tick(market, *middle));
        }
        commands.push(self.conversion());
        commands.extend(self.desks());
        for property in [Property::Vip(1), Property::House(true)] {
            commands.push(Command::Account(HOUSE, AccountCommand::Set(property)));
        }
        commands.push(Command::Account(HOUSE, grant(GrantKind::Opening, self.inventory)));
        let users = (0..self.users).map(|n| AccountId(FIRST_USER + n));
        // Some are rich enough for positions of more than one bracket.
        let whole = |user: AccountId| if user.0.is_multiple_of(5) { 40_000 } else { 1_000 };
        commands.extend(users.clone().map(|user| Command::Account(user, grant(GrantKind::Opening, whole(user)))));
        commands.extend(users.clone().map(|user| {
            let tier = if self.of_custody { 1 + user.0 % 2 } else { (user.0 % 4).min(2) };
            let tier = Tier::ALL[tier as usize];
            let country = country_of(user);
            Command::Account(user, AccountCommand::SetTier { tier, case: 0, by: vec!["settings".into()], country })
        }));
        if self.of_custody {
            let amount = Amount::whole(20);
            let items =
                [ASSETS[0], COIN, TOKEN].map(|asset| GrantItem { wallet: Wallet::Funding, asset, amount }).to_vec();
            let given = AccountCommand::Grant { kind: GrantKind::Opening, items };
            commands.extend(users.clone().map(|user| Command::Account(user, given.clone())));
        }
        commands.extend(self.traders());
        commands.push(self.promotion());
        if self.of_contracts {
            commands.extend(users.flat_map(|user| self.bold_terms(user)));
        }
        if self.insurance > 0 {
            let (wallet, amount) = (Wallet::Futures, Amount::whole(self.insurance));
            let items = vec![GrantItem { wallet, asset: SETTLE, amount }];
            let given = AccountCommand::Grant { kind: GrantKind::Opening, items };
            commands.push(Command::Account(AccountId::INSURANCE, given));
        }
        commands
    }

    /// An index tick at a price in ticks of the market.
    #[must_use]
    pub fn tick(&self, market: MarketId, ticks: i64) -> Command {
        let tick = self.markets[usize::from(market.0) - 1].0.tick.0;
        let said = SourcePrice { source: 1, price: Amount(i128::from(ticks) * tick) };
        Command::Price(PriceId(market.0), PriceCommand::Push(said))
    }

    /// A tick of each market at the middle of its prices.
    pub fn last_ticks(&self) -> Vec<Command> {
        self.ticks_away(|_| 0)
    }

    /// A tick of each market so many parts of ten thousand away from there.
    pub(crate) fn ticks_away(&self, away: impl Fn(usize) -> i64) -> Vec<Command> {
        let all = self.markets.iter().enumerate();
        all.map(|(n, (params, middle))| self.tick(params.market, middle + middle * away(n) / 10_000)).collect()
    }

    /// A market by chance.
    pub fn market(&self, rng: &mut Rng) -> (&MarketParams, i64) {
        let (params, middle) = &self.markets[rng.below(self.markets.len() as u64) as usize];
        (params, *middle)
    }

    /// A user by chance; a few act much more often than the others.
    pub fn user(&self, rng: &mut Rng) -> AccountId {
        let among = if rng.chance(1, 2) { self.users.min(5) } else { self.users };
        AccountId(FIRST_USER + rng.below(among))
    }

    /// The house's ladder around the middle; sometimes all that it has in one level.
    pub fn ladder(&self, rng: &mut Rng, auditor: &Auditor) -> Command {
        if rng.chance(if self.of_contracts { 3 } else { 1 }, 4) {
            return self.book_ladder(rng, auditor);
        }
        let (params, middle) = self.market(rng);
        let all_in = rng.chance(1, 3).then(|| rng.pick(&[Side::Buy, Side::Sell]));
        let (middle, levels) = (middle + rng.below(21) as i64 - 10, 1 + rng.below(8) as i64);
        let level = |side, ticks: i64, rng: &mut Rng| QuoteLevel {
            side,
            ticks: Ticks(ticks),
            lots: Lots(1 + rng.below(20) as i64),
        };
        let mut list = Vec::new();
        for n in 0..levels {
            list.push(level(Side::Buy, middle - 1 - n, rng));
            list.push(level(Side::Sell, middle + 1 + n, rng));
        }
        if let Some(side) = all_in {
            let ticks = Ticks(middle + rng.below(21) as i64 - 10);
            let (asset, one) = (params.locked_asset(side), params.lock(side, ticks, Lots(1)));
            let owned = auditor.wallets(HOUSE).filter(|(w, a, _)| (*w, *a) == (Wallet::Spot, asset));
            let owned: i128 = owned.map(|(_, _, held)| held.available + held.locked).sum();
            let lots = Lots((owned / one.0).min(i128::from(params.max_lots.0)) as i64);
            list = if lots.is_zero() { Vec::new() } else { vec![QuoteLevel { side, ticks, lots }] };
        }
        let sum = |side: Side| {
            list.iter().filter(|l| l.side == side).map(|l| params.lock(side, l.ticks, l.lots)).sum::<Amount>()
        };
        let hold = [(params.base, sum(Side::Sell)), (params.quote, sum(Side::Buy))];
        let quote = SpotCommand::Quote { market: params.market, levels: list, hold, version: params.version };
        Command::Account(HOUSE, AccountCommand::Spot(quote))
    }

    /// A command of an account by chance, and which request key makes sense for it.
    pub fn command(&self, rng: &mut Rng, auditor: &Auditor) -> (AccountId, Command, KeyOf) {
        let account = self.user(rng);
        if self.of_copying && rng.chance(1, 2) {
            let (account, command) = self.copied_trading(rng, auditor);
            return (account, Command::Account(account, command), KeyOf::Request);
        }
        if rng.chance(1, 40) {
            return self.coupons(rng, auditor, account);
        }
        if rng.chance(1, if self.of_custody { 12 } else { 60 }) {
            let of_accounts = rng.chance(1, 2);
            let asks = if of_accounts { FakeAccounts::ask(rng, account) } else { FakeChain::ask(rng, account) };
            return (account, asks, KeyOf::Nothing);
        }
        if rng.chance(1, if self.of_custody { 2 } else { 12 }) {
            let of_accounts = rng.chance(1, 2);
            let withdraw = if of_accounts { FakeAccounts::withdraw } else { FakeChain::withdraw };
            let (command, is_request) = withdraw(rng, auditor, account);
            return (account, command, if is_request { KeyOf::Request } else { KeyOf::Nothing });
        }
        if rng.chance(1, 12) {
            let (command, key) = self.conversions(rng, auditor, account);
            let is_read = matches!(command, ConvertCommand::ListDust | ConvertCommand::Quote { .. });
            let own = if is_read { KeyOf::Nothing } else { KeyOf::Request };
            return (
                account,
                Command::Account(account, AccountCommand::Convert(command)),
                key.map_or(own, KeyOf::Quote),
            );
        }
        let by_coupon = auditor.bonuses(account).next().is_some() && rng.chance(1, 2);
        if by_coupon || rng.chance(1, 10) {
            let command = AccountCommand::Seconds(self.option(rng, auditor, account));
            return (account, Command::Account(account, command), KeyOf::Request);
        }
        if rng.chance(if self.of_stocks { 3 } else { 1 }, if self.of_contracts { 12 } else { 4 }) {
            let command = self.stock_command(rng, auditor, account);
            return (account, Command::Account(account, command), KeyOf::Request);
        }
        if rng.chance(1, 24) {
            let command = AccountCommand::Copy(self.copying(rng, auditor, account));
            return (account, Command::Account(account, command), KeyOf::Request);
        }
        let weights = if self.of_contracts {
            [4, 1, 2, 1, 6, 1, 1, 1, 1, 2, 1, 24, 80]
        } else {
            [50, 8, 15, 2, 10, 3, 3, 2, 1, 16, 4, 24, 40]
        };
        let (command, keyed) = match rng.weighted(&weights) {
            0 => (AccountCommand::Spot(SpotCommand::Place(self.limit(rng))), true),
            1 => (AccountCommand::Spot(SpotCommand::Place(self.market_order(rng))), true),
            2 => (AccountCommand::Spot(SpotCommand::Cancel(some_order(rng, auditor, account))), true),
            3 => (AccountCommand::Spot(SpotCommand::CancelAll(self.market(rng).0.market)), true),
            4 if self.of_contracts && rng.chance(2, 3) => (self.take_out(rng, auditor, account), true),
            4 => (transfer(rng), true),
            5 => (grant(GrantKind::Correction, 1 + rng.below(50) as i64), true),
            6 => (AccountCommand::View, false),
            7 => (AccountCommand::Request(u128::from(rng.below(1_000))), false),
            9 => (AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(self.group(rng, auditor, account)))), true),
            10 => {
                let (order, lots) = (some_order(rng, auditor, account), lots(rng));
                (AccountCommand::Spot(SpotCommand::Amend { order, lots, client_id: None }), true)
            }
            11 => (AccountCommand::Tickets(self.tickets(rng, auditor, account)), true),
            12 => (AccountCommand::Legs(self.legs(rng, auditor, account)), true),
            _ => {
                let status = if rng.chance(1, if self.of_contracts { 10 } else { 4 }) {
                    AccountStatus::Locked
                } else {
                    AccountStatus::Active
                };
                let level = Property::Vip(rng.below(2) as u8);
                (AccountCommand::Set(if rng.chance(1, 2) { Property::Status(status) } else { level }), false)
            }
        };
        (account, Command::Account(account, command), if keyed { KeyOf::Request } else { KeyOf::Nothing })
    }

    /// A contract by chance, and its index in ticks.
    pub(crate) fn contract_at(&self, rng: &mut Rng, auditor: &Auditor) -> (&ContractParams, i64) {
        let contract = self.contract(rng);
        (contract, (auditor.index(contract.contract).0 / contract.tick.0) as i64)
    }

    fn contract(&self, rng: &mut Rng) -> &ContractParams {
        &self.contracts[rng.below(self.contracts.len() as u64) as usize]
    }

    /// Opens a ticket, lets one wait, changes one, or closes one or some.
    pub(crate) fn tickets(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> TicketCommand {
        let direction = rng.pick(&[Direction::Long, Direction::Short]);
        let own = auditor.tickets(account).nth(rng.below(5) as usize).unwrap_or(TicketId(rng.below(1_000)));
        let contract = self.contract(rng);
        // Up to three percent away, often on the wrong side.
        let index = auditor.index(contract.contract);
        let near = |rng: &mut Rng| {
            let steps = index.0 / contract.tick.0;
            Amount((steps + (rng.below(61) as i128 - 30) * steps / 1_000) * contract.tick.0)
        };
        let stop = |rng: &mut Rng| rng.chance(1, 3).then(|| near(rng));
        match rng.below(12) {
            0 => {
                let contract = rng.chance(1, 2).then_some(contract.contract);
                TicketCommand::CloseAll { contract, direction: rng.chance(1, 2).then_some(direction) }
            }
            1 | 2 => TicketCommand::Close(own),
            3 => TicketCommand::Cancel(own),
            4 => TicketCommand::SetStops { ticket: own, stops: Stops { take_profit: stop(rng), stop_loss: stop(rng) } },
            _ => TicketCommand::Open(OpenTicket {
                contract: contract.contract,
                version: rng.pick(&[0, 0, 0, 0, 0, 0, 0, 1]) as u32,
                direction,
                mode: rng.pick(&[MarginMode::Isolated, MarginMode::Cross, MarginMode::Cross]),
                lots: Lots(rng.pick(&[100, 100, 300, 1_000, 3_000, 50])),
                multiple: rng.pick(&[10, 100, 100, 400, 7]) as u16,
                target: rng.chance(1, 4).then(|| near(rng)),
                stops: if rng.chance(1, 3) {
                    Stops { take_profit: stop(rng), stop_loss: stop(rng) }
                } else {
                    Stops::default()
                },
            }),
        }
    }

    /// How far the office's audit is said to reach: further than before, as far, or less far.
    pub(crate) fn anchor(rng: &mut Rng) -> Command {
        let accepted_by = rng.chance(1, 3).then(|| rng.pick(&["ann", ""]).to_owned());
        let anchor = AuditAnchored { rows: rng.below(60), head: [rng.below(2) as u8; 32], accepted_by };
        Command::Registry((), RegistryCommand::AnchorAudit(anchor))
    }

    /// What operators do, rarely.
    pub fn operator(&self, rng: &mut Rng) -> Command {
        let market = self.market(rng).0.market;
        let closes = rng.chance(1, if self.of_contracts { 8 } else { 2 });
        let state = if closes { rng.pick(&[MarketState::CancelOnly, MarketState::Halt]) } else { MarketState::Trading };
        match rng.below(4) {
            0 => Command::Market(market, MarketCommand::ReserveTradeIds(1 + rng.below(50) as u32)),
            1 => Command::Contract(self.contract(rng).contract, ContractCommand::SetState(state)),
            2 if !closes => Command::Market(market, MarketCommand::ChangeParams(Box::new(self.other_params(market)))),
            _ => Command::Market(market, MarketCommand::SetState(state)),
        }
    }

    /// Other fees and limits of a market, by its version; every fourth time other ticks too, which an empty market alone takes.
    fn other_params(&self, market: MarketId) -> MarketParams {
        let old = &self.markets[usize::from(market.0) - 1].0;
        let odd = old.version % 2 == 1;
        let tick = if old.version % 4 == 3 { Amount(old.tick.0 * 2) } else { old.tick };
        let taker = FeePpm(if odd { 1_000 } else { 1_700 });
        let fees = old.fees.iter().map(|level| LevelFees { taker, ..*level }).collect();
        let (min_lots, max_open_orders) = (Lots(if odd { 1 } else { 2 }), old.max_open_orders ^ 1);
        MarketParams { tick, fees, min_lots, max_open_orders, ..old.clone() }
    }

    /// Markets as they are now.
    pub(crate) fn know(&mut self, auditor: &Auditor) {
        for (params, _) in &mut self.markets {
            if let Some(now) = auditor.market_params(params.market).filter(|now| now.version != params.version) {
                *params = now.clone();
            }
        }
    }

    fn limit(&self, rng: &mut Rng) -> NewOrder {
        let (p, middle) = self.market(rng);
        let side = rng.pick(&[Side::Buy, Side::Sell]);
        let ticks = Ticks(middle + rng.below(41) as i64 - 20);
        let lots = lots(rng);
        let tif = rng.pick(&[Tif::Gtc, Tif::Gtc, Tif::Gtc, Tif::Gtc, Tif::Ioc, Tif::Fok, Tif::PostOnly]);
        let name = rng.chance(1, 5).then(|| ClientOrderId::parse(&format!("n{}", rng.below(20)))).flatten();
        let terms =
            Terms { version: p.version, asset: p.locked_asset(side), amount: p.lock(side, ticks, lots), capped: false };
        let (market, kind, budget, client_id) = (p.market, OrderKind::Limit, Amount::ZERO, name);
        let iceberg = if rng.chance(1, 6) { Lots(1 + lots.0 / (2 + rng.below(6) as i64)) } else { Lots::ZERO };
        NewOrder { market, side, kind, tif, stp: stp(rng), ticks, lots, budget, iceberg, client_id, terms }
    }

    /// An order that waits, a list of two, either in the place of an open order, or an order that brings others.
    fn group(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> OrderGroup {
        let first = NewOrder { iceberg: Lots::ZERO, ..self.limit(rng) };
        let (params, middle) = &self.markets[usize::from(first.market.0) - 1];
        let near = |rng: &mut Rng| Ticks(middle + rng.below(41) as i64 - 20);
        let waits = |rng: &mut Rng, kind| {
            let tif = rng.pick(&[Tif::Gtc, Tif::Ioc, Tif::Fok]);
            let trail_bips = rng.pick(&[0, 0, 0, 20, 100]) as u32;
            let ticks = if trail_bips > 0 && rng.chance(1, 2) { Ticks::ZERO } else { near(rng) };
            let at_market = rng.chance(1, 2);
            let (kind_of, limit) =
                if at_market { (OrderKind::Market, Ticks::ZERO) } else { (OrderKind::Limit, near(rng)) };
            let order = NewOrder { kind: kind_of, tif, ticks: limit, client_id: None, ..first };
            Leg { order, trigger: Some(Trigger { kind, ticks, trail_bips }) }
        };
        let resting = |tif| Leg { order: NewOrder { tif, ..first }, trigger: None };
        let brings = rng.chance(1, 4);
        let legs = match rng.below(6) {
            _ if brings => vec![resting(first.tif)],
            0 => vec![waits(rng, TriggerKind::TakeProfit)],
            1 | 2 => vec![waits(rng, TriggerKind::StopLoss)],
            3 => vec![waits(rng, TriggerKind::TakeProfit), waits(rng, TriggerKind::StopLoss)],
            4 => vec![resting(Tif::PostOnly), waits(rng, TriggerKind::StopLoss)],
            _ => vec![resting(first.tif)],
        };
        let need = |leg: &Leg| match leg.trigger {
            None => params.lock(first.side, leg.order.ticks, leg.order.lots),
            Some(t) => params.lock_waiting(&leg.order, Ticks(t.ticks.0.max(*middle)), t.trail_bips),
        };
        let amount = legs.iter().map(need).max().unwrap_or_default();
        let terms = Terms { amount, capped: false, ..first.terms };
        let own = auditor.open().find(|(_, open)| open.account == account && open.market == first.market);
        let replaces = own.filter(|_| !brings && (rng.chance(1, 3) || legs[0].trigger.is_none()));
        let pending = if brings { self.brought(rng, &first, *middle) } else { Vec::new() };
        let replaces = replaces.map(|(order, _)| Replaced { order, must: rng.chance(1, 2) });
        let list = rng.chance(1, 3).then(|| ClientOrderId::parse(&format!("l{}", rng.below(20)))).flatten();
        let list = list.filter(|_| legs.len() + pending.len() >= 2);
        OrderGroup { market: first.market, replaces, list, legs, pending, terms }
    }

    /// What an order is to bring: mostly what closes it again, one or two of which one cancels the other.
    fn brought(&self, rng: &mut Rng, first: &NewOrder, middle: i64) -> Vec<Leg> {
        let side = if rng.chance(3, 4) { first.side.opposite() } else { first.side };
        let lots = if rng.chance(3, 4) { first.lots } else { lots(rng) };
        let (near, far) = (rng.below(20) as i64, 1 + rng.below(20) as i64);
        let (above, below) = (Ticks(middle + near), Ticks(middle + near - far));
        let (profit, loss) = if side == Side::Sell { (above, below) } else { (below, above) };
        let order = NewOrder { side, lots, tif: Tif::Gtc, ticks: profit, client_id: None, ..*first };
        let at_market = NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..order };
        let trigger = |kind, ticks, trail_bips| Some(Trigger { kind, ticks, trail_bips });
        let take = Leg { order: NewOrder { tif: Tif::PostOnly, ..order }, trigger: None };
        let takes_at = Leg { order: at_market, trigger: trigger(TriggerKind::TakeProfit, profit, 0) };
        let stop = Leg { order: at_market, trigger: trigger(TriggerKind::StopLoss, loss, 0) };
        let limit = Leg { order: NewOrder { ticks: loss, ..order }, ..stop };
        let trails = Leg { order: at_market, trigger: trigger(TriggerKind::StopLoss, Ticks::ZERO, 50) };
        match rng.below(7) {
            0 => vec![Leg { order, trigger: None }],
            1 => vec![Leg { order: at_market, trigger: None }],
            2 => vec![stop],
            3 => vec![trails],
            4 => vec![takes_at, stop],
            5 => vec![limit, take],
            _ => vec![take, stop],
        }
    }

    fn market_order(&self, rng: &mut Rng) -> NewOrder {
        let (p, middle) = self.market(rng);
        let side = rng.pick(&[Side::Buy, Side::Sell]);
        let lots = lots(rng);
        let worst = Ticks(middle + middle / 5);
        let by_quote = rng.chance(1, 3);
        let budget = if by_quote { p.notional(Ticks(middle), lots) } else { Amount::ZERO };
        let (amount, capped) = match (side, by_quote) {
            (Side::Buy, true) => (budget, false),
            (Side::Buy, false) => (p.notional(worst, lots), true),
            (Side::Sell, true) => (MAX_AMOUNT, true),
            (Side::Sell, false) => (p.base_amount(lots), false),
        };
        let lots = if by_quote { Lots::ZERO } else { lots };
        let terms = Terms { version: p.version, asset: p.locked_asset(side), amount, capped };
        let (market, kind, tif, ticks) = (p.market, OrderKind::Market, Tif::Gtc, Ticks::ZERO);
        let (iceberg, client_id) = (Lots::ZERO, None);
        NewOrder { market, side, kind, tif, stp: stp(rng), ticks, lots, budget, iceberg, client_id, terms }
    }
}

/// A contract on a market's price whose tickets a user can pay. Of a bold one a small move liquidates the boldest; of another
/// the book is deep enough for samples of the premium.
fn contract(market: &MarketParams, bold: bool) -> ContractParams {
    // One lot is worth about a hundred.
    let lot = Amount(20_000 * ONE / market.tick.0 * 100);
    let bracket = |ceiling, max_multiple, rate_ppm| Bracket { ceiling: Amount::whole(ceiling), max_multiple, rate_ppm };
    ContractParams {
        contract: MarketId(511 + market.market.0),
        version: 0,
        symbol: format!("C{}", market.market),
        base: market.base,
        settle: SETTLE,
        price: PriceId(market.market.0),
        tick: market.tick,
        lot,
        brackets: Brackets {
            list: if bold {
                vec![bracket(5_000, 500, 1_000), bracket(100_000, 100, 5_000)]
            } else {
                vec![bracket(3_000, 20, 10_000), bracket(100_000, 10, 25_000)]
            },
        },
        mark_band_ppm: 10_000,
        stale_after_ms: 5_000,
        insurance_ppm: 100_000,
        tickets: TicketParams {
            spread_ppm: 200,
            fees: vec![FeePpm(500), FeePpm(400)],
            overnight_ppm: 300,
            multiples: vec![10, 100, 400],
            lots: (Lots(1), Lots(40)),
            account_cap: Amount::whole(12_000),
            house_caps: (Lots(400), Lots(600)),
        },
    }
}

fn lots(rng: &mut Rng) -> Lots {
    let most = rng.pick(&[3, 30, 300]);
    Lots(1 + rng.below(most) as i64)
}

fn stp(rng: &mut Rng) -> Stp {
    rng.pick(Stp::ALL)
}

fn grant(kind: GrantKind, whole: i64) -> AccountCommand {
    let item = |asset| GrantItem { wallet: Wallet::Spot, asset, amount: Amount::whole(whole) };
    let mut items = ASSETS.map(item).to_vec();
    // Little enough that a gap takes more than all of it.
    items.push(GrantItem { wallet: Wallet::Futures, amount: Amount::whole(1 + whole / 5), ..item(SETTLE) });
    items.push(GrantItem { wallet: Wallet::Options, ..item(SETTLE) });
    AccountCommand::Grant { kind, items }
}

fn transfer(rng: &mut Rng) -> AccountCommand {
    let (from, to) = (rng.pick(WALLETS), rng.pick(WALLETS));
    let (asset, amount) = (rng.pick(&ASSETS), Amount(i128::from(rng.below(100_000_000_000))));
    AccountCommand::Transfer { asset, from, to, amount }
}

pub(crate) fn some_order(rng: &mut Rng, auditor: &Auditor, account: AccountId) -> OrderName {
    let own: Vec<OrderId> = auditor.open().filter(|(_, o)| o.account == account).map(|(id, _)| id).take(20).collect();
    if own.is_empty() || rng.chance(1, 10) {
        // Another's, an old one, or none at all.
        let any = auditor.open().nth(rng.below(50) as usize).map_or(OrderId(rng.below(100_000)), |(id, _)| id);
        return OrderName::Id(any);
    }
    if rng.chance(1, 10)
        && let Some(name) = ClientOrderId::parse(&format!("n{}", rng.below(20)))
    {
        return OrderName::Client(name);
    }
    OrderName::Id(rng.pick(&own))
}
