//! What clients ask of contracts' books.
//!
//! Owns: parameters of a seed's books, random orders and changes of terms. Never does: look at the engine. Invariants:
//! commands are what a gateway could send. Known limits: prices are near the index.

use crate::auditor::Auditor;
use crate::rng::Rng;
use crate::traffic::{HOUSE, SETTLE, Setting};
use xng_core::account::{AccountCommand, LegCommand, OrderName};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::params::{BookParams, FundingParams};
use xng_core::contract::book::quoting::NewQuotes;
use xng_core::contract::book::waiting::{Condition, NewConditional, WorkingPrice};
use xng_core::contract::facts::MarginMode;
use xng_core::contract::params::ContractParams;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, Wallet};
use xng_core::market::{LevelFees, OrderKind, Side, Stp, Tif, Trigger, TriggerKind};
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::spot::QuoteLevel;

/// Ways of a contract's book to keep an account's orders apart.
const BOOK_STP: [Stp; 3] = [Stp::ExpireTaker, Stp::ExpireMaker, Stp::ExpireBoth];

/// A book for a contract. In seeds of contracts periods are short, and what a period pays matters to bold positions.
pub(crate) fn list_book(contract: &ContractParams, of_contracts: bool) -> Command {
    let funding = if of_contracts {
        FundingParams { interest: Amount(99_000_000), inner: Amount(99_000_000), cap: Amount(300_000), period_s: 10 }
    } else {
        FundingParams { interest: Amount(10_000), inner: Amount(50_000), cap: Amount(300_000), period_s: 3_600 }
    };
    let fees = |maker, taker| LevelFees { maker: FeePpm(maker), taker: FeePpm(taker) };
    let params = BookParams {
        contract: contract.contract,
        version: 0,
        lots: (Lots(1), Lots(40)),
        fees: vec![fees(200, 400), fees(0, 300)],
        max_open_orders: 20,
        band_ppm: 50_000,
        protection_ppm: 20_000,
        funding,
        liquidation_ppm: 5_000,
        quota_ppm: 100_000,
    };
    Command::Contract(contract.contract, ContractCommand::Book(BookCommand::List(Box::new(params))))
}

impl Setting {
    /// Whether an account mostly has a long and a short position of each contract.
    fn hedges(&self, account: AccountId) -> bool {
        account.0.is_multiple_of(4)
    }

    /// Two of three users begin with a large multiple, one of these with isolated margins.
    pub(crate) fn bold_terms(&self, user: AccountId) -> impl Iterator<Item = Command> {
        let mode = match user.0 % 3 {
            0 => None,
            1 => Some(MarginMode::Isolated),
            _ => Some(MarginMode::Cross),
        };
        let contracts = self.contracts.iter().filter(move |_| mode.is_some());
        contracts.map(move |params| {
            let multiple = Some(params.brackets.largest_multiple().min(100));
            let terms = LegCommand::SetTerms { contract: params.contract, multiple, mode };
            Command::Account(user, AccountCommand::Legs(terms))
        })
    }

