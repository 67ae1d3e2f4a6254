//! The HTTP side: how calls are read and answered. What they do is in [`crate::calls`] and [`crate::binance`].

pub mod envelope;
pub mod errors;
pub mod guard;
pub mod i18n;
pub mod limits;
pub mod params;
pub mod statics;
