//! A new order's parameters, read and judged for themselves.
//!
//! Owns: types, times in force, sides of positions, and which go together. Never does: know a market. Invariants: what is read
//! can be told to the exchange. Known limits: none.

use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::orders::leg_placing::{Draft, Wait};
use xng_core::contract::book::order::LegSide;
use xng_core::contract::book::waiting::{CALLBACK_BIPS, WorkingPrice};
use xng_core::ids::ClientOrderId;
use xng_core::spot::{OrderKind, Side, Stp, Tif, TriggerKind};

/// Types of orders; those after the second wait for a price.
pub const TYPES: [&str; 7] =
    ["LIMIT", "MARKET", "STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"];
/// Types of orders that wait for a price.
pub const ALGO_TYPES: [&str; 5] = ["STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"];
/// Times in force.
pub const TIFS: [&str; 4] = ["GTC", "IOC", "FOK", "GTX"];
/// Sides of positions.
pub const POSITION_SIDES: [&str; 3] = ["BOTH", "LONG", "SHORT"];
/// Modes of self-trade prevention.
pub const STP_MODES: [&str; 3] = ["EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"];
/// How much of an order its answer tells.
pub const RESPONSES: [&str; 2] = ["ACK", "RESULT"];

/// An order as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuturesOrder {
    /// The order.
    pub draft: Draft,
    /// What it waits for.
    pub wait: Option<Wait>,
    /// Whether its answer tells what became of it.
    pub tells_result: bool,
}

/// Which position a word names; the only one without it.
#[must_use]
pub fn leg_of(word: Option<&str>) -> LegSide {
    match word {
        Some("LONG") => LegSide::Long,
        Some("SHORT") => LegSide::Short,
        _ => LegSide::Both,
    }
}

fn tif_of(args: &Args, kind: OrderKind) -> Result<Tif, ApiError> {
    let waits = !matches!(args.need("type")?, "LIMIT" | "MARKET");
    match (kind, args.text("timeInForce")) {
        (OrderKind::Limit, None) if waits => Ok(Tif::Gtc),
        (OrderKind::Market, Some("GTC")) if waits => Ok(Tif::Gtc),
        (OrderKind::Market, None) => Ok(Tif::Gtc),
        (OrderKind::Market, Some(_)) => Err(ApiError::not_required("timeInForce")),
        (OrderKind::Limit, None) => Err(ApiError::missing("timeInForce")),
        (OrderKind::Limit, Some("IOC")) => Ok(Tif::Ioc),
        (OrderKind::Limit, Some("FOK")) => Ok(Tif::Fok),
        (OrderKind::Limit, Some("GTX")) => Ok(Tif::PostOnly),
        (OrderKind::Limit, Some(_)) => Ok(Tif::Gtc),
    }
}

