//! What a call of the programmatic API is: its method, path, weight, security, parameters and handler.
//!
//! Owns: these types, and the folders of paths. Never does: list a call. Invariants: a method and path are one call's. Known
//! limits: none.

use super::errors::ApiError;
use super::params::{Args, Param, SIGNED};
use super::request::{ApiResult, Request};
use crate::api::value_type::ValueType;
use futures_util::future::LocalBoxFuture;
use xng_core::entity::CommandClass;

/// Folders of paths that are this API's alone.
pub const FOLDERS: [&str; 6] = ["/api/v3", "/sapi/v1", "/fapi/v1", "/fapi/v2", "/fapi/v3", "/dapi/v1"];

/// A method of HTTP that calls have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    /// As it is sent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }

    pub(super) fn is(self, method: &actix_web::http::Method) -> bool {
        method.as_str() == self.name()
    }
}

/// What a call asks of who calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// Nothing.
    None,
    /// A key.
    Key,
    /// A signature by a key that may read.
    Read,
    /// A signature by a key that may trade.
    Trade,
}

impl Security {
    /// Whether calls are signed.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Security::Read | Security::Trade)
    }
}

/// What a call weighs.
#[derive(Debug, Clone, Copy)]
pub enum Weight {
    /// Always the same.
    Fixed(u64),
    /// By its parameters.
    By(fn(&Args) -> u64),
}

impl Weight {
    /// Of a request.
    #[must_use]
    pub fn of(self, args: &Args) -> u64 {
        match self {
            Weight::Fixed(weight) => weight,
            Weight::By(weight) => weight(args),
        }
    }
}

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Venue {
    /// Spot markets.
    Spot,
    /// Contracts.
    Futures,
}

/// What answers a call.
pub type Handler = fn(Request) -> LocalBoxFuture<'static, ApiResult>;

/// A call.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    /// Its method.
    pub method: Method,
    /// Its path.
    pub path: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it weighs.
    pub weight: Weight,
    /// What it asks of who calls it.
    pub security: Security,
    /// What it does to the exchange: while the process drains, what takes something new is refused.
    pub class: CommandClass,
    /// Its parameters, without those of every signed call.
    pub params: &'static [Param],
    /// Which of them go together: looked at before time and signature.
    pub shape: fn(&Args) -> Result<(), ApiError>,
    /// The form of its answer.
    pub answer: ValueType,
    /// What answers it.
    pub handler: Handler,
}

/// A call's own parameters and, when it is signed, those that all signed calls have.
impl Endpoint {
    /// What it is about: its path says so.
    #[must_use]
    pub fn venue(&self) -> Venue {
        if self.path.starts_with("/fapi/") { Venue::Futures } else { Venue::Spot }
    }

    /// In the order in which they are looked at.
    pub fn all_params(&self) -> impl Iterator<Item = &Param> {
        let signed: &[Param] = if self.security.is_signed() { &SIGNED } else { &[] };
        self.params.iter().chain(signed)
    }
}
