//! Loads that the benches share: the same seed gives the same load.

use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Envelope, Ingress, Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::codec::mix64;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::journal::Journal;
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::record::Origin;
use xng_core::spot::{LevelFees, MarketCommand, MarketParams, NewOrder, OrderKind, Side, Stp, Terms, Tif};

/// Where the market is, in ticks.
pub const MID: i64 = 5_000_000;

/// A seeded source of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0) % n
    }
}

fn params() -> MarketParams {
    MarketParams {
        market: MarketId(1),
        version: 0,
        symbol: "BTCUSDT".into(),
        base: AssetId(1),
        quote: AssetId(3),
        tick: Amount(1_000_000),
        step: Amount(1_000),
        min_lots: Lots(1),
        max_lots: Lots(1_000_000_000),
        min_notional: Amount::ZERO,
        band_ppm: 500_000,
        protection_ppm: 50_000,
        max_open_orders: 1_000_000,
        fees: vec![LevelFees { maker: FeePpm(800), taker: FeePpm(1_000) }],
        stale_after_ms: 0,
        house_quoted: false,
    }
}

/// Hands a command to the cell; it is done at the next turns.
pub fn tell<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, command: Command) {
    cell.admit(Ingress::Command(Envelope { ticket: None, origin: Origin::Api, request: None, command }));
}

/// A cell with one market and 10,000 accounts that have money.
#[must_use]
pub fn busy_cell<J: Journal>(journal: J) -> Cell<Plain, J, ManualClock> {
    let mut cell = Cell::new(World::default(), journal, ManualClock(1));
    tell(&mut cell, Command::Market(MarketId(1), MarketCommand::List(params())));
    for n in 0..10_000 {
        let item =
            |asset| GrantItem { wallet: Wallet::Change, asset: AssetId(asset), amount: Amount::whole(1_000_000) };
        let grant = AccountCommand::Grant { kind: GrantKind::Correction, items: vec![item(1), item(3)] };
        tell(&mut cell, Command::Account(AccountId(100_001 + n), grant));
    }
    while cell.turn(|_, _| {}) {}
    cell
}

/// An order near the market of one of the accounts; half of them rest.
pub fn order(dice: &mut Dice) -> Command {
    let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
    let (ticks, lots) = (Ticks(MID + dice.below(21) as i64 - 10), Lots(1 + dice.below(50) as i64));
    let p = params();
    let terms = Terms { version: 0, asset: p.locked_asset(side), amount: p.lock(side, ticks, lots), capped: false };
    let (market, kind, tif, stp) = (MarketId(1), OrderKind::Limit, Tif::Ioc, Stp::ExpireTaker);
    let tif = if dice.below(2) == 0 { Tif::Gtc } else { tif };
    let budget = Amount::ZERO;
    let new = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, client_id: None, terms };
    Command::Account(AccountId(100_001 + dice.below(10_000)), AccountCommand::Spot(SpotCommand::Place(new)))
}
