//! The world: every entity of a cell at one position of its journal.
//!
//! Owns: entities by id, the state hash, deadlines. Never does: decide by itself, write, wait.
//! Invariants: `apply` delivers a record to every entity that it names, in the record's own order, so the state is a
//! function of the LSN; the state hash is the sum of the entities' hashes.

use crate::arena::{Arena, Slot};
use crate::hosting::{Host, Hosting};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;
use xng_core::account::Account;
use xng_core::codec::{DecodeError, Reader, Wire};
use xng_core::entity::{Applied, Command, Ctx, Decision, Entity, HoldRequest, TimeNs};
use xng_core::ids::{AccountId, EntityId, HoldId, MarketId, PriceId, RequestKey};
use xng_core::journal::Lsn;
use xng_core::price::PriceIndex;
use xng_core::record::{Digest, Fact, Part, Record, STATE_HASH_FORM};
use xng_core::registry::Registry;
use xng_core::spot::{Market, MarketCommand};

/// Why a journal or a snapshot does not fold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FoldError {
    /// A record that cannot be read.
    #[error("record {lsn} cannot be read: {error}")]
    Record {
        /// Where.
        lsn: Lsn,
        /// Why.
        error: DecodeError,
    },
    /// A snapshot entry that cannot be read.
    #[error("snapshot entry {entity} cannot be read: {error}")]
    Entry {
        /// Which one.
        entity: String,
        /// Why.
        error: DecodeError,
    },
    /// A digest that does not match the state.
    #[error("digest mismatch at {lsn}: the journal says {expected:016x}, the state is {found:016x}")]
    Digest {
        /// Where.
        lsn: Lsn,
        /// What the journal or snapshot says.
        expected: u64,
        /// What was folded.
        found: u64,
    },
    /// Records out of order.
    #[error("record {found} follows {after}")]
    Order {
        /// The position before.
        after: Lsn,
        /// What came.
        found: Lsn,
    },
}

/// Looks at one host, whatever kind of entity lives in it.
pub trait Visitor<H: Hosting> {
    /// Called with the host of the entity.
    fn visit<E: Entity>(&mut self, host: &mut H::Host<E>);
}

/// Every entity of a cell.
pub struct World<H: Hosting> {
    registry: Slot<Registry, H>,
    accounts: Arena<Account, H>,
    markets: Arena<Market, H>,
    prices: Arena<PriceIndex, H>,
    dirty: Vec<EntityId>,
    hash: u64,
    deadlines: BTreeSet<(TimeNs, EntityId)>,
    lsn: Lsn,
    time: TimeNs,
    /// Form of the snapshot that it was read from.
    hash_form: u32,
}

impl<H: Hosting> fmt::Debug for World<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("lsn", &self.lsn).field("entities", &self.entities()).finish()
    }
}

impl<H: Hosting> Default for World<H> {
    fn default() -> Self {
        let host = H::Host::<Registry>::new((), Registry::blank(()));
        World {
            registry: Slot { id: (), host, digest: 0, dirty: true, deadline: None },
            accounts: Arena::default(),
            markets: Arena::default(),
            prices: Arena::default(),
            dirty: vec![EntityId::Registry],
            hash: 0,
            deadlines: BTreeSet::new(),
            lsn: Lsn::ZERO,
            time: 0,
            hash_form: STATE_HASH_FORM,
        }
    }
}

/// Runs `$body` with `$slot` bound to the slot of the entity that `$id` names.
macro_rules! with_slot {
    ($world:expr, $id:expr, $slot:ident => $body:expr) => {
        match $id {
            EntityId::Registry => {
                let $slot = &mut $world.registry;
                $body
            }
            EntityId::Account(id) => {
                let $slot = $world.accounts.slot(id);
                $body
            }
            EntityId::Market(id) => {
                let $slot = $world.markets.slot(id);
                $body
            }
            EntityId::Price(id) => {
                let $slot = $world.prices.slot(id);
                $body
            }
        }
    };
}

fn refresh_digest<E: Entity, H: Hosting>(slot: &mut Slot<E, H>) -> u64 {
    let new = slot.host.entity().digest();
    let change = new.wrapping_sub(slot.digest);
    slot.digest = new;
    slot.dirty = false;
    change
}

