//! Forms of the answers to the app's calls (`docs/rules/app-calls.md`).
//!
//! Owns: which fields an answer has, of which kind. Never does: write an answer. Invariants: a test compares answers of the
//! real server with these. Known limits: values that follow from others are not described.

use super::stock::SESSION;
use crate::api::auth::second_factor::METHODS;
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{
    Any, Decimal, Either, Flag, List, Map, More, Named, Null, Number, Numbers, Object, Text, Whole, Words,
};

pub(super) const OFF_OR_ON: ValueType = Numbers(&[0, 1]);
pub(super) const IDS: ValueType = List(&Whole);
const NO_TEXT: ValueType = Either(&[Text, Null]);
const NO_DECIMAL: ValueType = Either(&[Decimal, Null]);
const NO_WHOLE: ValueType = Either(&[Whole, Null]);

/// The accounts of a user.
pub(super) const ACCOUNT: ValueType = Words(&["legal", "change", "lever", "micro", "earn"]);
pub(super) const SIDE: ValueType = Numbers(&[1, 2]);
pub(super) const STATUS: ValueType = Numbers(&[1, 2, 3, 4]);
pub(super) const KIND: ValueType = Words(&["limit", "market"]);
pub(super) const TIF: ValueType = Words(&["GTC", "IOC", "FOK", "POST_ONLY", "DAY"]);
pub(super) const TRIGGER: ValueType = Words(&["stop_loss", "take_profit"]);

/// A page of rows, which has its numbers under old and new names.
macro_rules! page {
    ($row:expr) => {
        Object(&[
            has("data", List(&$row)),
            has("page", Whole),
            has("pages", Whole),
            has("total", Whole),
            has("limit", Whole),
            has("current_page", Whole),
            has("last_page", Whole),
            has("per_page", Whole),
        ])
    };
}

/// The same with a name of its own.
macro_rules! page_of {
    ($name:literal, $row:expr) => {
        Named($name, &$crate::api::app::forms::page!($row))
    };
}
pub(super) use {page, page_of};

// Launch, users, keys.

pub(super) const SITE_CONFIG: ValueType = Named(
    "SiteConfig",
    &Object(&[
        has("site_name", Text),
        has("site_logo", Text),
        has("down_logo", Text),
        has("support_url", Text),
        has("zxkf_url", Text),
        has("telegram_url", Text),
        has("whatsApp_url", Text),
        has("jie_url", Text),
        has("hk_url", Text),
        has("h5_version", Decimal),
        has("app_version", Text),
        has("app_code", Whole),
        has("features", Map(&Flag)),
        has("demo", Flag),
    ]),
);
pub(super) const SETTING: ValueType = Either(&[Object(&[has("key", Text), has("value", Text)]), Null]);
const FIAT_RATE: ValueType =
    Named("FiatRate", &Object(&[has("currency_code", Text), has("rate", Decimal), has("value", Decimal)]));
const RATES: Field = has("rates", List(&FIAT_RATE));
pub(super) const FIAT_RATES: ValueType = Object(&[RATES, SAVE_TIME]);
pub(super) const FIAT_DATA: ValueType = Object(&[RATES]);
const SAVE_TIME: Field = has("save_time", Whole);
pub(super) const FIAT_BESIDE: &[Field] = &[RATES, SAVE_TIME];

pub(super) const SESSIONS: ValueType = List(&Named(
    "UserSession",
    &Object(&[
        has("id", Whole),
        has("ip", Text),
        has("agent", Text).about("What the client called itself at the login."),
        has("created_at", Text),
        has("created_at_ms", Whole),
        has("last_seen", Text),
        has("last_seen_ms", Whole),
        has("current", Flag),
    ]),
));

