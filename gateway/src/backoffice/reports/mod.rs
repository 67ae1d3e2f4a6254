//! Reports of days: money, volume, users, and how long people waited.
//!
//! Owns: these calls, and what each report is read from. Never does: name a user; change anything. Invariants: a report says which record
//! of the journal it goes up to at least, and a file by whom it was made; a file that is taken away is in the audit, with its hash; one is
//! made at a time, so that pages of users do not wait. Known limits: days are those of UTC; a report is read in pages, between which the
//! store goes on; users and most waits are the office's and not the journal's; totals of days begin with the store, and in one that is
//! made anew with the archive. Rules: `docs/back-office.md "Reports"`.

mod sheet;

use super::asking::{Answer, Ask, Refusal, refused};
use super::markets::listed;
use super::roles::{Needs, SeeReports, TakeReports};
use crate::api::auth::secrets::hex;
use crate::app::Shared;
use crate::common::time::now_ms;
use actix_web::HttpResponse;
use actix_web::http::header;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use sheet::{Head, Kind, Number, Sheet};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;
use tokio::sync::SemaphorePermit;
use tokio::time::timeout;
use xng_core::ids::{AccountId, MarketId};
use xng_core::system_accounts::SYSTEM_ACCOUNTS;
use xng_export::{date, day};
use xng_persistence::office::Wait;
use xng_persistence::store::{
    ALL_USERS, DailyProduct, Filter, FlowFilter, Slice, SqlStore, StoreError, StoredWithdrawal, VolumeFilter,
    WithdrawalStage, WithdrawalsRequested,
};

const DAY_MS: u64 = 86_400_000;
/// Days of a page, and of a file.
const MOST_DAYS: u32 = 92;
const MOST_DAYS_OF_A_FILE: u32 = 366;
/// Rows that one report is made of.
const MOST_ROWS: usize = 200_000;
const MOST_WAITS: u32 = 100_000;
/// Numbers of a page's answer.
const MOST_NUMBERS: usize = 300_000;
/// Who asks while another report is made waits so long.
const WAITS_FOR: Duration = Duration::from_secs(10);
/// Rows of the store that are read at once.
const PAGE: u32 = 1_000;

const MONEY: Head = Head {
    keys: &["who", "product", "kind", "asset"],
    measures: &[("moves", Kind::Count), ("flow_in", Kind::Amount), ("flow_out", Kind::Amount)],
};
const VOLUME: Head = Head {
    keys: &["product", "market", "asset"],
    measures: &[("trades", Kind::Count), ("value", Kind::Amount), ("of_users", Kind::Amount)],
};
const USERS: Head = Head { keys: &["what"], measures: &[("users", Kind::Count)] };

/// Which report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Report {
    Money,
    Volume,
    Users,
    Waiting,
}

impl Report {
    fn name(self) -> &'static str {
        match self {
            Report::Money => "money",
            Report::Volume => "volume",
            Report::Users => "users",
            Report::Waiting => "waiting",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    Csv,
    Parquet,
}

/// Of which days, both of them among these.
#[derive(Deserialize)]
pub(super) struct Wanted {
    report: Report,
    since: String,
    until: String,
    format: Option<Format>,
}

impl Wanted {
    fn days(&self, most: u32) -> Result<Range<u32>, Refusal> {
        let wrong = |text: &str| refused(400, format!("{text:?} is no date: YYYY-MM-DD is."));
        let first = day(&self.since).ok_or_else(|| wrong(&self.since))?;
        let last = day(&self.until).ok_or_else(|| wrong(&self.until))?;
        if last < first || last - first >= most {
            return Err(refused(400, format!("A report is of 1 to {most} days, the first one first.")));
        }
        // Tomorrow has begun for some.
        if last > day_of(now_ms().cast_unsigned()) + 1 {
            return Err(refused(400, "These days are still to come."));
        }
        Ok(first..last + 1)
    }
}

pub(super) fn not_read(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "the store did not answer a report");
    refused(503, "The store does not answer. Try again in a moment.")
}

fn too_much() -> Refusal {
    refused(413, "This is too much for one report: ask for fewer days.")
}

/// All rows of a filter, the oldest first.
pub(super) async fn all<F: Filter>(store: &SqlStore, filter: &F) -> Result<Vec<F::Row>, Refusal> {
    let mut rows: Vec<F::Row> = Vec::new();
    loop {
        let slice = rows.last().map_or(Slice::Oldest, |row| Slice::After(F::cursor(row)));
        let page = store.page(filter, slice, PAGE).await.map_err(|error| not_read(&error))?;
        let is_last = page.len() < PAGE as usize;
        rows.extend(page);
        if is_last {
            return Ok(rows);
        }
        if rows.len() > MOST_ROWS {
            return Err(too_much());
        }
    }
}

