//! Entities of one kind in slots: found by id, made blank when a fact or command first names them.
//!
//! Owns: slots and the index to them. Never does: look at what an entity holds. Invariants: an id has one slot, until what
//! has ended is taken out: another one's slot moves to its place, so that slots have no gaps. Known limits: the memory of
//! slots shrinks never, and is used again.

use crate::deadlines::Registered;
use crate::hosting::{Host, Hosting};
use crate::index::Index;
use std::fmt;
use xng_core::entity::{Ctx, Decision, Entity, EntityId};

/// An entity with what the cell keeps about it. Begins with a line of the cache: what is asked for ahead of time is then
/// as little as can be.
#[repr(align(64))]
pub struct Slot<E: Entity, H: Hosting> {
    /// Its id.
    pub id: E::Id,
    /// Where it lives.
    pub host: H::Host<E>,
    /// Its hash as counted in the state hash.
    pub digest: u64,
    /// Changed since then.
    pub dirty: bool,
    /// Its alarms may be others than those that are registered.
    pub alarms_stale: bool,
    /// An alarm woke it, and at the last prices something may still be due: it looks again when something changes for it.
    pub looked: bool,
    /// Its deadline as registered.
    pub deadline: Option<Registered>,
}

impl<E: Entity, H: Hosting> fmt::Debug for Slot<E, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "slot of {:?}", self.id)
    }
}

/// All entities of one kind.
pub struct Arena<E: Entity, H: Hosting> {
    index: Index<E::Id>,
    slots: Vec<Slot<E, H>>,
}

impl<E: Entity, H: Hosting> fmt::Debug for Arena<E, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entities", self.slots.len())
    }
}

impl<E: Entity, H: Hosting> Default for Arena<E, H> {
    fn default() -> Self {
        Arena { index: Index::default(), slots: Vec::new() }
    }
}

impl<E: Entity, H: Hosting> Arena<E, H> {
    /// The entity, if anything ever named it.
    pub fn get(&self, id: E::Id) -> Option<&E> {
        self.index.get(id).map(|at| self.slots[at].host.entity())
    }

    /// Lets the entity decide; one that nothing ever named decides blank and leaves no trace.
    pub(crate) fn decide(&mut self, id: E::Id, command: &E::Command, ctx: &Ctx<'_>) -> Decision {
        match self.index.get(id) {
            Some(at) => self.slots[at].host.decide(command, ctx),
            None => E::blank(id).decide(command, ctx),
        }
    }

    /// Its slot; a blank entity when nothing named it before.
    pub(crate) fn slot(&mut self, id: E::Id) -> &mut Slot<E, H> {
        let at = match self.index.get(id) {
            Some(at) => at,
            None => self.insert(id, E::blank(id)),
        };
        &mut self.slots[at]
    }

    /// Its slot, if anything ever named it.
    pub(crate) fn existing(&mut self, id: E::Id) -> Option<&mut Slot<E, H>> {
        self.index.get(id).map(|at| &mut self.slots[at])
    }

    /// Has the memory fetched that says where its slot is.
    pub(crate) fn prefetch_index(&self, id: E::Id) {
        self.index.prefetch(id);
    }

    /// Has the memory of its slot fetched, if it has one.
    pub(crate) fn prefetch(&self, id: E::Id) {
        if let Some(at) = self.index.get(id) {
            xng_prefetch::value(&self.slots[at]);
        }
    }

    /// Has the memory fetched that its slot points to; the slot itself should be there by now.
    pub(crate) fn prefetch_within(&self, id: E::Id) {
        if let Some(at) = self.index.get(id) {
            self.slots[at].host.entity().prefetch_hints(&mut xng_prefetch::line);
        }
    }

    /// Gives `tell` whom the decision about a command will probably name.
    pub(crate) fn likely_parties(&self, id: E::Id, command: &E::Command, tell: &mut impl FnMut(EntityId)) {
        if let Some(at) = self.index.get(id) {
            self.slots[at].host.entity().likely_parties(command, tell);
        }
    }

    /// Takes a loaded entity in.
    pub(crate) fn insert(&mut self, id: E::Id, entity: E) -> usize {
        let at = self.slots.len();
        self.index.insert(id, at);
        let host = H::Host::<E>::new(id, entity);
        self.slots.push(Slot { id, host, digest: 0, dirty: false, alarms_stale: false, looked: false, deadline: None });
        at
    }

    /// Takes an entity out for good; gives its hash as it is counted in the state hash, and its deadline.
    pub(crate) fn remove(&mut self, id: E::Id) -> Option<(u64, Option<Registered>)> {
        let at = self.index.remove(id)?;
        let gone = self.slots.swap_remove(at);
        if let Some(moved) = self.slots.get(at) {
            self.index.insert(moved.id, at);
        }
        Some((gone.digest, gone.deadline))
    }

    /// All of them, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = (E::Id, &E)> {
        self.slots.iter().map(|s| (s.id, s.host.entity()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plain;
    use xng_core::account::Account;
    use xng_core::ids::AccountId;
    use xng_core::spot::Market;

    #[test]
    fn the_slot_of_what_has_ended_is_used_again_and_the_others_are_found() {
        let mut arena = Arena::<Account, Plain>::default();
        let ids = [100_001, 7, 1 << 40, 100_002].map(AccountId);
        for id in ids {
            arena.insert(id, Account::blank(id));
        }
        assert!(arena.remove(ids[1]).is_some() && arena.remove(ids[1]).is_none());
        assert!(arena.get(ids[1]).is_none());
        for id in [ids[0], ids[2], ids[3]] {
            assert_eq!(arena.get(id).map(Account::id), Some(id));
        }
        arena.slot(ids[1]);
        assert_eq!((arena.len(), arena.get(ids[1]).map(Account::id)), (4, Some(ids[1])));
        ids.iter().for_each(|id| assert!(arena.remove(*id).is_some()));
        assert!(arena.is_empty());
    }

    #[test]
    fn an_account_takes_three_lines_of_the_cache_and_a_market_twenty() {
        assert_eq!(size_of::<Slot<Account, Plain>>(), 3 * 64);
        // All of them are fetched ahead of each order.
        assert_eq!(size_of::<Slot<Market, Plain>>(), 20 * 64);
    }
}
