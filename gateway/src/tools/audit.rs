//! `exchange audit`: the journal against itself, the engine, the snapshots, the office's audit and the store.
//!
//! Owns: what is compared with what. Never does: trust the engine's arithmetic where the plain ledger has its own.
//! Invariants: it goes through the journal once, and through the store once; where an account's rows differ it goes
//! through both again for that account and names the row.
//! Known limits: wallets and open orders are in memory three times over (ledger, engine, rows); a row of an account that
//! no record names is not looked for; markets, assets, candles and totals of days of the store are not compared.

use super::audited_office::Anchors;
use super::data_folder::{restored, snapshots, survey};
use super::error::ToolError;
use super::replay;
use super::rows::{ComparedRow, Counts, Fold, Part, Tables, Takes, Tool, Visit};
use super::stored::Stored;
use crate::config::Config;
use crate::startup::cell::PlainWorld;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use xng_cell::World;
use xng_cell::auditor::Auditor;
use xng_core::account::Balance;
use xng_core::codec::{Wire, hash_bytes};
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::record::{CellFact, Fact, STATE_HASH_FORM};
use xng_core::registry::RegistryFact;
use xng_persistence::journal::survey::Survey;
use xng_persistence::snapshot::Snapshot;
use xng_persistence::store::LedgerRow;

/// How.
#[derive(Debug, clap::Args)]
pub struct Audit {
    /// One JSON object instead of lines for people.
    #[arg(long)]
    json: bool,
}

/// What was compared, and how many.
#[derive(Default, serde::Serialize)]
struct Compared {
    records: u64,
    last: u64,
    digests: u64,
    assets: u64,
    wallets: u64,
    accounts: u64,
    open_orders: u64,
    quotes: u64,
    entities: u64,
    state_form: u32,
    state: String,
    snapshots: Vec<u64>,
    /// Anchors that the office's audit holds to.
    audit_anchors: u64,
    store: Option<StoreCompared>,
    store_not_compared: Option<&'static str>,
}

/// The store's part.
#[derive(Default, serde::Serialize)]
struct StoreCompared {
    checkpoint: u64,
    accounts: u64,
    balances: u64,
    #[serde(flatten)]
    tables: Counts,
    ledger: u64,
}

impl Audit {
    pub(super) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
        let data = &config.server.data_dir;
        let survey = survey(data)?;
        let stored = if survey.is_written() { None } else { Stored::open(config)? };
        let folded = fold(data, &survey, stored.as_ref());
        if let (true, Err(ToolError::Found(found))) = (self.json, &folded) {
            writeln!(out, "{}", json!({ "equal": false, "found": found }))?;
        }
        let mut compared = folded?;
        compared.store_not_compared = match (&stored, survey.is_written()) {
            (Some(_), _) => None,
            (None, true) => Some("a server runs and moves it"),
            (None, false) => Some("there is none"),
        };
        if self.json {
            writeln!(out, "{}", json!({ "equal": true, "compared": compared }))?;
            return Ok(());
        }
        tell(&compared, out)
    }
}

/// Goes through the journal once, with everything that listens.
fn fold(data: &Path, survey: &Survey, stored: Option<&Stored>) -> Result<Compared, ToolError> {
    let (oldest, last) = survey.range()?;
    if oldest > Lsn(1) {
        return Err(ToolError::Refused(format!("the journal's records before {oldest} are gone: there is no archive")));
    }
    let checkpoint = stored.map(|stored| stored.checkpoint.lsn);
    if let Some(at) = checkpoint.filter(|at| *at > last) {
        return Err(ToolError::Found(format!("the store stands at {at}, the journal ends at {last}")));
    }
    let store = snapshots(data)?;
    let mut waiting: Vec<Snapshot> = store.valid()?.filter(|snapshot| snapshot.lsn() <= last).collect();
    let mut compared = Compared { last: last.0, ..Compared::default() };
    let (mut auditor, mut world, mut rows) = (Auditor::lean(), PlainWorld::default(), Fold::of_all());
    let mut sums = Sums { ledger: BTreeMap::new(), tables: Tables::new(&Summing) };
    let mut anchors = Anchors::default();
    let mut reader = survey.reader(Lsn(1))?;
    while let Some(batch) = reader.next_batch(last)? {
        for (lsn, bytes) in batch.records() {
            let record = world.fold(lsn, bytes)?;
            auditor.read(lsn, &record).map_err(ToolError::Found)?;
            compared.records += 1;
            if let Fact::Registry(RegistryFact::AuditAnchored(anchor)) = &record.fact {
                anchors.add(lsn, anchor);
            }
            compared.digests +=
                u64::from(matches!(&record.fact, Fact::Cell(CellFact::Digest(d)) if d.form == STATE_HASH_FORM));
            if checkpoint.is_some_and(|at| lsn <= at) {
                rows.read(lsn, &record, &mut sums.tables, |row| {
                    sums.ledger.entry(row.account).or_default().chain(hash_of_row(row));
                    Ok(())
                })?;
            }
            if checkpoint == Some(lsn) {
                same_balances(&auditor, &rows)?;
            }
            if let Some(snapshot) = waiting.pop_if(|snapshot| snapshot.lsn() == lsn) {
                compare_snapshot(&snapshot, &mut world)?;
                compared.snapshots.push(lsn.0);
            }
        }
    }
    auditor.agrees(&world).map_err(ToolError::Found)?;
    count(&mut compared, &auditor, &mut world);
    compared.audit_anchors = anchors.compare(data)?;
    compared.store = stored.map(|stored| compare_store(survey, stored, &rows, sums)).transpose()?;
    Ok(compared)
}

