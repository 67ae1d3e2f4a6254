//! A contract with a book, and orders of it in the shape of spot's.
//!
//! Owns: its terms, its first mark, its orders. Never does: measure. Invariants: nobody's position is ever too large for it: what
//! is refused costs little, and would make the rest look cheap. Known limits: one contract, one bracket; cross margin.

use crate::tickets::{SETTLE, params};
use crate::{Dice, Size, account_id, busy_cell, tell};
use xng_cell::clock::ManualClock;
use xng_cell::hosting::Hosting;
use xng_cell::world::World;
use xng_cell::{Cell, Plain};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, LegCommand};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::params::{BookParams, FundingParams};
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, EntityId, MarketId, PriceId, Wallet};
use xng_core::journal::Journal;
use xng_core::market::{LevelFees, OrderKind, Side, Stp, Tif};
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::price::facts::PriceListed;
use xng_core::price::{PriceCommand, SourcePrice};

/// The contract.
pub const CONTRACT: MarketId = MarketId(FIRST_CONTRACT);
/// The price that it follows.
pub const PRICE: PriceId = PriceId(10);
/// Its first index, in ticks.
pub const MID: i64 = 5_000_000;
/// A period of funding, in seconds.
pub const PERIOD_S: u32 = 28_800;
/// When it is listed, by the cell's clock: at the beginning of a day.
const LISTED_AT: u64 = 20_000 * 86_400_000_000_000 + 1;

fn book() -> BookParams {
    BookParams {
        contract: CONTRACT,
        version: 0,
        lots: (Lots(1), Lots(1_000_000)),
        fees: vec![LevelFees { maker: FeePpm(200), taker: FeePpm(400) }],
        max_open_orders: 1_000_000,
        band_ppm: 50_000,
        protection_ppm: 50_000,
        funding: FundingParams {
            interest: Amount(10_000),
            inner: Amount(50_000),
            cap: Amount(300_000),
            period_s: PERIOD_S,
        },
        liquidation_ppm: 5_000,
        quota_ppm: 100_000,
    }
}

/// A command about an account's positions.
#[must_use]
pub fn legs(who: AccountId, command: LegCommand) -> Command {
    Command::Account(who, AccountCommand::Legs(command))
}

/// A limit order of an account.
#[must_use]
pub fn limit(who: AccountId, (side, ticks, lots): (Side, i64, i64), tif: Tif) -> Command {
    let wanted = NewBookOrder {
        contract: CONTRACT,
        versions: (0, 0),
        side,
        leg: LegSide::Both,
        kind: OrderKind::Limit,
        tif,
        stp: Stp::ExpireTaker,
        ticks: Ticks(ticks),
        lots: Lots(lots),
        reduce_only: false,
        client_id: None,
    };
    legs(who, LegCommand::Place(wanted))
}

/// An order near the mark of one of the accounts, as [`crate::order`] makes one of spot.
pub fn order(dice: &mut Dice, size: Size) -> Command {
    let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
    let (ticks, lots) = (MID + dice.below(21) as i64 - 10, 1 + dice.below(50) as i64);
    let tif = if dice.below(2) == 0 { Tif::Gtc } else { Tif::Ioc };
    limit(account_id(dice.below(size.accounts)), (side, ticks, lots), tif)
}

/// Money for positions, in whole units.
#[must_use]
pub fn money(who: AccountId, whole: i64) -> Command {
    let items = vec![GrantItem { wallet: Wallet::Futures, asset: SETTLE, amount: Amount::whole(whole) }];
    Command::Account(who, AccountCommand::Grant { kind: GrantKind::Correction, items })
}

/// What lists the contract and gives it its first mark, in this order.
#[must_use]
pub fn listing() -> [Command; 4] {
    let mut terms = params(CONTRACT, PRICE);
    terms.brackets.list[0].ceiling = Amount::whole(1_000_000_000_000);
    let listed = PriceListed { price: PRICE, symbol: "C0".into(), hearers: vec![EntityId::Contract(CONTRACT)] };
    [
        Command::Contract(CONTRACT, ContractCommand::List(Box::new(terms))),
        Command::Contract(CONTRACT, ContractCommand::Book(BookCommand::List(Box::new(book())))),
        Command::Price(PRICE, PriceCommand::List(listed)),
        first_index(),
    ]
}

/// The first index, told once more.
#[must_use]
pub fn first_index() -> Command {
    let price = Amount(i128::from(MID) * params(CONTRACT, PRICE).tick.0);
    Command::Price(PRICE, PriceCommand::Push(SourcePrice { source: 1, price }))
}

/// The two orders that give the first account a short of one lot and the second a long.
#[must_use]
pub fn pair(first: AccountId, second: AccountId) -> [Command; 2] {
    [limit(first, (Side::Sell, MID, 1), Tif::Gtc), limit(second, (Side::Buy, MID, 1), Tif::Gtc)]
}

/// Legs that have not paid for the first period of funding.
#[must_use]
pub fn owing<H: Hosting>(world: &World<H>) -> u64 {
    let book = world.contracts().get(CONTRACT).and_then(|contract| contract.book());
    book.map_or(0, |book| book.legs().all().filter(|(_, leg)| !leg.funding_index.is_positive()).count() as u64)
}

/// A busy cell with the contract at its first mark.
pub fn cell_with_book<J: Journal>(journal: J, size: Size) -> Cell<Plain, J, ManualClock> {
    let mut cell = busy_cell(journal, size);
    cell.clock().0 = LISTED_AT;
    for command in listing() {
        tell(&mut cell, command);
        while cell.turn(|_, _| {}) {}
    }
    cell
}
