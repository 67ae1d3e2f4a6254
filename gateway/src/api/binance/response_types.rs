//! Forms of answers, for the document at `/openapi.json`.
//!
//! Owns: which fields an answer has, of which kind. Never does: write an answer. Invariants: a test compares answers of the
//! real server with these. Known limits: values that follow from others are not described.

use crate::api::value_type::{ValueType, has, may};

use ValueType::{Any, Decimal, Either, Flag, List, Object, Text, Whole};

/// `{}`.
pub(super) const EMPTY: ValueType = Object(&[]);
/// Nothing to list.
pub(super) const NONE: ValueType = List(&Any);

/// Of errors.
pub(super) const ERROR: ValueType = Object(&[has("code", Whole), has("msg", Text), may("data", Any)]);

pub(super) const TIME: ValueType = Object(&[has("serverTime", Whole)]);

const LIMIT: ValueType = Object(&[
    has("rateLimitType", Text),
    has("interval", Text),
    has("intervalNum", Whole),
    has("limit", Whole),
    may("count", Whole),
]);
pub(super) const LIMITS: ValueType = List(&LIMIT);

const TEXTS: ValueType = List(&Text);
const MARKET: ValueType = Object(&[
    has("symbol", Text),
    has("status", Text),
    has("baseAsset", Text),
    has("baseAssetPrecision", Whole),
    has("quoteAsset", Text),
    has("quotePrecision", Whole),
    has("quoteAssetPrecision", Whole),
    has("baseCommissionPrecision", Whole),
    has("quoteCommissionPrecision", Whole),
    has("orderTypes", TEXTS),
    has("icebergAllowed", Flag),
    has("ocoAllowed", Flag),
    has("otoAllowed", Flag),
    has("opoAllowed", Flag),
    has("quoteOrderQtyMarketAllowed", Flag),
    has("allowTrailingStop", Flag),
    has("cancelReplaceAllowed", Flag),
    has("amendAllowed", Flag),
    has("pegInstructionsAllowed", Flag),
    has("isSpotTradingAllowed", Flag),
    has("isMarginTradingAllowed", Flag),
    has("filters", List(&Any)),
    has("permissions", TEXTS),
    has("permissionSets", List(&TEXTS)),
    has("defaultSelfTradePreventionMode", Text),
    has("allowedSelfTradePreventionModes", TEXTS),
]);
pub(super) const EXCHANGE_INFO: ValueType = Object(&[
    has("timezone", Text),
    has("serverTime", Whole),
    has("rateLimits", LIMITS),
    has("exchangeFilters", List(&Any)),
    has("symbols", List(&MARKET)),
]);

pub(super) const MY_FILTERS: ValueType =
    Object(&[has("exchangeFilters", List(&Any)), has("symbolFilters", List(&Any)), has("assetFilters", List(&Any))]);
const PRICE_RANGE: ValueType =
    Object(&[has("ruleType", Text), has("bidLimitMultUp", Decimal), has("askLimitMultDown", Decimal)]);
const RULES: ValueType = Object(&[has("symbol", Text), has("rules", List(&PRICE_RANGE))]);
pub(super) const EXECUTION_RULES: ValueType = Object(&[has("symbolRules", List(&RULES))]);
pub(super) const REFERENCE_PRICE: ValueType =
    Object(&[has("symbol", Text), has("referencePrice", Decimal), has("timestamp", Whole)]);

const LEVELS: ValueType = List(&List(&Decimal));
pub(super) const DEPTH: ValueType = Object(&[has("lastUpdateId", Whole), has("bids", LEVELS), has("asks", LEVELS)]);

const TRADE: ValueType = Object(&[
    has("id", Whole),
    has("price", Decimal),
    has("qty", Decimal),
    has("quoteQty", Decimal),
    has("time", Whole),
    has("isBuyerMaker", Flag),
    has("isBestMatch", Flag),
]);
pub(super) const TRADES: ValueType = List(&TRADE);

