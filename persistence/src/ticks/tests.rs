//! What is archived is what the journal has, whatever happens to the files.

use super::*;
use crate::eventually::eventually;
use crate::journal::{Hooks, Options, RealStorage, Started, recover};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use xng_core::ids::{EntityId, PriceId};
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::money::Amount;
use xng_core::price::{PriceKind, PriceTicked, SourcePrice};
use xng_core::record::{Cause, Fact, Origin, Record};

const PRICE: PriceId = PriceId(3);
const HOUR: u64 = 480_000;

#[derive(Debug)]
struct Signer;

impl Signs for Signer {
    fn key(&self) -> Vec<u8> {
        vec![1; 32]
    }

    fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        bytes.iter().rev().copied().collect()
    }
}

/// Signs, and looks at each signature how many hours are not compressed, and whether there is a cursor.
#[derive(Debug)]
struct Looker {
    folder: PathBuf,
    seen: Arc<Mutex<Vec<(usize, bool)>>>,
}

impl Signs for Looker {
    fn key(&self) -> Vec<u8> {
        Signer.key()
    }

    fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        let names = fs::read_dir(self.folder.join(PRICE.to_string())).unwrap();
        let plain = names.filter(|name| name.as_ref().unwrap().path().extension().is_some_and(|of| of == "jsonl"));
        self.seen.lock().unwrap().push((plain.count(), self.folder.join("cursor").exists()));
        Signer.sign(bytes)
    }
}

struct Rig {
    started: Started,
    at: Lsn,
    archiver: Archiver,
    metrics: Arc<TickMetrics>,
    folder: tempfile::TempDir,
}

impl Rig {
    fn new() -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let storage = Arc::new(RealStorage::open(folder.path().join("journal")).unwrap());
        let options = Options { segment_bytes: 1 << 20, ..Options::new(0) };
        let started = recover(storage, options, Lsn::ZERO).unwrap().start(Hooks::new(|_| ())).unwrap();
        let metrics = Arc::new(TickMetrics::default());
        let archiver = Archiver::new(&folder.path().join("ticks"), &started.control, Arc::new(Signer), metrics.clone());
        Rig { started, at: Lsn::ZERO, archiver, metrics, folder }
    }

    fn append(&mut self, time: u64, price: PriceId, kind: PriceKind, seq: u64) {
        let said = SourcePrice { source: 1, price: Amount(5_000_000_000_000 + i128::from(seq)) };
        let sources = vec![said, SourcePrice { source: 7, price: Amount(123) }];
        let tick = PriceTicked { price, kind, seq, index: said.price, said, sources, hearers: Vec::new() };
        let (decider, cause, origin) = (EntityId::Price(price), Cause::Request, Origin::System);
        let record = Record { time, decider, cause, origin, fact: Fact::from(tick) };
        self.at = self.at.next();
        let mut batch = Batch::default();
        batch.push(self.at, |bytes| record.encode(bytes));
        self.started.handle.append(&mut batch);
    }

    /// Ticks with these numbers, so many an hour.
    fn ticks(&mut self, numbers: std::ops::RangeInclusive<u64>, an_hour: u64) {
        for seq in numbers {
            let (hour, place) = (HOUR + (seq - 1) / an_hour, (seq - 1) % an_hour);
            let time = hour * HOUR_NS + place * (HOUR_NS / an_hour);
            self.append(time, PRICE, PriceKind::Suspect, seq - 1);
            self.append(time, PRICE, PriceKind::Index, seq);
        }
    }

    fn archived(&mut self) {
        assert!(self.started.control.wait_for(self.at, Duration::from_secs(10)));
        self.archiver.finish();
    }

    /// The archiver of the next process.
    fn restart(&mut self) {
        let (folder, metrics) = (self.ticks_folder(), self.metrics.clone());
        self.archiver = Archiver::new(&folder, &self.started.control, Arc::new(Signer), metrics);
    }

    fn ticks_folder(&self) -> PathBuf {
        self.folder.path().join("ticks")
    }

    fn path(&self, hour: u64, ending: &str) -> PathBuf {
        self.ticks_folder().join(format!("{PRICE}/{hour}.{ending}"))
    }

    fn read(&self) -> TickArchive {
        TickArchive::new(&self.ticks_folder(), self.metrics.clone())
    }
}