fn timer_deadline<E: Entity, H: Hosting>(slot: &Slot<E, H>) -> Option<TimeNs> {
    E::timer().and_then(|_| slot.host.entity().deadline())
}

impl<H: Hosting> World<H> {
    /// Position of the last record that was applied.
    pub fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Time of the last record that was applied.
    pub fn time(&self) -> TimeNs {
        self.time
    }

    /// How many entities exist.
    pub fn entities(&self) -> u64 {
        (1 + self.accounts.len() + self.markets.len() + self.prices.len()) as u64
    }

    /// The registry.
    pub fn registry(&self) -> &Registry {
        self.registry.host.entity()
    }

    /// An account, if anything ever named it.
    pub fn account(&self, id: AccountId) -> Option<&Account> {
        self.accounts.get(id)
    }

    /// A market, if anything ever named it.
    pub fn market(&self, id: MarketId) -> Option<&Market> {
        self.markets.get(id)
    }

    /// All accounts.
    pub fn accounts(&self) -> impl Iterator<Item = (AccountId, &Account)> {
        self.accounts.iter()
    }

    /// All markets.
    pub fn markets(&self) -> impl Iterator<Item = (MarketId, &Market)> {
        self.markets.iter()
    }

    /// All price symbols.
    pub fn prices(&self) -> impl Iterator<Item = (PriceId, &PriceIndex)> {
        self.prices.iter()
    }

    /// Lets the addressed entity decide.
    pub fn decide(&mut self, command: &Command, ctx: &Ctx) -> Decision {
        match command {
            Command::Registry(c) => self.registry.host.decide(c, ctx),
            Command::Account(id, c) => self.accounts.decide(*id, c, ctx),
            Command::Market(id, c) => self.markets.decide(*id, c, ctx),
            Command::Price(id, c) => self.prices.decide(*id, c, ctx),
        }
    }

    /// Shows the host of an entity to `visitor`.
    pub fn visit(&mut self, entity: EntityId, visitor: &mut impl Visitor<H>) {
        with_slot!(self, entity, slot => visitor.visit(&mut slot.host));
    }

    /// Sets money aside in an account.
    pub fn grant(&mut self, account: AccountId, id: HoldId, request: HoldRequest, key: Option<RequestKey>) {
        self.accounts.slot(account).host.entity_mut().grant(id, request, key);
    }

    /// Ends a hold.
    pub fn release(&mut self, account: AccountId, id: HoldId) {
        self.accounts.slot(account).host.entity_mut().release(id);
    }

