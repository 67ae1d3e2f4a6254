//! Payloads of market data in Binance's form (`docs/rules/realtime.md "Public streams"`): streams and calls share them.
//!
//! Owns: field names and the form of numbers. Never does: compute a value. Invariants: a number has the decimals of
//! its market, a level's quantity eight. Known limits: only event times are exact to the microsecond.

use super::aggregates::Aggregate;
use super::board::{AVERAGE_MINUTES, Board, Day};
use super::candles::{Candle, TapeTrade};
use super::contracts::BookFigures;
use super::depth::DepthDiff;
use super::interval::{Interval, Zone};
use crate::api::binance::orders::rows::{side_name, status_name};
use crate::api::ws::stream::Window;
use crate::common::decimal::{fixed, price_of, put_fixed};
use crate::common::time::{Ms, TimeUnit, ms};
use std::fmt::Write;
use xng_core::account::leg_orders::LegOrder;
use xng_core::board::ContractFace;
use xng_core::entity::TimeNs;
use xng_core::fraction::Fraction;
use xng_core::ids::MarketId;
use xng_core::money::{Amount, Lots, ONE, Ticks};
use xng_core::spot::{MarketParams, MarketState, Side};

/// Decimals of a level's quantity: a client takes a level out when it reads `0.00000000`, to the letter.
const LEVEL_PLACES: usize = 8;

/// Appends an amount as a JSON text.
pub fn put_text(out: &mut String, amount: Amount, places: usize) {
    out.push('"');
    put_fixed(out, amount, places);
    out.push('"');
}

/// A JSON list of rows, each written by `row`.
pub fn list<T>(rows: &[T], row: impl Fn(&mut String, &T)) -> String {
    let mut out = String::with_capacity(rows.len() * 128 + 2);
    put_list(&mut out, rows, row);
    out
}

/// Appends such a list.
pub fn put_list<T>(out: &mut String, rows: &[T], row: impl Fn(&mut String, &T)) {
    out.push('[');
    for (i, one) in rows.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        row(out, one);
    }
    out.push(']');
}

/// How a market's levels are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthFormat {
    symbol: String,
    params: MarketParams,
    price: usize,
    contract: bool,
}

impl DepthFormat {
    /// For one market.
    #[must_use]
    pub fn new(board: &Board) -> DepthFormat {
        let (symbol, params) = (board.params.symbol.clone(), board.params.clone());
        DepthFormat { symbol, params, price: board.price_places(), contract: board.is_contract() }
    }

    fn levels(&self, out: &mut String, levels: impl Iterator<Item = (Ticks, Lots)>) {
        out.push('[');
        for (i, (ticks, lots)) in levels.enumerate() {
            let (price, quantity) = (price_of(ticks, &self.params), self.params.base_amount(lots));
            out.push_str(if i == 0 { "[" } else { ",[" });
            put_text(out, price, self.price);
            out.push(',');
            put_text(out, quantity, LEVEL_PLACES);
            out.push(']');
        }
        out.push(']');
    }

    /// A `depthUpdate`.
    #[must_use]
    pub fn update(&self, diff: &DepthDiff, unit: TimeUnit) -> String {
        self.event((diff.first, diff.last), diff.bids.iter().copied(), diff.asks.iter().copied(), unit)
    }

