//! The exchange's book and matching behind the C interface of `flash1-dev/matching-engine-benchmark`
//! (`api/matching_engine_api.h`), so that a harness that is not ours compares them with others. `benches/harness/run.sh`
//! builds and runs it.
//!
//! Owns: the translation of messages and reports. Never does: match; keep anything about an order beside the book.
//! Invariants: everything is asked of the book itself; a modify is a cancel and a new order, as that interface says.
//! Known limits: the harness calls from one thread, as its contract promises; orders of nobody: every order has an
//! account of its own, so self-trade prevention is compiled in and never acts.

#![allow(unsafe_code, reason = "a C interface: its pointers and its symbols")]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId};
use xng_core::market::book::{Book, Resting};
use xng_core::market::matching::{Incoming, MatchResult, match_order};
use xng_core::money::{FeePpm, Lots, Ticks};
use xng_core::spot::facts::Units;
use xng_core::spot::{Side, Stp};

/// `new_order_t`.
#[repr(C)]
#[derive(Debug)]
pub struct NewOrder {
    order_id: u64,
    sequence_number: u64,
    price_ticks: i64,
    quantity: u32,
    side: u8,
    ioc: u8,
    reserved: [u8; 2],
}

/// `cancel_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Cancel {
    order_id: u64,
    sequence_number: u64,
}

/// `modify_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Modify {
    order_id: u64,
    sequence_number: u64,
    new_price_ticks: i64,
    new_quantity: u32,
    side: u8,
    reserved: [u8; 3],
}

/// `me_report_t`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Report {
    kind: u8,
    side: u8,
    reserved: [u8; 6],
    sequence_number: u64,
    order_id: u64,
    price_ticks: i64,
    quantity: u32,
    reserved2: u32,
    maker_order_id: u64,
    taker_order_id: u64,
    reserved3: u64,
}

const ORDER_ACK: u8 = 0;
const TRADE: u8 = 1;
const CANCEL_ACK: u8 = 2;
const MODIFY_ACK: u8 = 3;
const CANCEL_REJECT: u8 = 4;
const MODIFY_REJECT: u8 = 5;

const _: () = assert!(size_of::<NewOrder>() == 32 && size_of::<Cancel>() == 16 && size_of::<Modify>() == 32);
const _: () = assert!(size_of::<Report>() == 64);

/// `me_transport_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Transport {
    create: extern "C" fn(u32) -> *mut c_void,
    push: extern "C" fn(*mut c_void, *const Report) -> i32,
    drain: extern "C" fn(*mut c_void, *mut Report, u32) -> u32,
    flush: extern "C" fn(*mut c_void),
    destroy: extern "C" fn(*mut c_void),
}

const UNITS: Units =
    Units { market: MarketId(1), base: AssetId(1), quote: AssetId(2), lot_units: 100, tick_lot_units: 1 };
/// Whoever comes in; resting orders are those of accounts with their own number.
const TAKER: AccountId = AccountId(u64::MAX);

struct Engine {
    push: extern "C" fn(*mut c_void, *const Report) -> i32,
    sink: *mut c_void,
    book: Book,
    met: MatchResult,
}

struct OneThread(UnsafeCell<Option<Engine>>);
// SAFETY: the harness makes all its calls from one thread; its drainer touches the transport only.
unsafe impl Sync for OneThread {}
static ENGINE: OneThread = OneThread(UnsafeCell::new(None));

/// The engine, after `engine_init`.
fn engine() -> &'static mut Engine {
    // SAFETY: one thread, and no function below keeps what it got beyond its end or calls another that asks again.
    unsafe { (*ENGINE.0.get()).as_mut().expect("engine_init comes first") }
}

fn side(side: u8) -> Side {
    if side == 0 { Side::Buy } else { Side::Sell }
}

impl Engine {
    fn tell(&self, report: &Report) {
        while (self.push)(self.sink, report) == 0 {
            std::hint::spin_loop();
        }
    }

    fn tell_of(&self, kind: u8, sequence_number: u64, order_id: u64, side: u8, price_ticks: i64, quantity: u32) {
        self.tell(&Report { kind, side, sequence_number, order_id, price_ticks, quantity, ..Report::default() });
    }