const AGGREGATE: ValueType = Object(&[
    has("a", Whole),
    has("p", Decimal),
    has("q", Decimal),
    has("f", Whole),
    has("l", Whole),
    has("T", Whole),
    has("m", Flag),
    has("M", Flag),
]);
pub(super) const AGGREGATES: ValueType = List(&AGGREGATE);
pub(super) const CANDLES: ValueType = List(&List(&Either(&[Whole, Decimal])));
pub(super) const AVERAGE: ValueType = Object(&[has("mins", Whole), has("price", Decimal), has("closeTime", Whole)]);

/// Of every ticker, and of all but the short ones.
const TICKER: ValueType = Object(&[
    has("symbol", Text),
    may("priceChange", Decimal),
    may("priceChangePercent", Decimal),
    may("weightedAvgPrice", Decimal),
    may("prevClosePrice", Decimal),
    has("lastPrice", Decimal),
    may("lastQty", Decimal),
    may("bidPrice", Decimal),
    may("bidQty", Decimal),
    may("askPrice", Decimal),
    may("askQty", Decimal),
    has("openPrice", Decimal),
    has("highPrice", Decimal),
    has("lowPrice", Decimal),
    has("volume", Decimal),
    has("quoteVolume", Decimal),
    has("openTime", Whole),
    has("closeTime", Whole),
    has("firstId", Whole),
    has("lastId", Whole),
    has("count", Whole),
]);
pub(super) const TICKERS: ValueType = Either(&[TICKER, List(&TICKER)]);
const PRICE: ValueType = Object(&[has("symbol", Text), has("price", Decimal)]);
pub(super) const PRICES: ValueType = Either(&[PRICE, List(&PRICE)]);
const BEST: ValueType = Object(&[
    has("symbol", Text),
    has("bidPrice", Decimal),
    has("bidQty", Decimal),
    has("askPrice", Decimal),
    has("askQty", Decimal),
]);
pub(super) const BESTS: ValueType = Either(&[BEST, List(&BEST)]);

const FILL: ValueType = Object(&[
    has("price", Decimal),
    has("qty", Decimal),
    has("commission", Decimal),
    has("commissionAsset", Text),
    has("tradeId", Whole),
]);
const PREVENTED_MATCH: ValueType = Object(&[
    has("preventedMatchId", Whole),
    has("makerSymbol", Text),
    has("makerOrderId", Whole),
    has("price", Decimal),
    may("takerPreventedQuantity", Decimal),
    may("makerPreventedQuantity", Decimal),
]);
pub(super) const PREVENTED: ValueType = List(&Object(&[
    has("symbol", Text),
    has("preventedMatchId", Whole),
    has("takerOrderId", Whole),
    has("makerSymbol", Text),
    has("makerOrderId", Whole),
    has("tradeGroupId", Whole),
    has("selfTradePreventionMode", Text),
    has("price", Decimal),
    may("takerPreventedQuantity", Decimal),
    may("makerPreventedQuantity", Decimal),
    has("transactTime", Whole),
]));
pub(super) const PLACED: ValueType = Object(&[
    has("symbol", Text),
    has("orderId", Whole),
    has("orderListId", Whole),
    has("clientOrderId", Text),
    has("transactTime", Whole),
    may("price", Decimal),
    may("origQty", Decimal),
    may("executedQty", Decimal),
    may("origQuoteOrderQty", Decimal),
    may("cummulativeQuoteQty", Decimal),
    may("status", Text),
    may("timeInForce", Text),
    may("type", Text),
    may("side", Text),
    may("workingTime", Whole),
    may("selfTradePreventionMode", Text),
    may("expiryReason", Text),
    may("stopPrice", Decimal),
    may("trailingDelta", Whole),
    may("icebergQty", Decimal),
    may("strategyId", Whole),
    may("strategyType", Whole),
    may("preventedMatchId", Whole),
    may("preventedQuantity", Decimal),
    may("fills", List(&FILL)),
    may("preventedMatches", List(&PREVENTED_MATCH)),
]);
pub(super) const ORDER: ValueType = Object(&[
    has("symbol", Text),
    has("orderId", Whole),
    has("orderListId", Whole),
    has("clientOrderId", Text),
    has("price", Decimal),
    has("origQty", Decimal),
    has("executedQty", Decimal),
    has("cummulativeQuoteQty", Decimal),
    has("status", Text),
    has("timeInForce", Text),
    has("type", Text),
    has("side", Text),
    has("stopPrice", Decimal),
    has("icebergQty", Decimal),
    has("time", Whole),
    has("updateTime", Whole),
    has("isWorking", Flag),
    has("workingTime", Whole),
    has("origQuoteOrderQty", Decimal),
    has("selfTradePreventionMode", Text),
    may("expiryReason", Text),
    may("trailingDelta", Whole),
    may("preventedMatchId", Whole),
    may("preventedQuantity", Decimal),
]);
pub(super) const ORDERS: ValueType = List(&ORDER);
const CANCELED_ORDER: ValueType = Object(&[
    has("symbol", Text),
    has("origClientOrderId", Text),
    has("orderId", Whole),
    has("orderListId", Whole),
    has("clientOrderId", Text),
    has("transactTime", Whole),
    has("price", Decimal),
    has("origQty", Decimal),
    has("executedQty", Decimal),
    has("origQuoteOrderQty", Decimal),
    has("cummulativeQuoteQty", Decimal),
    has("status", Text),
    has("timeInForce", Text),
    has("type", Text),
    has("side", Text),
    has("selfTradePreventionMode", Text),
    may("expiryReason", Text),
    may("stopPrice", Decimal),
    may("trailingDelta", Whole),
    may("icebergQty", Decimal),
    may("preventedMatchId", Whole),
    may("preventedQuantity", Decimal),
]);
pub(super) const CANCELED_ALL: ValueType = List(&CANCELED_ORDER);

