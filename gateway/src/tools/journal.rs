//! `exchange journal verify | stat | dump`.
//!
//! Owns: the three looks. Never does: write; fold records that are not durable. Invariants: every block and record
//! is looked at, or the one that stops it is named. Known limits: a dump is in the order of the journal; it is not
//! sorted by user.

use super::data_folder::{restored, snapshots, survey};
use super::error::ToolError;
use crate::config::Config;
use crate::observe::render;
use crate::startup::cell::PlainWorld;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use xng_cell::World;
use xng_core::ids::{AccountId, EntityId};
use xng_core::journal::Lsn;
use xng_core::record::{CellFact, Fact, Record};
use xng_persistence::journal::survey::{Place, SegmentReport, Survey};

/// Ways to look at the journal.
#[derive(Debug, clap::Subcommand)]
pub enum Look {
    /// Check every block of archive and live segments, decode and fold every record
    ///
    /// Checksums, chain of hashes, LSNs without a gap; records read; digests match the folded state. Ends with 1 and
    /// names file and byte where something is wrong.
    Verify {
        /// One JSON object instead of lines for people.
        #[arg(long)]
        json: bool,
    },
    /// Count segments, bytes, records by kind, time, LSNs, epochs
    Stat {
        /// One JSON object instead of lines for people.
        #[arg(long)]
        json: bool,
    },
    /// Print records, one JSON object a line; amounts are decimal texts
    Dump(Filter),
}

/// Which records.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only what names this account.
    #[arg(long)]
    user: Option<u64>,
    /// From this LSN on.
    #[arg(long)]
    from: Option<u64>,
    /// Up to this LSN.
    #[arg(long)]
    to: Option<u64>,
    /// Only facts of this name, such as OrderPlaced.
    #[arg(long)]
    kind: Option<String>,
}

impl Look {
    pub(super) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
        let data = &config.server.data_dir;
        let survey = survey(data)?;
        match self {
            Look::Verify { json } => verify(data, &survey, *json, out),
            Look::Stat { json } => stat(&survey, *json, out),
            Look::Dump(filter) => filter.dump(&survey, out),
        }
    }
}

/// Where the fold of what is kept may begin: at the first record, or at the oldest snapshot that reaches what is kept.
fn start(data: &Path, oldest: Lsn) -> Result<Option<PlainWorld>, ToolError> {
    if oldest == Lsn(1) {
        return Ok(Some(World::default()));
    }
    let store = snapshots(data)?;
    let usable = store.valid()?.filter(|snapshot| snapshot.lsn().next() >= oldest).last();
    usable.map(|snapshot| restored(&snapshot)).transpose()
}

