//! Calls of the address book: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::address_book;
use super::super::fields::{ID, LIMIT, PAGE, PAY_PASSWORD, PROOF};
use super::super::forms::{OFF_OR_ON, page_of};
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{List, Named, Object, Text, Whole};

calls! {
    member "/api/user/wallet/save" post => address_book::save, SAVE, SAYS.and(ADDRESS);
    member "/api/user/wallet/list" get => address_book::list, LIST, tells(ADDRESSES);
    member "/api/user/wallet/del" post frees => address_book::delete, ID, SAYS;
    member "/api/user/wallet/whitelist" get => address_book::whitelist, &[], tells(WHITELIST);
    member "/api/user/wallet/whitelist" post => address_book::switch_whitelist, SWITCH, SAYS;
}

// What they take.

const SAVE: &[Field] = &[
    has("currency", Whole),
    may("network", Text).about("The only one of the asset unless said otherwise."),
    has("address", Text),
    may("remark", Text).about("At most 50 characters."),
    PAY_PASSWORD,
    PROOF,
];
const LIST: &[Field] = &[may("currency", Whole).about("Of this asset only."), PAGE, LIMIT];
const SWITCH: &[Field] = &[has("on", OFF_OR_ON), PAY_PASSWORD, PROOF];

// What they answer.

const ADDRESS: ValueType = Named(
    "WithdrawAddress",
    &Object(&[
        has("id", Whole),
        has("currency", Whole),
        has("name", Text).about("Of the asset."),
        has("network", Text),
        has("address", Text),
        has("remark", Text),
        has("created_at", Text),
        has("created_at_ms", Whole),
        has("usable_at_ms", Whole).about("Before this nothing is paid to it; 0: it is paid."),
    ]),
);
const ADDRESSES: ValueType = page_of!("WithdrawAddressPage", ADDRESS);

const WHITELIST: ValueType = Object(&[
    has("on", OFF_OR_ON).about("1: new addresses wait before they are paid."),
    has("wait_s", Whole).about("How long."),
    has("off_at_ms", Whole).about("When it is switched off, after it was asked for; 0: it was not, or it is off."),
]);
