//! Wallets as rows: what is in them, and the movements that led there.
//!
//! Owns: the tables `ledger` and `balances`, which every record's postings make, as they do rows of `daily_flows.rs`. Never does: know
//! a product.
//! Invariants: a movement's row says what was in the wallet afterwards; rows are numbered in the order of the journal,
//! without gaps. Known limits: one cell a store; a second one's ledger rows would have the first one's numbers, and be
//! refused.

use std::{
    collections::BTreeMap,
    ops::{Deref, DerefMut},
};

use xng_core::{
    account::Balance,
    entity::TimeNs,
    ids::{AccountId, AssetId, Wallet},
    journal::Lsn,
    money::Amount,
    record::{LogType, Posting, Record},
};

use super::{
    daily_flows::{ALL_USERS, DailyFlow, FlowKey},
    table::{Kept, Place, StoredRow, TableBatch, WrittenRow, tables},
};
use crate::store::{
    SqlStore, StoreError, amount,
    sql::{Columns, Fields, Filter, Query, Row, Statement, Table, TableRows, Transaction},
};

/// Names a wallet of one asset.
pub type BalanceKey = (AccountId, Wallet, AssetId);

tables! {
    /// What a batch changes of wallets.
    rows {
        /// Movements, in order.
        ledger: Ledger,
        /// Wallets that changed, as they are now.
        balances: BTreeMap<BalanceKey, StoredBalance>,
        /// Totals of days that changed, as they are now.
        daily: BTreeMap<FlowKey, DailyFlow>,
    }
    remembered { balances: StoredBalance, daily: DailyFlow }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, record: &Record) {
        record.fact.all_postings(record.decider, |p| {
            self.balances.changed((p.account, p.wallet, p.asset));
            if let Some(key) = FlowKey::of(record, &p) {
                self.daily.changed(key);
            }
        });
    }
}

impl Known {
    pub(in crate::store) fn fold(&mut self, lsn: Lsn, record: &Record, rows: &mut Rows) {
        record.fact.all_postings(record.decider, |p| {
            if let Some(key) = FlowKey::of(record, &p) {
                self.daily.change_or_add(DailyFlow::none(key), &mut rows.daily, |row| row.add(&p));
            }
            let after = self.balances.change_or_add(StoredBalance::empty(&p), &mut rows.balances, |row| {
                row.balance.available += p.available;
                row.balance.locked += p.locked;
                row.balance
            });
            rows.ledger.push(LedgerRow {
                id: 0,
                account: p.account,
                wallet: p.wallet,
                asset: p.asset,
                log: p.log,
                available: p.available,
                locked: p.locked,
                available_after: after.available,
                locked_after: after.locked,
                reference: p.reference,
                time: record.time,
                lsn,
            });
        });
    }
}

/// A balance and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBalance {
    /// Whose.
    pub account: AccountId,
    /// The balance.
    pub balance: Balance,
}

impl StoredBalance {
    fn empty(p: &Posting) -> Self {
        let balance = Balance { wallet: p.wallet, asset: p.asset, available: Amount::ZERO, locked: Amount::ZERO };
        Self { account: p.account, balance }
    }
}

impl StoredRow for StoredBalance {
    const TABLE: &'static Table = &Table {
        name: "balances",
        reading: "read balances",
        key: &["account", "wallet", "asset"],
        columns: &["account", "wallet", "asset", "available_whole", "available_frac", "locked_whole", "locked_frac"],
        replaced: &["available_whole", "available_frac", "locked_whole", "locked_frac"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let balance = Balance {
            wallet: f.variant("wallet", Wallet::ALL, |w| w as u8)?,
            asset: AssetId(f.small("asset")?),
            available: f.amount("available_whole", "available_frac")?,
            locked: f.amount("locked_whole", "locked_frac")?,
        };
        Ok(Self { account: AccountId(f.id("account")?), balance })
    }
}

