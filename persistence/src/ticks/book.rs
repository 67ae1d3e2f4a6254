//! The files of one price as they are written: what is there, what waits, which hours are over.
//!
//! Owns: the place at which the next line goes. Never does: read the journal. Invariants: a line is written at the place that
//! its file had before a failed attempt, so an attempt that is repeated leaves each line once; a file is cut after its last
//! line that fits the chain. Known limits: an hour with a gap has no root.

use super::files::{self, Lines};
use super::line::{self, ArchivedTick, Hash, Head, Line};
use super::root::{SignedRoot, Signs, Statement, root};
use super::{HOUR_NS, hour_of};
use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use xng_core::entity::TimeNs;
use xng_core::ids::PriceId;
use xng_core::price::PriceTicked;

/// Lines of an hour that wait to be written.
#[derive(Debug)]
struct Waiting {
    hour: u64,
    text: String,
}

/// The file of the newest hour.
#[derive(Debug)]
struct Open {
    hour: u64,
    file: File,
    len: u64,
    /// Something is in it that is not on disk.
    dirty: bool,
}

/// One price.
#[derive(Debug)]
pub(super) struct Book {
    folder: PathBuf,
    price: PriceId,
    last: Option<(u64, Hash)>,
    /// The hour of the last line, written or waiting.
    hour: Option<u64>,
    waiting: VecDeque<Waiting>,
    open: Option<Open>,
    /// Hours that are written but not compressed.
    unpacked: BTreeSet<u64>,
}

/// What is good of a file: its bytes, and the last tick.
struct Checked {
    bytes: u64,
    last: Option<(u64, Hash)>,
    whole: bool,
}

fn check(folder: &Path, price: PriceId, hour: u64, before: Option<(u64, Hash)>) -> io::Result<Checked> {
    let (mut bytes, mut last, mut at) = (0, before, None);
    let Some(lines) = Lines::open(folder, price, hour)? else { return Ok(Checked { bytes, last, whole: false }) };
    for text in lines {
        let text = text?;
        match line::parsed(&text) {
            Some(Line::Head(head)) if head.begins || last.is_none_or(|(_, hash)| hash == head.previous) => {
                // After a gap the number may be any.
                (at, last) = (Some(head.previous), last.filter(|_| !head.begins));
            }
            Some(Line::Tick(tick)) => {
                let follows = last.is_none_or(|(seq, _)| tick.seq == seq + 1) && hour_of(tick.time) == hour;
                if !follows || at.is_none_or(|hash| tick.hash_after(&hash, price) != tick.hash) {
                    return Ok(Checked { bytes, last: last.or(before), whole: false });
                }
                (at, last) = (Some(tick.hash), Some((tick.seq, tick.hash)));
            }
            Some(Line::Head(_)) | None => return Ok(Checked { bytes, last: last.or(before), whole: false }),
        }
        bytes += text.len() as u64 + 1;
    }
    Ok(Checked { bytes, last: last.or(before), whole: true })
}

/// The last tick of a compressed hour. A file that cannot be read is put aside; then the hour's root says what its last tick was,
/// unless the hour's lines are still there as they were before. Without either, the chain goes on from the head of the next file, or
/// begins anew.
fn newest_tick(folder: &Path, price: PriceId, hour: u64) -> io::Result<Option<(u64, Hash)>> {
    let read = || -> io::Result<Option<(u64, Hash)>> {
        let Some(lines) = Lines::packed(folder, price, hour)? else { return Ok(None) };
        let newest = lines.last().transpose()?.unwrap_or_default();
        Ok(line::seq_of(&newest).zip(line::hash_of(&newest)))
    };
    let why = match read() {
        Ok(Some(tick)) => return Ok(Some(tick)),
        Ok(None) => "its last line is no tick".to_owned(),
        Err(error) if files::is_damage(&error) => error.to_string(),
        Err(error) => return Err(error),
    };
    let aside = files::put_aside(folder, price, hour)?;
    tracing::warn!(%price, hour, why, file = %aside.display(), "an hour of the archive of ticks is damaged and was put aside");
    if files::plain(folder, price, hour).exists() {
        return Ok(None);
    }
    let root = files::read_root(folder, price, hour).ok().flatten();
    let said = root.and_then(|root| Statement::of_bytes(&root.statement));
    Ok(said.filter(|said| (said.price, said.hour) == (price, hour)).map(|said| (said.last, said.hash)))
}

