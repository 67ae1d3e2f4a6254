//! Fields that the app's calls take (`docs/rules/app-calls.md`).
//!
//! Owns: their names and forms. Never does: read one. Invariants: what is always there is what a call cannot do without. Known
//! limits: which of them go together is not described.

use super::forms::{ACCOUNT, CODE_METHOD, FACTOR_METHOD, KEY_KIND, METHOD, OFF_OR_ON};
use crate::api::auth::challenges::ACTIONS;
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Text, Whole, Words};

const PERIOD: ValueType =
    Words(&["1min", "5min", "15min", "30min", "60min", "1H", "4H", "1D", "1day", "1W", "1week", "1M", "1mon"]);
const PURPOSE: ValueType = Words(&["register", "forget", "pay", "bind", "withdraw"]);

pub(super) const PAGE: Field = may("page", Whole);
pub(super) const LIMIT: Field = may("limit", Whole);
pub(super) const PAGED: &[Field] = &[PAGE, LIMIT];
pub(super) const ID: &[Field] = &[has("id", Whole)];
pub(super) const KEYWORD: &[Field] = &[has("keyword", Text)];

pub(super) const SEND_CODE: &[Field] =
    &[has("user_string", Text), may("type", PURPOSE), may("scene", PURPOSE), may("area_code", Text)];
pub(super) const CHECK_CODE: &[Field] = &[
    has("user_string", Text),
    has("email_code", Text),
    may("type", PURPOSE),
    may("scene", PURPOSE),
    may("area_code", Text),
];
pub(super) const REGISTER: &[Field] = &[
    may("type", Words(&["email", "mobile"])),
    has("user_string", Text),
    has("code", Text),
    has("password", Text),
    has("re_password", Text),
    may("extension_code", Text),
    may("area_code", Text),
];
pub(super) const LOGIN: &[Field] = &[
    may("user_string", Text),
    may("account", Text).about("Another name of user_string."),
    has("password", Text),
    may("area_code", Text),
];
const CHALLENGE_ID: Field = has("challenge_id", Text);
const ASSERTION: Field = may("assertion", Text)
    .about("Of the method passkey: JSON of credential, client_data, authenticator_data and signature, each base64url.");
pub(super) const LOGIN_SECOND: &[Field] = &[CHALLENGE_ID, has("method", FACTOR_METHOD), may("code", Text), ASSERTION];
pub(super) const LOGIN_PASSKEY: &[Field] =
    &[CHALLENGE_ID, has("assertion", Text).about("As of the method passkey, and user_handle, base64url.")];
pub(super) const FORGET: &[Field] = &[
    has("account", Text),
    has("password", Text),
    has("repassword", Text),
    has("code", Text),
    may("area_code", Text),
    may("method", CODE_METHOD).about("Of the second factor, where one is in use."),
    may("second_code", Text),
];

const SCOPES: Field = may("scopes", Text).about("read, trade or both, comma-separated.");
const IPS: Field = may("ips", Text).about("Addresses and networks, comma-separated; empty: from anywhere.");
pub(super) const PAY_PASSWORD: Field = may("pay_password", Text).about("Enough while no second factor is in use.");
pub(super) const PROOF: Field = may("proof", Text).about("Of this action and these fields.");
const PUBLIC_KEY: Field = may("public_key", Text);
pub(super) const CREATE_KEY: &[Field] =
    &[has("label", Text), may("kind", KEY_KIND), PUBLIC_KEY, SCOPES, IPS, PAY_PASSWORD, PROOF];
pub(super) const UPDATE_KEY: &[Field] = &[has("id", Whole), may("label", Text), SCOPES, IPS, PAY_PASSWORD, PROOF];
pub(super) const NAME_KEY: &[Field] = &[has("id", Whole), PAY_PASSWORD, PROOF];

pub(super) const BEGIN_TOTP: &[Field] =
    &[may("password", Text).about("Of the login; enough while no second factor is in use."), PROOF, may("label", Text)];
