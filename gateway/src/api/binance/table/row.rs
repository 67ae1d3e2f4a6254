//! How a row of the table of calls is written, and the parameters that many of them have.
//!
//! Owns: these short forms. Never does: name a path. Invariants: a signed GET reads, a signed DELETE frees, what else is signed
//! takes. Known limits: none.

use crate::api::binance::call::{Call, Handler, Method, Security, Weight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::{Args, Kind, Param, may, must};
use crate::api::form::Form;
use xng_core::entity::CommandClass;

fn any(_: &Args) -> Result<(), ApiError> {
    Ok(())
}

/// A call without parameters that may not stand together.
pub(super) const fn get(
    path: &'static str,
    about: &'static str,
    weight: Weight,
    params: &'static [Param],
    answer: Form,
    handler: Handler,
) -> Call {
    Call {
        method: Method::Get,
        path,
        about,
        weight,
        security: Security::None,
        class: CommandClass::Reads,
        params,
        shape: any,
        answer,
        handler,
    }
}

/// A signed call without parameters that may not stand together.
pub(super) const fn signed(
    (method, path): (Method, &'static str),
    about: &'static str,
    weight: Weight,
    params: &'static [Param],
    answer: Form,
    handler: Handler,
) -> Call {
    let security = if matches!(method, Method::Get) { Security::Read } else { Security::Trade };
    let class = match method {
        Method::Get => CommandClass::Reads,
        Method::Delete => CommandClass::Frees,
        Method::Post | Method::Put => CommandClass::Takes,
    };
    Call { method, path, about, weight, security, class, params, shape: any, answer, handler }
}

/// A call that waits for the exchange or the store.
macro_rules! waits {
    ($call:path) => {
        |request| futures_util::FutureExt::boxed_local($call(request))
    };
}

/// A call that answers at once.
macro_rules! now {
    ($call:path) => {
        |request| futures_util::FutureExt::boxed_local(std::future::ready($call(&request)))
    };
}

pub(super) use {now, waits};

pub(super) const SYMBOL: Param = must("symbol", Kind::Symbol);
pub(super) const ONE: Param = may("symbol", Kind::Symbol);
pub(super) const SOME: Param = may("symbols", Kind::Symbols);
pub(super) const LIMIT: Param = may("limit", Kind::Limit);
pub(super) const FROM_ID: Param = may("fromId", Kind::Whole);
pub(super) const START: Param = may("startTime", Kind::Time);
pub(super) const END: Param = may("endTime", Kind::Time);
