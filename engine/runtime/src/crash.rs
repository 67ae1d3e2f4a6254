//! The crash file: the commands in hand when an entity panicked, which are refused after the restart
//! (`docs/decisions.md "Fail stop"`).
//!
//! Owns: one line per crash: seconds since the epoch, hex of the entity's id, `system` or `caller`, the command, by tabs.
//! Never does: forget a line. An operator who has mended the cause removes it, and with it what it halts.
//! Invariants: a caller's command is refused for as long as its request key would be known; an entity that crashed
//! twice, or over a command of the exchange itself (which is refused too), is halted until its lines are removed.
//! Known limits: a crash during the fold at the start looks like any other; commands are compared by their description, so
//! that a build with another description takes the command once more, and a second crash halts its entity.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use xng_cell::{InHand, Refused};
use xng_core::codec::{Reader, Wire};
use xng_core::entity::Command;
use xng_core::ids::EntityId;

/// A command is refused this long; retries end well before.
const REFUSED_S: u64 = 24 * 3_600;

/// The file.
#[derive(Debug, Clone)]
pub struct CrashFile {
    path: PathBuf,
}

impl CrashFile {
    /// The file at `path`; it need not exist.
    #[must_use]
    pub fn new(path: PathBuf) -> CrashFile {
        CrashFile { path }
    }

    /// Adds the command in hand at `now_s`. The process stops right after, so errors are only told.
    pub fn record(&self, in_hand: Option<InHand>, now_s: u64) {
        let Some(InHand { entity, command, by_system }) = in_hand else { return };
        let mut id = Vec::new();
        entity.put(&mut id);
        let hex: String = id.iter().map(|b| format!("{b:02x}")).collect();
        let by = if by_system { "system" } else { "caller" };
        let written = OpenOptions::new().create(true).append(true).open(&self.path).and_then(|mut file: File| {
            writeln!(file, "{now_s}\t{hex}\t{by}\t{}", in_a_line(&command))?;
            file.sync_all()
        });
        tracing::error!(?entity, command, ?written, "an entity panicked; the process stops");
    }

    /// How often entities of each kind crashed, by the kind's number.
    pub fn crashes(&self) -> std::io::Result<[u64; Command::KIND_NUMBERS]> {
        let mut counted = [0; Command::KIND_NUMBERS];
        for crash in self.text()?.lines().filter_map(parse) {
            counted[crash.entity.kind()] += 1;
        }
        Ok(counted)
    }

    fn text(&self) -> std::io::Result<String> {
        match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        }
    }

    /// What is refused after earlier crashes, at `now_s`. Lines that do not read are told and passed over.
    pub fn read(&self, now_s: u64) -> std::io::Result<Refused> {
        let text = self.text()?;
        let mut refused = Refused::default();
        let mut crashes: BTreeMap<EntityId, u32> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let Some(crash) = parse(line) else {
                tracing::warn!(file = %self.path.display(), line, "a line of the crash file does not read");
                continue;
            };
            *crashes.entry(crash.entity).or_default() += if crash.by_system { 2 } else { 1 };
            if crash.by_system || crash.at_s + REFUSED_S > now_s {
                refused.commands.push(crash.command);
            }
        }
        refused.entities = crashes.into_iter().filter(|(_, n)| *n > 1).map(|(entity, _)| entity).collect();
        Ok(refused)
    }
}

/// A description as the file and the comparison have it.
fn in_a_line(command: &str) -> String {
    command.replace(['\n', '\r', '\t'], " ")
}

struct Crash {
    at_s: u64,
    entity: EntityId,
    by_system: bool,
    command: String,
}

fn parse(line: &str) -> Option<Crash> {
    let mut fields = line.splitn(4, '\t');
    let at_s = fields.next()?.parse().ok()?;
    let hex = fields.next()?;
    let by_system = fields.next()? == "system";
    let command = fields.next()?.to_owned();
    let bytes: Option<Vec<u8>> = (0..hex.len())
        .step_by(2)
        .map(|at| hex.get(at..at + 2).and_then(|byte| u8::from_str_radix(byte, 16).ok()))
        .collect();
    let entity = EntityId::get(&mut Reader::new(&bytes?)).ok()?;
    Some(Crash { at_s, entity, by_system, command })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::{AccountId, MarketId};

    fn in_hand(entity: EntityId, command: &str, by_system: bool) -> Option<InHand> {
        Some(InHand { entity, command: command.into(), by_system })
    }

    #[test]
    fn a_callers_command_is_refused_for_a_day_and_its_entity_halted_after_two_crashes() {
        let folder = tempfile::tempdir().unwrap();
        let file = CrashFile::new(folder.path().join("crashes.tsv"));
        assert_eq!(file.read(0).unwrap(), Refused::default());
        let account = EntityId::Account(AccountId(100_001));
        file.record(in_hand(account, "one", false), 1_000);
        let once = file.read(2_000).unwrap();
        assert_eq!((once.commands, once.entities), (vec!["one".to_owned()], vec![]));
        assert_eq!(file.read(1_000 + REFUSED_S).unwrap(), Refused::default(), "another order like it may come");
        file.record(in_hand(account, "another\nline", false), 3_000);
        let twice = file.read(4_000).unwrap();
        assert_eq!((&*twice.commands[1], twice.entities), ("another line", vec![account]));
        assert_eq!(file.crashes().unwrap()[account.kind()], 2);
    }

    #[test]
    fn a_crash_over_the_exchanges_own_command_halts_the_entity_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = CrashFile::new(folder.path().join("crashes.tsv"));
        let market = EntityId::Market(MarketId(7));
        file.record(in_hand(market, "Market(MarketId(7), Timer)", true), 1_000);
        assert_eq!(file.read(1_000 + 2 * REFUSED_S).unwrap().entities, [market]);
    }
}