fn count(compared: &mut Compared, auditor: &Auditor, world: &mut PlainWorld) {
    let accounts = auditor.accounts();
    let wallets = accounts.iter().flat_map(|id| auditor.wallets(*id));
    let mut assets = BTreeSet::new();
    for (_, asset, _) in wallets {
        compared.wallets += 1;
        assets.insert(asset);
    }
    compared.assets = assets.len() as u64;
    compared.accounts = accounts.len() as u64;
    compared.open_orders = auditor.open().count() as u64;
    compared.quotes = auditor.quotes().count() as u64;
    compared.entities = world.entities();
    compared.state_form = STATE_HASH_FORM;
    compared.state = format!("{:016x}", world.state_hash());
}

/// The rows' balances come from the engine's postings, the auditor's from its own arithmetic.
fn same_balances(auditor: &Auditor, rows: &Fold) -> Result<(), ToolError> {
    for id in auditor.accounts() {
        for (wallet, asset, held) in auditor.wallets(id) {
            let row = rows.balances.get(&(id, wallet, asset)).map(|b| (b.available.0, b.locked.0));
            if row.unwrap_or((0, 0)) != (held.available, held.locked) {
                return Err(ToolError::Found(format!(
                    "account {id} has {held:?} in {} {asset} by the plain ledger, {row:?} by its postings",
                    wallet.name()
                )));
            }
        }
    }
    Ok(())
}

fn compare_snapshot(snapshot: &Snapshot, world: &mut PlainWorld) -> Result<(), ToolError> {
    let mut saved: World<xng_cell::Plain> = restored(snapshot)?;
    let (saved, folded) = (saved.state_hash(), world.state_hash());
    if saved == folded {
        return Ok(());
    }
    let lsn = snapshot.lsn();
    Err(ToolError::Found(format!("the snapshot at {lsn} has state {saved:016x}, the journal folds to {folded:016x}")))
}

/// A sum of rows' hashes, and their number.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    rows: u64,
    hash: u64,
}

impl Sum {
    fn add(&mut self, hash: u64) {
        self.rows += 1;
        self.hash = self.hash.wrapping_add(hash);
    }

    /// Adds a row whose place matters.
    fn chain(&mut self, hash: u64) {
        self.rows += 1;
        self.hash = hash_bytes(self.hash, &hash.to_le_bytes());
    }

    /// Takes a row out again.
    fn take_back(&mut self, hash: u64) {
        self.rows -= 1;
        self.hash = self.hash.wrapping_sub(hash);
    }
}

/// What all accounts' rows add up to, as the facts say.
struct Sums {
    ledger: BTreeMap<AccountId, Sum>,
    tables: Tables<Summing>,
}

/// Adds rows up.
struct Summing;

impl Tool for Summing {
    type Table<R: ComparedRow> = TableSums<R>;

    fn table<R: ComparedRow>(&self) -> TableSums<R> {
        TableSums(BTreeMap::new())
    }
}

/// One table's sums, by account and part.
struct TableSums<R: ComparedRow>(BTreeMap<AccountId, BTreeMap<R::Part, PartSum>>);

/// What the rows of a part add up to.
#[derive(Default)]
struct PartSum {
    sum: Sum,
    /// Each row, in order, where the store may lack the first ones.
    each: Vec<u64>,
}

impl<R: ComparedRow> Takes<R> for TableSums<R> {
    fn take(&mut self, before: Option<&R>, after: &R) -> Result<(), ToolError> {
        let part = self.0.entry(after.account()).or_default().entry(after.part()).or_default();
        if let Some(before) = before {
            part.sum.take_back(hash_of(before));
        }
        let hash = hash_of(after);
        part.sum.add(hash);
        if R::MAY_LACK_OLDEST {
            part.each.push(hash);
        }
        Ok(())
    }
}

impl<R: ComparedRow> TableSums<R> {
    /// How many rows of the account the store has; none when they are not these.
    fn explain(&self, stored: &Stored, account: AccountId) -> Result<Option<u64>, ToolError> {
        let none = BTreeMap::new();
        let expected = self.0.get(&account).unwrap_or(&none);
        let parts: BTreeSet<R::Part> = expected.keys().chain(R::Part::ALWAYS).copied().collect();
        let mut rows = 0;
        for part in parts {
            let (mut found, expected) = (PartSum::default(), expected.get(&part));
            R::stored(stored, account, part).try_for_each(|row| {
                let hash = hash_of(&row?);
                found.sum.add(hash);
                if R::MAY_LACK_OLDEST {
                    found.each.push(hash);
                }
                Ok::<(), ToolError>(())
            })?;
            let equal = match expected {
                Some(expected) if R::MAY_LACK_OLDEST => expected.each.ends_with(&found.each),
                Some(expected) => expected.sum == found.sum,
                None => found.sum.rows == 0,
            };
            if !equal {
                return Ok(None);
            }
            rows += found.sum.rows;
        }
        Ok(Some(rows))
    }
}

