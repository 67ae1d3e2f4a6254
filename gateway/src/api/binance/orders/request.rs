//! An order as a program asks for it: texts to types, by the convention alone.
//!
//! Owns: [`OrderRequest`], and which parameters each type of order has. Never does: know a market, or what the exchange can
//! do of it. Invariants: what a type needs is there and above zero, what it does not take is not. Known limits: none.
//! Rules: `docs/rules/program-api.md "Orders"`.

use crate::api::binance::errors::ApiError;
use crate::api::binance::params::Args;
use serde_json::Value;
use xng_core::ids::ClientOrderId;
use xng_core::money::Amount;
use xng_core::spot::Side;

/// A type of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OrderType {
    Limit,
    Market,
    StopLoss,
    StopLossLimit,
    TakeProfit,
    TakeProfitLimit,
    LimitMaker,
}

impl OrderType {
    /// All names, as they are sent.
    pub const NAMES: [&str; 7] =
        ["LIMIT", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT", "LIMIT_MAKER"];

    fn parse(name: &str) -> Option<OrderType> {
        Some(match name {
            "LIMIT" => OrderType::Limit,
            "MARKET" => OrderType::Market,
            "STOP_LOSS" => OrderType::StopLoss,
            "STOP_LOSS_LIMIT" => OrderType::StopLossLimit,
            "TAKE_PROFIT" => OrderType::TakeProfit,
            "TAKE_PROFIT_LIMIT" => OrderType::TakeProfitLimit,
            "LIMIT_MAKER" => OrderType::LimitMaker,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        OrderType::NAMES[self as usize]
    }

    /// Waits for a price.
    #[must_use]
    pub fn is_stop(self) -> bool {
        use OrderType::{Limit, LimitMaker, Market, StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
        match self {
            StopLoss | StopLossLimit | TakeProfit | TakeProfitLimit => true,
            Limit | Market | LimitMaker => false,
        }
    }

    /// Has a limit price.
    #[must_use]
    pub fn has_price(self) -> bool {
        use OrderType::{Limit, LimitMaker, Market, StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
        match self {
            Limit | LimitMaker | StopLossLimit | TakeProfitLimit => true,
            Market | StopLoss | TakeProfit => false,
        }
    }
}

/// How long an order lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TimeInForce {
    Gtc,
    Ioc,
    Fok,
}

impl TimeInForce {
    /// All names, as they are sent.
    pub const NAMES: [&str; 3] = ["GTC", "IOC", "FOK"];

    fn parse(name: &str) -> Option<TimeInForce> {
        match name {
            "GTC" => Some(TimeInForce::Gtc),
            "IOC" => Some(TimeInForce::Ioc),
            "FOK" => Some(TimeInForce::Fok),
            _ => None,
        }
    }
}

/// What happens when an order meets its owner's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StpMode {
    None,
    ExpireTaker,
    ExpireMaker,
    ExpireBoth,
    Decrement,
    Transfer,
}

impl StpMode {
    /// All names, as they are sent.
    pub const NAMES: [&str; 6] = ["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT", "TRANSFER"];

    fn parse(name: &str) -> Option<StpMode> {
        Some(match name {
            "NONE" => StpMode::None,
            "EXPIRE_TAKER" => StpMode::ExpireTaker,
            "EXPIRE_MAKER" => StpMode::ExpireMaker,
            "EXPIRE_BOTH" => StpMode::ExpireBoth,
            "DECREMENT" => StpMode::Decrement,
            "TRANSFER" => StpMode::Transfer,
            _ => return None,
        })
    }
}

/// How much is told of a new order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ResponseType {
    Ack,
    Result,
    Full,
}

impl ResponseType {
    /// All names, as they are sent.
    pub const NAMES: [&str; 3] = ["ACK", "RESULT", "FULL"];

    /// Reads its name.
    #[must_use]
    pub fn parse(name: &str) -> Option<ResponseType> {
        match name {
            "ACK" => Some(ResponseType::Ack),
            "RESULT" => Some(ResponseType::Result),
            "FULL" => Some(ResponseType::Full),
            _ => None,
        }
    }
}

/// How much an order is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Of the base asset.
    Base(Amount),
    /// Of the quote asset, to spend or to earn.
    Quote(Amount),
}

/// An order as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRequest {
    /// Which side.
    pub side: Side,
    /// Its type.
    pub kind: OrderType,
    /// How long it lives; none for types that do not say.
    pub tif: Option<TimeInForce>,
    /// How much.
    pub size: Size,
    /// Limit price, for types that have one.
    pub price: Option<Amount>,
    /// The price that it waits for.
    pub stop_price: Option<Amount>,
    /// How far the price may come back from its best, in hundredths of a percent.
    pub trailing_delta: Option<i64>,
    /// How much of it the book shows at a time.
    pub iceberg: Option<Amount>,
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
    /// What happens when it meets its owner's own; none: what the market does.
    pub stp: Option<StpMode>,
    /// How much is told of it.
    pub respond: ResponseType,
    /// Labels that the bot gave it.
    pub strategy: (Option<i64>, Option<i64>),
}

