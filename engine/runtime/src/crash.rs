//! The crash file: what was in hand when an entity panicked, refused after the restart
//! (`design/architecture.md` rule 8).

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use xng_cell::Refused;
use xng_core::codec::{Reader, Wire};
use xng_core::ids::EntityId;

/// One line a crash: hex of the entity's id, a tab, the command.
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

    /// Adds the command in hand. The process stops right after, so errors are only told.
    pub fn record(&self, in_hand: Option<(EntityId, String)>) {
        let Some((entity, command)) = in_hand else { return };
        let mut id = Vec::new();
        entity.put(&mut id);
        let hex: String = id.iter().map(|b| format!("{b:02x}")).collect();
        let written = OpenOptions::new().create(true).append(true).open(&self.path).and_then(|mut file: File| {
            writeln!(file, "{hex}\t{}", command.replace(['\n', '\r'], " "))?;
            file.sync_all()
        });
        tracing::error!(?entity, command, ?written, "an entity panicked; the process stops");
    }

    /// What is refused after earlier crashes: each command once seen, and entities that crashed twice.
    pub fn read(&self) -> std::io::Result<Refused> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Refused::default()),
            Err(error) => return Err(error),
        };
        let mut refused = Refused::default();
        let mut crashes: BTreeMap<EntityId, u32> = BTreeMap::new();
        for (hex, command) in text.lines().filter_map(|line| line.split_once('\t')) {
            refused.commands.push(command.to_owned());
            let bytes: Option<Vec<u8>> = (0..hex.len())
                .step_by(2)
                .map(|at| hex.get(at..at + 2).and_then(|byte| u8::from_str_radix(byte, 16).ok()))
                .collect();
            if let Some(Ok(entity)) = bytes.map(|bytes| EntityId::get(&mut Reader::new(&bytes))) {
                *crashes.entry(entity).or_default() += 1;
            }
        }
        refused.entities = crashes.into_iter().filter(|(_, n)| *n > 1).map(|(entity, _)| entity).collect();
        Ok(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::MarketId;

    #[test]
    fn a_command_is_refused_after_one_crash_and_its_entity_after_two() {
        let folder = tempfile::tempdir().unwrap();
        let file = CrashFile::new(folder.path().join("crashes.tsv"));
        assert_eq!(file.read().unwrap(), Refused::default());
        let market = EntityId::Market(MarketId(7));
        file.record(Some((market, "Market(MarketId(7), Timer)".into())));
        let once = file.read().unwrap();
        assert_eq!((once.commands.len(), once.entities.len()), (1, 0));
        file.record(Some((market, "another\nline".into())));
        let twice = file.read().unwrap();
        assert_eq!(twice.commands[1], "another line");
        assert_eq!(twice.entities, [market]);
    }
}