pub(super) const USER: ValueType = Named(
    "UserInfo",
    &Object(&[
        has("id", Whole),
        has("uid", Text),
        has("account_number", Text),
        has("email", NO_TEXT),
        has("phone", NO_TEXT),
        has("area_code", Text),
        has("nickname", Text),
        has("signature", Text),
        has("head_portrait", Text),
        has("extension_code", Text),
        has("level", Whole),
        has("level_name", Text),
        has("score", Whole),
        has("status", OFF_OR_ON),
        has("is_trader", OFF_OR_ON),
        has("is_market_maker", OFF_OR_ON),
        has("review_status", Numbers(&[0, 1, 2, 3])),
        has("real_status", Numbers(&[0, 1, 2])),
        has("advanced_review_status", Numbers(&[0, 1, 2, 3])),
        has("name", Text),
        has("has_pay_password", Flag),
        has("frozen_funds", OFF_OR_ON),
        has("time", Text),
        has("time_ms", Whole),
        has("country", Text).about("Where the owner lives, two letters, as a verification said; empty before."),
        has("barred", List(&Words(&["spot", "contract", "options", "flash_exchange", "stocks", "follow"])))
            .about("Products of which nothing can be opened there."),
        has("invite", Object(&[has("number", Whole), has("trans_number", Whole), has("rebate_total", Decimal)])),
        has("unread", Object(&[has("service", Whole), has("system", Whole), has("notice", Whole)])),
    ]),
);

pub(super) const KEY_KIND: ValueType = Words(&["hmac", "ed25519"]);
const API_KEY: ValueType = Named(
    "ApiKey",
    &Object(&[
        has("id", Whole),
        has("label", Text),
        has("kind", KEY_KIND),
        has("api_key", Text),
        has("scopes", List(&Words(&["read", "trade"]))),
        has("ips", List(&Text)).about("Addresses and networks; none: from anywhere."),
        has("created_at", Text),
        has("created_at_ms", Whole),
        has("last_used_at", NO_TEXT),
        has("last_used_at_ms", NO_WHOLE),
        has("suspended", Flag)
            .about("The password was reset or the account locked since: it works again once it is confirmed."),
    ]),
);
pub(super) const API_KEYS: ValueType = List(&API_KEY);
pub(super) const NEW_API_KEY: ValueType =
    Named("NewApiKey", &More(&API_KEY, &[has("secret", NO_TEXT).about("Told once, and only of a key that has one.")]));

// What protects an account.

pub(super) const METHOD: ValueType = Words(METHODS);
pub(super) const FACTOR_METHOD: ValueType = Words(&["totp", "recovery", "passkey"]);
pub(super) const CODE_METHOD: ValueType = Words(&["totp", "recovery"]);
const PASSKEY_NAMES: ValueType = List(&Named("PasskeyName", &Object(&[has("type", Text), has("id", Text)])));
pub(super) const PASSKEY_REQUEST: ValueType = Named(
    "PasskeyRequest",
    &Object(&[
        has("challenge", Text),
        has("rpId", Text),
        has("allowCredentials", PASSKEY_NAMES),
        has("userVerification", Text),
        has("timeout", Whole),
    ]),
);
const PASSKEY_CREATION: ValueType = Named(
    "PasskeyCreation",
    &Object(&[
        has("challenge", Text),
        has("rp", Object(&[has("id", Text), has("name", Text)])),
        has("user", Object(&[has("id", Text), has("name", Text), has("displayName", Text)])),
        has("pubKeyCredParams", List(&Object(&[has("type", Text), has("alg", Whole)]))),
        has("authenticatorSelection", Object(&[has("userVerification", Text), has("residentKey", Text)])),
        has("excludeCredentials", PASSKEY_NAMES),
        has("attestation", Text),
        has("timeout", Whole),
    ]),
);
pub(super) const SAFE_STATE: ValueType = Named(
    "SafeState",
    &Object(&[
        has(
            "factors",
            List(&Named(
                "Factor",
                &Object(&[
                    has("id", Whole),
                    has("kind", Words(&["totp", "passkey"])),
                    has("label", Text),
                    has("created_at", Text),
                    has("created_at_ms", Whole),
                ]),
            )),
        ),
        has("recovery_left", Whole),
        has("passkeys", Flag).about("Whether passkeys can be added at all."),
        has("has_pay_password", Flag),
        has("has_email", Flag),
        has("has_phone", Flag),
        has("mail_phrase", Either(&[Text, Null])).about("The anti-phishing text of mails."),
    ]),
);
pub(super) const NEW_TOTP: ValueType =
    Named("NewTotp", &Object(&[has("id", Whole), has("secret", Text), has("uri", Text)]));
