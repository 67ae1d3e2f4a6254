//! Calls of the message centre: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::forms::OFF_OR_ON;
use super::super::messages as mail;
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{List, Named, Object, Text, Whole, Words};

calls! {
    member "/api/mailMessage/unread" get => mail::unread, &[], tells(UNREAD);
    member "/api/mailMessage/getList" get => mail::list, LISTED, tells(LIST);
    member "/api/mailMessage/detail" get => mail::detail, NAMED, tells(MESSAGE);
    member "/api/mailMessage/read_all" post => mail::read_all, KIND, SAYS;
}

// What they take.

const SHELF: ValueType = Words(&["service", "system", "notice"]);
const KIND: &[Field] = &[may("kind", SHELF).about("All of them unless said otherwise.")];
const LISTED: &[Field] =
    &[may("kind", SHELF).about("system unless said otherwise."), may("page", Whole), may("limit", Whole)];
const NAMED: &[Field] = &[has("id", Text), may("kind", SHELF)];

// What they answer.

const UNREAD: ValueType = Named(
    "MailUnread",
    &Object(&[
        has("service", Whole),
        has("system", Whole).about("Counted up to 100."),
        has("notice", Whole).about("Counted up to 100."),
    ]),
);

const MESSAGE: ValueType = Named(
    "MailRow",
    &Object(&[
        has("id", Text),
        has("kind", SHELF),
        has("event", Text).about("What it tells, as order_filled; other releases tell more."),
        has("title", Text),
        has("abstract", Text),
        has("content", Text).about("Of an announcement HTML, otherwise plain text."),
        has("sender_name", Text),
        has("sender_avatar", Text),
        has("is_read", OFF_OR_ON),
        has("create_time", Text),
        has("url", Text).about("The app's page that it leads to; empty without one."),
    ]),
);

const LIST: ValueType = Object(&[
    has("list", List(&MESSAGE)),
    has("count", Whole).about("At most 1,000."),
    has("unread", Whole),
    has("page", Whole),
    has("limit", Whole),
]);