/// As reports name whose money it is.
pub(super) fn name_of(account: AccountId) -> String {
    if account == ALL_USERS {
        return "users".into();
    }
    let known = SYSTEM_ACCOUNTS.iter().find(|system| system.account == account);
    match known {
        Some(system) => system.name.into(),
        None if account.is_custody() => format!("place {}", account.0 - AccountId::custody(0).0),
        None => account.to_string(),
    }
}

async fn money(shared: &Shared, days: &Range<u32>) -> Result<Sheet, Refusal> {
    let rows = all(&shared.store, &FlowFilter { since: days.start, until: days.end }).await?;
    let catalog = shared.listed();
    let parts = rows.into_iter().map(|row| {
        let key = row.key;
        let kind = key.log.name().map_or_else(|| key.log.0.to_string(), str::to_owned);
        let names = vec![name_of(key.account), key.product.name().into(), kind, catalog.asset_name(key.asset)];
        (names, key.day, vec![Number::Count(row.moves), Number::Amount(row.flow_in), Number::Amount(row.flow_out)])
    });
    Ok(Sheet::of_sums(MONEY, parts))
}

async fn volume(shared: &Shared, days: &Range<u32>) -> Result<Sheet, Refusal> {
    let rows = all(&shared.store, &VolumeFilter { since: days.start, until: days.end }).await?;
    let names: BTreeMap<(bool, MarketId), String> =
        listed(shared).into_iter().map(|one| ((one.is_contract, one.id), one.symbol)).collect();
    let catalog = shared.listed();
    let parts = rows.into_iter().map(|row| {
        let key = row.key;
        let of = (key.product != DailyProduct::Spot, key.market);
        let symbol = names.get(&of).cloned().unwrap_or_else(|| key.market.to_string());
        let names = vec![key.product.name().into(), symbol, catalog.asset_name(row.asset)];
        (names, key.day, vec![Number::Count(row.trades), Number::Amount(row.value), Number::Amount(row.of_users)])
    });
    Ok(Sheet::of_sums(VOLUME, parts))
}

fn ms_of(days: &Range<u32>) -> (u64, u64) {
    (u64::from(days.start) * DAY_MS, u64::from(days.end) * DAY_MS)
}

fn day_of(ms: u64) -> u32 {
    u32::try_from(ms / DAY_MS).unwrap_or(u32::MAX)
}

/// How long a withdrawal waited for people, and until it was paid: what for, the day it was asked for, milliseconds.
fn waits_of(w: &StoredWithdrawal) -> impl Iterator<Item = (&'static str, u32, u64)> + use<> {
    let (day, requested) = (day_of(w.requested / 1_000_000), w.requested);
    let took = move |at: u64| at.saturating_sub(requested) / 1_000_000;
    // One that no people had to agree to waited for nobody.
    let approved = w.approved.filter(|_| w.needed > 0).map(|at| ("withdrawal until approved", day, took(at)));
    let paid = w.ended.filter(|_| w.stage == WithdrawalStage::Done).map(|at| ("withdrawal until paid", day, took(at)));
    approved.into_iter().chain(paid)
}

async fn waiting(shared: &Shared, days: &Range<u32>) -> Result<Sheet, Refusal> {
    let (since, until) = ms_of(days);
    let office = shared.auth.office();
    let withdrawals =
        all(&shared.store, &WithdrawalsRequested { since: since * 1_000_000, until: until * 1_000_000 }).await?;
    let verifications = office.verification_waits(since, until, MOST_WAITS).await?;
    let answers = office.first_answers(since, until, MOST_WAITS).await?;
    if verifications.len().max(answers.len()) >= MOST_WAITS as usize {
        return Err(too_much());
    }
    let of_office = |what: &'static str, waits: Vec<Wait>| {
        waits.into_iter().map(move |wait| (what, day_of(wait.since_ms), wait.took_ms))
    };
    let waits = withdrawals
        .iter()
        .flat_map(waits_of)
        .chain(of_office("verification until decided", verifications))
        .chain(of_office("conversation until answered", answers));
    Ok(Sheet::of_waits(&["what"], waits))
}

/// A report, and the last record that it is of.
async fn made<P: Needs>(ask: &Ask<P, Wanted>, days: &Range<u32>) -> Result<(Sheet, u64), Refusal> {
    let shared = &ask.desk.shared;
    // Rows are those of this record, or of later ones.
    let record = shared.persister.persisted().0;
    let sheet = match ask.asked.report {
        Report::Money => money(shared, days).await?,
        Report::Volume => volume(shared, days).await?,
        Report::Users => {
            let (since, until) = ms_of(days);
            let counts = shared.auth.office().days_of_users(since, until).await?;
            Sheet::of_sums(USERS, counts.into_iter().map(|n| (vec![n.what], n.day, vec![Number::Count(n.count)])))
        }
        Report::Waiting => waiting(shared, days).await?,
    };
    Ok((sheet, record))
}

