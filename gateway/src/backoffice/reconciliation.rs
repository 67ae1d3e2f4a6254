//! Reconciliation: whether what users are owed, what the exchange has and what lies outside of it agree.
//!
//! Owns: this call. Never does: correct anything. Invariants: the sums are of rows that one query reads. Known limits: sums are the
//! store's, as far as it has got, and all balances are read for them; banks are not there. Rules: `docs/back-office.md "Reconciliation"`.

use super::asking::{Answer, Ask};
use super::chains;
use super::reports::{alone, name_of, not_read};
use super::roles::SeeReports;
use crate::common::time::{now_ms, now_ns};
use actix_web::HttpResponse;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_core::ids::{AccountId, AssetId};
use xng_core::money::Amount;
use xng_persistence::store::ALL_USERS;

/// What accounts have of an asset.
#[derive(Debug, Default)]
struct Sums {
    users: Amount,
    /// What lies outside of the exchange, which is what its accounts are negative by.
    outside: Amount,
    exchange: Vec<(AccountId, Amount)>,
}

impl Sums {
    /// Nothing, unless something is wrong.
    fn difference(&self) -> Amount {
        self.users + self.exchange.iter().map(|(_, amount)| *amount).sum::<Amount>() - self.outside
    }
}

fn by_asset(sheet: Vec<(AccountId, AssetId, Amount)>) -> BTreeMap<AssetId, Sums> {
    let mut all: BTreeMap<AssetId, Sums> = BTreeMap::new();
    for (account, asset, amount) in sheet {
        let sums = all.entry(asset).or_default();
        match account {
            ALL_USERS => sums.users += amount,
            account if account.is_custody() => sums.outside -= amount,
            account => sums.exchange.push((account, amount)),
        }
    }
    all
}

/// `GET /admin/api/reconciliation`: sums by asset, chains with their last checks, how far the store is, the audit.
pub(super) async fn show(ask: Ask<SeeReports>) -> Answer {
    let (_alone, desk, shared) = (alone(&ask).await?, &ask.desk, &ask.desk.shared);
    let record = shared.persister.persisted().0;
    let sheet = shared.store.balance_sheet().await.map_err(|error| not_read(&error))?;
    let anchor = shared.audit_anchor.compare(&desk.office).await?;
    let catalog = shared.listed();
    let row = |(asset, sums): (&AssetId, &Sums)| {
        let of =
            |(account, amount): &(AccountId, Amount)| json!({ "who": name_of(*account), "amount": amount.to_string() });
        json!({ "asset": catalog.asset_name(*asset), "users": sums.users.to_string(),
            "outside": sums.outside.to_string(), "difference": sums.difference().to_string(),
            "exchange": sums.exchange.iter().filter(|(_, amount)| !amount.is_zero()).map(of).collect::<Vec<_>>() })
    };
    let chains: Vec<Value> = shared.chains.all().iter().map(|chain| chains::row(shared, chain)).collect();
    let lag = shared.persister.lag(now_ns());
    Ok(HttpResponse::Ok().json(json!({
        "record": record, "at_ms": now_ms(),
        "assets": by_asset(sheet).iter().map(row).collect::<Vec<_>>(),
        "chains": chains,
        "store": { "behind_records": shared.persister.lag_records(), "behind_ms": lag.as_millis() as u64,
            "failing_s": shared.persister.failing_for().map(|since| since.as_secs()) },
        "audit": { "broken": shared.audit_anchor.is_broken(),
            "anchored_rows": anchor.as_ref().map(|(anchor, _)| anchor.rows),
            "anchored_ms": anchor.as_ref().map(|(anchor, _)| anchor.at_ms) },
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_what_is_owed_and_what_the_exchange_has() {
        let (btc, usdt) = (AssetId(1), AssetId(2));
        let place = AccountId::custody(1);
        let sheet = vec![
            (ALL_USERS, btc, Amount::whole(7)),
            (AccountId::FEE, btc, Amount::whole(1)),
            (place, btc, Amount::whole(-8)),
            (ALL_USERS, usdt, Amount::whole(5)),
            (AccountId::ADJUST, usdt, Amount::whole(-4)),
        ];
        let sums = by_asset(sheet);
        assert_eq!((sums[&btc].outside, sums[&btc].difference()), (Amount::whole(8), Amount::ZERO));
        assert_eq!((sums[&usdt].outside, sums[&usdt].difference()), (Amount::ZERO, Amount::whole(1)));
    }
}
