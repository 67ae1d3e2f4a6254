//! The table of the app's calls: routes are registered from it, and the document of the calls is made from it.
//!
//! Owns: which call answers which method and path, who may ask it, what it takes and what it answers. Never does: answer.
//! Invariants: a call is a row, and a row a call. Known limits: fields are read by the calls themselves; tests compare what
//! they answer with what is told here.

use super::fields::{
    ADD_FAVOURITE, CANCEL, CANDLES_BETWEEN, CHECK_CODE, CREATE_KEY, FILE, FORGET, ID, KEYWORD, LATEST_CANDLES, LOG,
    LOGIN, NAME_KEY, NEWS_PAGE, OCO, OF_MARKET, ORDER_PAGE, PAGED, PAIR, PLACE, REGISTER, REQUEST, SEND_CODE, STOP,
    TRADE_PAGE, TRANSFER, UPDATE_KEY, WALLET, WALLET_DETAIL,
};
use super::forms::{
    API_KEYS, ARRANGED, ARTICLE, BALANCE, CANCELED, CANCELED_ALL, CANDLES, CONTRACT_WALLET, CURRENCIES, DEALS, DEPTH,
    EARN_WALLET, FATE, FAVOURITE_ADDED, FAVOURITES, FIAT_BESIDE, FIAT_DATA, FIAT_RATES, FILLS, LEGAL_WALLET, LOGS,
    MENU, NEW_API_KEY, NEWS, OPTION_WALLET, ORDER_DETAIL, ORDERS, ORDERS_BESIDE, PLACED, POPUP, QUOTATION, SESSIONS,
    SETTING, SITE_CONFIG, SPOT_WALLET, TRANSFERABLE, TRANSFERS, USER, WALLETS,
};
use super::{api_keys, auth, common, document, index, market, order_groups, serve, spot, upload, user, wallet};
use crate::api::value_type::{Field, ValueType};
use actix_web::web::{ServiceConfig, get, post, put};
use xng_core::entity::CommandClass;

/// Who may ask a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Anybody.
    Open,
    /// Who is logged in.
    Member,
}

/// What a call answers when it is not refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    /// What is in `message`.
    pub(super) message: ValueType,
    /// What is in `data`.
    pub(super) data: ValueType,
    /// What stands beside these.
    pub(super) beside: &'static [Field],
}

impl Answers {
    const fn and(self, data: ValueType) -> Answers {
        Answers { data, ..self }
    }

    const fn beside(self, beside: &'static [Field]) -> Answers {
        Answers { beside, ..self }
    }
}

/// A query's answer.
const fn tells(message: ValueType) -> Answers {
    Answers { message, data: ValueType::Null, beside: &[] }
}

/// A command's answer: a text for a person.
const SAYS: Answers = tells(ValueType::Text);

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// In small letters.
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) access: Access,
    /// What answers it, as `room::function`.
    pub(super) function: &'static str,
    pub(super) params: &'static [Field],
    pub(super) answers: Answers,
}

/// What a call does: what is not said to read or to free takes.
macro_rules! class {
    (get) => {
        CommandClass::ReadOnly
    };
    ($method:ident) => {
        CommandClass::Consumes
    };
    ($method:ident reads) => {
        CommandClass::ReadOnly
    };
    ($method:ident frees) => {
        CommandClass::Releases
    };
}

macro_rules! access {
    (open) => {
        Access::Open
    };
    (member) => {
        Access::Member
    };
}

macro_rules! calls {
    ($($access:ident $path:literal $method:ident $($class:ident)? => $room:ident::$call:ident, $params:expr, $answers:expr;)*) => {
        /// All calls of the app.
        pub fn routes(cfg: &mut ServiceConfig) {
            $(cfg.route($path, $method().to(|request, body| {
                serve(request, body, ($path, class!($method $($class)?)), $room::$call)
            }));)*
            cfg.route(UPLOAD.path, post().to(upload::upload));
            cfg.route(document::PATH, get().to(document::serve));
        }

        const ROWS: &[Row] = &[$(Row {
            method: stringify!($method),
            path: $path,
            access: access!($access),
            function: concat!(stringify!($room), "::", stringify!($call)),
            params: $params,
            answers: $answers,
        }),*];
    };
}

