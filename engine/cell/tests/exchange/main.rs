//! A whole exchange in memory: worked examples and random commands through the cell.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

mod apart;
mod events;
mod golden;
mod histories;
mod order_groups;
mod pending;
mod pending_turns;
mod prevention;
mod properties;
mod spot_orders;
mod support;
mod timers;
mod turns;
