//! Folding: what records say becomes the world again, on one thread or on two.
//!
//! Owns: records between their bytes and the world. Never does: skip a record, start a thread.
//! Invariants: a world that is folded apart, the accounts by themselves and all other kinds by themselves, becomes the
//! same as one that is folded whole: an entity sees nothing but records. Each digest is checked against both.
//! Why: a record of an order costs two accounts, somewhere in memory, more time than its market.
//! Known limits: accounts are not divided further.

use super::{FoldError, World};
use crate::hosting::Hosting;
use xng_core::ids::EntityId;
use xng_core::journal::{Batch, Lsn};
use xng_core::record::{CellFact, Digest, Fact, Record, STATE_HASH_FORM};

/// So many accounts ahead, the place in the index is fetched that says where an account is.
const FETCH_INDEX: usize = 40;
/// So many ahead, the memory of the account. Found by the bench `recovery`: between half and twice that it hardly matters.
const FETCH_ENTITY: usize = 28;
/// So many ahead, what that memory points to; the memory itself is there by then.
const FETCH_WITHIN: usize = 14;
/// So many records ahead, the record: another thread wrote it.
const FETCH_RECORD: usize = 12;

fn is_account(entity: EntityId) -> bool {
    matches!(entity, EntityId::Account(_))
}

/// Records read from their bytes, and what is wrong with the first that cannot be read.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Those before it.
    records: Vec<(Lsn, Record)>,
    /// The accounts that they name, in the order in which these are told.
    accounts: Vec<EntityId>,
    /// What [`Others`] had at each digest.
    others: Vec<Digest>,
    /// Why that one cannot be read.
    unread: Option<FoldError>,
}

impl Decoded {
    /// Reads a batch; nothing after a record that cannot be read.
    pub fn add(&mut self, batch: &Batch) {
        for (lsn, bytes) in batch.records() {
            if self.unread.is_some() {
                return;
            }
            match Record::decode(bytes) {
                Ok(record) => {
                    record.fact.parties(record.decider, |entity, _| {
                        if is_account(entity) {
                            self.accounts.push(entity);
                        }
                    });
                    self.records.push((lsn, record));
                }
                Err(error) => self.unread = Some(FoldError::Record { lsn, error }),
            }
        }
    }

    /// How many were read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True when none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Forgets all of it and keeps the room.
    pub fn clear(&mut self) {
        self.records.clear();
        self.accounts.clear();
        self.others.clear();
        self.unread = None;
    }
}

/// What is wrong with a state at a digest.
fn compare(lsn: Lsn, expected: &Digest, found: &Digest) -> Result<(), FoldError> {
    if expected.entities != found.entities {
        return Err(FoldError::Entities { lsn, expected: expected.entities, found: found.entities });
    }
    if expected.state != found.state {
        return Err(FoldError::Digest { lsn, expected: expected.state, found: found.state });
    }
    Ok(())
}

impl<H: Hosting> World<H> {
    /// Folds one record: order and digests are checked.
    pub fn fold(&mut self, lsn: Lsn, bytes: &[u8]) -> Result<Record, FoldError> {
        let record = Record::decode(bytes).map_err(|error| FoldError::Record { lsn, error })?;
        self.fold_record(lsn, &record, |_| true, |expected, found| compare(lsn, expected, &found), |_| {})?;
        Ok(record)
    }

    /// Folds one record for the entities that are `here`; the others live in worlds of their own. Order is checked, a
    /// digest is not: it is of all of them together.
    pub fn fold_here(&mut self, lsn: Lsn, bytes: &[u8], here: impl Fn(EntityId) -> bool) -> Result<(), FoldError> {
        let record = Record::decode(bytes).map_err(|error| FoldError::Record { lsn, error })?;
        self.fold_record(lsn, &record, here, |_, _| Ok(()), |_| {})
    }

    /// Folds decoded records; what could not be read is told when all before it is folded.
    pub fn fold_decoded(&mut self, decoded: &Decoded) -> Result<(), FoldError> {
        self.fold_ahead(decoded, |_| true, |lsn, expected, found| compare(lsn, expected, &found))
    }