    fn event(
        &self,
        (first, last): (u64, u64),
        bids: impl Iterator<Item = (Ticks, Lots)>,
        asks: impl Iterator<Item = (Ticks, Lots)>,
        unit: TimeUnit,
    ) -> String {
        let (event, symbol) = (unit.now(), &self.symbol);
        // Of contracts the update before is named too.
        let (time, before) = match self.contract {
            true => (format!(r#""T":{event},"#), format!(r#""pu":{},"#, first.saturating_sub(1))),
            false => (String::new(), String::new()),
        };
        let mut out =
            format!(r#"{{"e":"depthUpdate","E":{event},{time}"s":"{symbol}","U":{first},"u":{last},{before}"b":"#);
        self.levels(&mut out, bids);
        out.push_str(r#","a":"#);
        self.levels(&mut out, asks);
        out.push('}');
        out
    }

    /// The best `limit` levels as the stream of so many tells them.
    #[must_use]
    pub fn partial(&self, board: &Board, limit: usize, unit: TimeUnit) -> String {
        if !self.contract {
            return self.snapshot(board, limit);
        }
        let side = |side| board.depth.levels(side).take(limit);
        let update = board.depth.update();
        self.event((update, update), side(Side::Buy), side(Side::Sell), unit)
    }

    /// The best `limit` levels with their update id.
    #[must_use]
    pub fn snapshot(&self, board: &Board, limit: usize) -> String {
        let side = |side| board.depth.levels(side).take(limit);
        self.book(board.depth.update(), side(Side::Buy), side(Side::Sell))
    }

    /// Levels of an update id.
    pub fn book(
        &self,
        update: u64,
        bids: impl Iterator<Item = (Ticks, Lots)>,
        asks: impl Iterator<Item = (Ticks, Lots)>,
    ) -> String {
        let mut out = format!(r#"{{"lastUpdateId":{update},"bids":"#);
        self.levels(&mut out, bids);
        out.push_str(r#","asks":"#);
        self.levels(&mut out, asks);
        out.push('}');
        out
    }
}

/// A trade's id; -1 without trades.
fn known(id: u64) -> i64 {
    if id == 0 { -1 } else { id as i64 }
}

/// A text of one trade, without growing on the way.
fn trade_text() -> String {
    String::with_capacity(192)
}

/// A `trade`.
#[must_use]
pub fn trade(board: &Board, t: &TapeTrade, unit: TimeUnit) -> String {
    let mut out = trade_text();
    let (now, symbol, id) = (unit.now(), &board.params.symbol, t.id);
    let _ = write!(out, r#"{{"e":"trade","E":{now},"s":"{symbol}","t":{id},"p":""#);
    put_fixed(&mut out, t.price, board.price_places());
    out.push_str(r#"","q":""#);
    put_fixed(&mut out, t.quantity, board.quantity_places());
    let _ = write!(out, r#"","T":{},"m":{},"#, unit.of(t.time_ms), t.buyer_is_maker);
    out.push_str(if board.is_contract() { r#""X":"MARKET"}"# } else { r#""M":true}"# });
    out
}

/// An `aggTrade`.
#[must_use]
pub fn agg_trade(board: &Board, a: &Aggregate, unit: TimeUnit) -> String {
    let mut out = trade_text();
    let (now, symbol, first) = (unit.now(), &board.params.symbol, a.first);
    let _ = write!(out, r#"{{"e":"aggTrade","E":{now},"s":"{symbol}","a":{first},"p":""#);
    put_fixed(&mut out, a.price, board.price_places());
    out.push_str(r#"","q":""#);
    put_fixed(&mut out, a.quantity, board.quantity_places());
    let _ = write!(out, r#"","f":{first},"l":{},"T":{},"m":{}"#, a.last, unit.of(a.time_ms), a.buyer_is_maker);
    out.push_str(if board.is_contract() { "}" } else { r#","M":true}"# });
    out
}

/// A `kline`; its zone shows in its begin alone.
#[must_use]
pub fn kline(board: &Board, form: (Interval, Zone), c: &Candle, now: Ms, unit: TimeUnit) -> String {
    let (now_text, candle) = (unit.of(now), candle(board, form, c, now, unit));
    format!(r#"{{"e":"kline","E":{now_text},"s":"{}","k":{candle}}}"#, board.params.symbol)
}

/// A `continuous_kline`.
#[must_use]
pub fn continuous_kline(board: &Board, interval: Interval, c: &Candle, now: Ms, unit: TimeUnit) -> String {
    let (now_text, candle) = (unit.of(now), candle(board, (interval, Zone::Utc), c, now, unit));
    let pair = &board.params.symbol;
    format!(r#"{{"e":"continuous_kline","E":{now_text},"ps":"{pair}","ct":"PERPETUAL","k":{candle}}}"#)
}

fn candle(board: &Board, (interval, zone): (Interval, Zone), c: &Candle, now: Ms, unit: TimeUnit) -> String {
    let (price, quantity) = (board.price_places(), board.quantity_places());
    let next = interval.span_at(c.open_ms, zone.offset()).1;
    format!(
        concat!(
            r#"{{"t":{t},"T":{T},"s":"{s}","i":"{i}","f":{f},"L":{L},"#,
            r#""o":"{o}","c":"{c}","h":"{h}","l":"{l}","v":"{v}","n":{n},"x":{x},"q":"{q}","V":"{V}","Q":"{Q}","B":"0"}}"#
        ),
        s = board.params.symbol,
        t = unit.of(c.open_ms),
        T = unit.of(next) - 1,
        i = interval.name(),
        f = known(c.first_trade),
        L = known(c.last_trade),
        o = fixed(c.open, price),
        c = fixed(c.close, price),
        h = fixed(c.high, price),
        l = fixed(c.low, price),
        v = fixed(c.volume, quantity),
        n = c.trades,
        x = now >= next,
        q = fixed(c.turnover, 8),
        V = fixed(c.taker_base, quantity),
        Q = fixed(c.taker_quote, 8),
    )
}

/// A `24hrMiniTicker`.
#[must_use]
pub fn mini_ticker(board: &Board, d: &Day, now: Ms, unit: TimeUnit) -> String {
    let price = board.price_places();
    format!(
        r#"{{"e":"24hrMiniTicker","E":{},"s":"{}","c":"{}","o":"{}","h":"{}","l":"{}","v":"{}","q":"{}"}}"#,
        unit.of(now),
        board.params.symbol,
        fixed(d.close, price),
        fixed(d.open, price),
        fixed(d.high, price),
        fixed(d.low, price),
        fixed(d.volume, board.quantity_places()),
        fixed(d.turnover, 8),
    )
}

fn best(board: &Board, side: Side) -> (String, String) {
    let (price, quantity) = board.best(side).unwrap_or((Amount::ZERO, Amount::ZERO));
    (fixed(price, board.price_places()), fixed(quantity, board.quantity_places()))
}

/// A `24hrTicker`.
#[must_use]
pub fn ticker(board: &Board, d: &Day, now: Ms, unit: TimeUnit) -> String {
    let (price, quantity) = (board.price_places(), board.quantity_places());
    let (bid, bid_qty) = best(board, Side::Buy);
    let (ask, ask_qty) = best(board, Side::Sell);
    // Of contracts neither the close before nor the best prices are told here.
    let of_spot = match board.is_contract() {
        true => String::new(),
        false => {
            let before = fixed(d.previous, price);
            format!(r#""x":"{before}","b":"{bid}","B":"{bid_qty}","a":"{ask}","A":"{ask_qty}","#)
        }
    };
    let last_qty = board.trades.back().map_or(Amount::ZERO, |t| t.quantity);
    format!(
        concat!(
            r#"{{"e":"24hrTicker","E":{E},"s":"{s}","p":"{p}","P":"{P}","w":"{w}","c":"{c}","Q":"{Q}","#,
            r#"{of_spot}"o":"{o}","h":"{h}","l":"{l}","v":"{v}","q":"{q}","#,
            r#""O":{O},"C":{C},"F":{F},"L":{L},"n":{n}}}"#
        ),
        of_spot = of_spot,
        E = unit.of(now),
        s = board.params.symbol,
        p = fixed(d.change(), price),
        P = d.change_percent(),
        w = fixed(d.average(), 8),
        c = fixed(d.close, price),
        Q = fixed(last_qty, quantity),
        o = fixed(d.open, price),
        h = fixed(d.high, price),
        l = fixed(d.low, price),
        v = fixed(d.volume, quantity),
        q = fixed(d.turnover, 8),
        O = unit.of(d.open_ms),
        C = unit.of(now),
        F = known(d.first_trade),
        L = known(d.last_trade),
        n = d.trades,
    )
}

/// A ticker over a rolling window: `1hTicker` and its like.
#[must_use]
pub fn rolling(board: &Board, window: Window, d: &Day, now: Ms, unit: TimeUnit) -> String {
    let price = board.price_places();
    format!(
        concat!(
            r#"{{"e":"{e}Ticker","E":{E},"s":"{s}","p":"{p}","P":"{P}","o":"{o}","h":"{h}","l":"{l}","c":"{c}","#,
            r#""w":"{w}","v":"{v}","q":"{q}","O":{O},"C":{C},"F":{F},"L":{L},"n":{n}}}"#
        ),
        e = window.name(),
        E = unit.of(now),
        s = board.params.symbol,
        p = fixed(d.change(), price),
        P = d.change_percent(),
        o = fixed(d.open, price),
        h = fixed(d.high, price),
        l = fixed(d.low, price),
        c = fixed(d.close, price),
        w = fixed(d.average(), 8),
        v = fixed(d.volume, board.quantity_places()),
        q = fixed(d.turnover, 8),
        O = unit.of(d.open_ms),
        C = unit.of(now),
        F = known(d.first_trade),
        L = known(d.last_trade),
        n = d.trades,
    )
}

/// An `avgPrice`; `last` is when the last trade was.
#[must_use]
pub fn average_price(board: &Board, average: Amount, last: Ms, now: Ms, unit: TimeUnit) -> String {
    format!(
        r#"{{"e":"avgPrice","E":{},"s":"{}","i":"{AVERAGE_MINUTES}m","w":"{}","T":{}}}"#,
        unit.of(now),
        board.params.symbol,
        fixed(average, 8),
        unit.of(last)
    )
}

/// A `bookTicker`; those of contracts tell their kind and time.
#[must_use]
pub fn book_ticker(board: &Board, unit: TimeUnit) -> String {
    let (bid, bid_qty) = best(board, Side::Buy);
    let (ask, ask_qty) = best(board, Side::Sell);
    let kind = match board.is_contract() {
        true => format!(r#""e":"bookTicker","E":{now},"T":{now},"#, now = unit.now()),
        false => String::new(),
    };
    format!(
        r#"{{{kind}"u":{},"s":"{}","b":"{bid}","B":"{bid_qty}","a":"{ask}","A":"{ask_qty}"}}"#,
        board.depth.update(),
        board.params.symbol
    )
}

/// How calls name a market's state.
#[must_use]
pub const fn state_name(state: MarketState) -> &'static str {
    match state {
        MarketState::Trading => "TRADING",
        MarketState::CancelOnly => "CANCEL_ONLY",
        MarketState::Halt => "HALT",
    }
}

/// One entry of the app's `!status@arr`.
#[must_use]
pub fn status(board: &Board) -> String {
    let (index, at) = board.index.unwrap_or((Amount::ZERO, 0));
    format!(
        r#"{{"symbol":"{}","status":"{}","source":"{}","price_ms":{at},"index":"{index}"}}"#,
        board.params.symbol,
        state_name(board.state),
        board.source
    )
}

/// A `markPriceUpdate`.
#[must_use]
pub fn mark_price(face: &ContractFace, figures: &BookFigures, now: Ms, unit: TimeUnit) -> String {
    let (mark, index) = (fixed(face.mark, 8), fixed(face.index.0, 8));
    format!(
        r#"{{"e":"markPriceUpdate","E":{},"s":"{}","p":"{mark}","ap":"{mark}","i":"{index}","P":"{index}","r":"{}","T":{}}}"#,
        unit.of(now),
        face.params.symbol,
        fixed(figures.next_rate, 8),
        unit.ns(figures.due),
    )
}

/// A `forceOrder`.
#[must_use]
pub fn force_order(board: &Board, o: &LegOrder, unit: TimeUnit) -> String {
    let (u, symbol) = (&o.units, &board.params.symbol);
    let quantity = |lots| fixed(u.base(lots), board.quantity_places());
    let filled = u.base(o.filled);
    let average =
        if filled.is_zero() { Amount::ZERO } else { Fraction::from(o.spent).by(ONE).over(filled.into()).round8() };
    let (side, state) = (side_name(o.side), status_name(o.status));
    let (price, average) = (fixed(u.price(o.ticks), board.price_places()), fixed(average, board.price_places()));
    let done = quantity(o.filled);
    format!(
        r#"{{"e":"forceOrder","E":{},"o":{{"s":"{symbol}","S":"{side}","o":"LIMIT","f":"IOC","q":"{}","p":"{price}","ap":"{average}","X":"{state}","l":"{done}","z":"{done}","T":{}}}}}"#,
        unit.now(),
        quantity(o.lots),
        unit.ns(o.updated),
    )
}

/// A `contractInfo`.
#[must_use]
pub fn contract_info(face: &ContractFace, now: Ms, unit: TimeUnit) -> String {
    let (mut floor, mut brackets) = (Amount::ZERO, String::new());
    for tier in face.params.brackets.tiers() {
        let from = std::mem::replace(&mut floor, tier.bracket.ceiling);
        let (cap, rate) = (tier.bracket.ceiling, Amount(i128::from(tier.bracket.rate_ppm) * 100));
        let comma = if tier.place == 0 { "" } else { "," };
        brackets += &format!(
            r#"{comma}{{"bs":{},"bnf":{from},"bnc":{cap},"mmr":{rate},"cf":{},"mi":1,"ma":{}}}"#,
            tier.place + 1,
            tier.amount,
            tier.bracket.max_multiple,
        );
    }
    let (symbol, state) = (&face.params.symbol, state_name(face.state));
    format!(
        r#"{{"e":"contractInfo","E":{},"s":"{symbol}","ps":"{symbol}","ct":"PERPETUAL","dt":4133404800000,"ot":0,"cs":"{state}","bks":[{brackets}]}}"#,
        unit.of(now),
    )
}

/// One entry of the app's `!contract@arr`.
#[must_use]
pub fn contract(id: MarketId, face: &ContractFace, now: TimeNs) -> String {
    let (index, seq, at) = face.index;
    let age = if seq == 0 { 0 } else { ms(now.saturating_sub(at)) };
    format!(
        r#"{{"symbol":"{}","match_id":{id},"status":"{}","live":{},"index":"{index}","mark":"{}","index_ms":{},"age_ms":{age}}}"#,
        face.params.symbol,
        state_name(face.state),
        face.is_live(now),
        face.mark,
        ms(at),
    )
}
