//! The table of calls: what each is named, weighs, asks for and takes.
//!
//! Owns: the table. Never does: read a request or answer one. Invariants: a method and path are one call's; parameters are
//! looked at in the order in which they stand here. Known limits: none.

use super::errors::ApiError;
use super::orders::wish::{OrderType, ResponseType, StpMode, TimeInForce};
use super::orders::{cancel, place, queries, wish};
use super::params::{Args, Kind, Param, Wrong, may, must};
use super::request::{Outcome, Request};
use super::{account, candles, exchange_info, market, tickers};
use futures_util::future::{FutureExt, LocalBoxFuture};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use xng_core::entity::CommandClass;

/// Folders of paths that are this API's alone.
pub(super) const FOLDERS: [&str; 1] = ["/api/v3"];

/// A method of HTTP that calls have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    /// As it is sent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }

    pub(super) fn is(self, method: &actix_web::http::Method) -> bool {
        method.as_str() == self.name()
    }
}

/// What a call asks of who calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// Nothing.
    None,
    /// A key.
    Key,
    /// A signature by a key that may read.
    Read,
    /// A signature by a key that may trade.
    Trade,
}

impl Security {
    /// Whether calls are signed.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Security::Read | Security::Trade)
    }
}

/// What a call weighs.
#[derive(Debug, Clone, Copy)]
pub enum Weight {
    /// Always the same.
    Fixed(u64),
    /// By its parameters.
    By(fn(&Args) -> u64),
}

impl Weight {
    /// Of a request.
    #[must_use]
    pub fn of(self, args: &Args) -> u64 {
        match self {
            Weight::Fixed(weight) => weight,
            Weight::By(weight) => weight(args),
        }
    }
}

/// What answers a call.
pub type Handler = fn(Request) -> LocalBoxFuture<'static, Outcome>;

/// A call.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its method.
    pub method: Method,
    /// Its path.
    pub path: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it weighs.
    pub weight: Weight,
    /// What it asks of who calls it.
    pub security: Security,
    /// What it does to the exchange: while the process drains, what takes something new is refused.
    pub class: CommandClass,
    /// Its parameters, without those of every signed call.
    pub params: &'static [Param],
    /// Which of them go together: looked at before time and signature.
    pub shape: fn(&Args) -> Result<(), ApiError>,
    /// What answers it.
    pub handler: Handler,
}

fn any(_: &Args) -> Result<(), ApiError> {
    Ok(())
}

/// A call without parameters that may not stand together.
const fn get(
    path: &'static str,
    about: &'static str,
    weight: Weight,
    params: &'static [Param],
    handler: Handler,
) -> Call {
    Call {
        method: Method::Get,
        path,
        about,
        weight,
        security: Security::None,
        class: CommandClass::Reads,
        params,
        shape: any,
        handler,
    }
}

