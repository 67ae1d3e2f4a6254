//! Reference feeds: the simulator against recorded data, recordings played again, one exchange following another.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

mod coins;
mod exchange;
mod history;
#[path = "../common/line.rs"]
mod line;
mod live;
mod recording;
mod replay;
mod sample;
mod simulator;
#[path = "../common/wait.rs"]
mod wait;
