//! `exchange replay`: one user's life from the facts, and whether the store tells the same.
//!
//! Owns: the balances of one account, record by record. Never does: write. Invariants: the first row that differs
//! from the store ends it and is named. Known limits: reads the whole journal for one user.

use super::data_folder::survey;
use super::error::ToolError;
use super::rows::{ComparedRow, Counts, Fold, Part, Tables, Takes, Tool, Visit};
use super::stored::Stored;
use crate::config::Config;
use crate::observe::render;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::iter::Peekable;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::record::Record;
use xng_persistence::journal::survey::Survey;
use xng_persistence::store::LedgerRow;

/// Whose.
#[derive(Debug, clap::Args)]
pub struct Replay {
    /// The user's number.
    #[arg(long)]
    user: u64,
    /// JSON objects, one a line.
    #[arg(long)]
    json: bool,
}

/// What was compared with the store.
#[derive(Default, serde::Serialize)]
pub(super) struct Equal {
    ledger: u64,
    #[serde(flatten)]
    tables: Counts,
    balances: u64,
}

impl Replay {
    pub(super) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
        let survey = survey(&config.server.data_dir)?;
        let stored = if survey.is_written() { None } else { Stored::open(config)? };
        let account = AccountId(self.user);
        let mut shown = Shown { out, json: self.json };
        let (fold, compared) = history(&survey, account, stored.as_ref(), &mut shown)?;
        shown.end(&fold)?;
        let Some((equal, stored)) = compared.zip(stored.as_ref()) else {
            let why = if survey.is_written() { "a server runs and moves it" } else { "there is none" };
            return shown.verdict(&format!("the store was not compared: {why}"), json!({ "store": why }));
        };
        let lsn = stored.checkpoint.lsn;
        let Equal { ledger, tables, balances } = &equal;
        let words =
            format!("the store at {lsn} equals the journal: {ledger} ledger rows, {tables}, {balances} balances");
        shown.verdict(&words, json!({ "store": "equal", "lsn": lsn.0, "rows": equal }))
    }
}

/// Says what a user's rows must be, and looks whether they are; the first difference ends it.
pub(super) fn history(
    survey: &Survey,
    account: AccountId,
    stored: Option<&Stored>,
    shown: &mut dyn Teller,
) -> Result<(Fold, Option<Equal>), ToolError> {
    let (oldest, last) = survey.range()?;
    if oldest > Lsn(1) {
        return Err(ToolError::Refused(format!("the journal's records before {oldest} are gone: there is no archive")));
    }
    let at = stored.map(|stored| stored.checkpoint.lsn);
    if let Some(at) = at.filter(|at| *at > last) {
        return Err(ToolError::Found(format!("the store stands at {at}, the journal ends at {last}")));
    }
    let mut comparing = stored.map(|stored| Comparing::new(stored, account));
    let mut tables = Tables::new(&Walking { stored, account });
    let (mut fold, mut equal) = (Fold::of(account), None);
    let mut reader = survey.reader(Lsn(1))?;
    while let Some(batch) = reader.next_batch(last)? {
        for (lsn, bytes) in batch.records() {
            let record = Record::decode(bytes)
                .map_err(|error| ToolError::Found(format!("record {lsn} cannot be read: {error}")))?;
            fold.read(lsn, &record, &mut tables, |row| {
                shown.ledger(row)?;
                comparing.as_mut().map_or(Ok(()), |comparing| comparing.ledger(row))
            })?;
            if Some(lsn) == at {
                equal = comparing.take().map(|comparing| comparing.end(&fold, &mut tables)).transpose()?;
                tables = Tables::new(&Walking { stored: None, account });
            }
        }
    }
    Ok((fold, equal))
}

/// Hears the history.
pub(super) trait Teller {
    /// A movement.
    fn ledger(&mut self, row: &LedgerRow) -> Result<(), ToolError>;
}

/// Tells nobody.
pub(super) struct Silent;

impl Teller for Silent {
    fn ledger(&mut self, _row: &LedgerRow) -> Result<(), ToolError> {
        Ok(())
    }
}

