//! Faults on the real binary, under load: kills, failing and full disks, clocks that jump, a second server.
//! FAULT_CYCLES=n makes it long (`make chaos`). What each test found goes into the table of promises.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

#[path = "../common/bad_input_set.rs"]
mod bad_input_set;
#[path = "../common/chain_settings.rs"]
mod chain_settings;
#[path = "../common/client.rs"]
mod client;
mod clock;
mod custody;
mod destroyed;
mod disk_errors;
mod full_disk;
mod harness;
mod histories;
mod input;
mod kill9;
#[path = "../common/line.rs"]
mod line;
mod linear;
mod load;
mod products;
#[path = "../common/promises.rs"]
mod promises;
mod readers;
mod services;
#[path = "../common/signer_process.rs"]
mod signer_process;
#[path = "../common/socket.rs"]
mod socket;
#[path = "../common/stock_market.rs"]
mod stock_market;
#[path = "../common/tool.rs"]
mod tool;
mod two_servers;
#[path = "../common/wait.rs"]
mod wait;