/// A signed call without parameters that may not stand together.
pub(super) const fn signed(
    (method, path): (Method, &'static str),
    about: &'static str,
    weight: Weight,
    params: &'static [Param],
    handler: Handler,
) -> Call {
    let security = if matches!(method, Method::Get) { Security::Read } else { Security::Trade };
    let class = match method {
        Method::Get => CommandClass::Reads,
        Method::Delete => CommandClass::Frees,
        Method::Post | Method::Put => CommandClass::Takes,
    };
    Call { method, path, about, weight, security, class, params, shape: any, handler }
}

/// A call that waits for the exchange or the store.
macro_rules! waits {
    ($call:path) => {
        |request| $call(request).boxed_local()
    };
}

/// A call that answers at once.
macro_rules! now {
    ($call:path) => {
        |request| std::future::ready($call(&request)).boxed_local()
    };
}

const STATUSES: Kind = Kind::OneOf(&["TRADING", "HALT", "BREAK"], Wrong::SymbolStatus);
const INTERVALS: Kind = Kind::OneOf(
    &["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M"],
    Wrong::Interval,
);
const TICKER_TYPES: Kind = Kind::OneOf(&["FULL", "MINI"], Wrong::TickerType);

pub(super) const SYMBOL: Param = must("symbol", Kind::Symbol);
const ONE: Param = may("symbol", Kind::Symbol);
const SOME: Param = may("symbols", Kind::Symbols);
const STATUS: Param = may("symbolStatus", STATUSES);
pub(super) const LIMIT: Param = may("limit", Kind::Limit);
pub(super) const FROM_ID: Param = may("fromId", Kind::Whole);
pub(super) const START: Param = may("startTime", Kind::Time);
pub(super) const END: Param = may("endTime", Kind::Time);
const ZONE: Param = may("timeZone", Kind::Zone);

fn depth_weight(args: &Args) -> u64 {
    match args.limit(100, 5_000) {
        0..=100 => 5,
        101..=500 => 25,
        501..=1_000 => 50,
        _ => 250,
    }
}

/// Of tickers: one symbol, a list by its length, or all.
fn day_weight(args: &Args) -> u64 {
    match args.names("symbols").map(<[String]>::len) {
        _ if args.has("symbol") => 2,
        Some(0..=20) => 2,
        Some(21..=100) => 40,
        _ => 80,
    }
}

fn price_weight(args: &Args) -> u64 {
    if args.has("symbol") { 2 } else { 4 }
}

/// Of windows: each symbol, up to 50.
fn each_weight(args: &Args) -> u64 {
    4 * args.names("symbols").map_or(1, |names| names.len().min(50) as u64)
}

const CANDLES: &[Param] = &[SYMBOL, must("interval", INTERVALS), START, END, ZONE, LIMIT];

const PUBLIC: &[Call] = &[
    get("/api/v3/ping", "Tests the way here.", Weight::Fixed(1), &[], now!(market::ping)),
    get("/api/v3/time", "Tells the time.", Weight::Fixed(1), &[], now!(market::time)),
    get(
        "/api/v3/exchangeInfo",
        "What is listed, with rules and limits.",
        Weight::Fixed(20),
        &[ONE, SOME, may("permissions", Kind::Text), may("showPermissionSets", Kind::Flag), STATUS],
        now!(exchange_info::exchange_info),
    ),
    get("/api/v3/depth", "The order book.", Weight::By(depth_weight), &[SYMBOL, LIMIT, STATUS], now!(market::depth)),
    get("/api/v3/trades", "The latest trades.", Weight::Fixed(25), &[SYMBOL, LIMIT], now!(market::trades)),
    get(
        "/api/v3/historicalTrades",
        "Trades from an id on.",
        Weight::Fixed(25),
        &[SYMBOL, LIMIT, FROM_ID],
        now!(market::trades),
    ),
    get(
        "/api/v3/aggTrades",
        "Trades, those of one taker order at one price as one.",
        Weight::Fixed(4),
        &[SYMBOL, FROM_ID, START, END, LIMIT],
        now!(market::agg_trades),
    ),
    get("/api/v3/klines", "Candles.", Weight::Fixed(2), CANDLES, now!(candles::klines)),
    get("/api/v3/uiKlines", "Candles for charts.", Weight::Fixed(2), CANDLES, now!(candles::klines)),
    get("/api/v3/avgPrice", "The average price.", Weight::Fixed(2), &[SYMBOL], now!(candles::avg_price)),
    get(
        "/api/v3/ticker/24hr",
        "Prices and volumes of the last 24 hours.",
        Weight::By(day_weight),
        &[ONE, SOME, may("type", TICKER_TYPES), STATUS],
        now!(tickers::ticker_24hr),
    ),
    get(
        "/api/v3/ticker/tradingDay",
        "Prices and volumes since midnight.",
        Weight::By(each_weight),
        &[ONE, SOME, ZONE, may("type", TICKER_TYPES), STATUS],
        now!(tickers::trading_day),
    ),
    get(
        "/api/v3/ticker",
        "Prices and volumes of a window.",
        Weight::By(each_weight),
        &[ONE, SOME, may("windowSize", Kind::Text), may("type", TICKER_TYPES), STATUS],
        now!(tickers::ticker),
    ),
    get(
        "/api/v3/ticker/price",
        "The last price.",
        Weight::By(price_weight),
        &[ONE, SOME, STATUS],
        now!(tickers::ticker_price),
    ),
    get(
        "/api/v3/ticker/bookTicker",
        "The best bid and ask.",
        Weight::By(price_weight),
        &[ONE, SOME, STATUS],
        now!(tickers::ticker_book),
    ),
];

pub(super) const SIDES: Kind = Kind::OneOf(&["BUY", "SELL"], Wrong::Side);
const TYPES: Kind = Kind::OneOf(&OrderType::NAMES, Wrong::OrderType);
pub(super) const TIFS: Kind = Kind::OneOf(&TimeInForce::NAMES, Wrong::Tif);
pub(super) const STP_MODES: Kind = Kind::OneOf(&StpMode::NAMES, Wrong::Data);
pub(super) const RESPONSES: Kind = Kind::OneOf(&ResponseType::NAMES, Wrong::Data);
pub(super) const RESTRICTIONS: Kind = Kind::OneOf(&["ONLY_NEW", "ONLY_PARTIALLY_FILLED"], Wrong::Restrictions);
pub(super) const ORDER_ID: Param = may("orderId", Kind::Whole);
pub(super) const ORIG_NAME: Param = may("origClientOrderId", Kind::Name);
pub(super) const NEW_NAME: Param = may("newClientOrderId", Kind::Name);

/// What a new order is made of; a test of one may ask for its fees too.
pub(super) const NEW_ORDER: [Param; 16] = [
    SYMBOL,
    must("side", SIDES),
    must("type", TYPES),
    may("timeInForce", TIFS),
    may("quantity", Kind::Amount),
    may("quoteOrderQty", Kind::Amount),
    may("price", Kind::Amount),
    NEW_NAME,
    may("strategyId", Kind::Whole),
    may("strategyType", Kind::Whole),
    may("stopPrice", Kind::Amount),
    may("trailingDelta", Kind::Whole),
    may("icebergQty", Kind::Amount),
    may("newOrderRespType", RESPONSES),
    may("selfTradePreventionMode", STP_MODES),
    may("computeCommissionRates", Kind::Flag),
];

fn order_shape(args: &Args) -> Result<(), ApiError> {
    wish::OrderRequest::read(args).map(drop)
}

fn open_weight(args: &Args) -> u64 {
    if args.has("symbol") { 6 } else { 80 }
}

fn test_weight(args: &Args) -> u64 {
    if args.flag("computeCommissionRates") == Some(true) { 20 } else { 1 }
}

fn trades_weight(args: &Args) -> u64 {
    if args.has("orderId") { 5 } else { 20 }
}

fn prevented_weight(args: &Args) -> u64 {
    if args.has("orderId") { 20 } else { 2 }
}

const ORDERS: &[Call] = &[
    Call {
        shape: order_shape,
        ..signed(
            (Method::Post, "/api/v3/order"),
            "Places an order.",
            Weight::Fixed(1),
            NEW_ORDER.split_at(15).0,
            waits!(place::place),
        )
    },
    Call {
        shape: order_shape,
        class: CommandClass::Reads,
        ..signed(
            (Method::Post, "/api/v3/order/test"),
            "Tests an order without placing it.",
            Weight::By(test_weight),
            &NEW_ORDER,
            waits!(place::test),
        )
    },
    Call {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Get, "/api/v3/order"),
            "An order as it is now.",
            Weight::Fixed(4),
            &[SYMBOL, ORDER_ID, ORIG_NAME],
            waits!(queries::order),
        )
    },
    Call {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Delete, "/api/v3/order"),
            "Cancels an order.",
            Weight::Fixed(1),
            &[SYMBOL, ORDER_ID, ORIG_NAME, NEW_NAME, may("cancelRestrictions", RESTRICTIONS)],
            waits!(cancel::cancel),
        )
    },
    signed(
        (Method::Get, "/api/v3/openOrders"),
        "Open orders.",
        Weight::By(open_weight),
        &[ONE],
        waits!(queries::open_orders),
    ),
    signed(
        (Method::Delete, "/api/v3/openOrders"),
        "Cancels all open orders of a market.",
        Weight::Fixed(1),
        &[SYMBOL],
        waits!(cancel::cancel_all),
    ),
    Call {
        shape: queries::is_a_day,
        ..signed(
            (Method::Get, "/api/v3/allOrders"),
            "Orders, open and done.",
            Weight::Fixed(20),
            &[SYMBOL, ORDER_ID, START, END, LIMIT],
            waits!(queries::all_orders),
        )
    },
    Call {
        shape: queries::trades_shape,
        ..signed(
            (Method::Get, "/api/v3/myTrades"),
            "Own fills.",
            Weight::By(trades_weight),
            &[SYMBOL, ORDER_ID, START, END, FROM_ID, LIMIT],
            waits!(queries::trades),
        )
    },
    Call {
        shape: queries::prevented_shape,
        ..signed(
            (Method::Get, "/api/v3/myPreventedMatches"),
            "Matches with own orders that were prevented.",
            Weight::By(prevented_weight),
            &[SYMBOL, may("preventedMatchId", Kind::Whole), ORDER_ID, may("fromPreventedMatchId", Kind::Whole), LIMIT],
            waits!(queries::prevented),
        )
    },
];