fn numbers(slice: &Slice) -> Vec<u64> {
    slice.ticks.iter().map(|tick| tick.seq).collect()
}

fn is_chained(slice: &Slice) -> bool {
    let mut before = slice.previous;
    slice.ticks.iter().all(|tick| {
        let good = tick.hash_after(&before, PRICE) == tick.hash;
        before = tick.hash;
        good
    })
}

#[test]
fn slices_are_chained_and_what_is_not_there_is_told_apart() {
    let mut rig = Rig::new();
    rig.ticks(1..=25, 10);
    rig.archived();
    let archive = rig.read();
    let all = archive.slice(PRICE, 1, 25).unwrap();
    assert_eq!((all.previous, numbers(&all)), ([0; 32], (1..=25).collect()));
    assert!(is_chained(&all));
    let part = archive.slice(PRICE, 9, 12).unwrap();
    assert_eq!((part.previous, &part.ticks[..]), (all.ticks[7].hash, &all.ticks[8..12]), "over the end of an hour");
    assert!(matches!(archive.slice(PRICE, 20, 26), Err(SliceError::NotYet)));
    assert!(matches!(archive.slice(PRICE, 26, 27), Err(SliceError::NotYet)));
    assert!(matches!(archive.slice(PriceId(9), 1, 2), Err(SliceError::NotYet)));
    assert!(matches!(archive.slice(PRICE, 0, 3), Err(SliceError::Older)));
    assert!(matches!(archive.slice(PRICE, 1, 8_193), Err(SliceError::TooMany)));
    assert!(matches!(archive.slice(PRICE, 5, 4), Err(SliceError::TooMany)));
    let time = all.ticks[11].time;
    let (until, done) = archive.until(PRICE, 9, time, 100).unwrap();
    assert_eq!((numbers(&until), done), ((9..=13).collect(), true), "the first one after it ends it");
    let (until, done) = archive.until(PRICE, 20, all.ticks[24].time, 100).unwrap();
    assert_eq!((numbers(&until), done), ((20..=25).collect(), false));
    assert!(matches!(archive.until(PRICE, 9, time, 4), Err(SliceError::TooMany)));
}

#[test]
fn an_hour_that_is_over_is_compressed_and_has_a_root_that_each_of_its_ticks_leads_to() {
    let mut rig = Rig::new();
    rig.ticks(1..=25, 10);
    rig.archived();
    let packed = |hour| (rig.path(hour, "jsonl").exists(), rig.path(hour, "jsonl.zst").exists());
    assert_eq!((packed(HOUR), packed(HOUR + 1), packed(HOUR + 2)), ((false, true), (false, true), (true, false)));
    let archive = rig.read();
    assert_eq!(archive.root(PRICE, HOUR + 2).unwrap(), None, "it is not over");
    let root = archive.root(PRICE, HOUR + 1).unwrap().unwrap();
    assert_eq!(root.signature, Signer.sign(&root.statement));
    let statement = Statement::of_bytes(&root.statement).unwrap();
    assert_eq!((statement.price, statement.hour, statement.first, statement.last), (PRICE, HOUR + 1, 11, 20));
    let ticks = archive.slice(PRICE, 11, 20).unwrap().ticks;
    assert_eq!(statement.hash, ticks[9].hash);
    for tick in ticks {
        let (place, path) = archive.path(PRICE, HOUR + 1, tick.seq).unwrap().unwrap();
        assert_eq!(climbed(&tick.hash, place, 10, &path), Some(statement.root));
    }
    assert_eq!(archive.path(PRICE, HOUR + 1, 21).unwrap(), None);
}

#[test]
fn a_root_that_is_not_made_yet_is_told_apart_from_one_that_there_is_not() {
    let mut rig = Rig::new();
    rig.ticks(1..=5, 5);
    rig.archived();
    // Where the root of the first hour is to be written.
    let in_the_way = rig.path(HOUR, "root.new");
    fs::create_dir(&in_the_way).unwrap();
    rig.ticks(6..=7, 5);
    rig.archived();
    let archive = rig.read();
    assert!(matches!(archive.signed_root(PRICE, HOUR), Err(SliceError::NotYet)), "it is over and has none yet");
    assert!(matches!(archive.signed_root(PRICE, HOUR + 1), Err(SliceError::NotYet)), "it is not over");
    assert!(matches!(archive.signed_root(PRICE, HOUR - 1), Err(SliceError::Older)));
    fs::remove_dir(in_the_way).unwrap();
    rig.archived();
    assert_eq!(archive.root(PRICE, HOUR).unwrap(), Some(archive.signed_root(PRICE, HOUR).unwrap()));
}