const NAMED: ValueType = Object(&[has("symbol", Text), has("orderId", Whole), has("clientOrderId", Text)]);
/// Of a list that was placed or cancelled; without reports of one that was asked for.
pub(super) const LISTED: ValueType = Object(&[
    has("orderListId", Whole),
    has("contingencyType", Text),
    has("listStatusType", Text),
    has("listOrderStatus", Text),
    has("listClientOrderId", Text),
    has("transactionTime", Whole),
    has("symbol", Text),
    has("orders", List(&NAMED)),
    may("orderReports", List(&PLACED)),
]);
pub(super) const LISTS: ValueType = List(&LISTED);
/// To cancel an order of a list cancels the list.
pub(super) const CANCELED: ValueType = Either(&[CANCELED_ORDER, LISTED]);
pub(super) const REPLACED: ValueType = Object(&[
    has("cancelResult", Text),
    has("newOrderResult", Text),
    has("cancelResponse", CANCELED_ORDER),
    has("newOrderResponse", PLACED),
]);
const AMENDED_ORDER: ValueType = Object(&[
    has("symbol", Text),
    has("orderId", Whole),
    has("orderListId", Whole),
    has("origClientOrderId", Text),
    has("clientOrderId", Text),
    has("price", Decimal),
    has("qty", Decimal),
    has("executedQty", Decimal),
    has("preventedQty", Decimal),
    has("quoteOrderQty", Decimal),
    has("cumulativeQuoteQty", Decimal),
    has("status", Text),
    has("timeInForce", Text),
    has("type", Text),
    has("side", Text),
    has("workingTime", Whole),
    has("selfTradePreventionMode", Text),
]);
pub(super) const AMENDED: ValueType =
    Object(&[has("transactTime", Whole), has("executionId", Whole), has("amendedOrder", AMENDED_ORDER)]);
const AMENDMENT: ValueType = Object(&[
    has("symbol", Text),
    has("orderId", Whole),
    has("executionId", Whole),
    has("origClientOrderId", Text),
    has("newClientOrderId", Text),
    has("origQty", Decimal),
    has("newQty", Decimal),
    has("time", Whole),
]);
pub(super) const AMENDMENTS: ValueType = List(&AMENDMENT);
pub(super) const LISTEN_KEY: ValueType = Object(&[has("listenKey", Text)]);
const OWN_TRADE: ValueType = Object(&[
    has("symbol", Text),
    has("id", Whole),
    has("orderId", Whole),
    has("orderListId", Whole),
    has("price", Decimal),
    has("qty", Decimal),
    has("quoteQty", Decimal),
    has("commission", Decimal),
    has("commissionAsset", Text),
    has("time", Whole),
    has("isBuyer", Flag),
    has("isMaker", Flag),
    has("isBestMatch", Flag),
]);
pub(super) const OWN_TRADES: ValueType = List(&OWN_TRADE);

