//! Forms of answers of the futures calls, for the document at `/openapi.json`.
//!
//! Owns: which fields an answer has, of which kind. Never does: write an answer. Invariants: a test compares answers of the real
//! server with these. Known limits: values that follow from others are not described.

use crate::api::value_type::{ValueType, has, may};

use ValueType::{Any, Decimal, Either, Flag, List, More, Number, Object, Text, Whole};

const LIMIT: ValueType =
    Object(&[has("rateLimitType", Text), has("interval", Text), has("intervalNum", Whole), has("limit", Whole)]);
const ASSET: ValueType =
    Object(&[has("asset", Text), has("marginAvailable", Flag), has("autoAssetExchange", ValueType::Null)]);
const CONTRACT: ValueType = Object(&[
    has("symbol", Text),
    has("pair", Text),
    has("contractType", Text),
    has("deliveryDate", Whole),
    has("onboardDate", Whole),
    has("status", Text),
    has("maintMarginPercent", Decimal),
    has("requiredMarginPercent", Decimal),
    has("baseAsset", Text),
    has("quoteAsset", Text),
    has("marginAsset", Text),
    has("pricePrecision", Whole),
    has("quantityPrecision", Whole),
    has("baseAssetPrecision", Whole),
    has("quotePrecision", Whole),
    has("underlyingType", Text),
    has("underlyingSubType", List(&Text)),
    has("triggerProtect", Decimal),
    has("liquidationFee", Decimal),
    has("marketTakeBound", Decimal),
    has("maxMoveOrderLimit", Whole),
    has("filters", List(&Any)),
    has("orderTypes", List(&Text)),
    has("timeInForce", List(&Text)),
]);
pub(super) const EXCHANGE_INFO: ValueType = Object(&[
    has("timezone", Text),
    has("serverTime", Whole),
    has("futuresType", Text),
    has("rateLimits", List(&LIMIT)),
    has("exchangeFilters", List(&Any)),
    has("assets", List(&ASSET)),
    has("symbols", List(&CONTRACT)),
]);

const LEVELS: ValueType = List(&List(&Decimal));
pub(super) const DEPTH: ValueType =
    Object(&[has("E", Whole), has("T", Whole), has("lastUpdateId", Whole), has("bids", LEVELS), has("asks", LEVELS)]);
const TRADE: ValueType = Object(&[
    has("id", Whole),
    has("price", Decimal),
    has("qty", Decimal),
    has("quoteQty", Decimal),
    has("time", Whole),
    has("isBuyerMaker", Flag),
]);
pub(super) const TRADES: ValueType = List(&TRADE);
const AGG_TRADE: ValueType = Object(&[
    has("a", Whole),
    has("p", Decimal),
    has("q", Decimal),
    has("f", Whole),
    has("l", Whole),
    has("T", Whole),
    has("m", Flag),
]);
pub(super) const AGG_TRADES: ValueType = List(&AGG_TRADE);
pub(super) const CANDLES: ValueType = List(&List(&Either(&[Whole, Decimal])));

const PREMIUM_OF_ONE: ValueType = Object(&[
    has("symbol", Text),
    has("markPrice", Decimal),
    has("indexPrice", Decimal),
    has("estimatedSettlePrice", Decimal),
    has("lastFundingRate", Decimal),
    has("interestRate", Decimal),
    has("nextFundingTime", Whole),
    has("time", Whole),
]);
pub(super) const PREMIUM: ValueType = Either(&[PREMIUM_OF_ONE, List(&PREMIUM_OF_ONE)]);
const FUNDING_RATE: ValueType =
    Object(&[has("symbol", Text), has("fundingTime", Whole), has("fundingRate", Decimal), has("markPrice", Decimal)]);
pub(super) const FUNDING_RATES: ValueType = List(&FUNDING_RATE);
const FUNDING: ValueType = Object(&[
    has("symbol", Text),
    has("adjustedFundingRateCap", Decimal),
    has("adjustedFundingRateFloor", Decimal),
    has("fundingIntervalHours", Whole),
    has("disclaimer", Flag),
]);
pub(super) const FUNDING_INFO: ValueType = List(&FUNDING);