pub(super) const NEW_RECOVERY: ValueType =
    Object(&[has("recovery_codes", List(&Text)).about("Told once; each is good once.")]);
pub(super) const ASKED: ValueType = Named(
    "Challenge",
    &Object(&[
        has("challenge_id", Text),
        has("methods", List(&METHOD)),
        has("expire_at_ms", Whole),
        has("passkey", Either(&[PASSKEY_REQUEST, Null])).about("What a browser has a passkey sign."),
    ]),
);
pub(super) const NEW_PASSKEY: ValueType = Named(
    "NewPasskey",
    &Object(&[
        has("challenge_id", Text),
        has("expire_at_ms", Whole),
        has("passkey", PASSKEY_CREATION).about("What a browser makes a passkey by."),
    ]),
);
pub(super) const LOGIN_BY_PASSKEY: ValueType = Named(
    "PasskeyLogin",
    &Object(&[
        has("challenge_id", Text),
        has("expire_at_ms", Whole),
        has("passkey", PASSKEY_REQUEST).about("What a browser has any passkey of this site sign."),
    ]),
);
pub(super) const ADDED_PASSKEY: ValueType = Object(&[
    has("id", Whole),
    has("recovery_codes", List(&Text)).about("Of a first factor; told once, and each is good once."),
]);
pub(super) const PROVED: ValueType = Object(&[has("proof", Text), has("expire_at_ms", Whole)]);

// Content.

const NEWS_ROW: ValueType = Named(
    "NewsRow",
    &Object(&[
        has("id", Whole),
        has("c_id", Whole),
        has("title", Text),
        has("abstract", Text),
        has("cover", Text),
        has("url", Text),
        has("create_time", Text),
        has("sorts", Whole),
    ]),
);
pub(super) const ARTICLE: ValueType =
    Named("Article", &More(&NEWS_ROW, &[has("content", Text), has("author", Text), has("views", Whole)]));
pub(super) const POPUP: ValueType = Either(&[ARTICLE, Null]);
pub(super) const NEWS: ValueType = Object(&[
    has("list", List(&NEWS_ROW)),
    has("count", Whole),
    has("page", Whole),
    has("limit", Whole),
    has("version", Object(&[has("key", Text), has("value", List(&Text))])),
]);
pub(super) const MENU: ValueType = List(&Named(
    "MenuEntry",
    &Object(&[
        has("id", Whole),
        has("title", Text),
        has("icon", Text),
        has("url", Text),
        has("open_type", Words(&["navigateTo", "switchTab", "webView", "none"])),
        has("show", OFF_OR_ON),
        has("sort", Whole),
    ]),
));

// Markets.

