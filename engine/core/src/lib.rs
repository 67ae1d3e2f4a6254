//! The rules of the exchange: entities, facts, money and ids.
//!
//! Pure: no clock, no randomness, no I/O, no threads, no floats; time and request keys come in through [`entity::Ctx`].
//! An entity decides (`state, command -> decision`) and evolves (`state, fact -> state`); crate `xng-cell` runs
//! them, crate `xng-runtime` makes actors of them.
//!
//! Owns: every rule of the exchange. Never does: know who runs it. Invariants: the same state and command give the
//! same fact on every machine. Known limits: spot, accounts, prices, the registry
//! and tickets on contracts so far.
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

pub mod account;
pub mod board;
pub mod chain;
pub mod codec;
pub mod contract;
pub mod convert;
pub mod copy;
pub mod coupon;
pub mod entities;
pub mod entity;
pub mod fraction;
mod hashed;
pub mod histogram;
pub mod ids;
pub mod journal;
pub mod market;
pub mod money;
pub mod price;
pub mod record;
pub mod region;
pub mod registry;
pub mod reject;
pub mod seconds;
pub mod spot;
pub mod stock;
pub mod system_accounts;
mod table;