    /// Matches and lets the rest rest; what is left.
    fn take_in(&mut self, sequence_number: u64, order_id: u64, side: Side, ticks: i64, lots: u32, rests: bool) -> u32 {
        let incoming = Incoming {
            account: TAKER,
            side,
            limit: Some(Ticks(ticks)),
            lots: Lots(i64::from(lots)),
            budget: None,
            stp: Stp::ExpireTaker,
            taker_ppm: FeePpm(1_000),
            // This interface knows no bound of a decision.
            at_most: usize::MAX,
        };
        self.book.prefetch(OrderId(order_id), side, Ticks(ticks));
        match_order(&self.book, &UNITS, &incoming, None, &mut self.met);
        for trade in &self.met.trades {
            self.book.reduce(trade.maker_order, trade.lots);
            self.tell(&Report {
                kind: TRADE,
                sequence_number,
                price_ticks: trade.ticks.0,
                quantity: trade.lots.0 as u32,
                maker_order_id: trade.maker_order.0,
                taker_order_id: order_id,
                ..Report::default()
            });
        }
        let lots = self.met.left;
        if rests && !lots.is_zero() {
            let (order, account, ticks) = (OrderId(order_id), AccountId(order_id), Ticks(ticks));
            self.book.insert(Resting { order, account, side, ticks, lots, maker_ppm: FeePpm(800), quote: false });
        }
        lots.0 as u32
    }
}

/// Begins anew.
///
/// # Safety
/// `transport` is the harness's table, `sink` what it pushes into; both live until `engine_shutdown`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_init(_nonce: u64, transport: *const Transport, sink: *mut c_void) {
    // SAFETY: as promised by the caller; one thread.
    unsafe {
        let push = (*transport).push;
        *ENGINE.0.get() = Some(Engine { push, sink, book: Book::default(), met: MatchResult::default() });
    }
}

/// Ends.
#[unsafe(no_mangle)]
pub extern "C" fn engine_shutdown() {
    // SAFETY: one thread.
    unsafe { *ENGINE.0.get() = None };
}

/// Every call is done when it returns.
#[unsafe(no_mangle)]
pub extern "C" fn engine_flush() {}

/// A new order.
#[unsafe(no_mangle)]
pub extern "C" fn engine_on_new_order(order: &NewOrder) {
    let NewOrder { order_id: id, sequence_number: seq, price_ticks: ticks, quantity, .. } = *order;
    let engine = engine();
    engine.tell_of(ORDER_ACK, seq, id, order.side, ticks, quantity);
    let rests = order.ioc == 0;
    let left = engine.take_in(seq, id, side(order.side), ticks, quantity, rests);
    if !rests && left > 0 {
        engine.tell_of(CANCEL_ACK, seq, id, order.side, ticks, left);
    }
}

/// A cancel.
#[unsafe(no_mangle)]
pub extern "C" fn engine_on_cancel(cancel: &Cancel) {
    let engine = engine();
    match engine.book.remove(OrderId(cancel.order_id)) {
        Some(gone) => {
            let (side, ticks, lots) = (u8::from(gone.side == Side::Sell), gone.ticks.0, gone.lots.0 as u32);
            engine.tell_of(CANCEL_ACK, cancel.sequence_number, cancel.order_id, side, ticks, lots);
        }
        None => engine.tell_of(CANCEL_REJECT, cancel.sequence_number, cancel.order_id, 0, 0, 0),
    }
}

/// A modify.
#[unsafe(no_mangle)]
pub extern "C" fn engine_on_modify(modify: &Modify) {
    let Modify { order_id: id, sequence_number: seq, new_price_ticks: ticks, new_quantity, .. } = *modify;
    let engine = engine();
    let Some(gone) = engine.book.remove(OrderId(id)) else {
        return engine.tell_of(MODIFY_REJECT, seq, id, 0, 0, 0);
    };
    engine.tell_of(MODIFY_ACK, seq, id, u8::from(gone.side == Side::Sell), ticks, new_quantity);
    engine.take_in(seq, id, gone.side, ticks, new_quantity, true);
}

/// The best bid.
#[unsafe(no_mangle)]
pub extern "C" fn engine_query_best_bid() -> i64 {
    engine().book.best(Side::Buy).map_or(i64::MIN, |ticks| ticks.0)
}

/// The best ask.
#[unsafe(no_mangle)]
pub extern "C" fn engine_query_best_ask() -> i64 {
    engine().book.best(Side::Sell).map_or(i64::MAX, |ticks| ticks.0)
}

/// What rests at a price.
#[unsafe(no_mangle)]
pub extern "C" fn engine_query_depth_at(price_ticks: i64, at: u8) -> u64 {
    let found = engine().book.depth(side(at)).find(|(ticks, _)| ticks.0 == price_ticks);
    found.map_or(0, |(_, lots)| lots.0 as u64)
}
