//! The real binary, driven from outside: calls, sockets, stops.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

mod address_book;
mod alive;
mod api_keys;
mod app_calls;
mod audit_anchor;
#[path = "../common/authenticator.rs"]
mod authenticator;
mod back_office;
mod bad_input;
#[path = "../common/bad_input_set.rs"]
mod bad_input_set;
mod binance_bad_input;
mod binance_brackets;
mod binance_order_groups;
mod binance_orders;
mod binance_prevention;
mod binance_public;
mod binance_sockets;
mod binance_trades;
#[path = "../common/bot.rs"]
mod bot;
mod cards;
#[path = "../common/chain_settings.rs"]
mod chain_settings;
mod chat;
#[path = "../common/client.rs"]
mod client;
mod console;
mod content;
mod contract_calls;
mod convert;
mod copying;
mod cors;
mod costs;
mod coupons;
mod deposits;
mod evm;
mod fapi;
mod fapi_calls;
mod fapi_conditional;
mod fapi_liquidation;
mod fapi_margin_calls;
mod fapi_streams;
#[path = "../feed/recording.rs"]
mod feed_recording;
mod files;
mod golden;
mod house;
mod idle_budget;
mod lever;
mod lifecycle;
mod logins;
mod messages;
mod metrics;
mod observing;
mod office_parameters;
mod office_products;
mod office_regions;
mod office_reports;
mod office_staff;
mod openapi;
mod order_groups;
mod outbox;
mod passkeys;
mod postgres;
#[path = "../common/prometheus.rs"]
mod prometheus;
mod protection;
mod quiet;
mod raw;
mod redis;
mod reserves;
mod safe_calls;
#[path = "../common/schema.rs"]
mod schema;
mod second_factor;
mod seconds;
mod secrets;
#[path = "../common/signer_process.rs"]
mod signer_process;
#[path = "../common/socket.rs"]
mod socket;
mod sockets;
#[path = "../common/stock_market.rs"]
mod stock_market;
mod stocks;
mod streams;
mod terms;
#[path = "../common/tool.rs"]
mod tool;
mod tools;
mod trace;
mod trading;
mod udf;
mod verification;
#[path = "../common/wait.rs"]
mod wait;
mod withdrawals;