/// The store's rows of one account, walked along.
struct Comparing<'a> {
    stored: &'a Stored,
    account: AccountId,
    ledger: Box<dyn Iterator<Item = Result<LedgerRow, ToolError>> + 'a>,
    equal: Equal,
}

impl<'a> Comparing<'a> {
    fn new(stored: &'a Stored, account: AccountId) -> Comparing<'a> {
        Comparing { stored, account, ledger: Box::new(stored.ledger(account)), equal: Equal::default() }
    }

    fn ledger(&mut self, row: &LedgerRow) -> Result<(), ToolError> {
        self.equal.ledger += 1;
        same("ledger row", row.lsn, self.ledger.next(), row)
    }

    /// At the store's checkpoint: nothing may be left over, and what is kept is as it is now.
    fn end(mut self, fold: &Fold, tables: &mut Tables<Walking<'a>>) -> Result<Equal, ToolError> {
        if let Some(row) = self.ledger.next().transpose()? {
            return Err(extra("ledger row", self.account, &row));
        }
        tables.visit(&mut self)?;
        let mut there = self.stored.balances(self.account)?.into_iter();
        for balance in fold.balances.values() {
            self.equal.balances += 1;
            same("balance", format!("{} {}", balance.wallet.name(), balance.asset), there.next().map(Ok), balance)?;
        }
        there.next().map_or(Ok(self.equal), |row| Err(extra("balance", self.account, &row)))
    }
}

impl<'a> Visit<Walking<'a>> for Comparing<'a> {
    fn table<R: ComparedRow>(&mut self, table: &mut Walk<'a, R>) -> Result<(), ToolError> {
        table.end(self.stored)?;
        self.equal.tables.add::<R>(table.rows);
        Ok(())
    }
}

/// Walks along the store's rows of an account; without a store, along nothing.
struct Walking<'a> {
    stored: Option<&'a Stored>,
    account: AccountId,
}

impl<'a> Tool for Walking<'a> {
    type Table<R: ComparedRow> = Walk<'a, R>;

    fn table<R: ComparedRow>(&self) -> Walk<'a, R> {
        let (stored, account) = (self.stored, self.account);
        Walk { stored, account, kept: BTreeMap::new(), parts: BTreeMap::new(), rows: 0 }
    }
}

/// One table of it.
struct Walk<'a, R: ComparedRow> {
    stored: Option<&'a Stored>,
    account: AccountId,
    /// Rows that later facts may change, as they are now.
    kept: BTreeMap<(R::Part, R::Place), R>,
    parts: BTreeMap<R::Part, Along<'a, R>>,
    rows: u64,
}

/// The store's rows of a part.
struct Along<'a, R> {
    rows: Peekable<Box<dyn Iterator<Item = Result<R, ToolError>> + 'a>>,
    /// One of them was met.
    met: bool,
}

impl<'a, R: ComparedRow> Along<'a, R> {
    fn of(stored: &'a Stored, account: AccountId, part: R::Part) -> Along<'a, R> {
        let rows: Box<dyn Iterator<Item = Result<R, ToolError>> + 'a> = Box::new(R::stored(stored, account, part));
        Along { rows: rows.peekable(), met: false }
    }

    /// Whether the row that is expected is older than the store's first one.
    fn lacks(&mut self, expected: &R) -> bool {
        R::MAY_LACK_OLDEST && !self.met && !matches!(self.rows.peek(), Some(Ok(row)) if row == expected)
    }
}

impl<R: ComparedRow> Takes<R> for Walk<'_, R> {
    fn take(&mut self, _before: Option<&R>, after: &R) -> Result<(), ToolError> {
        let Some(stored) = self.stored else { return Ok(()) };
        if R::IS_KEPT {
            self.kept.insert((after.part(), after.place()), after.clone());
            return Ok(());
        }
        self.expect(stored, after)
    }
}