/// What a type waits for; none of the two that do not.
///
/// # Errors
/// -4136 and -1106 for what does not go together, -1102 for what is missing, -1130 for a distance that is not allowed.
fn wait_of(args: &Args) -> Result<Option<Wait>, ApiError> {
    let word = args.need("type")?;
    let kind = match word {
        "STOP" | "STOP_MARKET" => Some(TriggerKind::StopLoss),
        "TAKE_PROFIT" | "TAKE_PROFIT_MARKET" | "TRAILING_STOP_MARKET" => Some(TriggerKind::TakeProfit),
        _ => None,
    };
    let trails = word == "TRAILING_STOP_MARKET";
    let closes = args.flag("closePosition") == Some(true);
    if closes && !matches!(word, "STOP_MARKET" | "TAKE_PROFIT_MARKET") {
        let msg = format!("Target strategy invalid for orderType '{word}',closePosition 'true'");
        return Err(ApiError::bad(-4136, msg));
    }
    let (stops, begins) = (["stopPrice", "triggerPrice"], ["activationPrice", "activatePrice", "callbackRate"]);
    let stray = stops.iter().filter(|_| kind.is_none() || trails).chain(begins.iter().filter(|_| !trails));
    if let Some(stray) = stray.copied().find(|name| args.has(name)) {
        return Err(ApiError::not_required(stray));
    }
    let Some(kind) = kind else { return Ok(None) };
    let [stop, trigger] = stops;
    let [began, begin, _] = begins;
    let price =
        if trails { args.amount(began).or(args.amount(begin)) } else { args.amount(stop).or(args.amount(trigger)) };
    if !trails && price.is_none() {
        return Err(ApiError::missing(stop));
    }
    if price.is_some_and(|price| !price.is_positive()) {
        return Err(ApiError::bad(-4006, "Stop price less than zero."));
    }
    let trail_bips = match args.amount("callbackRate") {
        // In percent, in steps of a tenth.
        Some(rate) => u32::try_from(rate.0 / 1_000_000)
            .ok()
            .filter(|bips| rate.0 % 10_000_000 == 0 && CALLBACK_BIPS.contains(bips))
            .ok_or_else(|| ApiError::data("callbackRate"))?,
        None if trails => return Err(ApiError::missing("callbackRate")),
        None => 0,
    };
    let by_mark = args.text("workingType") == Some("MARK_PRICE");
    let working = if by_mark { WorkingPrice::Mark } else { WorkingPrice::Last };
    Ok(Some(Wait { kind, price, trail_bips, working, closes }))
}

impl FuturesOrder {
    /// Reads one.
    ///
    /// # Errors
    /// -4136, -4062 and -1106 for what does not go together, -1102 for what is missing.
    pub fn read(args: &Args) -> Result<FuturesOrder, ApiError> {
        let kind = match args.need("type")? {
            "LIMIT" | "STOP" | "TAKE_PROFIT" => OrderKind::Limit,
            _ => OrderKind::Market,
        };
        let wait = wait_of(args)?;
        let closes = wait.is_some_and(|wait| wait.closes);
        if closes && args.has("quantity") {
            return Err(ApiError::bad(-4137, "Quantity must be zero with closePosition equals true"));
        }
        let quantity = args.amount("quantity");
        if quantity.is_none() && !closes {
            return Err(ApiError::missing("quantity"));
        }
        let price = args.amount("price");
        match (kind, price) {
            (OrderKind::Limit, None) => return Err(ApiError::missing("price")),
            (OrderKind::Market, Some(_)) => return Err(ApiError::not_required("price")),
            _ => {}
        }
        let leg = leg_of(args.text("positionSide"));
        if leg != LegSide::Both && args.has("reduceOnly") {
            return Err(ApiError::not_required("reduceonly"));
        }
        if quantity.is_some_and(|quantity| !quantity.is_positive()) {
            return Err(ApiError::bad(-4003, "Quantity less than or equal to zero."));
        }
        if price.is_some_and(|price| !price.is_positive()) {
            return Err(ApiError::bad(-4001, "Price less than 0."));
        }
        let stp = match args.text("selfTradePreventionMode") {
            Some("EXPIRE_TAKER") => Stp::ExpireTaker,
            Some("EXPIRE_BOTH") => Stp::ExpireBoth,
            _ => DEFAULT_STP,
        };
        let draft = Draft {
            side: if args.need("side")? == "BUY" { Side::Buy } else { Side::Sell },
            leg,
            kind,
            tif: tif_of(args, kind)?,
            stp,
            quantity,
            price,
            waits: wait.is_some(),
            reduce_only: closes || args.flag("reduceOnly") == Some(true),
            client_id: args.text("newClientOrderId").or(args.text("clientAlgoId")).and_then(ClientOrderId::parse),
        };
        Ok(FuturesOrder { draft, wait, tells_result: args.text("newOrderRespType") == Some("RESULT") })
    }
}

/// What happens of an order that does not say.
pub const DEFAULT_STP: Stp = Stp::ExpireMaker;

/// Whether an order can be read; for the table.
///
/// # Errors
/// As [`FuturesOrder::read`].
pub fn shape(args: &Args) -> Result<(), ApiError> {
    FuturesOrder::read(args).map(drop)
}