pub(super) const CONFIRM_TOTP: &[Field] =
    &[has("id", Whole), has("first_code", Text), has("second_code", Text).about("The one that follows.")];
pub(super) const BEGIN_PASSKEY: &[Field] = BEGIN_TOTP;
pub(super) const FINISH_PASSKEY: &[Field] = &[
    CHALLENGE_ID,
    has("client_data", Text).about("As the browser said it, base64url."),
    has("attestation", Text).about("The same."),
];
pub(super) const REMOVE_TOTP: &[Field] = &[has("id", Whole), has("proof", Text)];
pub(super) const UPDATE_PASSWORD: &[Field] = &[
    has("password", Text),
    has("re_password", Text),
    has("code", Text).about("Of the purpose pay, sent within this session to an own contact."),
];
pub(super) const CHALLENGE: &[Field] = &[
    has("action", Words(ACTIONS)),
    may("id", Whole),
    may("label", Text),
    may("kind", KEY_KIND),
    PUBLIC_KEY,
    SCOPES,
    IPS,
    may("currency", Whole),
    may("network", Text),
    may("address", Text),
    may("number", Decimal),
    may("on", OFF_OR_ON),
    may("email", Text),
    may("area_code", Text),
    may("mobile", Text),
    may("phrase", Text),
    may("real_name", Text),
    may("bank_name", Text),
    may("bank_account", Text),
    may("bank_dizhi", Text),
    may("province_city", Text),
    may("alipay_account", Text),
    may("aba_number", Text),
    may("wechat_nickname", Text),
    may("swift_code", Text),
    may("wechat_account", Text),
    may("cardholder_address", Text),
    may("bank_branch", Text),
    may("branch_network", Text),
    may("phone", Text),
    may("data", Text),
];
pub(super) const MAIL_PHRASE: &[Field] =
    &[has("phrase", Text).about("4 to 20 letters and digits; empty: none."), PAY_PASSWORD, PROOF];
pub(super) const PROVE: &[Field] = &[
    CHALLENGE_ID,
    has("method", METHOD),
    may("code", Text),
    may("pay_password", Text).about("Of that method, in the place of a code."),
    ASSERTION,
];

pub(super) const NEWS_PAGE: &[Field] = &[may("c_id", Whole), PAGE, LIMIT];

const SHOW0: Field = may("show0", Words(&["yes", "no"])).about("no: without assets of which nothing is there.");
pub(super) const WALLET: &[Field] = &[SHOW0];
pub(super) const WALLET_DETAIL: &[Field] = &[has("currency", Whole), has("type", ACCOUNT)];
pub(super) const LOG: &[Field] = &[
    may("currency", Whole).about("0: all."),
    may("type", ACCOUNT),
    may("by", Words(&["order"])).about("order: each order is one row."),
    PAGE,
    LIMIT,
];
pub(super) const TRANSFER: &[Field] =
    &[has("currency_id", Whole), has("number", Decimal), has("from_field", ACCOUNT), has("to_field", ACCOUNT)];

pub(super) const SYMBOL: Field = has("symbol", Text).about("As BTC/USDT.");
pub(super) const CANDLES_BETWEEN: &[Field] = &[
    SYMBOL,
    has("period", PERIOD),
    has("from", Whole).about("Seconds, the first one."),
    has("to", Whole).about("Seconds, not among them."),
];
pub(super) const LATEST_CANDLES: &[Field] = &[SYMBOL, has("period", PERIOD), LIMIT];
pub(super) const OF_MARKET: &[Field] = &[SYMBOL, LIMIT];
pub(super) const ADD_FAVOURITE: &[Field] = &[has("currency_id", Whole), may("match_id", Whole)];

pub(super) const FILE: &[Field] = &[
    has("file", Text),
    may("kind", Words(&["document", "chat"])).about(
        "In the address. document: for a verification; it is shown to reviewers alone. chat: for a conversation; it is shown to its \
         user and to who answers.",
    ),
];
