//! `exchange audit`: the journal against itself, the engine, the snapshots and the store.
//!
//! Owns: what is compared with what. Never does: trust the engine's arithmetic where the plain ledger has its own.
//! Invariants: it goes through the journal once, and through the store once; where an account's rows differ it goes
//! through both again for that account and names the row.
//! Known limits: wallets and open orders are in memory three times over (ledger, engine, rows); a row of an account that
//! no record names is not looked for; markets, assets and candles of the store are not compared; amendments of before a store had
//! rows of them may be missing in it.

use super::data_folder::{restored, snapshots, survey};
use super::error::ToolError;
use super::replay;
use super::rows::{Fold, Rows};
use super::stored::Stored;
use crate::config::Config;
use crate::startup::cell::PlainWorld;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use xng_cell::World;
use xng_cell::auditor::Auditor;
use xng_core::account::{Fill, Order};
use xng_core::codec::{Wire, hash_bytes};
use xng_core::ids::{AccountId, MarketId, OrderId};
use xng_core::journal::Lsn;
use xng_core::record::{CellFact, Fact, STATE_HASH_FORM};
use xng_persistence::journal::survey::Survey;
use xng_persistence::snapshot::Snapshot;
use xng_persistence::store::{LedgerRow, StoredAmendment, StoredFill, StoredOrder, StoredPrevented};

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
    store: Option<StoreCompared>,
    store_not_compared: Option<&'static str>,
}

