//! Reactors: they follow the durable records and send derived commands. No product registers one yet.
//!
//! Owns: the thread of each reactor, the sending and resending of derived commands, the cursors that recycling waits for.
//! Never does: decide: the addressed entity accepts or refuses a derived command, and records the outcome as a fact.
//! Invariants: each derived command takes effect exactly once: it carries the record's position in its cause, its outcome
//! is a record with that cause, and a reactor sends nothing before it has read all records of the previous process; the
//! journal keeps the records behind a cursor. Known limits: one cell; the commands derived from a record depend on that
//! record alone; without the archive a lost cursor cannot be rebuilt.

pub mod cursor;
pub mod progress;

use crate::common::critical_task;
use crate::startup::cell::CELL;
use cursor::{CursorFile, Saved};
use progress::{Derived, Progress};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use xng_cell::{Egress, Envelope, Ingress, Ticket};
use xng_core::entity::{Command, Reply};
use xng_core::journal::Lsn;
use xng_core::record::{Origin, Record};
use xng_persistence::journal::{Follower, JournalControl, JournalError};
use xng_runtime::CellHandle;

/// Follows records and derives commands.
pub trait Reactor: Send {
    /// Its name: of its thread and of its cursor's file.
    fn name(&self) -> &'static str;

    /// Its permanent number (`docs/allotment.md`), part of every cause: below [`progress::REACTORS`].
    fn number(&self) -> u16;

    /// The commands that a record leads to, in order; the same ones whenever it is asked. Each of them must end in a fact,
    /// refusals included.
    fn derive(&mut self, record: &Record, command: &mut dyn FnMut(Command));
}

/// Commands of one reactor on their way at most.
const WINDOW: usize = 256;
/// With so many commands without an outcome no further record is looked at.
const MOST_WAITING: usize = 16_384;
/// A command that the cell had no room for is sent again after this time …
const BUSY_AFTER: Duration = Duration::from_millis(50);
/// … and one that was refused without a fact after this: what refused it may pass, and somebody has to see it.
const REFUSED_AFTER: Duration = Duration::from_secs(5);
/// Cursors are written this often.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// How long nothing happens before a reactor looks for answers.
const NAP: Duration = Duration::from_millis(5);

/// How far all reactors and the archive of ticks are, as it is on disk: recycling waits for the last of them.
#[derive(Debug, Clone, Default)]
pub struct Cursors {
    reactors: Vec<Arc<AtomicU64>>,
    archive: Option<Arc<AtomicU64>>,
}

impl Cursors {
    /// The record up to which nobody needs the journal any more; all of them without a cursor. While the journal has
    /// `room`, the archive of ticks counts: else trading goes first, and the archive reads what the journal compressed.
    #[must_use]
    pub fn lowest(&self, room: bool) -> Lsn {
        let cursors = self.reactors.iter().chain(self.archive.iter().filter(|_| room));
        Lsn(cursors.map(|cursor| cursor.load(Ordering::Acquire)).min().unwrap_or(u64::MAX))
    }

    /// The archive of ticks follows too.
    pub fn add_archive(&mut self, cursor: Arc<AtomicU64>) {
        self.archive = Some(cursor);
    }
}

/// The reactors of all products.
#[must_use]
pub fn of_products() -> Vec<Box<dyn Reactor>> {
    Vec::new()
}

/// Starts reactors, each on a thread of its own; their cursors are in `folder`.
///
/// # Errors
/// When a cursor cannot be read, the journal does not reach back to it, or there is no thread to be had.
pub fn start(
    reactors: Vec<Box<dyn Reactor>>,
    folder: &Path,
    journal: &JournalControl,
    cell: &CellHandle,
) -> std::io::Result<Cursors> {
    let mut cursors = Cursors::default();
    for reactor in reactors {
        let name = reactor.name();
        let file = CursorFile::new(folder.to_owned(), name)?;
        let known = file.read(journal.durable())?;
        let shared = Arc::new(AtomicU64::new(known.0));
        cursors.reactors.push(shared.clone());
        let mut runner = Runner::new(reactor, known, journal, cell, (file, shared))
            .map_err(|error| std::io::Error::other(format!("reactor {name}: {error}")))?;
        let journal = journal.clone();
        critical_task::spawn(name, move || {
            loop {
                match runner.round() {
                    Ok(()) => {}
                    Err(JournalError::Io { .. }) => runner.go_on(&journal),
                    Err(error) => critical_task::stop(name, &error.to_string()),
                }
            }
        })?;
    }
    Ok(cursors)
}