/// What `strategyType` is at least.
const LEAST_STRATEGY_TYPE: i64 = 1_000_000;

fn positive(args: &Args, name: &str, said: &'static str) -> Result<Option<Amount>, ApiError> {
    match args.amount(name) {
        Some(amount) if !amount.is_positive() => Err(ApiError::invalid(said)),
        amount => Ok(amount),
    }
}

fn refuse(args: &Args, names: &[&str]) -> Result<(), ApiError> {
    names.iter().find(|name| args.has(name)).map_or(Ok(()), |name| Err(ApiError::not_required(name)))
}

impl OrderRequest {
    /// Reads the parameters of an order.
    ///
    /// # Errors
    /// -1102 for what its type needs, -1106 and -1114 for what it does not take, -1013 for nothing at all, -1014 and -1134
    /// for what does not go together.
    pub fn read(args: &Args) -> Result<OrderRequest, ApiError> {
        let kind = OrderType::parse(args.need("type")?).ok_or_else(ApiError::order_type)?;
        let side = if args.need("side")? == "BUY" { Side::Buy } else { Side::Sell };
        check_presence(kind, args)?;
        let quantity = positive(args, "quantity", "Invalid quantity.")?;
        let quote = positive(args, "quoteOrderQty", "Invalid quote order qty.")?;
        let size = match (quantity, quote) {
            (Some(quantity), None) => Size::Base(quantity),
            (None, Some(quote)) => Size::Quote(quote),
            (Some(_), Some(_)) => return Err(ApiError::not_required("quoteOrderQty")),
            (None, None) => return Err(ApiError::neither("quantity", "quoteOrderQty")),
        };
        let tif = args.text("timeInForce").and_then(TimeInForce::parse);
        let iceberg = args.amount("icebergQty").filter(|amount| amount.is_positive());
        if iceberg.is_some() && tif.is_some_and(|tif| tif != TimeInForce::Gtc) {
            return Err(ApiError::bad(-1014, "Unsupported order combination."));
        }
        let strategy = (args.whole("strategyId"), args.whole("strategyType"));
        if strategy.1.is_some_and(|kind| kind < LEAST_STRATEGY_TYPE) {
            return Err(ApiError::bad(-1134, "strategyType was less than 1000000."));
        }
        let wanted = args.text("newOrderRespType").and_then(ResponseType::parse);
        let full = matches!(kind, OrderType::Limit | OrderType::Market);
        Ok(OrderRequest {
            side,
            kind,
            tif,
            size,
            price: positive(args, "price", "Invalid price.")?,
            stop_price: positive(args, "stopPrice", "Invalid stop price.")?,
            trailing_delta: args.whole("trailingDelta"),
            iceberg,
            client_id: args.text("newClientOrderId").and_then(ClientOrderId::parse),
            stp: args.text("selfTradePreventionMode").and_then(StpMode::parse),
            respond: wanted.unwrap_or(if full { ResponseType::Full } else { ResponseType::Ack }),
            strategy,
        })
    }
}

impl OrderRequest {
    /// A row of this order with the labels that its sender gave it.
    #[must_use]
    pub fn labelled(&self, mut row: Value) -> Value {
        for (name, label) in [("strategyId", self.strategy.0), ("strategyType", self.strategy.1)] {
            if let Some(label) = label {
                row[name] = label.into();
            }
        }
        row
    }
}

