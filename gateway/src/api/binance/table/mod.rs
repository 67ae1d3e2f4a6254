//! The table of calls: what each is named, weighs, asks for and takes.
//!
//! Owns: the table. Never does: read a request or answer one. Invariants: a method and path are one call's; parameters are
//! looked at in the order in which they stand here. Known limits: none.

mod order_groups;
mod private;
mod public;
pub(super) mod row;
mod stubs;

use super::call::Endpoint;
use super::futures::table as futures;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const GROUPS: [&[Endpoint]; 9] = [
    public::CALLS,
    private::ORDERS,
    order_groups::CALLS,
    private::ACCOUNT,
    stubs::WALLET,
    futures::public::CALLS,
    futures::orders::CALLS,
    futures::account::CALLS,
    stubs::COIN_FUTURES,
];

/// All calls, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Endpoint> {
    GROUPS.into_iter().flatten()
}

static BY_PATH: LazyLock<BTreeMap<&'static str, Vec<&'static Endpoint>>> = LazyLock::new(|| {
    let mut paths: BTreeMap<&'static str, Vec<&'static Endpoint>> = BTreeMap::new();
    all().for_each(|call| paths.entry(call.path).or_default().push(call));
    paths
});

/// The calls of a path, one a method; none when there is no such path.
#[must_use]
pub fn of_path(path: &str) -> &'static [&'static Endpoint] {
    BY_PATH.get(path).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::binance::call::FOLDERS;
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
