//! The table of the app's calls: routes are registered from it, and the document of the calls is made from it.
//!
//! Owns: which call answers which method and path, who may ask it, what it takes and what it answers; a product's rows are in
//! its own folder. Never does: answer.
//! Invariants: a call is a row, and a row a call. Known limits: fields are read by the calls themselves; tests compare what
//! they answer with what is told here.

use super::fields::{
    ADD_FAVOURITE, BEGIN_PASSKEY, BEGIN_TOTP, CANDLES_BETWEEN, CHALLENGE, CHECK_CODE, CONFIRM_TOTP, CREATE_KEY, FILE,
    FINISH_PASSKEY, FORGET, ID, KEYWORD, LATEST_CANDLES, LOG, LOGIN, LOGIN_PASSKEY, LOGIN_SECOND, MAIL_PHRASE,
    NAME_KEY, NEWS_PAGE, OF_MARKET, PAGED, PROVE, REGISTER, REMOVE_TOTP, SEND_CODE, TRANSFER, UPDATE_KEY,
    UPDATE_PASSWORD, WALLET, WALLET_DETAIL,
};
use super::forms::{
    ADDED_PASSKEY, API_KEYS, ARTICLE, ASKED, BALANCE, CANDLES, CONTRACT_WALLET, CURRENCIES, DEALS, DEPTH, EARN_WALLET,
    FAVOURITE_ADDED, FAVOURITES, FIAT_BESIDE, FIAT_DATA, FIAT_RATES, LEGAL_WALLET, LOGIN_BY_PASSKEY, LOGS, MENU,
    NEW_API_KEY, NEW_PASSKEY, NEW_RECOVERY, NEW_TOTP, NEWS, OPTION_WALLET, POPUP, PROVED, QUOTATION, SAFE_STATE,
    SESSIONS, SETTING, SITE_CONFIG, SPOT_WALLET, TRANSFERABLE, TRANSFERS, USER, WALLETS,
};
use super::{
    address_book, api_keys, auth, cards, chat, common, contract, convert, coupon, deposit, fair, follow, index, lever,
    market, messages, reserves, safe, seconds, sessions, spot, stock, upload, user, verification, wallet, withdraw,
};
use crate::api::value_type::{Field, ValueType};
use actix_web::web::{ServiceConfig, post};

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
    pub(super) const fn and(self, data: ValueType) -> Answers {
        Answers { data, ..self }
    }

    pub(super) const fn beside(self, beside: &'static [Field]) -> Answers {
        Answers { beside, ..self }
    }
}

/// A query's answer.
pub(super) const fn tells(message: ValueType) -> Answers {
    Answers { message, data: ValueType::Null, beside: &[] }
}

/// A command's answer: a text for a person.
pub(super) const SAYS: Answers = tells(ValueType::Text);

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

/// A group of calls: its routes and its rows.
pub(super) struct Calls {
    routes: fn(&mut ServiceConfig),
    rows: &'static [Row],
}

impl Calls {
    pub(super) const fn new(routes: fn(&mut ServiceConfig), rows: &'static [Row]) -> Calls {
        Calls { routes, rows }
    }
}

/// What a call does: what is not said to read or to free takes.
macro_rules! class {
    (get) => {
        xng_core::entity::CommandClass::ReadOnly
    };
    ($method:ident) => {
        xng_core::entity::CommandClass::Consumes
    };
    ($method:ident reads) => {
        xng_core::entity::CommandClass::ReadOnly
    };
    ($method:ident frees) => {
        xng_core::entity::CommandClass::Releases
    };
}

macro_rules! access {
    (open) => {
        $crate::api::app::table::Access::Open
    };
    (member) => {
        $crate::api::app::table::Access::Member
    };
}

/// A group of calls, as `CALLS` of the module that names them.
macro_rules! calls {
    ($($access:ident $path:literal $method:ident $($class:ident)? => $room:ident::$call:ident, $params:expr, $answers:expr;)*) => {
        pub(in crate::api::app) const CALLS: $crate::api::app::table::Calls = $crate::api::app::table::Calls::new(
            |cfg| {
                $(cfg.route($path, actix_web::web::$method().to(|request, body| {
                    let class = $crate::api::app::table::class!($method $($class)?);
                    $crate::api::app::serve(request, body, ($path, class), $room::$call)
                }));)*
            },
            &[$($crate::api::app::table::Row {
                method: stringify!($method),
                path: $path,
                access: $crate::api::app::table::access!($access),
                function: concat!(stringify!($room), "::", stringify!($call)),
                params: $params,
                answers: $answers,
            }),*],
        );
    };
}

pub(super) use {access, calls, class};

