//! The exchange's server.
#![forbid(unsafe_code)]

pub mod catalog;
pub mod config;
pub mod edge;
pub mod time;