impl Book {
    /// Of a price that has no file yet.
    pub(super) fn new(folder: PathBuf, price: PriceId) -> Book {
        let (waiting, unpacked) = (VecDeque::new(), BTreeSet::new());
        Book { folder, price, last: None, hour: None, waiting, open: None, unpacked }
    }

    /// Of what is there. After a loss of power a file may lack its end, or hold what was never written: it is cut, and files
    /// after it go; the journal still has these ticks.
    pub(super) fn open(folder: PathBuf, price: PriceId) -> io::Result<Book> {
        let mut book = Book::new(folder, price);
        let packed = |hours: &files::Hours| -> Vec<u64> { hours.iter().filter(|of| *of.1).map(|of| *of.0).collect() };
        if let Some(newest) = packed(&files::hours(&book.folder, price)?).last().copied() {
            book.last = newest_tick(&book.folder, price, newest)?;
            book.hour = Some(newest);
        }
        let hours = files::hours(&book.folder, price)?;
        for hour in packed(&hours) {
            // Compressed, and not removed before the process ended.
            files::there(fs::remove_file(files::plain(&book.folder, price, hour)))?;
        }
        let mut cut = false;
        for hour in hours.iter().filter(|(_, packed)| !**packed).map(|(hour, _)| *hour) {
            let path = files::plain(&book.folder, price, hour);
            if cut || book.hour.is_some_and(|before| before > hour) {
                fs::remove_file(&path)?;
                continue;
            }
            let good = check(&book.folder, price, hour, book.last)?;
            let file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(good.bytes)?;
            file.sync_all()?;
            cut = !good.whole;
            (book.last, book.hour) = (good.last, Some(hour));
            book.unpacked.insert(hour);
            book.open = Some(Open { hour, file, len: good.bytes, dirty: false });
        }
        Ok(book)
    }

    /// Takes the next tick; one that is there already is left.
    pub(super) fn take(&mut self, time: TimeNs, fact: &PriceTicked) -> bool {
        if self.last.is_some_and(|(seq, _)| fact.seq <= seq) {
            return false;
        }
        let known = match self.last {
            None => (fact.seq == 1).then_some([0; 32]),
            Some((seq, hash)) => (fact.seq == seq + 1).then_some(hash),
        };
        let (seq, index, sources) = (fact.seq, fact.index, fact.sources.clone());
        let mut tick = ArchivedTick { seq, time, index, sources, hash: [0; 32] };
        let previous = known.unwrap_or_default();
        tick.hash = tick.hash_after(&previous, self.price);
        let hour = hour_of(time);
        let text = self.room(hour, Head { previous, begins: known.is_none() });
        text.push_str(&line::tick(&tick));
        text.push('\n');
        self.last = Some((tick.seq, tick.hash));
        true
    }

    /// Where the next line of an hour goes, its head before it where one is due.
    fn room(&mut self, hour: u64, head: Head) -> &mut String {
        let same = self.hour == Some(hour);
        let empty = self.open.as_ref().is_none_or(|open| open.hour != hour || open.len == 0);
        if self.waiting.back().is_none_or(|waiting| waiting.hour != hour) {
            self.waiting.push_back(Waiting { hour, text: String::new() });
        }
        self.hour = Some(hour);
        let text = &mut self.waiting.back_mut().expect("one was pushed").text;
        if head.begins || (text.is_empty() && (!same || empty)) {
            text.push_str(&line::head(head));
        }
        text
    }