/// The store's part.
#[derive(Default, serde::Serialize)]
struct StoreCompared {
    checkpoint: u64,
    accounts: u64,
    balances: u64,
    orders: u64,
    fills: u64,
    prevented: u64,
    amendments: u64,
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
    let (mut auditor, mut world, mut rows) = (Auditor::lean(), PlainWorld::default(), Fold::default());
    let mut sums = Sums::default();
    let mut reader = survey.reader(Lsn(1))?;
    while let Some(batch) = reader.next_batch(last)? {
        for (lsn, bytes) in batch.records() {
            let record = world.fold(lsn, bytes)?;
            auditor.read(lsn, &record).map_err(ToolError::Found)?;
            compared.records += 1;
            compared.digests +=
                u64::from(matches!(&record.fact, Fact::Cell(CellFact::Digest(d)) if d.form == STATE_HASH_FORM));
            if checkpoint.is_some_and(|at| lsn <= at) {
                rows.read(lsn, &record, &mut sums)?;
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
}

/// What an account's rows add up to.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct AccountSums {
    ledger: Sum,
    fills: Sum,
    prevented: Sum,
    orders: Sum,
}

/// All accounts' sums, as the facts say.
#[derive(Default)]
struct Sums {
    accounts: BTreeMap<AccountId, AccountSums>,
    /// Where an account's orders met each other.
    prevented: BTreeMap<AccountId, BTreeSet<MarketId>>,
    /// How an account's orders became smaller.
    amended: BTreeMap<AccountId, BTreeMap<OrderId, Vec<u64>>>,
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

fn hash_of_fill(fill: &Fill) -> u64 {
    hash(|out| fill.put(out))
}

fn hash_of_amendment(a: &StoredAmendment) -> u64 {
    hash(|out| {
        (a.order, a.time).put(out);
        a.client_ids.iter().for_each(|name| name.put(out));
        a.lots.iter().for_each(|lots| lots.put(out));
    })
}

fn hash_of_order(order: &Order) -> u64 {
    hash(|out| order.put(out))
}

impl Rows for Sums {
    fn ledger(&mut self, row: &LedgerRow) -> Result<(), ToolError> {
        self.accounts.entry(row.account).or_default().ledger.chain(hash_of_row(row));
        Ok(())
    }

    fn fill(&mut self, fill: &StoredFill) -> Result<(), ToolError> {
        self.accounts.entry(fill.account).or_default().fills.add(hash_of_fill(&fill.fill));
        Ok(())
    }

    fn prevented(&mut self, row: &StoredPrevented) -> Result<(), ToolError> {
        self.accounts.entry(row.account).or_default().prevented.add(hash(|out| row.prevented.put(out)));
        self.prevented.entry(row.account).or_default().insert(row.prevented.units.market);
        Ok(())
    }

    fn amended(&mut self, row: &StoredAmendment) -> Result<(), ToolError> {
        let of_order = self.amended.entry(row.account).or_default().entry(row.order).or_default();
        of_order.push(hash_of_amendment(row));
        Ok(())
    }

    fn order(&mut self, before: Option<&StoredOrder>, after: &StoredOrder) -> Result<(), ToolError> {
        let orders = &mut self.accounts.entry(after.account).or_default().orders;
        if let Some(before) = before {
            orders.rows -= 1;
            orders.hash = orders.hash.wrapping_sub(hash_of_order(&before.order));
        }
        orders.add(hash_of_order(&after.order));
        Ok(())
    }
}

/// Goes through the store account by account.
fn compare_store(survey: &Survey, stored: &Stored, rows: &Fold, sums: Sums) -> Result<StoreCompared, ToolError> {
    let mut compared = StoreCompared { checkpoint: stored.checkpoint.lsn.0, ..StoreCompared::default() };
    let mut balances: BTreeMap<AccountId, Vec<xng_core::account::Balance>> = BTreeMap::new();
    for ((account, _, _), balance) in &rows.balances {
        balances.entry(*account).or_default().push(*balance);
    }
    for (account, expected) in sums.accounts {
        let mut found = AccountSums::default();
        stored.ledger(account).try_for_each(|row| row.map(|row| found.ledger.chain(hash_of_row(&row))))?;
        stored.fills(account).try_for_each(|fill| fill.map(|fill| found.fills.add(hash_of_fill(&fill.fill))))?;
        stored.orders(account).try_for_each(|order| order.map(|order| found.orders.add(hash_of_order(&order))))?;
        for market in sums.prevented.get(&account).into_iter().flatten() {
            let mut rows = stored.prevented(account, *market);
            rows.try_for_each(|row| row.map(|row| found.prevented.add(hash(|out| row.prevented.put(out)))))?;
        }
        let mut explained = true;
        for (order, expected) in sums.amended.get(&account).into_iter().flatten() {
            let there = stored.amendments(*order)?;
            compared.amendments += there.len() as u64;
            explained &= expected.ends_with(&there.iter().map(hash_of_amendment).collect::<Vec<u64>>());
        }
        let mut there = stored.balances(account)?;
        let mut wanted = balances.remove(&account).unwrap_or_default();
        there.sort_by_key(|b| (b.wallet, b.asset));
        wanted.sort_by_key(|b| (b.wallet, b.asset));
        if found != expected || there != wanted || !explained {
            // Row by row now, which names the first that differs.
            replay::history(survey, account, Some(stored), &mut replay::Silent)?;
            return Err(ToolError::Found(format!("the store's rows of account {account} differ from the journal's")));
        }
        compared.accounts += 1;
        compared.balances += there.len() as u64;
        compared.ledger += found.ledger.rows;
        compared.fills += found.fills.rows;
        compared.prevented += found.prevented.rows;
        compared.orders += found.orders.rows;
    }
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
    match (&c.store, c.store_not_compared) {
        (Some(s), _) => writeln!(
            out,
            "store      equal at {}: {} balances, {} orders, {} amendments, {} fills, {} prevented matches, {} ledger rows of \
             {} accounts",
            s.checkpoint, s.balances, s.orders, s.amendments, s.fills, s.prevented, s.ledger, s.accounts
        )?,
        (None, why) => writeln!(out, "store      not compared: {}", why.unwrap_or("there is none"))?,
    }
    writeln!(out, "no difference")?;
    Ok(())
}
