//! `exchange replay`: one user's life from the facts, and whether the store tells the same.
//!
//! Owns: the balances of one account, record by record. Never does: write. Invariants: the first row that differs
//! from the store ends it and is named. Known limits: reads the whole journal for one user.

use super::data_folder::survey;
use super::error::ToolError;
use super::rows::{Fold, Rows};
use super::stored::Stored;
use crate::config::Config;
use crate::observe::render;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::io::Write;
use xng_core::account::{Balance, Order};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, MarketId, OrderId, PreventedId};
use xng_core::journal::Lsn;
use xng_core::record::Record;
use xng_core::spot::prevention::PreventedMatch;
use xng_persistence::journal::survey::Survey;
use xng_persistence::store::{LedgerRow, StoredAmendment, StoredFill, StoredOrder, StoredPrevented};

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
    fills: u64,
    orders: u64,
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
        let Equal { ledger, fills, orders, balances } = equal;
        let words = format!(
            "the store at {lsn} equals the journal: {ledger} ledger rows, {fills} fills, {orders} orders, {balances} balances"
        );
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
    let mut telling = Telling { shown, comparing: stored.map(|stored| Comparing::new(stored, account)) };
    let (mut fold, mut equal) = (Fold::of(account), None);
    let mut reader = survey.reader(Lsn(1))?;
    while let Some(batch) = reader.next_batch(last)? {
        for (lsn, bytes) in batch.records() {
            let record = Record::decode(bytes)
                .map_err(|error| ToolError::Found(format!("record {lsn} cannot be read: {error}")))?;
            fold.read(lsn, &record, &mut telling)?;
            if Some(lsn) == at {
                equal = telling.comparing.take().map(|comparing| comparing.end(&fold)).transpose()?;
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

struct Telling<'a> {
    shown: &'a mut dyn Teller,
    comparing: Option<Comparing<'a>>,
}

impl Rows for Telling<'_> {
    fn ledger(&mut self, row: &LedgerRow) -> Result<(), ToolError> {
        self.shown.ledger(row)?;
        let Some(c) = &mut self.comparing else { return Ok(()) };
        c.equal.ledger += 1;
        same("ledger row", row.lsn, c.ledger.next(), row)
    }

    fn fill(&mut self, fill: &StoredFill) -> Result<(), ToolError> {
        let Some(c) = &mut self.comparing else { return Ok(()) };
        c.equal.fills += 1;
        same("fill", fill.fill.trade, c.fills.next(), fill)
    }

    fn prevented(&mut self, row: &StoredPrevented) -> Result<(), ToolError> {
        if let Some(c) = &mut self.comparing {
            c.prevented.insert((row.prevented.units.market, row.prevented.id), row.prevented);
        }
        Ok(())
    }

    fn amended(&mut self, row: &StoredAmendment) -> Result<(), ToolError> {
        if let Some(c) = &mut self.comparing {
            c.amendments.entry(row.order).or_default().push(*row);
        }
        Ok(())
    }

    fn order(&mut self, _before: Option<&StoredOrder>, after: &StoredOrder) -> Result<(), ToolError> {
        if let Some(c) = &mut self.comparing {
            c.orders.insert((after.order.created, after.order.order), after.order);
        }
        Ok(())
    }
}

/// The store's rows of one account, walked along.
struct Comparing<'a> {
    stored: &'a Stored,
    account: AccountId,
    ledger: Box<dyn Iterator<Item = Result<LedgerRow, ToolError>> + 'a>,
    fills: Box<dyn Iterator<Item = Result<StoredFill, ToolError>> + 'a>,
    orders: BTreeMap<(TimeNs, OrderId), Order>,
    prevented: BTreeMap<(MarketId, PreventedId), PreventedMatch>,
    amendments: BTreeMap<OrderId, Vec<StoredAmendment>>,
    equal: Equal,
}

impl<'a> Comparing<'a> {
    fn new(stored: &'a Stored, account: AccountId) -> Comparing<'a> {
        Comparing {
            stored,
            account,
            ledger: Box::new(stored.ledger(account)),
            fills: Box::new(stored.fills(account)),
            orders: BTreeMap::new(),
            prevented: BTreeMap::new(),
            amendments: BTreeMap::new(),
            equal: Equal::default(),
        }
    }

    /// At the store's checkpoint: nothing may be left over, and orders and balances are as they are now.
    fn end(mut self, fold: &Fold) -> Result<Equal, ToolError> {
        let account = self.account;
        let extra = |what: &str, row: String| {
            Err(ToolError::Found(format!("the store has a {what} of account {account} that no record explains: {row}")))
        };
        if let Some(row) = self.ledger.next().transpose()? {
            return extra("ledger row", format!("{row:?}"));
        }
        if let Some(fill) = self.fills.next().transpose()? {
            return extra("fill", format!("{fill:?}"));
        }
        let mut stored = self.stored.orders(account);
        for order in self.orders.values() {
            self.equal.orders += 1;
            same("order", order.order, stored.next(), order)?;
        }
        if let Some(order) = stored.next().transpose()? {
            return extra("order", format!("{order:?}"));
        }
        let markets: BTreeSet<MarketId> = self.prevented.keys().map(|(market, _)| *market).collect();
        let mut stored = markets.into_iter().flat_map(|market| self.stored.prevented(account, market));
        for prevented in self.prevented.values() {
            let found = stored.next().map(|row| row.map(|row| row.prevented));
            same("prevented match", prevented.id, found, prevented)?;
        }
        if let Some(row) = stored.next().transpose()? {
            return extra("prevented match", format!("{row:?}"));
        }
        for (order, amendments) in &self.amendments {
            let stored = self.stored.amendments(*order)?;
            if !amendments.ends_with(&stored) {
                let text =
                    format!("order {order}: the store has the amendments {stored:?}, the journal {amendments:?}");
                return Err(ToolError::Found(text));
            }
        }
        let mut there = self.stored.balances(account)?.into_iter();
        for balance in fold.balances.values() {
            self.equal.balances += 1;
            same("balance", format!("{} {}", balance.wallet.name(), balance.asset), there.next().map(Ok), balance)?;
        }
        there.next().map_or(Ok(self.equal), |row: Balance| extra("balance", format!("{row:?}")))
    }
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
    /// Balances and open orders at the end.
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
        let open: BTreeMap<OrderId, &StoredOrder> = fold.open.iter().map(|(id, stored)| (*id, stored)).collect();
        for (id, StoredOrder { order, .. }) in open {
            let (side, market) = (format!("{:?}", order.side), order.units.market);
            let (price, amount) = (order.units.price(order.ticks), order.units.base_amount(order.open));
            if self.json {
                let line = json!({ "order": id.0, "market": market.0, "side": side, "price": price.to_string(),
                    "open": amount.to_string(), "created": render::time(order.created) });
                writeln!(self.out, "{line}")?;
            } else {
                writeln!(self.out, "open order {id}: {side} {amount} at {price} on market {market}")?;
            }
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
