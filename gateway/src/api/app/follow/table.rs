//! Calls of copy trading: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::fields::{LIMIT, PAGE, PAGED};
use super::super::follow;
use super::super::forms::{OFF_OR_ON, SIDE, page_of};
use super::super::lever::TICKET;
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    open "/api/follow/index" get => follow::index, INDEX, tells(TRADERS);
    open "/api/follow/traderDetail" get => follow::detail, TRADER, tells(DETAIL);
    open "/api/follow/historyTrade" get => follow::history, HISTORY, tells(TRADES);
    member "/api/follow/follow" post => follow::follow, FOLLOW, SAYS.and(CHANGED);
    member "/api/follow/cancel" post frees => follow::cancel, CANCEL, SAYS.and(CHANGED);
    member "/api/follow/selfHolding" post frees => follow::self_holding, DETACH, SAYS.and(CHANGED);
    member "/api/follow/my" get => follow::my, PAGED, tells(MINE);
    member "/api/follow/log" get => follow::log, PAGED, tells(SKIPS);
    member "/api/follow/apply" post => follow::apply, APPLY, SAYS;
    member "/api/follow/apply/state" get => follow::apply_state, &[], tells(APPLICATION);
}

// What they take.

const SORT: ValueType = Words(&["profit", "accuracy", "yield", "followers", "today"]);
const INDEX: &[Field] = &[
    may("sort", SORT).about("The best first; without it by profit."),
    may("only_position", OFF_OR_ON).about("1: only who has a position open."),
    PAGE,
    LIMIT,
];
const TRADER: &[Field] = &[has("trader_user_id", Whole)];
const HISTORY: &[Field] = &[has("trader_user_id", Whole), PAGE, LIMIT];
const KIND: ValueType = Numbers(&[1, 2]);
const FOLLOW: &[Field] = &[
    has("trader_user_id", Whole),
    has("type", KIND).about("1: a multiple of the trader's lots. 2: so many lots."),
    has("number", Decimal).about("At most 5: with three decimals of a multiple, whole of lots."),
];
const CANCEL: &[Field] = &[has("follow_user_id", Whole).about("The trader.")];
const DETACH: &[Field] = &[has("transaction_id", Whole).about("The copy.")];
const APPLY: &[Field] = &[has("intro", Text).about("1 to 500 letters.")];

// What they answer.

const CHANGED: ValueType =
    Either(&[Object(&[may("repeated", Flag).about("It was answered before, to a request with the same key.")]), Null]);

const TRADER_ROW: ValueType = Named(
    "FollowTrader",
    &Object(&[
        has("id", Whole),
        has("nickname", Text),
        has("head_portrait", Text),
        has("signature", Text),
        has("total_profits", Decimal).about("What all closed tickets brought after fees and nights."),
        has("closed_count", Whole),
        has("correct_rate", Decimal).about("Percent of the closed tickets that brought something."),
        has("follow_num", Whole),
        has("is_followed", Flag),
        has("income_rate", Decimal).about("Percent of the margins."),
        has("position_value", Decimal).about("Of open tickets, at opening."),
        has("today_profit", Decimal),
        has("worst_day", Decimal).about("Not above zero."),
        has("drawdown", Decimal).about("The farthest below its peak that the profit ever was, percent of the margins."),
        has("drawdown_money", Decimal),
        has("skips", Whole).about("Copies of followers that were not opened."),
        has("updated_at", Text),
        has("updated_ms", Whole),
        has("lsn", Whole).about("The record up to which the figures count."),
    ]),
);
const TRADERS: ValueType = page_of!("FollowTraders", TRADER_ROW);