calls! {
    open "/api/getSiteConfig" get => common::site_config, &[], tells(SITE_CONFIG);
    open "/api/getSetting" get => common::setting, KEYWORD, tells(SETTING);
    open "/api/fiat/rates" get => common::fiat_rates, &[], tells(FIAT_RATES).and(FIAT_DATA).beside(FIAT_BESIDE);

    open "/api/sms_mail" post => auth::send_code, SEND_CODE, SAYS;
    open "/api/user/check_email" post => auth::check_code, CHECK_CODE, SAYS;
    open "/api/user/register" post => auth::register, REGISTER, SAYS;
    open "/api/user/login" post => auth::login, LOGIN, SAYS;
    open "/api/user/login/second" post => auth::login_second, LOGIN_SECOND, SAYS;
    open "/api/user/login/passkey/begin" post => safe::begin_passkey_login, &[], SAYS.and(LOGIN_BY_PASSKEY);
    open "/api/user/login/passkey" post => safe::login_by_passkey, LOGIN_PASSKEY, SAYS;
    open "/api/user/forget" post => auth::forget, FORGET, SAYS;
    open "/api/user/logout" get => auth::logout, &[], SAYS;
    member "/api/user/sessions" get => sessions::list, &[], tells(SESSIONS);
    member "/api/user/sessions/revoke" post => sessions::revoke, ID, SAYS;
    member "/api/user/info" get => user::info, &[], tells(USER);
    member "/api/user/api_keys/list" post reads => api_keys::list, &[], tells(API_KEYS);
    member "/api/user/api_keys/create" post => api_keys::create, CREATE_KEY, SAYS.and(NEW_API_KEY);
    member "/api/user/api_keys/update" post => api_keys::update, UPDATE_KEY, SAYS;
    member "/api/user/api_keys/confirm" post => api_keys::confirm, NAME_KEY, SAYS;
    member "/api/user/api_keys/delete" post frees => api_keys::delete, NAME_KEY, SAYS;

    member "/api/safe/state" get => safe::state, &[], tells(SAFE_STATE);
    member "/api/safe/totp/begin" post => safe::begin_totp, BEGIN_TOTP, SAYS.and(NEW_TOTP);
    member "/api/safe/totp/confirm" post => safe::confirm_totp, CONFIRM_TOTP, SAYS.and(NEW_RECOVERY);
    member "/api/safe/totp/remove" post => safe::remove_totp, REMOVE_TOTP, SAYS;
    member "/api/safe/passkey/begin" post => safe::begin_passkey, BEGIN_PASSKEY, SAYS.and(NEW_PASSKEY);
    member "/api/safe/passkey/finish" post => safe::finish_passkey, FINISH_PASSKEY, SAYS.and(ADDED_PASSKEY);
    member "/api/safe/passkey/remove" post => safe::remove_passkey, REMOVE_TOTP, SAYS;
    member "/api/safe/update_password" post => safe::update_password, UPDATE_PASSWORD, SAYS;
    member "/api/safe/mail_phrase" post => safe::set_mail_phrase, MAIL_PHRASE, SAYS;
    member "/api/safe/lock" post frees => safe::lock, &[], SAYS;
    member "/api/safe/challenge" post frees => safe::challenge, CHALLENGE, SAYS.and(ASKED);
    member "/api/safe/prove" post frees => safe::prove, PROVE, SAYS.and(PROVED);

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

/// All groups; a product has one of its own, under its name among the features of the site.
const GROUPS: [(Option<&str>, Calls); 18] = [
    (None, CALLS),
    (None, fair::CALLS),
    (Some("spot"), spot::CALLS),
    (Some("contract"), lever::CALLS),
    (Some("contract"), contract::CALLS),
    (Some("flash_exchange"), convert::CALLS),
    (Some("options"), seconds::CALLS),
    (Some("follow"), follow::CALLS),
    (Some("coupon"), coupon::CALLS),
    (Some("stocks"), stock::CALLS),
    (None, deposit::CALLS),
    (None, address_book::CALLS),
    (None, cards::CALLS),
    (None, messages::CALLS),
    (None, chat::CALLS),
    (None, verification::CALLS),
    (None, withdraw::CALLS),
    (None, reserves::CALLS),
];

/// Products that have calls.
pub(super) fn features() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().filter_map(|(feature, _)| *feature)
}

/// The routes of all rows.
pub(super) fn routes(cfg: &mut ServiceConfig) {
    for (_, group) in GROUPS {
        (group.routes)(cfg);
    }
    cfg.route(UPLOAD.path, post().to(upload::upload));
}

/// All rows.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    GROUPS.iter().flat_map(|(_, group)| group.rows).chain([&UPLOAD])
}