/// What each type needs, and what it does not take.
fn check_presence(kind: OrderType, args: &Args) -> Result<(), ApiError> {
    let need = |name: &str| if args.has(name) { Ok(()) } else { Err(ApiError::missing(name)) };
    let has_tif = kind.has_price() && kind != OrderType::LimitMaker;
    if has_tif {
        need("timeInForce")?;
    } else if args.has("timeInForce") {
        return Err(ApiError::tif_not_required());
    }
    if kind != OrderType::Market {
        need("quantity")?;
        refuse(args, &["quoteOrderQty"])?;
    }
    if kind.has_price() {
        need("price")?;
    } else {
        refuse(args, &["price", "icebergQty"])?;
    }
    if !kind.is_stop() {
        return refuse(args, &["stopPrice", "trailingDelta"]);
    }
    if args.has("stopPrice") || args.has("trailingDelta") {
        return Ok(());
    }
    Err(ApiError::neither("stopPrice", "trailingDelta"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::binance::call::Method;
    use crate::api::binance::params::pairs;
    use crate::api::binance::table;

    fn read(query: &str) -> Result<OrderRequest, (i32, String)> {
        let sent = pairs(format!("symbol=BTCUSDT&{query}").as_bytes()).unwrap();
        let call = table::of_path("/api/v3/order").iter().find(|call| call.method == Method::Post).unwrap();
        let args = Args::read(call.params.iter(), &sent);
        let read = args.and_then(|args| (call.shape)(&args).map(|()| args)).and_then(|args| OrderRequest::read(&args));
        read.map_err(|error| (error.code, error.msg.into_owned()))
    }

    fn code(query: &str) -> i32 {
        read(query).map_or_else(|(code, _)| code, |_| 0)
    }

    #[test]
    fn each_type_has_its_parameters_and_no_other() {
        for (query, expected) in [
            ("side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=2", 0),
            ("side=BUY&type=LIMIT&quantity=1&price=2", -1102),
            ("side=BUY&type=LIMIT&timeInForce=GTC&price=2", -1102),
            ("side=BUY&type=LIMIT&timeInForce=GTC&quantity=1", -1102),
            ("side=BUY&type=LIMIT&timeInForce=GTX&quantity=1&price=2", -1115),
            ("side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=2&stopPrice=1", -1106),
            ("side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=2&quoteOrderQty=1", -1106),
            ("side=BUY&type=LIMIT&timeInForce=GTC&quantity=0&price=2", -1013),
            ("side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.00", -1013),
            ("side=BUY&type=LIMIT&timeInForce=IOC&quantity=1&price=2&icebergQty=0.1", -1014),
            ("side=BUY&type=LIMIT_MAKER&quantity=1&price=2", 0),
            ("side=BUY&type=LIMIT_MAKER&quantity=1&price=2&timeInForce=GTC", -1114),
            ("side=BUY&type=MARKET&quantity=1", 0),
            ("side=BUY&type=MARKET&quoteOrderQty=1", 0),
            ("side=BUY&type=MARKET", -1102),
            ("side=BUY&type=MARKET&quantity=1&quoteOrderQty=1", -1106),
            ("side=BUY&type=MARKET&quantity=1&price=1", -1106),
            ("side=BUY&type=MARKET&quantity=1&timeInForce=GTC", -1114),
            ("side=SELL&type=STOP_LOSS&quantity=1&stopPrice=1", 0),
            ("side=SELL&type=STOP_LOSS&quantity=1&trailingDelta=100", 0),
            ("side=SELL&type=STOP_LOSS&quantity=1", -1102),
            ("side=SELL&type=STOP_LOSS&quantity=1&stopPrice=1&price=1", -1106),
            ("side=SELL&type=TAKE_PROFIT_LIMIT&timeInForce=GTC&quantity=1&price=1&stopPrice=1", 0),
            ("side=SELL&type=TAKE_PROFIT_LIMIT&quantity=1&price=1&stopPrice=1", -1102),
            ("side=SELL&type=MARKET&quantity=1&strategyType=5", -1134),
            ("side=SELL&type=MARKET&quantity=1&selfTradePreventionMode=MAYBE", -1130),
            ("side=SELL&type=MARKET&quantity=1&newOrderRespType=ALL", -1130),
            ("side=sell&type=MARKET&quantity=1", -1117),
            ("side=SELL&type=STOP&quantity=1", -1116),
            ("type=MARKET&quantity=1", -1102),
        ] {
            assert_eq!(code(query), expected, "{query}: {:?}", read(query));
        }
        let (_, text) = read("side=BUY&type=MARKET").unwrap_err();
        assert_eq!(text, "Param 'quantity' or 'quoteOrderQty' must be sent, but both were empty/null!");
    }

    #[test]
    fn defaults_are_the_conventions() {
        let respond = |query: &str| read(query).unwrap().respond;
        assert_eq!(respond("side=BUY&type=LIMIT_MAKER&quantity=1&price=2"), ResponseType::Ack);
        assert_eq!(respond("side=BUY&type=MARKET&quantity=1"), ResponseType::Full);
        assert_eq!(respond("side=BUY&type=MARKET&quantity=1&newOrderRespType=RESULT"), ResponseType::Result);
        for name in OrderType::NAMES {
            assert_eq!(OrderType::parse(name).unwrap().name(), name);
        }
    }
}