    /// Bytes that wait.
    pub(super) fn waits(&self) -> usize {
        self.waiting.iter().map(|waiting| waiting.text.len()).sum()
    }

    /// Writes what waits; gives the bytes.
    pub(super) fn write(&mut self) -> io::Result<u64> {
        let mut bytes = 0;
        while let Some(waiting) = self.waiting.front() {
            if self.open.as_ref().is_none_or(|open| open.hour != waiting.hour) {
                let (hour, path) = (waiting.hour, files::plain(&self.folder, self.price, waiting.hour));
                self.sync()?;
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                // The first attempt may have made it.
                let file = OpenOptions::new().create(true).truncate(true).write(true).open(&path)?;
                files::sync_parent(&path)?;
                files::sync_parent(&self.folder.join("price"))?;
                self.unpacked.insert(hour);
                self.open = Some(Open { hour, file, len: 0, dirty: false });
            }
            let (open, text) = (self.open.as_mut().expect("it was opened"), &self.waiting[0].text);
            open.file.write_all_at(text.as_bytes(), open.len)?;
            (open.len, open.dirty) = (open.len + text.len() as u64, true);
            bytes += text.len() as u64;
            self.waiting.pop_front();
        }
        Ok(bytes)
    }

    /// Makes what was written durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if let Some(open) = self.open.as_mut().filter(|open| open.dirty) {
            open.file.sync_data()?;
            open.dirty = false;
        }
        Ok(())
    }

    /// Compresses the hours that are over at a time and gives each its root.
    pub(super) fn pack(&mut self, now: TimeNs, signs: &dyn Signs) -> io::Result<()> {
        while let Some(hour) = self.unpacked.first().copied() {
            let waits = self.waiting.front().is_some_and(|waiting| waiting.hour <= hour);
            if waits || now / HOUR_NS <= hour {
                return Ok(());
            }
            self.sync()?;
            let bytes = fs::read(files::plain(&self.folder, self.price, hour))?;
            if let Some(statement) = self.statement(hour)? {
                let (statement, key) = (statement.to_bytes(), signs.key());
                let root = SignedRoot { signature: signs.sign(&statement), statement, key };
                files::write_root(&self.folder, self.price, hour, &root)?;
            }
            files::pack(&self.folder, self.price, hour, &bytes)?;
            self.unpacked.remove(&hour);
            self.open = self.open.take().filter(|open| open.hour != hour);
        }
        Ok(())
    }

    /// What is to be said of an hour; nothing when ticks of it are missing.
    fn statement(&self, hour: u64) -> io::Result<Option<Statement>> {
        let Some((first, hashes)) = hour_hashes(&self.folder, self.price, hour)? else { return Ok(None) };
        let (price, last) = (self.price, first + hashes.len() as u64 - 1);
        let hash = hashes.last().copied().unwrap_or_default();
        Ok(Some(Statement { price, hour, first, last, hash, root: root(&hashes) }))
    }
}

/// The number of the first tick of an hour and the hashes of all of its ticks; none when there is no tick, or a gap.
pub(super) fn hour_hashes(folder: &Path, price: PriceId, hour: u64) -> io::Result<Option<(u64, Vec<Hash>)>> {
    let Some(lines) = Lines::open(folder, price, hour)? else { return Ok(None) };
    let (mut first, mut hashes) = (None, Vec::new());
    for text in lines {
        let text = text?;
        match (line::seq_of(&text), line::hash_of(&text)) {
            (Some(seq), Some(hash)) => {
                let first = *first.get_or_insert(seq);
                if seq != first + hashes.len() as u64 {
                    return Ok(None);
                }
                hashes.push(hash);
            }
            _ if hashes.is_empty() => {}
            _ => return Ok(None),
        }
    }
    Ok(first.map(|first| (first, hashes)))
}
