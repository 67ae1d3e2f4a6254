//! Authentication of a call of the programmatic API, before it begins: API key, time window, signature; and the refusal while
//! the process stops.
//!
//! Owns: these checks, for HTTP and for sockets. Never does: read bytes; count weights. Invariants: a refusal names only the
//! first check that failed. Known limits: none.

use super::call::{Endpoint, Security};
use super::errors::ApiError;
use super::params::Args;
use super::request::Request;
use super::signing::{Deadline, Signed};
use crate::api::auth::api_keys::ApiKey;
use crate::app::App;
use crate::common::time::TimeUnit;
use actix_web::web::Data;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use xng_core::entity::CommandClass;

/// The live key of a name, if it works from here and may do this.
///
/// # Errors
/// -2014 when it cannot be a key, -2015 when it is none or may not.
pub fn authorised(app: &App, name: &str, ip: IpAddr, security: Security) -> Result<Arc<ApiKey>, ApiError> {
    if name.len() != 64 || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(ApiError::key_format());
    }
    let keys = &app.shared.auth.keys;
    let key = keys.find(name).filter(|key| key.works_from(ip)).ok_or_else(ApiError::key_rejected)?;
    let may = match security {
        Security::None | Security::Key => true,
        Security::Read => key.scopes.read,
        Security::Trade => key.scopes.trade,
    };
    if !may {
        return Err(ApiError::key_rejected());
    }
    keys.used(&key);
    Ok(key)
}

impl Request {
    /// Refuses a request whose key ended, or may not do this any more, while it waited for its turn.
    ///
    /// # Errors
    /// -2015 when it did.
    pub fn with_key_of_now(self, security: Security) -> Result<Request, ApiError> {
        if let Some(key) = &self.key {
            authorised(&self.app, &key.name, self.ip, security)?;
        }
        Ok(self)
    }
}

/// How a request came, whatever brought it.
#[derive(Debug)]
pub struct Came<'r> {
    /// What it can reach.
    pub app: &'r Data<App>,
    /// Where it came from.
    pub ip: IpAddr,
    /// The unit of times in its answer.
    pub unit: TimeUnit,
    /// When it was read.
    pub began: Instant,
}

impl Came<'_> {
    /// What is looked at behind key and parameters: which of these go together, time, signature. `signed` gives what was
    /// signed, or nothing for a connection that has logged on.
    ///
    /// # Errors
    /// Those of the first check that fails.
    pub fn check(
        &self,
        call: &'static Endpoint,
        key: Option<Arc<ApiKey>>,
        args: Args,
        signed: impl FnOnce() -> Result<Option<Signed>, ApiError>,
    ) -> Result<Request, ApiError> {
        (call.shape)(&args)?;
        let mut deadline = None;
        if let Some(key) = key.as_ref().filter(|_| call.security.is_signed()) {
            let until = Deadline::of(&args)?;
            until.check()?;
            if let Some(signed) = signed()?
                && !key.verifier.accepts(&signed.payload, &signed.signature)
            {
                return Err(ApiError::signature());
            }
            deadline = Some(until);
        }
        if call.class == CommandClass::Consumes && self.app.shared.health.draining.load(Ordering::Relaxed) {
            return Err(ApiError::stopping());
        }
        let (venue, ip, unit, began) = (call.venue(), self.ip, self.unit, self.began);
        Ok(Request { app: self.app.clone(), args, venue, ip, unit, key, deadline, began })
    }
}