const QUOTE: ValueType = Named(
    "Quote",
    &Object(&[
        has("id", Whole).about("The market's."),
        has("currency_id", Whole),
        has("legal_id", Whole),
        has("currency_name", Text),
        has("legal_name", Text),
        has("symbol", Text),
        has("stream", Text),
        has("logo", Text),
        has("category", Whole),
        has("tags", List(&Text)),
        has("kind", Words(&["coin", "stock_us", "stock_hk"])),
        has("title", Text).about("Of the coin or the company."),
        has("step_table", Words(&["", "hk-2025-08", "hk-2026"])).about("Steps of prices; \"\": `tick` at all prices."),
        has("queues", OFF_OR_ON).about("Limit orders are taken while the session is closed, and matched at the open."),
        has("session", Either(&[SESSION, Null])).about("Null for coins."),
        has("usdt_rate", NO_DECIMAL).about("Of stocks in HKD: HKD for one USDT."),
        has("lock_fee", Decimal).about("Percent that a purchase locks on top of its cost, for its fee."),
        has("now_price", Decimal),
        has("open", Decimal),
        has("high", Decimal),
        has("low", Decimal),
        has("close", Decimal),
        has("change", Decimal).about("Percent."),
        has("volume", Decimal),
        has("turnover", Decimal),
        has("precision_length", Whole),
        has("amount_precision", Whole),
        has("tick", Decimal),
        has("step", Decimal),
        has("min_amount", Decimal),
        has("max_amount", Decimal),
        has("min_notional", Decimal),
        has("price_band", Decimal).about("Percent."),
        has("protection", Decimal).about("Percent that a buy at market locks beyond its price."),
        has("max_open_orders", Whole),
        has("open_coin_trade", OFF_OR_ON),
        has("open_lever", OFF_OR_ON),
        has("open_microtrade", OFF_OR_ON),
        has("spread", Decimal),
        has("lever_share_num", Decimal),
        has("lever_trade_fee", Decimal),
        has("lever_min_share", Whole),
        has("lever_max_share", Whole),
        has("overnight", Decimal),
        has("coin_trade_fee_maker", Decimal).about("Percent."),
        has("coin_trade_fee_taker", Decimal).about("Percent."),
        has("market_status", Words(&["open", "closed", "halt", "pre", "auction"])),
        has("status", Words(&["TRADING", "CANCEL_ONLY", "HALT"])),
        has("source", Words(&["live", "replayed", "simulated"])),
        has("index_price", NO_DECIMAL),
        has("index_ms", NO_WHOLE),
        has("sort", Whole),
        has("update_ms", Whole),
    ]),
);
pub(super) const QUOTATION: ValueType = List(&Named(
    "QuoteGroup",
    &Object(&[has("id", Whole), has("name", Text), has("logo", Text), has("quotation", List(&QUOTE))]),
));

pub(super) const CANDLES: ValueType = List(&Named(
    "CandleRow",
    &Object(&[
        has("id", Whole).about("Seconds."),
        has("time", Whole).about("Milliseconds."),
        has("open", Number),
        has("close", Number),
        has("high", Number),
        has("low", Number),
        has("volume", Number),
        has("amount", Number),
        has("vol", Number).about("In the quote asset."),
    ]),
));
const LEVELS: ValueType = List(&List(&Decimal));
pub(super) const DEPTH: ValueType = Object(&[has("bids", LEVELS), has("asks", LEVELS), has("seq", Whole)]);
pub(super) const DEALS: ValueType = List(&Object(&[
    has("id", Whole),
    has("price", Decimal),
    has("amount", Decimal),
    has("time", Text),
    has("time_ms", Whole),
    has("type", SIDE).about("Of the taker: 1 buy, 2 sell."),
    has("own", Flag),
]));
pub(super) const FAVOURITES: ValueType = List(&Named(
    "Favourite",
    &Object(&[has("id", Whole), has("currency_id", Whole), has("match_id", Whole).about("The market's id.")]),
));
pub(super) const FAVOURITE_ADDED: ValueType = Object(&[has("id", Whole)]);

// Wallets.

const CURRENCY: ValueType = Object(&[
    has("id", Whole),
    has("name", Text),
    has("title", Text),
    has("logo", Text),
    has("sub_names", List(&Text)),
    has("is_legal", OFF_OR_ON),
    has("is_lever", OFF_OR_ON),
    has("is_match", OFF_OR_ON),
    has("is_micro", OFF_OR_ON),
    has("is_transfer", OFF_OR_ON),
    has("price", Decimal),
    has("rate", Decimal),
    has("min_number", Decimal),
    has("max_number", Decimal),
    has("precision", Whole),
    has("is_display", OFF_OR_ON),
    has("sort", Whole),
    has("networks", List(&Any)),
]);
pub(super) const CURRENCIES: ValueType = Object(&[has("currency", List(&CURRENCY)), has("legal", List(&CURRENCY))]);

