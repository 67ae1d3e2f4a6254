//! What the benches share: loads (the same seed gives the same one), the hot parts with their inputs ([`parts`]), cells
//! that write to a journal on disk, to memory or nowhere, numbers from the environment, lines that are printed.
//!
//! Owns: markets, accounts and orders of a seed, and the cell that takes them. Never does: measure.
//! Invariants: what a bench asks for is a function of its seed. Known limits: accounts have money enough for anything, so
//! nothing is refused for want of it.

pub mod contract_book;
pub mod flow;
pub mod parts;
pub mod recorded;
pub mod tickets;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use xng_cell::cell::ADMIT;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Envelope, Ingress, Plain, Ticket, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, SpotCommand};
use xng_core::codec::mix64;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::money::{Amount, FeePpm, Lots, Ticks};
use xng_core::record::{Cause, Origin};
use xng_core::spot::{LevelFees, MarketCommand, MarketParams, NewOrder, OrderKind, Side, Stp, Terms, Tif};
use xng_persistence::journal::{
    Hooks, JournalControl, JournalHandle, JournalWriter, Options, RealStorage, Started, recover,
};

/// Where the markets are, in ticks.
pub const MID: i64 = 5_000_000;
/// How long a disk may take before a bench says that it stands still.
const LONG: Duration = Duration::from_secs(60);

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

/// A number that the environment may change.
#[must_use]
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Prints a line.
///
/// # Panics
/// When nobody reads.
pub fn report(text: &str) {
    writeln!(std::io::stdout(), "{text}").expect("somebody reads");
}

/// How many accounts trade on how many markets.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Accounts, with money enough for anything.
    pub accounts: u64,
    /// Markets, all of the same pair of assets.
    pub markets: u16,
}

/// A market of the two assets, tick 0.01, step 0.00001.
#[must_use]
pub fn params(market: MarketId) -> MarketParams {
    MarketParams {
        market,
        version: 0,
        symbol: format!("M{market}"),
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
        stock: None,
    }
}

/// An order of the n-th account.
#[must_use]
pub fn limit(account: u64, market: u16, (side, ticks, lots): (Side, i64, i64), tif: Tif) -> Command {
    let (market, ticks, lots) = (MarketId(market), Ticks(ticks), Lots(lots));
    let p = params(market);
    let terms = Terms { version: 0, asset: p.locked_asset(side), amount: p.lock(side, ticks, lots), capped: false };
    let (kind, stp, budget) = (OrderKind::Limit, Stp::ExpireTaker, Amount::ZERO);
    let (iceberg, client_id) = (Lots::ZERO, None);
    let new = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms };
    Command::Account(account_id(account), AccountCommand::Spot(SpotCommand::Place(new)))
}

/// The id of an account, by its number from 0 on.
#[must_use]
pub fn account_id(n: u64) -> AccountId {
    AccountId(AccountId::FIRST_USER.0 + n)
}

/// An order near the market of one of the accounts; half of them may rest.
pub fn order(dice: &mut Dice, size: Size) -> Command {
    let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
    let (ticks, lots) = (MID + dice.below(21) as i64 - 10, 1 + dice.below(50) as i64);
    let tif = if dice.below(2) == 0 { Tif::Gtc } else { Tif::Ioc };
    let market = 1 + dice.below(u64::from(size.markets)) as u16;
    limit(dice.below(size.accounts), market, (side, ticks, lots), tif)
}

/// What makes the markets and gives the accounts their money, in the order in which it is told.
pub fn opening(size: Size) -> impl Iterator<Item = Command> {
    let list = |market| Command::Market(market, MarketCommand::List(Box::new(params(market))));
    let item = |asset| GrantItem { wallet: Wallet::Spot, asset: AssetId(asset), amount: Amount::whole(1_000_000) };
    let grant = move |n| {
        let items = vec![item(1), item(3)];
        Command::Account(account_id(n), AccountCommand::Grant { kind: GrantKind::Correction, items })
    };
    (1..=size.markets).map(MarketId).map(list).chain((0..size.accounts).map(grant))
}

