//! How a row of the table of calls is written, and the parameters that many of them have.
//!
//! Owns: these short forms. Never does: name a path. Invariants: a signed GET reads, a signed DELETE frees, what else is signed
//! takes. Known limits: none.

use crate::api::binance::call::{Endpoint, Handler, Method, Security, Weight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::params::{Args, Param, ParamKind, may, must};
use crate::api::value_type::ValueType;
use xng_core::entity::CommandClass;

fn any(_: &Args) -> Result<(), ApiError> {
    Ok(())
}

/// A call without parameters that may not stand together.
pub(in crate::api::binance) const fn get(
    path: &'static str,
    about: &'static str,
    weight: Weight,
    params: &'static [Param],
    answer: ValueType,
    handler: Handler,
) -> Endpoint {
    Endpoint {
        method: Method::Get,
        path,
        about,
        weight,
        security: Security::None,
        class: CommandClass::ReadOnly,
        params,
        shape: any,
        answer,
        handler,
    }
}

/// A signed call without parameters that may not stand together.
pub(in crate::api::binance) const fn signed(
    (method, path): (Method, &'static str),
    about: &'static str,
    weight: Weight,
    params: &'static [Param],
    answer: ValueType,
    handler: Handler,
) -> Endpoint {
    let security = if matches!(method, Method::Get) { Security::Read } else { Security::Trade };
    let class = match method {
        Method::Get => CommandClass::ReadOnly,
        Method::Delete => CommandClass::Releases,
        Method::Post | Method::Put => CommandClass::Consumes,
    };
    Endpoint { method, path, about, weight, security, class, params, shape: any, answer, handler }
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

pub(in crate::api::binance) use {now, waits};

pub(in crate::api::binance) const SYMBOL: Param = must("symbol", ParamKind::Symbol);
pub(in crate::api::binance) const ONE: Param = may("symbol", ParamKind::Symbol);
pub(in crate::api::binance) const SOME: Param = may("symbols", ParamKind::Symbols);
pub(in crate::api::binance) const LIMIT: Param = may("limit", ParamKind::Limit);
pub(in crate::api::binance) const FROM_ID: Param = may("fromId", ParamKind::Whole);
pub(in crate::api::binance) const START: Param = may("startTime", ParamKind::Time);
pub(in crate::api::binance) const END: Param = may("endTime", ParamKind::Time);