/// A wallet's row of one asset: what is available and what is locked have the wallet's name in theirs.
macro_rules! balance {
    ($name:literal, $title:literal) => {
        Named(
            $title,
            &Object(&[
                has(concat!($name, "_balance"), Decimal),
                has(concat!("lock_", $name, "_balance"), Decimal),
                has("id", Whole),
                has("currency", Whole),
                has("currency_name", Text),
                has("title", Text),
                has("logo", Text),
                has("precision", Whole),
                has("usdt_price", Decimal),
                has("cny_price", Decimal),
                has("usdt_value", Decimal),
                has("is_charge", Flag),
            ]),
        )
    };
}

const LEGAL: ValueType = balance!("legal", "LegalBalance");
const CHANGE: ValueType = balance!("change", "ChangeBalance");
const LEVER: ValueType = balance!("lever", "LeverBalance");
const MICRO: ValueType = balance!("micro", "MicroBalance");
const EARN: ValueType = balance!("earn", "EarnBalance");

/// A wallet: its rows, and what they are worth.
macro_rules! wallet {
    ($name:literal, $rows:ident) => {
        Named(
            $name,
            &Object(&[
                has("balance", List(&$rows)),
                has("totle", Decimal),
                has("usdt_totle", Decimal),
                has("CNY", Decimal),
                has("total_with_locked", Decimal),
            ]),
        )
    };
}

const LEGAL_ROWS: Field = has("legal_wallet", wallet!("LegalWallet", LEGAL));
const CHANGE_ROWS: Field = has("change_wallet", wallet!("ChangeWallet", CHANGE));
const LEVER_ROWS: Field = has("lever_wallet", wallet!("LeverWallet", LEVER));
const MICRO_ROWS: Field = has("micro_wallet", wallet!("MicroWallet", MICRO));
const EARN_ROWS: Field = has("earn_wallet", wallet!("EarnWallet", EARN));

pub(super) const SEQ: Field = has("seq", Whole).about("Of the account's latest event that is in it.");
const EQUITY: Field = has("equity", Decimal).about("The lever account and the results of open tickets.");
const UNREALIZED: Field = has("unrealized", Decimal);
const RISK_RATE: Field = has("risk_rate", Decimal).about("Percent, 50 is the end; 0 without a cross ticket.");
pub(super) const WALLETS: ValueType = Named(
    "Wallets",
    &Object(&[
        LEGAL_ROWS,
        CHANGE_ROWS,
        LEVER_ROWS,
        MICRO_ROWS,
        EARN_ROWS,
        EQUITY,
        UNREALIZED,
        RISK_RATE,
        has("ExRate", Decimal),
        has("is_open_CTbi", Text),
        SEQ,
    ]),
);
pub(super) const LEGAL_WALLET: ValueType = Object(&[LEGAL_ROWS, SEQ]);
pub(super) const SPOT_WALLET: ValueType = Object(&[CHANGE_ROWS, has("total", Decimal), SEQ]);
pub(super) const OPTION_WALLET: ValueType = Object(&[MICRO_ROWS, SEQ]);
pub(super) const CONTRACT_WALLET: ValueType = Object(&[
    LEVER_ROWS,
    EQUITY,
    UNREALIZED,
    RISK_RATE,
    has("transferable", Map(&Decimal)).about("What may leave, by the asset's name."),
    SEQ,
]);
pub(super) const EARN_WALLET: ValueType = Object(&[EARN_ROWS, SEQ]);

const DETAIL: &[Field] = &[
    has("address", Text),
    has("ExRate", Decimal),
    has("coin_trade_fee", Decimal).about("Percent."),
    has("level", Whole),
    SEQ,
];
pub(super) const BALANCE: ValueType = Either(&[
    More(&LEGAL, DETAIL),
    More(&CHANGE, DETAIL),
    More(&LEVER, DETAIL),
    More(&MICRO, DETAIL),
    More(&EARN, DETAIL),
]);

