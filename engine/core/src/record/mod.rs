//! Records: what the journal holds. A record is one decision: who decided, when, why, and the fact.
//!
//! Owns: the byte form of a record, why it was decided and for whom. Invariants: every number that is needed to apply a fact
//! is in it. Never does: say what a fact does (`fact.rs`). Known limits: none.

mod cell_facts;
mod fact;
mod posting;

pub(crate) use fact::product_facts;

pub use cell_facts::{CellFact, Digest, STATE_HASH_FORM};
pub use fact::{Fact, FactBody, Listing, Role};
pub use posting::{LogType, Posting, ZeroSum};

use crate::codec::{DecodeError, Reader, Wire};
use crate::entity::TimeNs;
use crate::ids::{EntityId, RequestKey};
use crate::journal::Lsn;
use std::fmt;

/// Why a decision was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A request without a key.
    Request,
    /// A request whose retry gets the same answer.
    Keyed(RequestKey),
    /// A deadline in the entity's state.
    Timer,
    /// A reactor's command, derived from a record.
    Derived {
        /// The cell whose record it is.
        cell: u16,
        /// The record's position there.
        lsn: Lsn,
        /// Which of those derived from it, from 0 on.
        ordinal: u16,
    },
    /// The cell itself: recovery, digests.
    Cell,
}

impl Wire for Cause {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Cause::Request => out.push(0),
            Cause::Keyed(key) => {
                out.push(1);
                key.put(out);
            }
            Cause::Timer => out.push(2),
            Cause::Cell => out.push(4),
            Cause::Derived { cell, lsn, ordinal } => {
                out.push(5);
                cell.put(out);
                lsn.0.put(out);
                ordinal.put(out);
            }
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            0 => Ok(Cause::Request),
            1 => Ok(Cause::Keyed(Wire::get(r)?)),
            2 => Ok(Cause::Timer),
            // Its first form: one command a record, one cell.
            3 => Ok(Cause::Derived { cell: 0, lsn: Lsn(Wire::get(r)?), ordinal: 0 }),
            4 => Ok(Cause::Cell),
            5 => Ok(Cause::Derived { cell: Wire::get(r)?, lsn: Lsn(Wire::get(r)?), ordinal: Wire::get(r)? }),
            other => Err(DecodeError::Unknown { what: "cause", value: u64::from(other) }),
        }
    }
}

impl Cause {
    /// A request, with or without a key.
    #[must_use]
    pub fn of(request: Option<RequestKey>) -> Cause {
        request.map_or(Cause::Request, Cause::Keyed)
    }

    /// The request key, if there is one.
    #[must_use]
    pub fn request(&self) -> Option<RequestKey> {
        match self {
            Cause::Keyed(key) => Some(*key),
            Cause::Request | Cause::Timer | Cause::Derived { .. } | Cause::Cell => None,
        }
    }
}

/// Who is behind a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The exchange itself: configuration, timers, feeds.
    System,
    /// A user's session in the app.
    User,
    /// An API key.
    Api,
    /// The back office, without saying who.
    Admin,
    /// The house's market maker.
    House,
    /// Two of the staff, one of whom asked and the other approved.
    Staff {
        /// Who asked.
        maker: u32,
        /// Who approved.
        checker: u32,
        /// The case that says why.
        case: u64,
    },
}

impl Wire for Origin {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Origin::System => out.push(0),
            Origin::User => out.push(1),
            Origin::Api => out.push(2),
            Origin::Admin => out.push(3),
            Origin::House => out.push(4),
            Origin::Staff { maker, checker, case } => {
                out.push(5);
                maker.put(out);
                checker.put(out);
                case.put(out);
            }
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            0 => Ok(Origin::System),
            1 => Ok(Origin::User),
            2 => Ok(Origin::Api),
            3 => Ok(Origin::Admin),
            4 => Ok(Origin::House),
            5 => Ok(Origin::Staff { maker: Wire::get(r)?, checker: Wire::get(r)?, case: Wire::get(r)? }),
            other => Err(DecodeError::Unknown { what: "origin", value: u64::from(other) }),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::System => f.write_str("System"),
            Origin::User => f.write_str("User"),
            Origin::Api => f.write_str("Api"),
            Origin::Admin => f.write_str("Admin"),
            Origin::House => f.write_str("House"),
            Origin::Staff { maker, checker, case } => write!(f, "Staff {maker} and {checker}, case {case}"),
        }
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When, by the cell's clock.
    pub time: TimeNs,
    /// Who decided.
    pub decider: EntityId,
    /// Why.
    pub cause: Cause,
    /// Behind whom.
    pub origin: Origin,
    /// What happened.
    pub fact: Fact,
}

impl Record {
    /// Appends the byte form: kind, version, time, decider, cause, origin, fact.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (kind, version) = self.fact.kind();
        kind.put(out);
        version.put(out);
        self.time.put(out);
        self.decider.put(out);
        self.cause.put(out);
        self.origin.put(out);
        self.fact.put_body(out);
    }

    /// When a record was made and who decided it, without reading the rest.
    pub fn stamp(bytes: &[u8]) -> Result<(TimeNs, EntityId), DecodeError> {
        let mut r = Reader::new(bytes);
        let (_kind, _version) = (u8::get(&mut r)?, u8::get(&mut r)?);
        Ok((Wire::get(&mut r)?, Wire::get(&mut r)?))
    }

    /// Reads one record, leftovers refused.
    pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
        let mut r = Reader::new(bytes);
        let kind = u8::get(&mut r)?;
        let version = u8::get(&mut r)?;
        let time = Wire::get(&mut r)?;
        let decider = Wire::get(&mut r)?;
        let cause = Wire::get(&mut r)?;
        let origin = Wire::get(&mut r)?;
        let fact = Fact::get_body(kind, version, &mut r)?;
        r.finish()?;
        Ok(Record { time, decider, cause, origin, fact })
    }
}