    /// The same for the accounts, after [`Others::fold`].
    pub fn fold_accounts(&mut self, decoded: &Decoded) -> Result<(), FoldError> {
        let mut others = decoded.others.iter();
        self.fold_ahead(decoded, is_account, |lsn, expected, mut found| {
            let others = others.next().expect("all other kinds are folded up to here");
            found.state = found.state.wrapping_add(others.state);
            found.entities += others.entities;
            compare(lsn, expected, &found)
        })
    }

    /// Has the memory of the accounts that come next fetched meanwhile.
    fn fold_ahead(
        &mut self,
        decoded: &Decoded,
        here: impl Fn(EntityId) -> bool,
        mut check: impl FnMut(Lsn, &Digest, Digest) -> Result<(), FoldError>,
    ) -> Result<(), FoldError> {
        let (mut named, mut asked) = (0, 0);
        for (n, (lsn, record)) in decoded.records.iter().enumerate() {
            decoded.records.get(n + FETCH_RECORD).into_iter().for_each(xng_prefetch::value);
            let check = |expected: &_, found| check(*lsn, expected, found);
            self.fold_record(*lsn, record, &here, check, |entity| named += usize::from(is_account(entity)))?;
            (asked..named).for_each(|n| self.prefetch(|ahead| decoded.accounts.get(n + ahead).copied()));
            asked = named;
        }
        decoded.unread.clone().map_or(Ok(()), Err)
    }

    /// For the entities that are `here`; `told` of each of them that was told.
    fn fold_record(
        &mut self,
        lsn: Lsn,
        record: &Record,
        here: impl Fn(EntityId) -> bool,
        check: impl FnOnce(&Digest, Digest) -> Result<(), FoldError>,
        mut named: impl FnMut(EntityId),
    ) -> Result<(), FoldError> {
        if lsn != self.lsn.next() {
            return Err(FoldError::Order { after: self.lsn, found: lsn });
        }
        if let Fact::Cell(CellFact::Digest(expected)) = &record.fact
            && expected.form == STATE_HASH_FORM
        {
            let found = self.digest();
            check(expected, found)?;
        }
        self.deliver((lsn, record, None), here, |_, _, _| (), |_, entity, (), _, _| named(entity));
        Ok(())
    }

    /// Has the memory fetched of those who come next; `upcoming` names the `n`-th of them.
    pub(super) fn prefetch(&self, upcoming: impl Fn(usize) -> Option<EntityId>) {
        upcoming(FETCH_INDEX).into_iter().for_each(|entity| self.entities.prefetch_index(entity));
        upcoming(FETCH_ENTITY).into_iter().for_each(|entity| self.entities.prefetch(entity));
        upcoming(FETCH_WITHIN).into_iter().for_each(|entity| self.entities.prefetch_within(entity));
    }

    /// Takes all kinds but the accounts out; [`Self::join`] puts them back. What is left folds with
    /// [`Self::fold_accounts`] only.
    pub fn split_off(&mut self) -> Others<H> {
        let accounts = std::mem::take(&mut self.entities.accounts);
        let entities = std::mem::take(&mut self.entities);
        self.entities.accounts = accounts;
        let (dirty, others) = std::mem::take(&mut self.dirty).into_iter().partition(|entity| is_account(*entity));
        self.dirty = dirty;
        let deadlines = self.deadlines.split_off(is_account);
        let World { lsn, time, last_digest, hash_form, .. } = *self;
        Others(World { entities, dirty: others, hash: 0, deadlines, public: None, lsn, time, last_digest, hash_form })
    }

    /// Makes it whole again.
    pub fn join(&mut self, Others(mut others): Others<H>) {
        others.entities.accounts = std::mem::take(&mut self.entities.accounts);
        self.entities = others.entities;
        self.dirty.append(&mut others.dirty);
        self.hash = self.hash.wrapping_add(others.hash);
        self.deadlines.join(others.deadlines);
    }
}

/// All of a world but its accounts.
#[derive(Debug)]
pub struct Others<H: Hosting>(World<H>);

impl<H: Hosting> Others<H> {
    /// Folds records for them; what is wrong is found by [`World::fold_accounts`] at the same record.
    pub fn fold(&mut self, decoded: &mut Decoded) {
        let Decoded { records, others, .. } = decoded;
        for (lsn, record) in records {
            let note = |_: &_, found| {
                others.push(found);
                Ok(())
            };
            if self.0.fold_record(*lsn, record, |entity| !is_account(entity), note, |_| {}).is_err() {
                return;
            }
        }
    }
}