fn verify(data: &Path, survey: &Survey, as_json: bool, out: &mut dyn Write) -> Result<(), ToolError> {
    let (oldest, _) = survey.range()?;
    let mut world = start(data, oldest)?;
    let folded_after = world.as_ref().map(World::lsn);
    let (mut digests, mut last) = (0_u64, Lsn(oldest.0 - 1));
    let reports = survey.walk(|place, batch| {
        for (lsn, bytes) in batch.records() {
            let digest = read(place, lsn, bytes, world.as_mut())?;
            digests += u64::from(digest);
            last = lsn;
        }
        Ok::<(), ToolError>(())
    })?;
    let state = world.as_mut().map(|world| format!("{:016x}", world.state_hash()));
    let records = last.0 + 1 - oldest.0;
    if as_json {
        let segments: Vec<_> = reports.iter().map(segment_json).collect();
        let answer = json!({ "segments": segments, "oldest": oldest.0, "last": last.0, "records": records,
            "folded_after": folded_after.map(|lsn| lsn.0), "digests": digests, "state": state, "live": survey.is_written() });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    for report in &reports {
        writeln!(out, "{}", segment_line(report))?;
    }
    writeln!(
        out,
        "{} segments, records {oldest} to {last} ({records}), all blocks and records are whole",
        reports.len()
    )?;
    match (folded_after, state) {
        (Some(after), Some(state)) => {
            writeln!(out, "folded from {}: {digests} digests match, the state at {last} is {state}", after.next())?;
        }
        _ => writeln!(out, "digests were not checked: no snapshot reaches back to record {oldest}")?,
    }
    Ok(())
}

/// Reads one record, and folds it when the world is there; true when it was a digest that matches.
fn read(place: &Place<'_>, lsn: Lsn, bytes: &[u8], world: Option<&mut PlainWorld>) -> Result<bool, ToolError> {
    let Place { file, byte } = place;
    let wrong = |why: String| ToolError::Found(format!("{file}, block at byte {byte}: {why}"));
    match world {
        Some(world) if world.lsn().next() == lsn => {
            let record = world.fold(lsn, bytes).map_err(|error| wrong(error.to_string()))?;
            Ok(matches!(record.fact, Fact::Cell(CellFact::Digest(_))))
        }
        Some(_) | None => {
            Record::decode(bytes).map_err(|error| wrong(format!("record {lsn} cannot be read: {error}")))?;
            Ok(false)
        }
    }
}

fn segment_line(r: &SegmentReport) -> String {
    let place = if r.archived { "archived" } else { "live" };
    let last = r.next.0 - 1;
    let (from, to) = r.epochs;
    format!(
        "{}  {place}, records {} to {last} ({}), {} blocks, {} bytes used, {} on disk, epochs {from} to {to}",
        r.file, r.first, r.records, r.blocks, r.used_bytes, r.file_bytes
    )
}

fn segment_json(r: &SegmentReport) -> serde_json::Value {
    json!({ "file": r.file, "number": r.number, "archived": r.archived, "first": r.first.0, "last": r.next.0 - 1,
        "records": r.records, "blocks": r.blocks, "used_bytes": r.used_bytes, "file_bytes": r.file_bytes,
        "starts": r.opens, "epochs": [r.epochs.0, r.epochs.1] })
}

/// Records of one kind.
#[derive(Default)]
struct FactKindStats {
    records: u64,
    bytes: u64,
}

fn stat(survey: &Survey, as_json: bool, out: &mut dyn Write) -> Result<(), ToolError> {
    let mut kinds: BTreeMap<&'static str, FactKindStats> = BTreeMap::new();
    let (mut first_time, mut last_time) = (None, 0);
    let reports = survey.walk(|place, batch| {
        for (lsn, bytes) in batch.records() {
            let record = Record::decode(bytes).map_err(|error| {
                let Place { file, byte } = place;
                ToolError::Found(format!("{file}, block at byte {byte}: record {lsn} cannot be read: {error}"))
            })?;
            let kind = kinds.entry(record.fact.name()).or_default();
            kind.records += 1;
            kind.bytes += bytes.len() as u64;
            first_time.get_or_insert(record.time);
            last_time = record.time;
        }
        Ok::<(), ToolError>(())
    })?;
    let starts: u64 = reports.iter().map(|r| r.opens).sum();
    let (archived, live) = reports.iter().partition::<Vec<_>, _>(|r| r.archived);
    let bytes = |of: &[&SegmentReport]| of.iter().map(|r| r.file_bytes).sum::<u64>();
    let range = reports.first().zip(reports.last()).map(|(a, b)| (a.first.0, b.next.0 - 1));
    let epochs = reports.first().zip(reports.last()).map(|(a, b)| (a.epochs.0, b.epochs.1));
    let span = first_time.map(|first| (render::time(first), render::time(last_time)));
    if as_json {
        let kinds: BTreeMap<_, _> =
            kinds.iter().map(|(name, k)| (name, json!({ "records": k.records, "bytes": k.bytes }))).collect();
        let answer = json!({ "archived": archived.len(), "archived_bytes": bytes(&archived), "live": live.len(),
            "live_bytes": bytes(&live), "lsn": range, "epochs": epochs, "starts": starts, "time": span, "kinds": kinds });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    writeln!(
        out,
        "segments  {} archived ({} bytes), {} live ({} bytes)",
        archived.len(),
        bytes(&archived),
        live.len(),
        bytes(&live)
    )?;
    if let (Some((first, last)), Some((from, to))) = (range, epochs) {
        writeln!(out, "records   {first} to {last}, epochs {from} to {to}, {starts} starts")?;
    }
    if let Some((first, last)) = span {
        writeln!(out, "time      {first} to {last}")?;
    }
    for (name, kind) in &kinds {
        writeln!(out, "{name:<20} {:>12} records {:>14} bytes", kind.records, kind.bytes)?;
    }
    Ok(())
}

impl Filter {
    fn dump(&self, survey: &Survey, out: &mut dyn Write) -> Result<(), ToolError> {
        let known: Vec<&str> = Fact::names().collect();
        if let Some(kind) = self.kind.as_deref().filter(|kind| !known.contains(kind)) {
            return Err(ToolError::Refused(format!("there is no fact {kind}; there are {}", known.join(", "))));
        }
        let (oldest, durable) = survey.range()?;
        let to = Lsn(self.to.unwrap_or(u64::MAX)).min(durable);
        let from = self.from.map_or(oldest, Lsn);
        if from > to {
            return Ok(());
        }
        let mut reader = survey.reader(from)?;
        while let Some(batch) = reader.next_batch(to)? {
            for (lsn, bytes) in batch.records() {
                let record = Record::decode(bytes)
                    .map_err(|error| ToolError::Found(format!("record {lsn} cannot be read: {error}")))?;
                if self.lets_through(&record) {
                    writeln!(out, "{}", render::line(lsn, &record))?;
                }
            }
        }
        Ok(())
    }

    fn lets_through(&self, record: &Record) -> bool {
        if self.kind.as_deref().is_some_and(|kind| kind != record.fact.name()) {
            return false;
        }
        let Some(user) = self.user.map(AccountId) else { return true };
        let mut named = false;
        record.fact.parties(record.decider, |entity, _| named |= entity == EntityId::Account(user));
        named
    }
}