/// One reactor at work.
struct Runner {
    reactor: Box<dyn Reactor>,
    progress: Progress,
    follower: Follower,
    /// What the process before wrote goes up to here: nothing is sent before it was looked at.
    sends_from: Lsn,
    cell: CellHandle,
    port: xng_cell::PortId,
    answers: xng_runtime::thread::PortReceiver,
    /// To be sent, in order.
    due: VecDeque<Derived>,
    /// To be sent again, by time.
    later: BTreeSet<(Instant, Derived)>,
    on_way: BTreeMap<u64, Derived>,
    next_token: u64,
    file: CursorFile,
    shared: Arc<AtomicU64>,
    saved: Instant,
}

impl Runner {
    fn new(
        reactor: Box<dyn Reactor>,
        cursor: Lsn,
        journal: &JournalControl,
        cell: &CellHandle,
        (file, shared): (CursorFile, Arc<AtomicU64>),
    ) -> Result<Runner, JournalError> {
        let (port, answers) = cell.open_port();
        Ok(Runner {
            progress: Progress::after(cursor, u16::try_from(CELL).expect("cells are few"), reactor.number()),
            reactor,
            follower: journal.follower(cursor.next())?,
            sends_from: journal.durable(),
            cell: cell.clone(),
            port,
            answers,
            due: VecDeque::new(),
            later: BTreeSet::new(),
            on_way: BTreeMap::new(),
            next_token: 0,
            file,
            shared,
            saved: Instant::now(),
        })
    }

    /// The operating system refused to read: where that left the follower is not known.
    fn go_on(&mut self, journal: &JournalControl) {
        std::thread::sleep(REFUSED_AFTER);
        match journal.follower(self.progress.followed().next()) {
            Ok(follower) => self.follower = follower,
            Err(error) => tracing::warn!(reactor = self.reactor.name(), %error, "the journal cannot be read"),
        }
    }

    fn round(&mut self) -> Result<(), JournalError> {
        if self.progress.behind() < MOST_WAITING {
            if let Some(batch) = self.follower.next_batch(NAP)? {
                for (lsn, bytes) in batch.records() {
                    let record = Record::decode(bytes).expect("the cell wrote it");
                    let new = self.progress.follow(lsn, &record, &mut *self.reactor);
                    self.due.extend(new);
                }
            }
        } else {
            std::thread::sleep(NAP);
        }
        self.hear();
        if self.progress.followed() >= self.sends_from {
            self.send();
        }
        if self.saved.elapsed() >= SAVE_EVERY {
            self.save();
        }
        Ok(())
    }

    /// What the cell answered. An accepted command's outcome is its record, which comes by the journal.
    fn hear(&mut self) {
        while let Ok(batch) = self.answers.try_recv() {
            for egress in batch {
                let Egress::Reply(token, reply) = egress else { continue };
                let Some(of) = self.on_way.remove(&token) else { continue };
                let after = match reply {
                    Reply::Busy => BUSY_AFTER,
                    Reply::Rejected(reject) => {
                        let (lsn, ordinal) = of;
                        let reactor = self.reactor.name();
                        tracing::error!(reactor, lsn = lsn.0, ordinal, ?reject, "a derived command left no fact");
                        REFUSED_AFTER
                    }
                    Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) => continue,
                };
                self.later.insert((Instant::now() + after, of));
            }
        }
    }

    fn send(&mut self) {
        let now = Instant::now();
        while self.later.first().is_some_and(|(at, _)| *at <= now)
            && let Some((_, of)) = self.later.pop_first()
        {
            self.due.push_back(of);
        }
        let mut commands = Vec::new();
        while self.on_way.len() < WINDOW
            && let Some(of) = self.due.pop_front()
        {
            // Its outcome came while it waited here: the process before sent it.
            let Some(command) = self.progress.waiting(of).cloned() else { continue };
            let token = self.next_token;
            self.next_token += 1;
            self.on_way.insert(token, of);
            let (ticket, cause) = (Some(Ticket { port: self.port, token }), self.progress.cause(of));
            commands.push(Ingress::Command(Envelope { ticket, origin: Origin::System, cause, command }));
        }
        self.cell.send_all(commands);
    }

    /// A full disk keeps the journal's segments, nothing else.
    fn save(&mut self) {
        self.saved = Instant::now();
        let cursor = self.progress.cursor();
        if cursor.0 == self.shared.load(Ordering::Relaxed) {
            return;
        }
        match self.file.write(Saved { cursor, through: self.progress.followed() }) {
            Ok(()) => self.shared.store(cursor.0, Ordering::Release),
            Err(error) => tracing::warn!(reactor = self.reactor.name(), %error, "no cursor this time"),
        }
    }
}

#[cfg(test)]
mod tests;
