//! A new order's parameters, read and judged for themselves.
//!
//! Owns: types, times in force, sides of positions, and which go together. Never does: know a market. Invariants: what is read
//! can be told to the exchange. Known limits: orders that wait for a price are refused by name.

use super::errors;
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use crate::orders::leg_placing::Draft;
use xng_core::contract::book::order::LegSide;
use xng_core::ids::ClientOrderId;
use xng_core::spot::{OrderKind, Side, Stp, Tif};

/// Types of orders; those after the second wait for a price.
pub const TYPES: [&str; 7] =
    ["LIMIT", "MARKET", "STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"];
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
    match (kind, args.text("timeInForce")) {
        (OrderKind::Market, None) => Ok(Tif::Gtc),
        (OrderKind::Market, Some(_)) => Err(ApiError::not_required("timeInForce")),
        (OrderKind::Limit, None) => Err(ApiError::missing("timeInForce")),
        (OrderKind::Limit, Some("IOC")) => Ok(Tif::Ioc),
        (OrderKind::Limit, Some("FOK")) => Ok(Tif::Fok),
        (OrderKind::Limit, Some("GTX")) => Ok(Tif::PostOnly),
        (OrderKind::Limit, Some(_)) => Ok(Tif::Gtc),
    }
}

impl FuturesOrder {
    /// Reads one.
    ///
    /// # Errors
    /// -4120 for types that wait, -4136, -4062 and -1106 for what does not go together, -1102 for what is missing.
    pub fn read(args: &Args) -> Result<FuturesOrder, ApiError> {
        let kind = match args.need("type")? {
            "LIMIT" => OrderKind::Limit,
            "MARKET" => OrderKind::Market,
            _ => return Err(errors::conditional()),
        };
        if args.flag("closePosition") == Some(true) {
            let msg = format!("Target strategy invalid for orderType '{}',closePosition 'true'", args.need("type")?);
            return Err(ApiError::bad(-4136, msg));
        }
        for waits in ["stopPrice", "activationPrice", "callbackRate"] {
            if args.has(waits) {
                return Err(ApiError::not_required(waits));
            }
        }
        let quantity = args.amount("quantity").ok_or_else(|| ApiError::missing("quantity"))?;
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
        if !quantity.is_positive() {
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
            reduce_only: args.flag("reduceOnly") == Some(true),
            client_id: args.text("newClientOrderId").and_then(ClientOrderId::parse),
        };
        Ok(FuturesOrder { draft, tells_result: args.text("newOrderRespType") == Some("RESULT") })
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