/// A journal that forgets: what is left is the engine.
#[derive(Debug, Default)]
pub struct Nowhere {
    last: Lsn,
}

impl Journal for Nowhere {
    fn append(&mut self, batch: &mut Batch) {
        self.last = batch.last();
        batch.clear();
    }
    fn durable(&self) -> Lsn {
        self.last
    }
    fn pending_bytes(&self) -> u64 {
        0
    }
}

/// A journal in memory.
#[derive(Debug, Default)]
pub struct Kept {
    /// All records.
    pub all: Batch,
}

impl Journal for Kept {
    fn append(&mut self, batch: &mut Batch) {
        for (lsn, bytes) in batch.records() {
            self.all.push(lsn, |out| out.extend_from_slice(bytes));
        }
        batch.clear();
    }
    fn durable(&self) -> Lsn {
        if self.all.is_empty() { Lsn::ZERO } else { self.all.last() }
    }
    fn pending_bytes(&self) -> u64 {
        0
    }
}

/// Hands a command to the cell; it is done at the next turns.
pub fn tell<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, command: Command) {
    hand(cell, None, command);
}

/// The same with an answer, that leaves through the gate.
pub fn ask<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, ticket: Ticket, command: Command) {
    hand(cell, Some(ticket), command);
}

fn hand<J: Journal>(cell: &mut Cell<Plain, J, ManualClock>, ticket: Option<Ticket>, command: Command) {
    cell.admit(Ingress::Command(Envelope { ticket, origin: Origin::Api, cause: Cause::Request, command }));
}

/// A cell whose accounts have money.
#[must_use]
pub fn busy_cell<J: Journal>(journal: J, size: Size) -> Cell<Plain, J, ManualClock> {
    let mut cell = Cell::new(World::default(), journal, ManualClock(1));
    for (n, command) in opening(size).enumerate() {
        tell(&mut cell, command);
        if n % ADMIT == 0 {
            while cell.turn(|_, _| {}) {}
        }
    }
    while cell.turn(|_, _| {}) {}
    cell
}

/// A busy cell that writes to a journal on disk.
pub struct Journalled {
    /// The cell.
    pub cell: Cell<Plain, JournalHandle, ManualClock>,
    /// Its journal, for followers.
    pub control: JournalControl,
    writer: JournalWriter,
}

impl std::fmt::Debug for Journalled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journalled").field("at", &self.cell.world().lsn()).finish_non_exhaustive()
    }
}

impl Journalled {
    /// Begins in an empty folder.
    ///
    /// # Panics
    /// When the folder cannot be written.
    #[must_use]
    pub fn start(folder: &Path, size: Size) -> Journalled {
        let storage = Arc::new(RealStorage::open(folder).expect("storage"));
        let recovered = recover(storage, Options::new(0), Lsn::ZERO).expect("an empty journal");
        let Started { handle, control, writer } = recovered.start(Hooks::new(|_| ())).expect("started");
        let mut busy = Journalled { cell: busy_cell(handle, size), control, writer };
        busy.settle();
        busy
    }

    /// Runs until all that was told is done and durable.
    ///
    /// # Panics
    /// When the disk stands still.
    pub fn settle(&mut self) {
        while self.cell.turn(|_, _| {}) {}
        self.cell.hand_over();
        assert!(self.control.wait_for(self.cell.world().lsn(), LONG), "the disk stands still");
        while self.cell.turn(|_, _| {}) {}
    }

    /// Runs until all that was told is done and handed to the journal; waits for no disk.
    pub fn work(&mut self) {
        while self.cell.turn(|_, _| {}) {}
        self.cell.hand_over();
    }

    /// Ends the writing; the position of the last record.
    pub fn stop(mut self) -> Lsn {
        self.settle();
        let last = self.cell.world().lsn();
        drop(self.cell);
        self.writer.shutdown();
        last
    }
}