const DAY_OF_ONE: ValueType = Object(&[
    has("symbol", Text),
    has("priceChange", Decimal),
    has("priceChangePercent", Decimal),
    has("weightedAvgPrice", Decimal),
    has("lastPrice", Decimal),
    has("lastQty", Decimal),
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
pub(super) const DAY: ValueType = Either(&[DAY_OF_ONE, List(&DAY_OF_ONE)]);
const PRICE_OF_ONE: ValueType = Object(&[has("symbol", Text), has("price", Decimal), has("time", Whole)]);
pub(super) const PRICE: ValueType = Either(&[PRICE_OF_ONE, List(&PRICE_OF_ONE)]);
const BOOK_TICKER_OF_ONE: ValueType = Object(&[
    has("symbol", Text),
    has("bidPrice", Decimal),
    has("bidQty", Decimal),
    has("askPrice", Decimal),
    has("askQty", Decimal),
    has("time", Whole),
]);
pub(super) const BOOK_TICKER: ValueType = Either(&[BOOK_TICKER_OF_ONE, List(&BOOK_TICKER_OF_ONE)]);
pub(super) const OPEN_INTEREST: ValueType =
    Object(&[has("openInterest", Decimal), has("symbol", Text), has("time", Whole)]);
const CONSTITUENT: ValueType =
    Object(&[has("exchange", Text), has("symbol", Text), has("price", Decimal), has("weight", Decimal)]);
pub(super) const CONSTITUENTS: ValueType =
    Object(&[has("symbol", Text), has("time", Whole), has("constituents", List(&CONSTITUENT))]);
pub(super) const LISTEN_KEY: ValueType = Object(&[has("listenKey", Text)]);

const ORDER_BASE: ValueType = Object(&[
    has("orderId", Whole),
    has("symbol", Text),
    has("status", Text),
    has("clientOrderId", Text),
    has("price", Decimal),
    has("avgPrice", Decimal),
    has("origQty", Decimal),
    has("executedQty", Decimal),
    has("cumQuote", Decimal),
    has("timeInForce", Text),
    has("type", Text),
    has("origType", Text),
    has("reduceOnly", Flag),
    has("closePosition", Flag),
    has("side", Text),
    has("positionSide", Text),
    has("stopPrice", Decimal),
    has("workingType", Text),
    has("priceProtect", Flag),
    has("priceMatch", Text),
    has("selfTradePreventionMode", Text),
    has("goodTillDate", Whole),
    has("updateTime", Whole),
    may("activatePrice", Decimal),
    may("priceRate", Decimal),
]);
pub(super) const ORDER: ValueType = More(&ORDER_BASE, &[has("time", Whole)]);
pub(super) const ORDERS: ValueType = List(&ORDER);
pub(super) const ACTED: ValueType = More(&ORDER_BASE, &[has("cumQty", Decimal)]);
const REFUSED: ValueType = Object(&[has("code", Whole), has("msg", Text)]);
pub(super) const BATCH: ValueType = List(&Either(&[ACTED, REFUSED]));
pub(super) const DONE: ValueType = REFUSED;
const ALGO_BASE: ValueType = Object(&[
    has("algoId", Whole),
    has("clientAlgoId", Text),
    has("algoType", Text),
    has("orderType", Text),
    has("symbol", Text),
    has("side", Text),
    has("positionSide", Text),
    has("timeInForce", Text),
    has("quantity", Decimal),
    has("algoStatus", Text),
    has("actualOrderId", Text),
    has("triggerPrice", Decimal),
    has("price", Decimal),
    has("icebergQuantity", ValueType::Null),
    has("selfTradePreventionMode", Text),
    has("workingType", Text),
    has("priceMatch", Text),
    has("closePosition", Flag),
    has("priceProtect", Flag),
    has("reduceOnly", Flag),
    has("activatePrice", Text),
    has("callbackRate", Text),
    has("createTime", Whole),
    has("updateTime", Whole),
    has("triggerTime", Whole),
    has("goodTillDate", Whole),
]);
pub(super) const ALGO: ValueType = ALGO_BASE;
pub(super) const ALGOS: ValueType = List(&ALGO_BASE);
pub(super) const ALGO_CANCELED: ValueType =
    Object(&[has("algoId", Whole), has("clientAlgoId", Text), has("code", Text), has("msg", Text)]);
const OWN_TRADE: ValueType = Object(&[
    has("symbol", Text),
    has("id", Whole),
    has("orderId", Whole),
    has("side", Text),
    has("price", Decimal),
    has("qty", Decimal),
    has("realizedPnl", Decimal),
    has("quoteQty", Decimal),
    has("commission", Decimal),
    has("commissionAsset", Text),
    has("time", Whole),
    has("positionSide", Text),
    has("buyer", Flag),
    has("maker", Flag),
]);
pub(super) const OWN_TRADES: ValueType = List(&OWN_TRADE);

pub(super) const COUNTDOWN: ValueType = Object(&[has("symbol", Text), has("countdownTime", Text)]);
pub(super) const LEVERAGE: ValueType =
    Object(&[has("symbol", Text), has("leverage", Whole), has("maxNotionalValue", Decimal)]);
pub(super) const MARGIN_MOVED: ValueType =
    Object(&[has("code", Whole), has("msg", Text), has("amount", Number), has("type", Whole)]);
const MARGIN: ValueType = Object(&[
    has("symbol", Text),
    has("type", Whole),
    has("deltaType", Text),
    has("amount", Decimal),
    has("asset", Text),
    has("time", Whole),
    has("positionSide", Text),
    has("clientTranId", Text),
]);
pub(super) const MARGINS: ValueType = List(&MARGIN);
pub(super) const HEDGE: ValueType = Object(&[has("dualSidePosition", Flag)]);
pub(super) const MULTI_ASSETS: ValueType = Object(&[has("multiAssetsMargin", Flag)]);
const BRACKET: ValueType = Object(&[
    has("bracket", Whole),
    has("initialLeverage", Whole),
    has("notionalCap", Number),
    has("notionalFloor", Number),
    has("maintMarginRatio", Number),
    has("cum", Number),
]);
pub(super) const BRACKETS: ValueType = List(&Object(&[has("symbol", Text), has("brackets", List(&BRACKET))]));
pub(super) const COMMISSION: ValueType =
    Object(&[has("symbol", Text), has("makerCommissionRate", Decimal), has("takerCommissionRate", Decimal)]);
const INCOME_ROW: ValueType = Object(&[
    has("symbol", Text),
    has("incomeType", Text),
    has("income", Decimal),
    has("asset", Text),
    has("info", Text),
    has("time", Whole),
    has("tranId", Whole),
    has("tradeId", Text),
]);
pub(super) const INCOME: ValueType = List(&INCOME_ROW);
pub(super) const ACCOUNT_CONFIG: ValueType = Object(&[
    has("feeTier", Whole),
    has("canTrade", Flag),
    has("canDeposit", Flag),
    has("canWithdraw", Flag),
    has("dualSidePosition", Flag),
    has("updateTime", Whole),
    has("multiAssetsMargin", Flag),
    has("tradeGroupId", Whole),
]);
const CONFIG_OF_ONE: ValueType = Object(&[
    has("symbol", Text),
    has("marginType", Text),
    has("isAutoAddMargin", Flag),
    has("leverage", Whole),
    has("maxNotionalValue", Decimal),
]);
pub(super) const SYMBOL_CONFIG: ValueType = List(&CONFIG_OF_ONE);
pub(super) const TRADING_STATUS: ValueType = Object(&[has("indicators", Object(&[])), has("updateTime", Whole)]);
pub(super) const ADL: ValueType = List(&Object(&[has("symbol", Text), has("adlQuantile", Any)]));

const BALANCE: ValueType = Object(&[
    has("accountAlias", Text),
    has("asset", Text),
    has("balance", Decimal),
    has("crossWalletBalance", Decimal),
    has("crossUnPnl", Decimal),
    has("availableBalance", Decimal),
    has("maxWithdrawAmount", Decimal),
    has("marginAvailable", Flag),
    has("updateTime", Whole),
]);
pub(super) const BALANCES: ValueType = List(&BALANCE);
const ASSET_OF_ACCOUNT: ValueType = Object(&[
    has("asset", Text),
    has("walletBalance", Decimal),
    has("unrealizedProfit", Decimal),
    has("marginBalance", Decimal),
    has("maintMargin", Decimal),
    has("initialMargin", Decimal),
    has("positionInitialMargin", Decimal),
    has("openOrderInitialMargin", Decimal),
    has("crossWalletBalance", Decimal),
    has("crossUnPnl", Decimal),
    has("availableBalance", Decimal),
    has("maxWithdrawAmount", Decimal),
    has("marginAvailable", Flag),
    has("updateTime", Whole),
]);
pub(super) const ACCOUNT: ValueType = Object(&[
    has("totalInitialMargin", Decimal),
    has("totalMaintMargin", Decimal),
    has("totalWalletBalance", Decimal),
    has("totalUnrealizedProfit", Decimal),
    has("totalMarginBalance", Decimal),
    has("totalPositionInitialMargin", Decimal),
    has("totalOpenOrderInitialMargin", Decimal),
    has("totalCrossWalletBalance", Decimal),
    has("totalCrossUnPnl", Decimal),
    has("availableBalance", Decimal),
    has("maxWithdrawAmount", Decimal),
    has("assets", List(&ASSET_OF_ACCOUNT)),
    has("positions", List(&Any)),
    may("feeTier", Whole),
    may("feeBurn", Flag),
    may("canTrade", Flag),
    may("canDeposit", Flag),
    may("canWithdraw", Flag),
    may("updateTime", Whole),
    may("multiAssetsMargin", Flag),
    may("tradeGroupId", Whole),
]);
const POSITION: ValueType = Object(&[
    has("symbol", Text),
    has("positionSide", Text),
    has("positionAmt", Decimal),
    has("entryPrice", Decimal),
    has("breakEvenPrice", Decimal),
    has("markPrice", Decimal),
    has("unRealizedProfit", Decimal),
    has("liquidationPrice", Decimal),
    has("isolatedMargin", Decimal),
    has("notional", Decimal),
    has("isolatedWallet", Decimal),
    has("updateTime", Whole),
    may("leverage", Text),
    may("marginType", Text),
    may("isAutoAddMargin", Text),
    may("maxNotionalValue", Decimal),
    may("marginAsset", Text),
    may("initialMargin", Decimal),
    may("maintMargin", Decimal),
    may("positionInitialMargin", Decimal),
    may("openOrderInitialMargin", Decimal),
    may("adl", Whole),
    may("bidNotional", Decimal),
    may("askNotional", Decimal),
]);
pub(super) const POSITIONS: ValueType = List(&POSITION);