/// Collects whose rows there are.
struct Accounts(BTreeSet<AccountId>);

impl Visit<Summing> for Accounts {
    fn table<R: ComparedRow>(&mut self, table: &mut TableSums<R>) -> Result<(), ToolError> {
        self.0.extend(table.0.keys());
        Ok(())
    }
}

/// Compares an account's rows, table after table.
struct Comparing<'a> {
    stored: &'a Stored,
    accounts: &'a BTreeSet<AccountId>,
    differs: &'a dyn Fn(AccountId) -> ToolError,
    counts: Counts,
}

impl Visit<Summing> for Comparing<'_> {
    fn table<R: ComparedRow>(&mut self, table: &mut TableSums<R>) -> Result<(), ToolError> {
        let mut rows = 0;
        for account in self.accounts {
            rows += table.explain(self.stored, *account)?.ok_or_else(|| (self.differs)(*account))?;
        }
        self.counts.add::<R>(rows);
        Ok(())
    }
}

fn hash(write: impl FnOnce(&mut Vec<u8>)) -> u64 {
    let mut bytes = Vec::with_capacity(128);
    write(&mut bytes);
    hash_bytes(1, &bytes)
}

fn hash_of_row(r: &LedgerRow) -> u64 {
    hash(|out| {
        (r.wallet, r.asset).put(out);
        r.log.0.put(out);
        [r.available, r.locked, r.available_after, r.locked_after].iter().for_each(|amount| amount.0.put(out));
        [r.reference, r.time, r.lsn.0].iter().for_each(|number| number.put(out));
    })
}

fn hash_of<R: ComparedRow>(row: &R) -> u64 {
    hash(|out| row.put(out))
}

/// Goes through the store table by table, account by account.
fn compare_store(survey: &Survey, stored: &Stored, rows: &Fold, mut sums: Sums) -> Result<StoreCompared, ToolError> {
    // Row by row then, which names the first that differs.
    let differs = |account| match replay::history(survey, account, Some(stored), &mut replay::Silent) {
        Err(error) => error,
        Ok(_) => ToolError::Found(format!("the store's rows of account {account} differ from the journal's")),
    };
    let mut balances: BTreeMap<AccountId, Vec<Balance>> = BTreeMap::new();
    for ((account, _, _), balance) in &rows.balances {
        balances.entry(*account).or_default().push(*balance);
    }
    let mut accounts = Accounts(sums.ledger.keys().copied().collect());
    sums.tables.visit(&mut accounts)?;
    let accounts = accounts.0;
    let mut compared = StoreCompared { checkpoint: stored.checkpoint.lsn.0, ..StoreCompared::default() };
    for account in &accounts {
        let mut found = Sum::default();
        stored.ledger(*account).try_for_each(|row| row.map(|row| found.chain(hash_of_row(&row))))?;
        let mut there = stored.balances(*account)?;
        let mut wanted = balances.remove(account).unwrap_or_default();
        there.sort_by_key(|b| (b.wallet, b.asset));
        wanted.sort_by_key(|b| (b.wallet, b.asset));
        if found != sums.ledger.get(account).copied().unwrap_or_default() || there != wanted {
            return Err(differs(*account));
        }
        compared.accounts += 1;
        compared.balances += there.len() as u64;
        compared.ledger += found.rows;
    }
    let mut comparing = Comparing { stored, accounts: &accounts, differs: &differs, counts: Counts::default() };
    sums.tables.visit(&mut comparing)?;
    compared.tables = comparing.counts;
    Ok(compared)
}

fn tell(c: &Compared, out: &mut dyn Write) -> Result<(), ToolError> {
    writeln!(out, "journal    records 1 to {} ({}), {} digests match", c.last, c.records, c.digests)?;
    writeln!(
        out,
        "ledger     {} assets sum to zero; {} wallets of {} accounts, none negative; {} open orders and {} quotes explain \
         what is locked",
        c.assets, c.wallets, c.accounts, c.open_orders, c.quotes
    )?;
    writeln!(out, "engine     {} entities, state {}; same balances, orders and books", c.entities, c.state)?;
    writeln!(out, "snapshots  {} equal: {:?}", c.snapshots.len(), c.snapshots)?;
    match c.audit_anchors {
        0 => writeln!(out, "office     nothing of its audit is anchored yet")?,
        n => writeln!(out, "office     its audit is what the journal says; anchors: {n}")?,
    }
    match (&c.store, c.store_not_compared) {
        (Some(s), _) => writeln!(
            out,
            "store      equal at {}: {} balances, {}, {} ledger rows of {} accounts",
            s.checkpoint, s.balances, s.tables, s.ledger, s.accounts
        )?,
        (None, why) => writeln!(out, "store      not compared: {}", why.unwrap_or("there is none"))?,
    }
    writeln!(out, "no difference")?;
    Ok(())
}