/// Nobody else has one made meanwhile, or a reconciliation.
pub(super) async fn alone<P, B>(ask: &Ask<P, B>) -> Result<SemaphorePermit<'_>, Refusal> {
    let other = || refused(429, "Another report is being made. Try again in a moment.");
    let turn = timeout(WAITS_FOR, ask.desk.reporting.acquire()).await;
    turn.map_err(|_| other())?.map_err(|_| other())
}

/// `GET /admin/api/reports`: a report for the page.
pub(super) async fn show(ask: Ask<SeeReports, Wanted>) -> Answer {
    let (days, _alone) = (ask.asked.days(MOST_DAYS)?, alone(&ask).await?);
    let (sheet, record) = made(&ask, &days).await?;
    if sheet.numbers(&days) > MOST_NUMBERS {
        return Err(too_much());
    }
    let mut said = sheet.json(days);
    said["report"] = ask.asked.report.name().into();
    said["record"] = record.into();
    said["at_ms"] = now_ms().into();
    Ok(HttpResponse::Ok().json(said))
}

/// `GET /admin/api/reports/file`: the same as a file; that it was taken is in the audit.
pub(super) async fn file(ask: Ask<TakeReports, Wanted>) -> Answer {
    let (days, _alone) = (ask.asked.days(MOST_DAYS_OF_A_FILE)?, alone(&ask).await?);
    let format = ask.asked.format.ok_or_else(|| refused(400, "The format is csv or parquet."))?;
    let (sheet, record) = made(&ask, &days).await?;
    let (name, first, last) = (ask.asked.report.name(), date(days.start), date(days.end - 1));
    let table = sheet.table(vec![
        ("report", name.into()),
        ("since", first.clone()),
        ("until", last.clone()),
        ("record", record.to_string()),
        ("made_ms", now_ms().to_string()),
        ("by", ask.me.signs()),
    ]);
    let (made, kind, ending) = match format {
        Format::Csv => (table.csv(), "text/csv; charset=utf-8", "csv"),
        Format::Parquet => (table.parquet(), "application/vnd.apache.parquet", "parquet"),
    };
    let made = made.map_err(|error| {
        tracing::error!(%error, "a report made no file");
        refused(500, "The file could not be made.")
    })?;
    let detail = json!({ "since": first, "until": last, "format": ending, "record": record,
        "sha256": hex(&Sha256::digest(&made)) });
    let audit = ask.entry("take report", format!("report:{name}"), &detail);
    ask.desk.office.append_audit(&audit, now_ms().cast_unsigned()).await?;
    let file = format!("attachment; filename=\"{name}_{first}_{last}.{ending}\"");
    Ok(HttpResponse::Ok().content_type(kind).insert_header((header::CONTENT_DISPOSITION, file)).body(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    use xng_core::chain::{Units, Withdrawal, WithdrawalId};
    use xng_core::ids::AssetId;
    use xng_core::money::Amount;

    #[test]
    fn a_withdrawal_waits_for_people_and_until_it_is_paid() {
        let second = 1_000_000_000;
        let day = 20_000;
        let asked = u64::from(day) * DAY_MS * 1_000_000 + 5 * second;
        let made = |needed: u32, approved: Option<u64>, (stage, ended): (WithdrawalStage, Option<u64>)| {
            let one = StoredWithdrawal::new(&withdrawal(), asked);
            StoredWithdrawal { needed, approved, stage, ended, ..one }
        };
        let told = |w: &StoredWithdrawal| waits_of(w).map(|(what, on, ms)| (what, on, ms / 1_000)).collect::<Vec<_>>();
        let (approved, paid) = (Some(asked + 60 * second), (WithdrawalStage::Done, Some(asked + 3_600 * second)));
        let until = |what, seconds| (what, day, seconds);
        let all = [until("withdrawal until approved", 60), until("withdrawal until paid", 3_600)];
        assert_eq!(told(&made(2, approved, paid)), all);
        assert_eq!(told(&made(0, approved, paid)), all[1..], "nobody had to agree");
        assert_eq!(told(&made(2, None, (WithdrawalStage::Refused, paid.1))), [], "refused ones were not paid");
        assert_eq!(told(&made(2, None, (WithdrawalStage::Pending, None))), []);
    }

    fn withdrawal() -> Withdrawal {
        Withdrawal {
            withdrawal: WithdrawalId(1),
            account: AccountId::FIRST_USER,
            asset: AssetId(1),
            number: Amount::whole(1),
            fee: Amount::ZERO,
            units: Units(1),
            address: String::new(),
            script_bytes: 22,
            inside: None,
            flags: 0,
            needed: 2,
        }
    }
}