impl WrittenRow for StoredBalance {
    fn put(&self, c: &mut Columns) {
        let b = &self.balance;
        c.id(self.account.0).int(b.wallet as u8).int(b.asset.0).amount(b.available).amount(b.locked);
    }
}

impl Kept for StoredBalance {
    type Key = BalanceKey;

    fn key(&self) -> BalanceKey {
        (self.account, self.balance.wallet, self.balance.asset)
    }

    fn numbers((account, wallet, asset): BalanceKey) -> impl IntoIterator<Item = i64> {
        [account.0.cast_signed(), wallet as i64, i64::from(asset.0)]
    }

    fn is_done(&self) -> bool {
        false
    }
}

impl SqlStore {
    /// All balances of an account, by wallet and asset.
    ///
    /// # Errors
    /// When the database does not answer, or with a row that this build cannot read.
    pub async fn balances_of(&self, account: AccountId) -> Result<Vec<Balance>, StoreError> {
        let query = Statement::new("SELECT * FROM balances WHERE account = ? ORDER BY wallet, asset");
        let rows: Vec<StoredBalance> = self.select(query.with(account.0.cast_signed())).await?;
        Ok(rows.into_iter().map(|row| row.balance).collect())
    }

    /// What users have together ([`ALL_USERS`]), the house's desks together ([`AccountId::HOUSE`]) and each other account of the
    /// exchange, by asset. It reads all balances.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn balance_sheet(&self) -> Result<Vec<(AccountId, AssetId, Amount)>, StoreError> {
        let (house, last) = (AccountId::HOUSE.0.cast_signed(), AccountId::LAST_DESK.0.cast_signed());
        let query = Statement::new(
            "SELECT CASE WHEN account < ? THEN account WHEN account <= ? THEN ? ELSE ? END AS whose, asset, \
             CAST(sum(available_whole + locked_whole) AS BIGINT), CAST(sum(available_frac + locked_frac) AS BIGINT) \
             FROM balances GROUP BY 1, 2 ORDER BY 1, 2",
        );
        let query = query.with(house).with(last).with(house).with(ALL_USERS.0.cast_signed());
        let rows = self.database.read("add up balances", query).await?;
        let sums = |row: &Row| -> Result<(AccountId, AssetId, Amount), StoreError> {
            let asset = AssetId(u32::try_from(row.number(1)?).unwrap_or(u32::MAX));
            let account = AccountId(row.number(0)?.cast_unsigned());
            Ok((account, asset, amount::join(row.number(2)?, row.number(3)?)))
        };
        rows.iter().map(sums).collect()
    }
}

/// One movement in one wallet, as it is shown in `/wallet/legal_log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Position in the ledger; 0 until it was written.
    pub id: u64,
    /// Whose.
    pub account: AccountId,
    /// Which wallet.
    pub wallet: Wallet,
    /// Which asset.
    pub asset: AssetId,
    /// What kind of movement.
    pub log: LogType,
    /// Change of what can be used.
    pub available: Amount,
    /// Change of what is set aside.
    pub locked: Amount,
    /// What could be used afterwards.
    pub available_after: Amount,
    /// What was set aside afterwards.
    pub locked_after: Amount,
    /// Order id or other reference; 0 when there is none.
    pub reference: u64,
    /// When.
    pub time: TimeNs,
    /// The record that says so.
    pub lsn: Lsn,
}

impl LedgerRow {
    /// The row's value: the change of the wallet's total; for money that is only set aside or given back, the change of
    /// what can be used.
    #[must_use]
    pub fn value(&self) -> Amount {
        if self.is_freeze() { self.available } else { self.available + self.locked }
    }

    /// What [`Self::value`] made of [`Self::before`].
    #[must_use]
    pub fn after(&self) -> Amount {
        if self.is_freeze() { self.available_after } else { self.available_after + self.locked_after }
    }

    /// What there was before.
    #[must_use]
    pub fn before(&self) -> Amount {
        self.after() - self.value()
    }

