//! Calls of bank cards: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::cards;
use super::super::fields::{PAY_PASSWORD, PROOF};
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has};

use ValueType::{List, Named, Numbers, Object, Text, Whole};

calls! {
    member "/api/user/cash_info" post reads => cards::show, &[], tells(CARD);
    member "/api/user/cash_save" post => cards::save, SAVE, SAYS;
    member "/api/user/cash_info_international" post reads => cards::show_international, &[], tells(INTERNATIONAL_CARD);
    member "/api/user/cash_save_international" post => cards::save_international, SAVE_INTERNATIONAL, SAYS;
    member "/api/user/cash_delete" post frees => cards::delete, DELETE, SAYS;
}

// What they take.

const SAVE: &[Field] = &[
    has("real_name", Text),
    has("bank_name", Text),
    has("bank_account", Text).about("6 to 34 letters and digits; of an IBAN the check digits are looked at."),
    has("bank_dizhi", Text).about("Province and city; also as province_city."),
    has("alipay_account", Text).about("The ABA number; also as aba_number."),
    has("wechat_nickname", Text).about("The SWIFT code, 8 or 11 letters and digits; also as swift_code."),
    has("wechat_account", Text).about("The card holder's address; also as cardholder_address."),
    has("bank_branch", Text).about("The branch; also as branch_network."),
    has("phone", Text),
    PAY_PASSWORD,
    PROOF,
];
const SAVE_INTERNATIONAL: &[Field] = &[
    has("data", Text).about("A JSON array with a text for each of the forms; or data[0], data[1] and so on."),
    PAY_PASSWORD,
    PROOF,
];
const DELETE: &[Field] = &[has("type", Numbers(&[1, 2])).about("1: the domestic card, 2: the international one.")];

// What they answer.

const CARD: ValueType = Named(
    "BankCard",
    &Object(&[
        has("real_name", Text).about("This and the others are empty without a card."),
        has("bank_name", Text),
        has("bank_account", Text).about("Masked but for the last four."),
        has("bank_dizhi", Text),
        has("alipay_account", Text),
        has("wechat_nickname", Text),
        has("wechat_account", Text),
        has("bank_branch", Text),
        has("phone", Text).about("Masked but for the last four."),
        has("banks", List(&Object(&[has("id", Whole), has("name", Text)])))
            .about("Banks to choose from; none are kept."),
        has("saved_at", Text),
        has("saved_at_ms", Whole).about("0 without a card."),
    ]),
);
const INTERNATIONAL_CARD: ValueType = Named(
    "InternationalBankCard",
    &Object(&[
        has("forms", List(&Text)).about("What the fields are called, in the language of the call."),
        has("data", List(&Text)).about("A text for each, account number and phone masked; none without a card."),
        has("saved_at", Text),
        has("saved_at_ms", Whole).about("0 without a card."),
    ]),
);