impl<'a, R: ComparedRow> Walk<'a, R> {
    fn along(&mut self, stored: &'a Stored, part: R::Part) -> &mut Along<'a, R> {
        self.parts.entry(part).or_insert_with(|| Along::of(stored, self.account, part))
    }

    fn expect(&mut self, stored: &'a Stored, row: &R) -> Result<(), ToolError> {
        let along = self.along(stored, row.part());
        if along.lacks(row) {
            return Ok(());
        }
        along.met = true;
        same(R::NAMES[0], row.id(), along.rows.next(), row)?;
        self.rows += 1;
        Ok(())
    }

    fn end(&mut self, stored: &'a Stored) -> Result<(), ToolError> {
        for row in std::mem::take(&mut self.kept).values() {
            self.expect(stored, row)?;
        }
        for part in R::Part::ALWAYS {
            self.along(stored, *part);
        }
        for along in self.parts.values_mut() {
            if let Some(row) = along.rows.next().transpose()? {
                return Err(extra(R::NAMES[0], self.account, &row));
            }
        }
        Ok(())
    }
}

fn extra(what: &str, account: AccountId, row: &dyn Debug) -> ToolError {
    ToolError::Found(format!("the store has one {what} of account {account} that no record explains: {row:?}"))
}

fn same<T: PartialEq + Debug>(
    what: &str,
    name: impl std::fmt::Display,
    stored: Option<Result<T, ToolError>>,
    expected: &T,
) -> Result<(), ToolError> {
    match stored.transpose()? {
        Some(found) if found == *expected => Ok(()),
        Some(found) => Err(ToolError::Found(format!(
            "the store differs at {what} {name}:\n  the store has   {found:?}\n  the journal has {expected:?}"
        ))),
        None => Err(ToolError::Found(format!("the store lacks {what} {name}: {expected:?}"))),
    }
}

/// Writes the history down.
struct Shown<'a> {
    out: &'a mut dyn Write,
    json: bool,
}

impl Teller for Shown<'_> {
    fn ledger(&mut self, r: &LedgerRow) -> Result<(), ToolError> {
        let (available, locked) = (r.available_after - r.available, r.locked_after - r.locked);
        let time = render::time(r.time);
        if self.json {
            let line = json!({ "lsn": r.lsn.0, "time": time, "wallet": r.wallet.name(), "asset": r.asset.0,
                "log": r.log.0, "reference": r.reference, "available_before": available.to_string(),
                "available": r.available.to_string(), "available_after": r.available_after.to_string(),
                "locked_before": locked.to_string(), "locked": r.locked.to_string(),
                "locked_after": r.locked_after.to_string() });
            return Ok(writeln!(self.out, "{line}")?);
        }
        let (wallet, asset, log) = (r.wallet.name(), r.asset, r.log.0);
        writeln!(
            self.out,
            "{:>10} {time} {wallet} {asset} log {log} ref {}: available {available} -> {}, locked {locked} -> {}",
            r.lsn, r.reference, r.available_after, r.locked_after
        )?;
        Ok(())
    }
}

impl Shown<'_> {
    /// Balances and what is open at the end.
    fn end(&mut self, fold: &Fold) -> Result<(), ToolError> {
        for b in fold.balances.values() {
            let (wallet, asset) = (b.wallet.name(), b.asset);
            if self.json {
                let line = json!({ "wallet": wallet, "asset": asset.0, "available": b.available.to_string(),
                    "locked": b.locked.to_string() });
                writeln!(self.out, "{line}")?;
            } else {
                writeln!(self.out, "balance {wallet} {asset}: available {}, locked {}", b.available, b.locked)?;
            }
        }
        for (line, object) in fold.open() {
            if self.json { writeln!(self.out, "{object}")? } else { writeln!(self.out, "{line}")? }
        }
        Ok(())
    }

    fn verdict(&mut self, words: &str, value: serde_json::Value) -> Result<(), ToolError> {
        if self.json {
            writeln!(self.out, "{value}")?
        } else {
            writeln!(self.out, "{words}")?
        }
        Ok(())
    }
}