    /// What may leave the futures wallet, a little more, what is there, or what was gained and is not settled.
    pub(crate) fn take_out(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> AccountCommand {
        let (from, to) = (Wallet::Futures, rng.pick(&[Wallet::Spot, Wallet::Funding]));
        let held = auditor.wallets(account).find(|(w, a, _)| (*w, *a) == (from, SETTLE));
        let available = Amount(held.map_or(0, |(_, _, held)| held.available));
        let most = auditor.may_leave(account, SETTLE);
        let between = Amount(most.0 + (available - most).0 * i128::from(rng.below(100)) / 100);
        let amount = rng.pick(&[most, most + Amount(1), available, between, between]);
        AccountCommand::Transfer { asset: SETTLE, from, to, amount }
    }

    /// The house's ladder in a contract's book; sometimes none.
    pub(crate) fn book_ladder(&self, rng: &mut Rng, auditor: &Auditor) -> Command {
        let (contract, index) = self.contract_at(rng, auditor);
        let (contract, middle) = (contract.contract, index + rng.below(11) as i64 - 5);
        // Now and then deep enough for a large order.
        let (levels, most) = (rng.below(6) as i64, rng.pick(&[6, 6, 30]));
        let sides = [(Side::Buy, -1), (Side::Sell, 1)];
        let level = |n: i64, rng: &mut Rng| {
            sides.map(|(side, way)| QuoteLevel {
                side,
                ticks: Ticks(middle + way * (1 + n)),
                lots: Lots(1 + rng.below(most) as i64),
            })
        };
        let levels: Vec<QuoteLevel> = (0..levels).flat_map(|n| level(n, rng)).collect();
        let versions = (0, u32::from(rng.chance(1, 40)));
        let quotes = LegCommand::Quote(Box::new(NewQuotes { contract, versions, levels }));
        Command::Account(HOUSE, AccountCommand::Legs(quotes))
    }

    /// An order that waits for a price near the middle.
    fn conditional(
        &self,
        rng: &mut Rng,
        (contract, middle): (MarketId, i64),
        (side, leg): (Side, LegSide),
    ) -> NewConditional {
        let (trails, closes, at_market) = (rng.chance(1, 4), rng.chance(1, 5), rng.chance(1, 2));
        let at_market = at_market || trails || closes;
        let ticks = |rng: &mut Rng| Ticks(middle + rng.below(41) as i64 - 20);
        let kind = if trails { TriggerKind::TakeProfit } else { rng.pick(TriggerKind::ALL) };
        let trail_bips = if trails { 10 + rng.below(100) as u32 } else { 0 };
        let trigger = Trigger { kind, ticks: if rng.chance(1, 6) { Ticks::ZERO } else { ticks(rng) }, trail_bips };
        let close_position = closes && !trails;
        let order = NewBookOrder {
            contract,
            versions: (0, 0),
            side,
            leg,
            kind: if at_market { OrderKind::Market } else { OrderKind::Limit },
            tif: Tif::Gtc,
            stp: rng.pick(&BOOK_STP),
            ticks: if at_market { Ticks::ZERO } else { ticks(rng) },
            lots: if close_position { Lots::ZERO } else { Lots(1 + rng.below(12) as i64) },
            reduce_only: close_position || rng.chance(1, 4),
            client_id: rng.chance(1, 10).then(|| ClientOrderId::parse(&format!("b{}", rng.below(9)))).flatten(),
        };
        let working = rng.pick(WorkingPrice::ALL);
        NewConditional { order, condition: Condition { working, trigger, close_position } }
    }

    /// An order of a contract's book, or what changes one or how an account trades it.
    pub(crate) fn legs(&self, rng: &mut Rng, auditor: &Auditor, account: AccountId) -> LegCommand {
        let (contract, middle) = self.contract_at(rng, auditor);
        let contract = contract.contract;
        let own: Vec<OrderId> = auditor.book_orders(account).take(20).collect();
        let order = if own.is_empty() { OrderId(rng.below(100_000)) } else { rng.pick(&own) };
        // Of the few who trade contracts all day most know their own position mode.
        let hedges = if rng.chance(1, 10) { rng.chance(1, 2) } else { self.hedges(account) };
        let leg = if hedges { rng.pick(&[LegSide::Long, LegSide::Short]) } else { LegSide::Both };
        let side = rng.pick(&[Side::Buy, Side::Sell]);
        match rng.below(23) {
            0 | 1 => LegCommand::Cancel(OrderName::Id(order)),
            2 => LegCommand::CancelAll(contract),
            3 => LegCommand::Amend { order: OrderName::Id(order), lots: Lots(1 + rng.below(6) as i64) },
            4 => LegCommand::SetTerms {
                contract,
                multiple: rng.chance(2, 3).then(|| rng.pick(&[1, 10, 100, 100, 500, 501]) as u16),
                mode: rng.chance(2, 3).then(|| rng.pick(&[MarginMode::Isolated, MarginMode::Cross])),
            },
            5 => LegCommand::SetHedge(self.hedges(account) ^ rng.chance(1, 10)),
            6 => {
                let amount = Amount(i128::from(rng.below(4_000_000_000)) - 2_000_000_000);
                LegCommand::MoveMargin { contract, leg, amount }
            }
            20 | 21 => LegCommand::PlaceConditional(Box::new(self.conditional(rng, (contract, middle), (side, leg)))),
            22 => LegCommand::CancelConditionals(contract),
            kind => {
                let (at_market, most) = (kind < 9, rng.pick(&[12, 12, 40]));
                let ticks = if at_market { 0 } else { middle + rng.below(41) as i64 - 20 };
                let name = rng.chance(1, 10).then(|| ClientOrderId::parse(&format!("b{}", rng.below(9)))).flatten();
                LegCommand::Place(NewBookOrder {
                    contract,
                    versions: (0, u32::from(rng.chance(1, 40))),
                    side,
                    leg,
                    kind: if at_market { OrderKind::Market } else { OrderKind::Limit },
                    tif: rng.pick(&[Tif::Gtc, Tif::Gtc, Tif::Gtc, Tif::Ioc, Tif::Fok, Tif::PostOnly]),
                    stp: if rng.chance(1, 20) { Stp::Decrement } else { rng.pick(&BOOK_STP) },
                    ticks: Ticks(ticks),
                    lots: Lots(1 + rng.below(most) as i64),
                    reduce_only: rng.chance(1, 6),
                    client_id: name,
                })
            }
        }
    }
}