const RATES: ValueType =
    Object(&[has("maker", Decimal), has("taker", Decimal), has("buyer", Decimal), has("seller", Decimal)]);
const ORDER_RATES: ValueType = Object(&[has("maker", Decimal), has("taker", Decimal)]);
const DISCOUNT: ValueType = Object(&[
    has("enabledForAccount", Flag),
    has("enabledForSymbol", Flag),
    has("discountAsset", Text),
    has("discount", Decimal),
]);
pub(super) const COMMISSION: ValueType = Object(&[
    has("symbol", Text),
    has("standardCommission", RATES),
    has("specialCommission", RATES),
    has("taxCommission", RATES),
    has("discount", DISCOUNT),
]);
pub(super) const TESTED: ValueType = Object(&[
    may("standardCommissionForOrder", ORDER_RATES),
    may("specialCommissionForOrder", ORDER_RATES),
    may("taxCommissionForOrder", ORDER_RATES),
    may("discount", DISCOUNT),
]);
const BALANCE: ValueType = Object(&[has("asset", Text), has("free", Decimal), has("locked", Decimal)]);
pub(super) const ACCOUNT: ValueType = Object(&[
    has("makerCommission", Whole),
    has("takerCommission", Whole),
    has("buyerCommission", Whole),
    has("sellerCommission", Whole),
    has("commissionRates", RATES),
    has("canTrade", Flag),
    has("canWithdraw", Flag),
    has("canDeposit", Flag),
    has("brokered", Flag),
    has("requireSelfTradePrevention", Flag),
    has("preventSor", Flag),
    has("updateTime", Whole),
    has("accountType", Text),
    has("balances", List(&BALANCE)),
    has("permissions", TEXTS),
    has("uid", Whole),
]);

pub(super) const SYSTEM: ValueType = Object(&[has("status", Whole), has("msg", Text)]);
pub(super) const ACCOUNT_STATUS: ValueType = Object(&[has("data", Text)]);
pub(super) const TRADING_STATUS: ValueType = Object(&[has(
    "data",
    Object(&[
        has("isLocked", Flag),
        has("plannedRecoverTime", Whole),
        has("triggerCondition", Any),
        has("updateTime", Whole),
    ]),
)]);
const FEE: ValueType = Object(&[has("symbol", Text), has("makerCommission", Decimal), has("takerCommission", Decimal)]);
pub(super) const FEES: ValueType = List(&FEE);
const COIN: ValueType = Object(&[
    has("coin", Text),
    has("name", Text),
    has("depositAllEnable", Flag),
    has("withdrawAllEnable", Flag),
    has("free", Decimal),
    has("locked", Decimal),
    has("freeze", Decimal),
    has("withdrawing", Decimal),
    has("ipoing", Decimal),
    has("ipoable", Decimal),
    has("storage", Decimal),
    has("isLegalMoney", Flag),
    has("trading", Flag),
    has("networkList", List(&Any)),
]);
pub(super) const COINS: ValueType = List(&COIN);
pub(super) const RESTRICTIONS: ValueType = Object(&[
    has("ipRestrict", Flag),
    has("createTime", Whole),
    has("enableReading", Flag),
    has("enableSpotAndMarginTrading", Flag),
    has("enableWithdrawals", Flag),
    has("enableInternalTransfer", Flag),
    has("enableMargin", Flag),
    has("enableFutures", Flag),
    has("permitsUniversalTransfer", Flag),
    has("enableVanillaOptions", Flag),
]);
pub(super) const FUTURES_INFO: ValueType = Object(&[
    has("timezone", Text),
    has("serverTime", Whole),
    has("rateLimits", List(&Any)),
    has("exchangeFilters", List(&Any)),
    has("assets", List(&Any)),
    has("symbols", List(&Any)),
]);