const ACCOUNT: &[Call] = &[
    signed(
        (Method::Get, "/api/v3/account"),
        "The account and its balances.",
        Weight::Fixed(20),
        &[may("omitZeroBalances", Kind::Flag)],
        waits!(account::account),
    ),
    signed(
        (Method::Get, "/api/v3/account/commission"),
        "Fees on a market.",
        Weight::Fixed(20),
        &[SYMBOL],
        waits!(account::commissions),
    ),
    signed(
        (Method::Get, "/api/v3/rateLimit/order"),
        "Unfilled orders in each interval.",
        Weight::Fixed(40),
        &[],
        waits!(account::order_limits),
    ),
];

const GROUPS: [&[Call]; 4] = [PUBLIC, ORDERS, super::orders::calls::CALLS, ACCOUNT];

/// All calls, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Call> {
    GROUPS.into_iter().flatten()
}

static BY_PATH: LazyLock<BTreeMap<&'static str, Vec<&'static Call>>> = LazyLock::new(|| {
    let mut paths: BTreeMap<&'static str, Vec<&'static Call>> = BTreeMap::new();
    all().for_each(|call| paths.entry(call.path).or_default().push(call));
    paths
});

/// The calls of a path, one a method; none when there is no such path.
#[must_use]
pub fn of_path(path: &str) -> &'static [&'static Call] {
    BY_PATH.get(path).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_call_and_each_of_its_parameters_is_listed_once() {
        let mut seen = BTreeSet::new();
        for call in all() {
            assert!(seen.insert((call.path, call.method.name())), "{}", call.path);
            assert!(FOLDERS.iter().any(|folder| call.path.starts_with(&format!("{folder}/"))), "{}", call.path);
            let mut names = BTreeSet::new();
            assert!(call.all_params().all(|param| names.insert(param.name)), "{}", call.path);
        }
        assert!(of_path("/api/v3/order/").is_empty() && of_path("/api/v3").is_empty());
    }
}
