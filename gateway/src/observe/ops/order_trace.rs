//! The way of an order, joined of what the parts noted of it.
//!
//! Owns: the joining. Never does: note anything (`observe/order_trace.rs` has the gateway's rings); slow the path: it reads
//! the journal, so it is called on a thread of its own. Invariants: stages come in the order of the path; what a ring no longer holds is
//! left out, never guessed. Known limits: a record is found by position or through its call, so of older orders the facts
//! are in the journal alone (`exchange trace`).

use crate::common::time::now_ns;
use crate::observe::metrics::scrape::Figures;
use crate::observe::order_trace::Passed;
use crate::observe::render::line;
use serde::Serialize;
use serde_json::value::RawValue;
use std::time::{Duration, Instant};
use xng_core::account::order_effects::concerns;
use xng_core::entity::TimeNs;
use xng_core::ids::OrderId;
use xng_core::journal::Lsn;
use xng_core::record::Record;
use xng_persistence::journal::JournalError;

/// Records that are looked at for one order at most.
const SEARCHED: u64 = 100_000;

/// One stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Stage {
    /// Its permanent name.
    pub stage: &'static str,
    /// When, on the exchange's clock.
    pub at_ns: TimeNs,
    /// What there is to say of it.
    pub detail: String,
}

/// What is known of an order's way.
#[derive(Debug, Serialize)]
pub(super) struct Traced {
    /// The order.
    pub order: u64,
    /// The record that placed it, or the one that was asked for.
    pub lsn: Option<u64>,
    /// That record.
    pub record: Option<Box<RawValue>>,
    /// Its stages, in the order of the path.
    pub stages: Vec<Stage>,
}

/// Reads records `from` to `to` until `fits`.
fn find(
    figures: &Figures,
    (from, to): (Lsn, Lsn),
    fits: impl Fn(Lsn, &Record) -> bool,
) -> Result<Option<(Lsn, Record)>, JournalError> {
    let mut follower = figures.journal.follower(from)?;
    while follower.next_lsn() <= to {
        let Some(batch) = follower.next_batch(Duration::ZERO)? else { return Ok(None) };
        for (lsn, bytes) in batch.records() {
            // One that does not read stops whoever follows; it is not for here to say so.
            let Ok(record) = Record::decode(bytes) else { return Ok(None) };
            if fits(lsn, &record) {
                return Ok(Some((lsn, record)));
            }
        }
    }
    Ok(None)
}

/// The record that placed an order whose call is known: in one of the groups that became durable during the call.
fn placed(figures: &Figures, passed: &Passed) -> Result<Option<(Lsn, Record)>, JournalError> {
    let groups = &figures.journal.metrics().groups;
    let Some(first) = groups.first(|group| group.at >= passed.handed) else { return Ok(None) };
    // The answer came after its group; the group's own note may be later by the time that a push takes.
    let last = groups.first(|group| group.at >= passed.answered).map_or(figures.journal.durable(), |group| group.last);
    let to = last.min(Lsn(first.first.0 + SEARCHED));
    find(figures, (first.first, to), |_, record| record.time == passed.decided && concerns(record, passed.order))
}

/// Instants on the exchange's clock, all measured from one look at it, so that they keep their order.
fn clock() -> impl Fn(Instant) -> TimeNs {
    let (now, here) = (now_ns(), Instant::now());
    move |at| {
        let ago = u64::try_from(here.saturating_duration_since(at).as_nanos()).unwrap_or(u64::MAX);
        now.saturating_sub(ago)
    }
}

/// Joins what the parts know of an order; `known` is the position of a record of it, when the caller has it.
/// Reads the journal, so not for a thread that serves.
///
/// # Errors
/// When the journal cannot be read.
pub(super) fn trace(figures: &Figures, order: OrderId, known: Option<Lsn>) -> Result<Traced, JournalError> {
    let trail = &figures.shared.health.trail;
    let passed = trail.orders.newest(|passed| passed.order == order);
    let found = match (known, &passed) {
        (Some(lsn), _) if lsn <= figures.journal.durable() => {
            find(figures, (lsn, lsn), |_, record| concerns(record, order))?
        }
        (None, Some(passed)) => placed(figures, passed)?,
        (Some(_), _) | (None, None) => None,
    };
    // Another record of the same order is not the one that its call brought about.
    let passed = passed.filter(|p| found.as_ref().is_none_or(|(_, record)| record.time == p.decided));
    let (mut stages, clock) = (Vec::new(), clock());
    let mut stage = |stage, at_ns, detail: String| stages.push(Stage { stage, at_ns, detail });
    if let Some(p) = &passed {
        stage("received", clock(p.received), "the request was read".into());
        stage("handed", clock(p.handed), "the command was handed to the cell".into());
        if found.is_none() {
            stage("decided", p.decided, "the market decided".into());
        }
    }
    if let Some((lsn, record)) = &found {
        stage("decided", record.time, format!("record {lsn}, {}", record.fact.name()));
        if let Some(group) = figures.journal.metrics().groups.first(|group| group.last >= *lsn) {
            let (count, micros) = (group.last.0 - group.first.0 + 1, group.sync_micros);
            let detail = format!("group {} to {} ({count} records), sync {micros} µs", group.first, group.last);
            stage("durable", clock(group.at), detail);
        }
    }
    if let Some(p) = &passed {
        stage("answered", clock(p.answered), "the gate let the answer go, the call has it".into());
        stage("replied", clock(p.replied), "the call has answered; what remains is to write it".into());
    }
    if let Some((lsn, _)) = &found {
        if let Some((_, at)) = trail.published.first(|(upto, _)| upto >= lsn) {
            stage("published", clock(at), "trades and best prices are with the sockets' queues".into());
        }
        if let Some((_, at)) = trail.rounds.first(|(upto, _)| upto >= lsn) {
            stage("book_published", clock(at), "the book's change is with the sockets' queues".into());
        }
        if let Some(batch) = figures.persister.metrics().written.first(|batch| batch.to >= *lsn) {
            let micros = batch.took.as_micros();
            let detail = format!("batch up to {} ({} rows) in {micros} µs", batch.to, batch.rows);
            stage("stored", clock(batch.at), detail);
        }
    }
    let lsn = found.as_ref().map(|(lsn, _)| lsn.0);
    let record = found.and_then(|(lsn, record)| RawValue::from_string(line(lsn, &record)).ok());
    Ok(Traced { order: order.0, lsn, record, stages })
}
