//! Calls of verification: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::table::{SAYS, calls, tells};
use super::super::verification;
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    member "/api/real/state" get => verification::state, &[], tells(STATE);
    member "/api/user/real" post => verification::submit, SEND_IN, SAYS;
    member "/api/sms_send" post => verification::send_sms, SEND_TO_PHONE, SAYS;
    member "/api/safe/mobile" post => verification::bind_mobile, BIND_PHONE, SAYS;
    member "/api/safe/email/send" post => verification::send_email, SEND_TO_EMAIL, SAYS;
    member "/api/safe/email" post => verification::bind_email, BIND_EMAIL, SAYS;
}

// What they take.

const SEND_IN: &[Field] = &[
    has("real_type", Numbers(&[1, 2])).about("1: name and number of a document; 2: pictures of it."),
    may("id_type", Numbers(&[0, 1, 2])).about("Of 1: 0 identity card, 1 passport, 2 driver's licence."),
    may("country", Text).about("Of 1: its dialling code."),
    may("region", Text).about("Of 1: the country by two letters; needed where several have one dialling code."),
    may("name", Text).about("Of 1: 2 to 50 letters."),
    may("card_id", Text).about("Of 1: 6 to 30 letters and digits."),
    may("front_pic", Text).about("Of 2: what the upload of the kind document said."),
    may("reverse_pic", Text).about("Of 2: the other one."),
];

const SEND_TO_PHONE: &[Field] = &[may("area_code", Text), has("mobile", Text)];
const SEND_TO_EMAIL: &[Field] = &[has("email", Text)];
const NEW_CODE: Field = has("code", Text).about("Sent to the new contact within this session.");
const OLD_CODE: Field = has("old_code", Text)
    .about("Of the purpose bind, sent within this session to the contact of this kind that is bound, or else to the other one.");
const BIND_PROOF: Field = may("proof", Text).about("Of the action contact_bind, where a second factor is in use.");
const BIND_PHONE: &[Field] = &[may("area_code", Text), has("mobile", Text), NEW_CODE, OLD_CODE, BIND_PROOF];
const BIND_EMAIL: &[Field] = &[has("email", Text), NEW_CODE, OLD_CODE, BIND_PROOF];

// What they answer.

const STANDING: ValueType = Numbers(&[0, 1, 2, 3]);
const REASON: ValueType =
    Words(&["", "unreadable", "expired", "mismatch", "wrong_document", "duplicate", "underage", "other", "revoked"]);

const STATE: ValueType = Named(
    "Verification",
    &Object(&[
        has("real_status", Numbers(&[0, 1, 2])).about("The highest level that waits or has passed."),
        has("review_status", STANDING).about("Of the basic level: 0 nothing, 1 under review, 2 passed, 3 failed."),
        has("advanced_review_status", STANDING).about("The same of the advanced level."),
        has("reason", REASON).about("Why the basic level failed."),
        has("advanced_reason", REASON),
        has("note", Text).about("What the reviewer says to it."),
        has("advanced_note", Text),
        has("has_email", Flag),
        has("has_phone", Flag),
        has(
            "limits",
            List(&Named(
                "TierLimit",
                &Object(&[
                    has("network", Text),
                    has("name", Text).about("Of the asset."),
                    has("basic", Decimal).about("Withdrawals of 24 hours."),
                    has("advanced", Decimal),
                ]),
            )),
        ),
        has("real_data", Either(&[SENT_IN, Null])).about("The document that waits or has passed."),
    ]),
);

const SENT_IN: ValueType = Named(
    "VerifiedDocument",
    &Object(&[
        has("id_type", Numbers(&[0, 1, 2])),
        has("country", Text),
        has("region", Text).about("The country by two letters; empty when it is not known."),
        has("name", Text).about("Masked."),
        has("card_id", Text).about("Masked."),
        has("create_time", Text),
        has("create_ms", Whole),
    ]),
);