calls! {
    open "/api/getSiteConfig" get => common::site_config, &[], tells(SITE_CONFIG);
    open "/api/getSetting" get => common::setting, KEYWORD, tells(SETTING);
    open "/api/fiat/rates" get => common::fiat_rates, &[], tells(FIAT_RATES).and(FIAT_DATA).beside(FIAT_BESIDE);

    open "/api/sms_mail" post => auth::send_code, SEND_CODE, SAYS;
    open "/api/user/check_email" post => auth::check_code, CHECK_CODE, SAYS;
    open "/api/user/register" post => auth::register, REGISTER, SAYS;
    open "/api/user/login" post => auth::login, LOGIN, SAYS;
    open "/api/user/forget" post => auth::forget, FORGET, SAYS;
    open "/api/user/logout" get => auth::logout, &[], SAYS;
    member "/api/user/sessions" get => auth::sessions, &[], tells(SESSIONS);
    member "/api/user/sessions/revoke" post => auth::revoke, ID, SAYS;
    member "/api/user/info" get => user::info, &[], tells(USER);
    member "/api/user/api_keys/list" post reads => api_keys::list, &[], tells(API_KEYS);
    member "/api/user/api_keys/create" post => api_keys::create, CREATE_KEY, SAYS.and(NEW_API_KEY);
    member "/api/user/api_keys/update" post => api_keys::update, UPDATE_KEY, SAYS;
    member "/api/user/api_keys/confirm" post => api_keys::confirm, NAME_KEY, SAYS;
    member "/api/user/api_keys/delete" post frees => api_keys::delete, NAME_KEY, SAYS;

    open "/api/news/index_pop" get => index::popup, &[], tells(POPUP);
    open "/api/news/list" post reads => index::news, NEWS_PAGE, tells(NEWS);
    open "/api/news/detail" post reads => index::article, ID, tells(ARTICLE);
    open "/api/faq" get => index::faq, &[], tells(ARTICLE);
    open "/api/aboutus" get => index::about_us, &[], tells(ARTICLE);
    open "/api/contactus" get => index::contact_us, &[], tells(ARTICLE);
    open "/api/operational_compliance" get => index::compliance, &[], tells(ARTICLE);
    open "/api/currency/quotation_new" get => index::quotation, &[], tells(QUOTATION);
    open "/api/menu" get => index::menu, &[], tells(MENU);

    open "/api/currency/list" get => wallet::currencies, &[], tells(CURRENCIES);
    member "/api/walletList" get => wallet::all, WALLET, tells(WALLETS);
    member "/api/wallet/list" get => wallet::all, WALLET, tells(WALLETS);
    member "/api/wallet/list" post reads => wallet::all, WALLET, tells(WALLETS);
    member "/api/wallet/legalWalletList" post reads => wallet::legal, WALLET, tells(LEGAL_WALLET);
    member "/api/wallet/spotWalletList" post reads => wallet::spot, WALLET, tells(SPOT_WALLET);
    member "/api/wallet/optionWalletList" post reads => wallet::option, WALLET, tells(OPTION_WALLET);
    member "/api/wallet/contractsWalletList" post reads => wallet::contracts, WALLET, tells(CONTRACT_WALLET);
    member "/api/wallet/earnWalletList" post reads => wallet::earn, WALLET, tells(EARN_WALLET);
    member "/api/wallet/detail" post reads => wallet::detail, WALLET_DETAIL, tells(BALANCE);
    member "/api/wallet/legal_log" post reads => wallet::log, LOG, tells(LOGS);
    member "/api/wallet/hzhistory" get => wallet::transfers, PAGED, tells(TRANSFERS);
    member "/api/currency/user_currency_list" get => wallet::transferable, &[], tells(TRANSFERABLE);
    member "/api/wallet/change" post => wallet::transfer, TRANSFER, SAYS;

    open "/api/currency/new_timeshar" get => market::candles_between, CANDLES_BETWEEN, tells(CANDLES).and(CANDLES);
    open "/api/currency/kline_market_Daily" get => market::latest_candles, LATEST_CANDLES, tells(CANDLES).and(CANDLES);
    open "/api/currency/depth" get => market::depth, OF_MARKET, tells(DEPTH);
    open "/api/currency/deals" get => market::deals, OF_MARKET, tells(DEALS);
    member "/api/optional/add" post => market::favourite_add, ADD_FAVOURITE, tells(FAVOURITE_ADDED);
    member "/api/optional/del" post => market::favourite_del, ID, SAYS;
    member "/api/optional/list" get => market::favourites, &[], tells(FAVOURITES);

    member "/api/coin/trade" post => spot::place, PLACE, SAYS.and(PLACED);
    member "/api/coin/stop" post => order_groups::stop, STOP, SAYS.and(ARRANGED);
    member "/api/coin/oco" post => order_groups::oco, OCO, SAYS.and(ARRANGED);
    member "/api/coin/cancel" post frees => spot::cancel, CANCEL, SAYS.and(CANCELED);
    member "/api/coin/trade" put frees => spot::cancel, CANCEL, SAYS.and(CANCELED);
    member "/api/coin/cancel_all" post frees => spot::cancel_all, PAIR, SAYS.and(CANCELED_ALL);
    member "/api/coin/list" get => spot::orders, ORDER_PAGE, tells(ORDERS).beside(ORDERS_BESIDE);
    member "/api/coin/detail" get => spot::detail, ID, tells(ORDER_DETAIL);
    member "/api/coin/trades" get => spot::trades, TRADE_PAGE, tells(FILLS);
    member "/api/coin/request" get => spot::request, REQUEST, tells(FATE);
}

/// The one call that takes a file, and reads it itself.
const UPLOAD: Row = Row {
    method: "post",
    path: "/api/upload",
    access: Access::Member,
    function: "upload::upload",
    params: FILE,
    answers: SAYS,
};

/// All rows.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain([&UPLOAD])
}
