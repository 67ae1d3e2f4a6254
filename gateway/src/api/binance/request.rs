//! What a call of the programmatic API is given, and how it answers.
//!
//! Owns: the checked request, the answer. Never does: check one; know a call. Invariants: a call sees no request that has not
//! passed the checks. Known limits: none.

use super::call::Venue;
use super::errors::ApiError;
use super::limits::OrderCounts;
use super::params::Args;
use super::signing::Deadline;
use crate::api::auth::api_keys::ApiKey;
use crate::app::App;
use crate::common::time::TimeUnit;
use actix_web::web::Data;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use xng_core::ids::AccountId;

/// How a call ends.
pub type ApiResult = Result<ApiResponse, ApiError>;

/// A call's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiResponse {
    /// The JSON body.
    pub body: String,
    /// Unfilled orders of the account, for calls that place some.
    pub orders: Option<OrderCounts>,
}

impl From<String> for ApiResponse {
    fn from(body: String) -> ApiResponse {
        ApiResponse { body, orders: None }
    }
}

impl From<serde_json::Value> for ApiResponse {
    fn from(body: serde_json::Value) -> ApiResponse {
        body.to_string().into()
    }
}

/// A request that passed all checks but those of its call.
#[derive(Debug, Clone)]
pub struct Request {
    /// What it can reach.
    pub app: Data<App>,
    /// What it was sent.
    pub args: Args,
    /// What its call is about.
    pub venue: Venue,
    /// Where it came from.
    pub ip: IpAddr,
    /// The unit of times in its answer.
    pub unit: TimeUnit,
    /// By whose key it was made; none for calls that ask for none.
    pub key: Option<Arc<ApiKey>>,
    /// How long it may still be begun; none for calls that are not signed.
    pub deadline: Option<Deadline>,
    /// When it was read.
    pub began: Instant,
}

impl Request {
    /// Whose request it is.
    ///
    /// # Errors
    /// -2014 when it is nobody's.
    pub fn account(&self) -> Result<AccountId, ApiError> {
        self.key.as_ref().map(|key| key.account).ok_or_else(ApiError::key_format)
    }

    /// Whether it may still be begun, asked right before the exchange is.
    ///
    /// # Errors
    /// -1021.
    pub fn still_fresh(&self) -> Result<(), ApiError> {
        self.deadline.map_or(Ok(()), |deadline| deadline.check())
    }
}
