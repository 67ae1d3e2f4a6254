//! The table of calls: what each is named, weighs, asks for and takes.
//!
//! Owns: the table. Never does: read a request or answer one. Invariants: a method and path are one call's; parameters are
//! looked at in the order in which they stand here. Known limits: none.

mod arranged;
mod private;
mod public;
mod stubs;

use super::errors::ApiError;
use super::forms::Form;
use super::params::{Args, Kind, Param, may, must};
use super::request::{Outcome, Request};
use futures_util::future::LocalBoxFuture;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use xng_core::entity::CommandClass;

/// Folders of paths that are this API's alone.
pub const FOLDERS: [&str; 4] = ["/api/v3", "/sapi/v1", "/fapi/v1", "/dapi/v1"];

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

/// What answers a call.
pub type Handler = fn(Request) -> LocalBoxFuture<'static, Outcome>;

/// A call.
#[derive(Debug, Clone, Copy)]
pub struct Call {
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
    pub answer: Form,
    /// What answers it.
    pub handler: Handler,
}

fn any(_: &Args) -> Result<(), ApiError> {
    Ok(())
}

/// A call without parameters that may not stand together.
const fn get(
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
const fn signed(
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

use {now, waits};

const SYMBOL: Param = must("symbol", Kind::Symbol);
const ONE: Param = may("symbol", Kind::Symbol);
const SOME: Param = may("symbols", Kind::Symbols);
const LIMIT: Param = may("limit", Kind::Limit);
const FROM_ID: Param = may("fromId", Kind::Whole);
const START: Param = may("startTime", Kind::Time);
const END: Param = may("endTime", Kind::Time);

const GROUPS: [&[Call]; 6] =
    [public::CALLS, private::ORDERS, arranged::CALLS, private::ACCOUNT, stubs::WALLET, stubs::FUTURES];

/// All calls, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Call> {
    GROUPS.into_iter().flatten()
}

static BY_PATH: LazyLock<BTreeMap<&'static str, Vec<&'static Call>>> = LazyLock::new(|| {
    let mut paths: BTreeMap<&'static str, Vec<&'static Call>> = BTreeMap::new();
    all().for_each(|call| paths.entry(call.path).or_default().push(call));
    paths
});

/// The calls of a path, one a method; none when there is no such path.
#[must_use]
pub fn of_path(path: &str) -> &'static [&'static Call] {
    BY_PATH.get(path).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_call_and_each_of_its_parameters_is_listed_once() {
        let mut seen = BTreeSet::new();
        for call in all() {
            assert!(seen.insert((call.path, call.method.name())), "{}", call.path);
            assert!(FOLDERS.iter().any(|folder| call.path.starts_with(&format!("{folder}/"))), "{}", call.path);
            let mut names = BTreeSet::new();
            assert!(call.all_params().all(|param| names.insert(param.name)), "{}", call.path);
        }
        assert!(of_path("/api/v3/order/").is_empty() && of_path("/api/v3").is_empty());
    }
}