const LOG_ROW: ValueType = Named(
    "LogRow",
    &Object(&[
        has("id", Whole),
        has("value", Decimal),
        has("info", Text),
        has("type", Whole),
        has("created_time", Text),
        has("created_time_ms", Whole),
        has("currency", Whole),
        has("currency_name", Text),
        has("account", ACCOUNT),
        has("before", Decimal),
        has("after", Decimal),
        has("order_no", Text),
    ]),
);
const ORDER_RECORD: ValueType = Named(
    "OrderRecord",
    &Object(&[
        has("id", Whole),
        has("type", Whole),
        has("account", ACCOUNT),
        has("info", Text),
        has("order_no", Text),
        has("created_time", Text),
        has("created_time_ms", Whole),
        has("order", ORDER),
        has("changes", List(&Object(&[has("currency", Whole), has("currency_name", Text), has("value", Decimal)])))
            .about("All that the order moved, of the assets asked for."),
    ]),
);
pub(super) const LOGS: ValueType = Object(&[
    has("list", List(&Either(&[LOG_ROW, ORDER_RECORD]))),
    may("count", Whole),
    has("limit", Whole),
    has("is_open_CTbi", Text),
]);
pub(super) const TRANSFERS: ValueType = page!(LOG_ROW);
pub(super) const TRANSFERABLE: ValueType = List(&Named(
    "TransferCoin",
    &Object(&[
        has("id", Whole),
        has("name", Text),
        has("is_legal", OFF_OR_ON),
        has("is_lever", OFF_OR_ON),
        has("is_match", OFF_OR_ON),
        has("is_micro", OFF_OR_ON),
        has("wallet", Map(&Decimal)).about(
            "What each wallet that takes it has, under the names of its row; what may leave lever: lever_transferable.",
        ),
    ]),
));

// Orders.

pub(super) const ORDER: ValueType = Named(
    "Order",
    &Object(&[
        has("id", Whole),
        has("u_id", Whole),
        has("order_no", Text),
        has("currency_id", Whole),
        has("legal_id", Whole),
        has("match_id", Whole).about("The market's id."),
        has("symbol", Text),
        has("type", SIDE).about("1 buy, 2 sell."),
        has("order_type", KIND),
        has("tif", TIF),
        has("target_price", Decimal),
        has("trade_price", Decimal).about("Average price of its fills; 0 while nothing is filled."),
        has("trade_amount", Decimal).about("0 when it names an amount to spend."),
        has("quote_amount", Decimal).about("What a market order spends or earns in quote; 0 when it names an amount."),
        has("filled_amount", Decimal),
        has("filled_total", Decimal).about("Quote turned over so far."),
        has("charge_fee", Decimal).about("The rate of its fees."),
        has("fee", Decimal),
        has("fee_currency", Text),
        has("status", STATUS).about("1 open, 2 completed, 3 cancelled, 4 partially filled."),
        has("reason", Text).about(
            "Why it or its rest is gone, as user or other_order; empty while it is open or after it was filled.",
        ),
        has("client_id", NO_TEXT),
        has("trigger", Either(&[TRIGGER, Null])).about("Of an order that waits, or waited, for a price."),
        has("trigger_price", NO_DECIMAL).about("0 when it trails from the next price on; null without a trigger."),
        has("trail", NO_WHOLE).about("Hundredths of a percent; 0 when it does not trail."),
        has("waiting", Flag)
            .about("Its price or, when it is pending, its turn has not come yet: nothing of it is in the book."),
        has("queued", OFF_OR_ON).about("It waits for the open of a stock's market."),
        has("pending", Flag).about("It is placed once the first order of its list is filled."),
        has("visible_amount", Decimal).about("What the book shows of it at a time; 0 when that is all of it."),
        has("list_id", Whole).about("The two or three of a list share it; 0: none."),
        has("created_at", Text),
        has("created_at_ms", Whole),
        has("updated_at", Text),
        has("updated_at_ms", Whole),
    ]),
);