#[test]
fn a_file_that_ends_at_any_byte_is_gone_on_with_and_is_as_if_nothing_had_happened() {
    let mut rig = Rig::new();
    rig.ticks(1..=14, 5);
    rig.archived();
    let last = rig.path(HOUR + 2, "jsonl");
    let whole = fs::read(&last).unwrap();
    let all = rig.read().slice(PRICE, 1, 14).unwrap();
    // The cursor of the time before the last file.
    let early = "cursor 20\n";
    for cut in 0..=whole.len() {
        fs::write(&last, &whole[..cut]).unwrap();
        fs::write(rig.ticks_folder().join("cursor"), early).unwrap();
        rig.restart();
        rig.archived();
        assert_eq!(fs::read(&last).unwrap(), whole, "cut at {cut}");
    }
    // What a loss of power leaves: zeros where lines were.
    for lost in (0..whole.len()).step_by(31) {
        let mut torn = whole.clone();
        torn[lost..].fill(0);
        fs::write(&last, torn).unwrap();
        fs::write(rig.ticks_folder().join("cursor"), early).unwrap();
        rig.restart();
        rig.archived();
        assert_eq!(fs::read(&last).unwrap(), whole, "zeros from {lost}");
    }
    assert_eq!(rig.read().slice(PRICE, 1, 14).unwrap(), all);
}

