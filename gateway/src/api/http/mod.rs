//! The HTTP side: how calls are read and answered. What they do is in [`crate::api::app`] and [`crate::api::binance`].
//!
//! Owns: reading, answering, guarding. Never does: know a call. Invariants: a body is bounded before it is read.
//! Known limits: none.

pub(crate) mod built;
pub mod compressing;
pub mod documents;
pub mod envelope;
pub mod errors;
pub mod guard;
pub mod i18n;
pub mod limits;
pub mod params;
pub mod pipelining;
pub mod statics;
pub mod writers;
