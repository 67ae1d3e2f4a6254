//! Calls of live service: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::chat;
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Flag, List, Named, Numbers, Object, Text, Whole, Words};

calls! {
    open "/api/chat/open" post => chat::open, OPEN, tells(CONVERSATION);
    open "/api/chat/send" post => chat::send, SEND, tells(MESSAGE);
    open "/api/chat/logs" get => chat::logs, LOGS, tells(List(&MESSAGE)).and(CONVERSATION);
    open "/api/chat/read" post => chat::read, READ, SAYS;
    open "/api/chat/typing" post => chat::typing, TYPING, SAYS;
    open "/api/chat/rate" post => chat::rate, RATE, SAYS;
    member "/api/chat/picture" get => chat::picture, PICTURE, tells(Text);
}

// What they take.

const VISITOR: Field = may("visitor_id", Text).about("Of who is not logged in: what open answered.");
const ID: Field = has("id", Whole).about("Of the conversation.");
const TOPIC: ValueType = Words(&["support", "loan", "repay"]);
const OPEN: &[Field] = &[
    has("topic", TOPIC),
    may("new", Numbers(&[0, 1])).about("1: a new one, where the last one is closed and has no stars yet."),
    may("visitor_id", Text).about("Of who is not logged in; without it somebody new."),
];
const SEND: &[Field] = &[
    ID,
    has("client_id", Text)
        .about("1 to 64 letters, digits, - and _, drawn for this message: sent twice it is one message."),
    may("content", Text).about("1 to 1,000 letters of plain text; this or image."),
    may("image", Text).about("What the upload of the kind chat said; of users alone."),
    VISITOR,
];
const LOGS: &[Field] =
    &[ID, may("after_id", Whole).about("Only what was said after it; 0 unless said otherwise."), VISITOR];
const READ: &[Field] = &[ID, has("upto", Whole).about("The last message that was read."), VISITOR];
const TYPING: &[Field] = &[ID, VISITOR];
const RATE: &[Field] = &[ID, has("stars", Numbers(&[1, 2, 3, 4, 5])), VISITOR];
const PICTURE: &[Field] = &[ID, has("image", Text).about("As the message names it.")];

// What they answer.

const MESSAGE: ValueType = Named(
    "ChatMessage",
    &Object(&[
        has("id", Whole).about("Later ones have higher numbers."),
        has("from", Words(&["user", "agent", "system"])),
        has("client_id", Text).about("As its sender drew it; empty of others."),
        has("content", Text).about("Plain text."),
        has("image", Text).about("What the call of pictures is asked with; empty without one."),
        has("create_time", Text),
        has("create_ms", Whole),
    ]),
);

const CONVERSATION: ValueType = Named(
    "ChatConversation",
    &Object(&[
        has("id", Whole),
        has("topic", TOPIC),
        has("state", Words(&["open", "waiting_agent", "waiting_user", "closed"])),
        has("last", Whole).about("The last message; 0 for none."),
        has("user_read", Whole).about("The last message that who asks has read; 0 for none."),
        has("agent_read", Whole).about("The last message that the staff has read; 0 for none."),
        has("agent_typing", Flag),
        has("is_held", Flag).about("Somebody of the staff takes care of it."),
        has("is_staffed", Flag).about("Somebody of the staff is there now."),
        has("stars", Numbers(&[0, 1, 2, 3, 4, 5])).about("0: none yet."),
        has("visitor_id", Text).about("Of who is not logged in: what all further calls are asked with."),
    ]),
);