#[test]
fn without_a_cursor_everything_is_read_again_and_written_once() {
    let mut rig = Rig::new();
    rig.ticks(1..=12, 5);
    rig.archived();
    let all = rig.read().slice(PRICE, 1, 12).unwrap();
    fs::remove_file(rig.ticks_folder().join("cursor")).unwrap();
    rig.restart();
    rig.ticks(13..=17, 5);
    rig.archived();
    let more = rig.read().slice(PRICE, 1, 17).unwrap();
    assert_eq!((&more.ticks[..12], numbers(&more)), (&all.ticks[..], (1..=17).collect()));
    fs::remove_dir_all(rig.ticks_folder()).unwrap();
    rig.restart();
    rig.archived();
    assert_eq!(rig.read().slice(PRICE, 1, 17).unwrap(), more, "the journal has all of it");
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_tried_again() {
    let mut rig = Rig::new();
    fs::write(rig.ticks_folder(), "in the way").unwrap();
    rig.ticks(1..=3, 5);
    rig.archived();
    assert_eq!(rig.archiver.cursor().load(Ordering::Relaxed), 0, "the journal keeps what is not archived");
    assert!(rig.metrics.failures.load(Ordering::Relaxed) > 0);
    fs::remove_file(rig.ticks_folder()).unwrap();
    rig.archived();
    assert_eq!(numbers(&rig.read().slice(PRICE, 1, 3).unwrap()), [1, 2, 3]);
    // The folder of the price goes away while its file is open, and a file is in its place when the next hour begins.
    fs::remove_dir_all(rig.ticks_folder().join("3")).unwrap();
    fs::write(rig.ticks_folder().join("3"), "in the way").unwrap();
    let before = rig.metrics.failures.load(Ordering::Relaxed);
    rig.ticks(4..=8, 5);
    rig.archived();
    assert!(rig.metrics.failures.load(Ordering::Relaxed) > before);
    fs::remove_file(rig.ticks_folder().join("3")).unwrap();
    rig.archived();
    assert_eq!(numbers(&rig.read().slice(PRICE, 6, 8).unwrap()), [6, 7, 8]);
}

#[test]
fn a_journal_without_its_first_ticks_begins_a_chain_that_says_so() {
    let mut rig = Rig::new();
    rig.ticks(5..=7, 100);
    rig.ticks(10..=12, 100);
    rig.archived();
    let archive = rig.read();
    assert!(matches!(archive.slice(PRICE, 4, 6), Err(SliceError::Older)));
    assert!(is_chained(&archive.slice(PRICE, 5, 7).unwrap()));
    assert!(matches!(archive.slice(PRICE, 7, 10), Err(SliceError::Older)), "ticks are missing between");
    assert!(matches!(archive.slice(PRICE, 8, 10), Err(SliceError::Older)));
    assert!(is_chained(&archive.slice(PRICE, 10, 12).unwrap()));
    let text = fs::read_to_string(rig.path(HOUR, "jsonl")).unwrap();
    assert_eq!(text.matches("\"begins\":true").count(), 2, "{text}");
    rig.restart();
    rig.ticks(13..=13, 100);
    rig.ticks(201..=201, 100);
    rig.archived();
    assert!(is_chained(&rig.read().slice(PRICE, 10, 13).unwrap()), "a restart finds the chain");
    assert_eq!(rig.read().root(PRICE, HOUR).unwrap(), None, "an hour with a gap has no root");
    assert_eq!(rig.metrics.failures.load(Ordering::Relaxed), 0);
}

#[test]
fn a_line_is_read_in_the_one_form_in_which_it_is_written() {
    let sources = vec![SourcePrice { source: 2, price: Amount(150_000_000) }];
    let tick = ArchivedTick { seq: 21, time: 1_540_000_000_000, index: Amount(5), sources, hash: [171; 32] };
    let text = line::tick(&tick);
    let begin = r#"{"seq":21,"time_ns":"1540000000000","index":"0.00000005","sources":[[2,"1.5"]],"hash":"abab"#;
    assert!(text.starts_with(begin), "{text}");
    assert_eq!(line::parsed(&text), Some(line::Line::Tick(tick.clone())));
    assert_eq!((line::seq_of(&text), line::hash_of(&text)), (Some(21), Some(tick.hash)));
    for other in [text.replace("1.5", "1.50"), text.replace(":21", ": 21"), text.replace("abab", "ABAB")] {
        assert_eq!(line::parsed(&other), None, "{other}");
    }
}

#[test]
fn a_damaged_compressed_segment_of_the_journal_stops_nothing_and_is_read_once_it_is_whole_again() {
    let mut rig = Rig::new();
    rig.ticks(1..=20_000, 1_000);
    assert!(rig.started.control.wait_for(rig.at, Duration::from_secs(10)));
    rig.started.control.release_up_to(rig.at);
    let metrics = rig.started.control.metrics();
    eventually("a segment is compressed", || metrics.segments_recycled.load(Ordering::Relaxed) > 0);
    let segments = fs::read_dir(rig.folder.path().join("journal/archive")).unwrap();
    let segment = segments.map(|entry| entry.unwrap().path()).min().unwrap();
    let whole = fs::read(&segment).unwrap();
    fs::write(&segment, &whole[..whole.len() / 2]).unwrap();
    rig.archived();
    assert!(rig.metrics.failures.load(Ordering::Relaxed) > 0);
    assert_eq!(rig.archiver.cursor().load(Ordering::Relaxed), 0);
    fs::write(&segment, whole).unwrap();
    rig.archived();
    let slice = rig.read().slice(PRICE, 1, 8_000).unwrap();
    assert_eq!(numbers(&slice), (1..=8_000).collect::<Vec<_>>());
    assert!(is_chained(&slice) && rig.archiver.cursor().load(Ordering::Relaxed) == rig.at.0);
}

#[test]
fn a_long_way_behind_hours_are_compressed_and_the_cursor_moves_on_the_way() {
    let mut rig = Rig::new();
    let (folder, seen) = (rig.ticks_folder(), Arc::new(Mutex::new(Vec::new())));
    rig.ticks(1..=24_000, 1_000);
    let signs = Looker { folder, seen: seen.clone() };
    rig.archiver = Archiver::new(&rig.ticks_folder(), &rig.started.control, Arc::new(signs), rig.metrics.clone());
    rig.archived();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 23, "each hour that is over");
    let most = seen.iter().map(|(plain, _)| *plain).max().unwrap();
    assert!(most < 12, "{most} hours were there uncompressed");
    assert!(seen.last().unwrap().1, "a cursor was there before the end");
}