const TERMS: ValueType = Named(
    "FollowTerms",
    &Object(&[
        has("type", KIND).about("1: a multiple of the trader's lots. 2: so many lots."),
        has("number", Decimal),
        has("cum", Decimal).about("What closed copies brought after their costs."),
        has("hwm", Decimal).about("The highest result of which a share was settled."),
        has("withheld", Decimal).about("Locked until a share is settled."),
        has("since", Text),
        has("status", KIND).about("1: new tickets are copied. 2: cancelled."),
        has("share_ratio", Decimal).about("Percent of the profit that is the trader's."),
    ]),
);
const DETAIL: ValueType = Named(
    "FollowDetail",
    &Object(&[
        has(
            "trader_info",
            Object(&[
                has("id", Whole),
                has("is_trader", OFF_OR_ON),
                has("nickname", Text),
                has("head_portrait", Text),
                has("signature", Text),
            ]),
        ),
        has(
            "data",
            Object(&[
                has("total_profits", Decimal),
                has("profitCount", Whole).about("Closed tickets that brought something."),
                has("fallCount", Whole).about("Closed short ones."),
                has("riseCount", Whole).about("Closed long ones."),
                has("total_income_rate", Decimal).about("Percent of the margins."),
                has("correct_rate", Decimal),
                has("follow_num", Whole),
                has("yesterday_profits", Decimal).about("Percent of the margins."),
                has("position_count", Whole),
                has("total_count", Whole),
                has("worst_day", Decimal),
                has("drawdown", Decimal).about("Percent of the margins."),
                has("drawdown_money", Decimal),
                has("skips", Whole),
                has("updated_at", Text),
                has("updated_ms", Whole),
                has("lsn", Whole),
            ]),
        ),
        has("is_followed", Flag),
        has("follow", Either(&[TERMS, Null])),
        has("share_ratio", Decimal).about("Percent of a follower's profit."),
    ]),
);

const TRADE: ValueType = Named(
    "FollowTrade",
    &Object(&[
        has("id", Whole),
        has("symbol", Text),
        has("type", SIDE).about("1 long, 2 short."),
        has("share", Decimal).about("Lots."),
        has("number", Decimal).about("Quantity of the base."),
        has("multiple", Whole),
        has("price", Decimal),
        has("update_price", Decimal).about("The index at which it was closed."),
        has("fact_profits", Decimal).about("After fee and nights."),
        has("transaction_time", Text),
        has("handle_time", Text),
    ]),
);
const TRADES: ValueType = page_of!("FollowTrades", TRADE);

const LINK: ValueType = Named(
    "FollowLink",
    &Object(&[
        has("trader", Object(&[has("id", Whole), has("nickname", Text), has("head_portrait", Text)])),
        has("type", KIND).about("1: a multiple of the trader's lots. 2: so many lots."),
        has("number", Decimal),
        has("cum", Decimal).about("What closed copies brought after their costs."),
        has("hwm", Decimal).about("The highest result of which a share was settled."),
        has("withheld", Decimal).about("Locked until a share is settled."),
        has("since", Text),
        has("status", KIND).about("1: new tickets are copied. 2: cancelled."),
        has("share_ratio", Decimal).about("Percent of the profit that is the trader's."),
        has("open_count", Whole),
    ]),
);
const MINE: ValueType = Named(
    "FollowMine",
    &Object(&[
        has("follows", List(&LINK)),
        has("data", List(&TICKET)).about("Copies that are open."),
        has("page", Whole),
        has("pages", Whole),
        has("total", Whole),
        has("limit", Whole),
        has("current_page", Whole),
        has("last_page", Whole),
        has("per_page", Whole),
    ]),
);

const SKIP: ValueType = Named(
    "FollowSkip",
    &Object(&[
        has("time", Text),
        has("trader", Object(&[has("id", Whole), has("nickname", Text)])),
        has("symbol", Text),
        has("follow_order_id", Whole).about("The trader's ticket."),
        has("reason", Text),
        has("reason_name", Text).about("In the reader's language."),
    ]),
);
const SKIPS: ValueType = page_of!("FollowSkips", SKIP);

const APPLICATION: ValueType = Named(
    "FollowApplication",
    &Object(&[
        has("state", Numbers(&[0, 1, 2, 3])).about("0: none. 1: applied. 2: approved. 3: refused."),
        has("reason", Text).about("Of whoever decided; empty before."),
        has("intro", Text),
        has("lever_balance", Decimal),
        has("lever_needed", Decimal),
        has("closed_count", Whole),
        has("closed_needed", Whole),
        has("eligible", Flag).about("Whether an application would be taken now."),
    ]),
);