    fn is_freeze(&self) -> bool {
        (self.available + self.locked).is_zero()
    }
}

/// Movements of a batch, not numbered yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger(pub Vec<LedgerRow>);

impl Deref for Ledger {
    type Target = Vec<LedgerRow>;

    fn deref(&self) -> &Vec<LedgerRow> {
        &self.0
    }
}

impl DerefMut for Ledger {
    fn deref_mut(&mut self) -> &mut Vec<LedgerRow> {
        &mut self.0
    }
}

impl TableBatch for Ledger {
    const TABLE: &'static Table = LedgerRow::TABLE;

    fn count(&self) -> usize {
        self.len()
    }

    async fn write(&self, transaction: &mut Transaction<'_>, place: Place) -> Result<(), sqlx::Error> {
        let numbered = (place.ledger + 1..).zip(&self.0);
        let rows = TableRows::of(Self::TABLE, numbered, |c, (id, row)| row.put_as(id, place.cell, c));
        transaction.append(rows).await
    }

    fn follow(&mut self, next: &Self) {
        self.extend_from_slice(next);
    }
}

impl StoredRow for LedgerRow {
    const TABLE: &'static Table = &Table {
        name: "ledger",
        reading: "read the ledger",
        key: &["id"],
        columns: &[
            "id",
            "account",
            "wallet",
            "asset",
            "log",
            "available_whole",
            "available_frac",
            "locked_whole",
            "locked_frac",
            "available_after_whole",
            "available_after_frac",
            "locked_after_whole",
            "locked_after_frac",
            "reference",
            "time_ns",
            "cell",
            "lsn",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        Ok(LedgerRow {
            id: f.id("id")?,
            account: AccountId(f.id("account")?),
            wallet: f.variant("wallet", Wallet::ALL, |w| w as u8)?,
            asset: AssetId(f.small("asset")?),
            log: LogType(f.small("log")?),
            available: f.amount("available_whole", "available_frac")?,
            locked: f.amount("locked_whole", "locked_frac")?,
            available_after: f.amount("available_after_whole", "available_after_frac")?,
            locked_after: f.amount("locked_after_whole", "locked_after_frac")?,
            reference: f.id("reference")?,
            time: f.id("time_ns")?,
            lsn: Lsn(f.id("lsn")?),
        })
    }
}

impl LedgerRow {
    fn put_as(&self, id: u64, cell: u32, c: &mut Columns) {
        c.id(id).id(self.account.0).int(self.wallet as u8).int(self.asset.0).int(self.log.0);
        c.amount(self.available).amount(self.locked).amount(self.available_after).amount(self.locked_after);
        c.id(self.reference).id(self.time).int(cell).id(self.lsn.0);
    }
}

/// Which ledger rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Whose.
    pub account: AccountId,
    /// Of these wallets only; empty: of any.
    pub wallets: Vec<Wallet>,
    /// Of one asset only.
    pub asset: Option<AssetId>,
    /// Of these kinds only; empty: of any.
    pub logs: Vec<LogType>,
    /// Of none of these kinds.
    pub except: Vec<LogType>,
}

impl LedgerFilter {
    /// All rows of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, wallets: Vec::new(), asset: None, logs: Vec::new(), except: Vec::new() }
    }
}

impl Filter for LedgerFilter {
    type Row = LedgerRow;
    type Cursor = u64;
    const ORDER: &'static [&'static str] = &["id"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        query.among("wallet", self.wallets.iter().map(|wallet| i64::from(*wallet as u8)));
        query.only("asset", self.asset.map(|asset| asset.0));
        query.among("log", self.logs.iter().map(|log| i64::from(log.0)));
        for log in &self.except {
            query.and().push("log <> ").bind(i64::from(log.0));
        }
    }

    fn cursor(row: &LedgerRow) -> u64 {
        row.id
    }

    fn place(cursor: u64) -> Vec<u64> {
        vec![cursor]
    }
}