#[test]
fn the_cursor_moves_although_an_hour_cannot_be_compressed_and_not_past_a_line_that_is_not_written() {
    let mut rig = Rig::new();
    rig.ticks(1..=5, 5);
    rig.archived();
    // Where the compressed file of the first hour is to be.
    fs::create_dir(rig.path(HOUR, "jsonl.zst")).unwrap();
    rig.ticks(6..=12, 5);
    rig.archived();
    assert!(rig.metrics.failures.load(Ordering::Relaxed) > 0 && rig.path(HOUR, "jsonl").exists());
    assert_eq!(rig.archiver.cursor().load(Ordering::Relaxed), rig.at.0);
    // And where the file of the next hour is to be.
    let before = rig.at;
    fs::create_dir(rig.path(HOUR + 3, "jsonl")).unwrap();
    rig.ticks(16..=17, 5);
    rig.archived();
    assert_eq!(rig.archiver.cursor().load(Ordering::Relaxed), before.0);
    fs::remove_dir(rig.path(HOUR, "jsonl.zst")).unwrap();
    fs::remove_dir(rig.path(HOUR + 3, "jsonl")).unwrap();
    rig.archived();
    assert!(rig.path(HOUR, "jsonl.zst").exists() && !rig.path(HOUR, "jsonl").exists());
    assert_eq!(rig.archiver.cursor().load(Ordering::Relaxed), rig.at.0);
}

#[test]
fn a_damaged_compressed_hour_is_put_aside_and_the_chain_goes_on() {
    let damage = |bytes: &[u8]| [&bytes[..bytes.len() / 2], b"damaged"].concat();
    for (with_root, more, slice) in [(true, 0, (11, 13)), (false, 0, (11, 13)), (false, 2, (11, 15))] {
        let mut rig = Rig::new();
        // With `more`, the hour after the damaged one is begun already.
        rig.ticks(1..=10 + more, 5);
        rig.append((HOUR + 2) * HOUR_NS, PriceId(9), PriceKind::Index, 1);
        rig.archived();
        let packed = rig.path(HOUR + 1, "jsonl.zst");
        let bytes = fs::read(&packed).unwrap();
        fs::write(&packed, damage(&bytes)).unwrap();
        if !with_root {
            fs::remove_file(rig.path(HOUR + 1, "root")).unwrap();
        }
        rig.restart();
        rig.ticks(11 + more..=13 + more, 5);
        rig.archived();
        assert_eq!(rig.metrics.failures.load(Ordering::Relaxed), 0);
        assert!(!packed.exists() && rig.path(HOUR + 1, "jsonl.zst.damaged").exists());
        let archive = rig.read();
        let goes_on = archive.slice(PRICE, slice.0, slice.1).unwrap();
        assert!(is_chained(&goes_on));
        assert_eq!(goes_on.previous == [0; 32], !with_root && more == 0, "whether the chain begins anew");
        assert_eq!(numbers(&archive.slice(PRICE, 1, 5).unwrap()), [1, 2, 3, 4, 5]);
        assert!(matches!(archive.slice(PRICE, 5, 11), Err(SliceError::Older)), "what was put aside is missing");
        assert_eq!(numbers(&archive.slice(PriceId(9), 1, 1).unwrap()), [1], "another price goes on");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::proptest_cases(12)))]

    #[test]
    fn whenever_it_stops_and_whatever_cursor_it_finds_each_tick_is_there_once(
        stops in proptest::collection::vec((1..20_u64, 0..400_usize, any::<bool>()), 1..6)
    ) {
        let mut rig = Rig::new();
        let mut ticks = 0;
        for (more, torn, forgets) in stops {
            rig.ticks(ticks + 1..=ticks + more, 7);
            ticks += more;
            let saved = fs::read(rig.ticks_folder().join("cursor")).ok();
            rig.archived();
            // Killed before the cursor was written, with the last bytes missing.
            let newest = rig.read().newest_hour(PRICE).unwrap().unwrap();
            let path = rig.path(newest, "jsonl");
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len().saturating_sub(torn)]).unwrap();
            match saved {
                Some(saved) if !forgets => fs::write(rig.ticks_folder().join("cursor"), saved).unwrap(),
                _ => fs::remove_file(rig.ticks_folder().join("cursor")).unwrap(),
            }
            rig.restart();
        }
        rig.archived();
        let all = rig.read().slice(PRICE, 1, ticks).unwrap();
        prop_assert!(is_chained(&all));
        prop_assert_eq!(numbers(&all), (1..=ticks).collect::<Vec<_>>());
    }
}
