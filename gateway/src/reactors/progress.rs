//! How far a reactor is: which of its commands have no outcome in the journal yet.
//!
//! Owns: the numbers of derived commands, and the cursor. Never does: read, write or send. Invariants: every command that a
//! record up to the last one that was looked at leads to has its outcome in the journal or is among those that wait; the
//! cursor is the last record below which none waits. Known limits: one cell.

use super::Reactor;
use std::collections::BTreeMap;
use xng_core::entity::Command;
use xng_core::journal::Lsn;
use xng_core::record::{Cause, Record};

/// Commands that one reactor derives from one record at most; the number of a command has the reactor's number above.
pub const COMMANDS_A_RECORD: u16 = 1 << 12;
/// Reactors at most, so that number and place fit an ordinal.
pub const REACTORS: u16 = 1 << 4;

/// Names a derived command: the record that it follows from and its ordinal.
pub type Derived = (Lsn, u16);

/// How far one reactor is.
#[derive(Debug)]
pub struct Progress {
    cell: u16,
    number: u16,
    followed: Lsn,
    waiting: BTreeMap<Derived, Command>,
}

impl Progress {
    /// All that records up to `cursor` lead to has happened.
    ///
    /// # Panics
    /// When the reactor's number is [`REACTORS`] or more.
    #[must_use]
    pub fn after(cursor: Lsn, cell: u16, number: u16) -> Progress {
        assert!(number < REACTORS, "a reactor's number fits an ordinal");
        Progress { cell, number, followed: cursor, waiting: BTreeMap::new() }
    }

    /// Looks at the next record: an outcome of what was derived, and what is to be derived from it. Gives the new commands.
    ///
    /// # Panics
    /// When records were left out, or more than [`COMMANDS_A_RECORD`] commands are derived.
    pub fn follow(&mut self, lsn: Lsn, record: &Record, reactor: &mut dyn Reactor) -> Vec<Derived> {
        assert_eq!(lsn, self.followed.next(), "a reactor follows every record");
        self.followed = lsn;
        if let Some(of) = self.own(record.cause) {
            // One that waits no more had its outcome before the cursor.
            self.waiting.remove(&of);
        }
        let mut new = Vec::new();
        let (waiting, number) = (&mut self.waiting, self.number);
        reactor.derive(record, &mut |command| {
            let place = u16::try_from(new.len()).ok().filter(|place| *place < COMMANDS_A_RECORD);
            let of = (lsn, number * COMMANDS_A_RECORD + place.expect("a record leads to so many commands at most"));
            waiting.insert(of, command);
            new.push(of);
        });
        new
    }

    fn own(&self, cause: Cause) -> Option<Derived> {
        match cause {
            Cause::Derived { cell, lsn, ordinal }
                if cell == self.cell && ordinal / COMMANDS_A_RECORD == self.number =>
            {
                Some((lsn, ordinal))
            }
            Cause::Derived { .. } | Cause::Request | Cause::Keyed(_) | Cause::Timer | Cause::Cell => None,
        }
    }

    /// The cause that a derived command carries.
    #[must_use]
    pub fn cause(&self, (lsn, ordinal): Derived) -> Cause {
        Cause::Derived { cell: self.cell, lsn, ordinal }
    }

    /// A command that has no outcome yet.
    #[must_use]
    pub fn waiting(&self, of: Derived) -> Option<&Command> {
        self.waiting.get(&of)
    }

    /// All commands that have no outcome yet, in order.
    pub fn all_waiting(&self) -> impl Iterator<Item = Derived> {
        self.waiting.keys().copied()
    }

    /// How many have none.
    #[must_use]
    pub fn behind(&self) -> usize {
        self.waiting.len()
    }

    /// The last record that was looked at.
    #[must_use]
    pub fn followed(&self) -> Lsn {
        self.followed
    }

    /// The last record up to which every derived command has its outcome.
    #[must_use]
    pub fn cursor(&self) -> Lsn {
        self.waiting.keys().next().map_or(self.followed, |(lsn, _)| Lsn(lsn.0 - 1))
    }
}
