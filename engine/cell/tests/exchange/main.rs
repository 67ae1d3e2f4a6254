//! A whole exchange in memory: worked examples and random commands through the cell.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

mod account_chains;
mod account_locks;
mod account_transfers;
mod apart;
mod book_quotes;
mod chains;
mod convert;
mod copying;
mod countdown;
mod coupons;
mod cross_tickets;
mod events;
mod golden;
mod histories;
mod legs;
mod legs_conditional;
mod legs_liquidation;
mod legs_money;
mod legs_recorded;
mod option_coupons;
mod order_groups;
mod pending;
mod pending_turns;
mod prevention;
mod properties;
#[path = "../../../core/tests/book/recorded_files.rs"]
mod recorded_files;
mod regions;
mod seconds;
mod spot_orders;
mod stock_actions;
mod stock_queue;
mod stocks;
mod support;
mod tickets;
mod timers;
mod turns;
mod withdrawals;