    /// Delivers a record to every entity that it names. `seen` is told of each delivery to an account, after it.
    pub fn apply(&mut self, lsn: Lsn, record: &Record, mut seen: impl FnMut(&Account, Applied<'_>, Part)) {
        let applied = Applied { lsn, record };
        record.fact.parties(record.decider, |entity, part| {
            with_slot!(self, entity, slot => {
                slot.host.entity_mut().evolve(applied, part);
                if !slot.dirty {
                    slot.dirty = true;
                    self.dirty.push(entity);
                }
                let deadline = timer_deadline(slot);
                if deadline != slot.deadline {
                    if let Some(old) = slot.deadline {
                        self.deadlines.remove(&(old, entity));
                    }
                    if let Some(new) = deadline {
                        self.deadlines.insert((new, entity));
                    }
                    slot.deadline = deadline;
                }
            });
            if let EntityId::Account(id) = entity {
                seen(self.accounts.slot(id).host.entity(), applied, part);
            }
        });
        self.lsn = lsn;
        self.time = record.time;
    }

    /// The state hash now.
    pub fn state_hash(&mut self) -> u64 {
        for entity in std::mem::take(&mut self.dirty) {
            let change = with_slot!(self, entity, slot => refresh_digest(slot));
            self.hash = self.hash.wrapping_add(change);
        }
        self.hash
    }

    /// The digest that belongs into the journal now.
    pub fn digest(&mut self) -> Digest {
        Digest { form: STATE_HASH_FORM, state: self.state_hash(), entities: self.entities() }
    }

    /// Folds one record: order and digests are checked.
    pub fn fold(&mut self, lsn: Lsn, bytes: &[u8]) -> Result<Record, FoldError> {
        if lsn != self.lsn.next() {
            return Err(FoldError::Order { after: self.lsn, found: lsn });
        }
        let record = Record::decode(bytes).map_err(|error| FoldError::Record { lsn, error })?;
        if let Fact::Digest(expected) = &record.fact
            && expected.form == STATE_HASH_FORM
        {
            let found = self.state_hash();
            if expected.state != found {
                return Err(FoldError::Digest { lsn, expected: expected.state, found });
            }
        }
        self.apply(lsn, &record, |_, _, _| {});
        Ok(record)
    }

    /// The next due timer command, taken off the list; its entity's next deadline comes from what it decides.
    pub fn due(&mut self, now: TimeNs) -> Option<Command> {
        let &(at, entity) = self.deadlines.first()?;
        if at > now {
            return None;
        }
        self.deadlines.pop_first();
        with_slot!(self, entity, slot => slot.deadline = None);
        match entity {
            EntityId::Market(id) => Some(Command::Market(id, MarketCommand::Timer)),
            EntityId::Registry | EntityId::Account(_) | EntityId::Price(_) => {
                unreachable!("only markets have deadlines")
            }
        }
    }

    /// When the next timer is due.
    pub fn next_deadline(&self) -> Option<TimeNs> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// What a snapshot holds: position, time and hash form first, then every entity, each a key and its bytes.
    pub fn save(&self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        fn entry<E: Entity>(id: EntityId, entity: &E) -> (Vec<u8>, Vec<u8>) {
            let (mut key, mut value) = (Vec::new(), Vec::new());
            id.put(&mut key);
            entity.save(&mut value);
            (key, value)
        }
        let mut head = Vec::new();
        self.lsn.0.put(&mut head);
        self.time.put(&mut head);
        STATE_HASH_FORM.put(&mut head);
        std::iter::once((Vec::new(), head))
            .chain(std::iter::once_with(|| entry(EntityId::Registry, self.registry())))
            .chain(self.prices.iter().map(|(id, p)| entry(EntityId::Price(id), p)))
            .chain(self.markets.iter().map(|(id, m)| entry(EntityId::Market(id), m)))
            .chain(self.accounts.iter().map(|(id, a)| entry(EntityId::Account(id), a)))
    }

    /// Reads what `save` wrote and checks it against the snapshot's digest.
    pub fn load(
        entries: impl Iterator<Item = (Vec<u8>, Vec<u8>)>,
        lsn: Lsn,
        digest: u64,
    ) -> Result<World<H>, FoldError> {
        let mut world = World::default();
        for (key, value) in entries {
            world
                .load_entry(&key, &value)
                .map_err(|error| FoldError::Entry { entity: format!("{key:02x?}"), error })?;
        }
        let found = world.state_hash();
        let checked = world.hash_form == STATE_HASH_FORM;
        if (checked && found != digest) || world.lsn != lsn {
            return Err(FoldError::Digest { lsn, expected: digest, found });
        }
        Ok(world)
    }

    fn load_entry(&mut self, key: &[u8], value: &[u8]) -> Result<(), DecodeError> {
        let mut r = Reader::new(value);
        if key.is_empty() {
            self.lsn = Lsn(Wire::get(&mut r)?);
            self.time = Wire::get(&mut r)?;
            self.hash_form = Wire::get(&mut r)?;
            return r.finish();
        }
        let entity = EntityId::get(&mut Reader::new(key))?;
        match entity {
            EntityId::Registry => *self.registry.host.entity_mut() = Registry::load((), &mut r)?,
            EntityId::Account(id) => drop(self.accounts.insert(id, Account::load(id, &mut r)?)),
            EntityId::Market(id) => drop(self.markets.insert(id, Market::load(id, &mut r)?)),
            EntityId::Price(id) => drop(self.prices.insert(id, PriceIndex::load(id, &mut r)?)),
        }
        with_slot!(self, entity, slot => {
            if !slot.dirty {
                slot.dirty = true;
                self.dirty.push(entity);
            }
            slot.deadline = timer_deadline(slot);
            if let Some(at) = slot.deadline {
                self.deadlines.insert((at, entity));
            }
        });
        r.finish()
    }
}
