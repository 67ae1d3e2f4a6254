//! A reactor over crashes: for every grant it sends two more, and each of them happens once.

use super::*;
use crate::config::Config;
use crate::observe::health::Health;
use crate::startup::recovery::{Data, RunningCell, start_cell};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use xng_core::account::AccountCommand;
use xng_core::account::facts::{AccountFact, GrantItem, GrantKind};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::Amount;
use xng_core::record::{Cause, Fact};

/// Accounts that are granted something; each has two that get the same.
const GRANTED: u64 = 100_001;
const ECHOES: u64 = 1_000;
const GRANTS: u64 = 150;

struct Echo;

fn grant(account: u64) -> Command {
    let items = vec![GrantItem { wallet: Wallet::Funding, asset: AssetId(1), amount: Amount::whole(1) }];
    Command::Account(AccountId(account), AccountCommand::Grant { kind: GrantKind::Correction, items })
}

impl Reactor for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }
    fn number(&self) -> u16 {
        15
    }
    fn derive(&mut self, record: &Record, command: &mut dyn FnMut(Command)) {
        if let Fact::Account(AccountFact::Granted(f)) = &record.fact
            && f.account.0 < GRANTED + ECHOES
        {
            command(grant(f.account.0 + ECHOES));
            command(grant(f.account.0 + 2 * ECHOES));
        }
    }
}

fn started(folder: &Path) -> RunningCell {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml"));
    let mut config = Config::load(path).expect("loads");
    folder.clone_into(&mut config.server.data_dir);
    (config.journal.segment_mib, config.journal.spares) = (1, 1);
    let data = Data::hold(folder).expect("nobody else has it");
    start_cell(&config, data, None, &Arc::new(Health::default())).expect("starts")
}

/// What a crash leaves: the files as they are just now, in the middle of whatever is written.
fn crashed(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => crashed(&entry.path(), &target),
            // A file that was renamed meanwhile is not there.
            false => drop(fs::copy(entry.path(), target)),
        }
    }
}

fn records(cell: &RunningCell) -> Vec<(Lsn, Record)> {
    let (mut follower, mut found) = (cell.control.follower(Lsn(1)).expect("opens"), Vec::new());
    let durable = cell.control.durable();
    while found.last().is_none_or(|(lsn, _): &(Lsn, Record)| *lsn < durable) {
        let Some(batch) = follower.next_batch(Duration::from_secs(1)).expect("readable") else { break };
        found.extend(batch.records().map(|(lsn, bytes)| (lsn, Record::decode(bytes).expect("decodes"))));
    }
    found
}

/// How often each derived command has an outcome, and what they should be.
fn outcomes(cell: &RunningCell) -> (BTreeMap<Derived, u32>, Vec<Derived>) {
    let (mut found, mut wanted) = (BTreeMap::new(), Vec::new());
    for (lsn, record) in records(cell) {
        match record.cause {
            Cause::Derived { lsn, ordinal, .. } => *found.entry((lsn, ordinal)).or_default() += 1,
            Cause::Request | Cause::Keyed(_) | Cause::Timer | Cause::Cell => {}
        }
        let mut place = 15 * progress::COMMANDS_A_RECORD;
        Echo.derive(&record, &mut |_| {
            wanted.push((lsn, place));
            place += 1;
        });
    }
    (found, wanted)
}

#[test]
fn what_follows_from_a_record_happens_exactly_once_whatever_crashes() {
    let root = tempfile::tempdir().expect("a folder");
    let mut folder: PathBuf = root.path().join("0");
    for crash in 1..=6_u64 {
        let cell = started(&folder);
        let cursors =
            start(vec![Box::new(Echo)], &folder.join("reactors"), &cell.control, &cell.handle).expect("starts");
        let ask = |n: u64| {
            let (ticket, cause, command) = (None, Cause::Request, grant(GRANTED + n % ECHOES));
            Ingress::Command(Envelope { ticket, origin: Origin::System, cause, command })
        };
        cell.handle.send_all((0..GRANTS).map(ask));
        // In the middle of the first answers, of later ones, and after a cursor was written.
        let look = [1, 3, 8, 20, 60, 1_500][crash as usize - 1];
        std::thread::sleep(Duration::from_millis(look));
        assert!(cursors.lowest(true) <= cell.control.durable());
        let next = root.path().join(crash.to_string());
        crashed(&folder, &next);
        folder = next;
    }
    let cell = started(&folder);
    let cursors = start(vec![Box::new(Echo)], &folder.join("reactors"), &cell.control, &cell.handle).expect("starts");
    let begun = Instant::now();
    let (found, wanted) = loop {
        let (found, wanted) = outcomes(&cell);
        if found.len() >= wanted.len() && cursors.lowest(true) >= cell.control.durable() {
            break (found, wanted);
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{} of {} after a minute", found.len(), wanted.len());
        std::thread::sleep(Duration::from_millis(50));
    };
    // How many grants are durable before a kill is the disk's matter.
    assert!(wanted.len() as u64 >= 2 * GRANTS, "{} commands", wanted.len());
    assert_eq!(
        found.keys().copied().collect::<Vec<Derived>>(),
        wanted,
        "each has its outcome, and there are no others"
    );
    let twice: Vec<_> = found.iter().filter(|(_, times)| **times != 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn the_cursor_stays_before_the_first_command_without_an_outcome() {
    let record = |cause, account| {
        let items = vec![GrantItem { wallet: Wallet::Funding, asset: AssetId(1), amount: Amount::whole(1) }];
        let (account, kind) = (AccountId(account), GrantKind::Correction);
        let fact = Fact::from(xng_core::account::facts::Granted { account, kind, items });
        let decider = xng_core::ids::EntityId::Account(account);
        Record { time: 1, decider, cause, origin: Origin::System, fact }
    };
    let mut progress = Progress::after(Lsn(10), 0, 15);
    let new = progress.follow(Lsn(11), &record(Cause::Request, GRANTED), &mut Echo);
    assert_eq!((new.len(), progress.cursor(), progress.followed()), (2, Lsn(10), Lsn(11)));
    let other = Cause::Derived { cell: 0, lsn: Lsn(11), ordinal: new[0].1 - progress::COMMANDS_A_RECORD };
    progress.follow(Lsn(12), &record(other, GRANTED + ECHOES), &mut Echo);
    assert_eq!((progress.behind(), progress.cursor()), (2, Lsn(10)), "another reactor's, of the same record");
    progress.follow(Lsn(13), &record(progress.cause(new[1]), GRANTED + ECHOES), &mut Echo);
    assert_eq!((progress.behind(), progress.cursor()), (1, Lsn(10)), "the first one is still on its way");
    progress.follow(Lsn(14), &record(progress.cause(new[0]), GRANTED + ECHOES), &mut Echo);
    assert_eq!((progress.behind(), progress.cursor()), (0, Lsn(14)));
}
