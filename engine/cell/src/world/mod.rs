//! The world: every entity of a cell at one position of its journal.
//!
//! Owns: entities by id, the state hash, deadlines. Never does: decide by itself, write, wait.
//! Invariants: `apply` delivers a record to every entity that it names, in the record's own order, so the state is a
//! function of the LSN; the state hash is the sum of the entities' hashes.
//! Known limits: all of the state is in memory.

mod folding;

use crate::alarms::Alarms;
use crate::arena::Slot;
use crate::deadlines::{Deadlines, Registered};
use crate::entities::{Entities, OnSlot};
use crate::hosting::{Host, Hosting};
use crate::movements::Movements;
pub use folding::{Decoded, Others};
use std::collections::VecDeque;
use std::fmt;
use thiserror::Error;
use xng_core::account::{Account, Before};
use xng_core::board::Board;
use xng_core::codec::{DecodeError, Reader, Wire};
use xng_core::contract::book::facts::BookFact;
use xng_core::entity::{Alarm, Applied, Command, Ctx, Decision, HoldRequest, Listed, LivePrices, TimeNs};
use xng_core::ids::{AccountId, EntityId, HoldId, RequestKey};
use xng_core::journal::Lsn;
use xng_core::record::{CellFact, Digest, Fact, Posting, Record, Role, STATE_HASH_FORM};

/// Version of a snapshot's head.
const HEAD_VERSION: u8 = 2;

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
    /// A digest that does not match the number of entities.
    #[error("digest mismatch at {lsn}: the journal says {expected} entities, there are {found}")]
    Entities {
        /// Where.
        lsn: Lsn,
        /// What the journal says.
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
    fn visit<E: Listed>(&mut self, host: &mut H::Host<E>);
}

/// Every entity of a cell.
pub struct World<H: Hosting> {
    pub(crate) entities: Entities<H>,
    dirty: VecDeque<EntityId>,
    hash: u64,
    deadlines: Deadlines,
    /// Kept once the world is open.
    public: Option<Box<PublicFace>>,
    lsn: Lsn,
    time: TimeNs,
    last_digest: Lsn,
    /// Form of the snapshot that it was read from.
    hash_form: u32,
}

impl<H: Hosting> fmt::Debug for World<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("lsn", &self.lsn).field("entities", &self.entities).finish()
    }
}

impl<H: Hosting> Default for World<H> {
    fn default() -> Self {
        World {
            entities: Entities::default(),
            dirty: VecDeque::new(),
            hash: 0,
            deadlines: Deadlines::default(),
            public: None,
            lsn: Lsn::ZERO,
            time: 0,
            last_digest: Lsn::ZERO,
            hash_form: STATE_HASH_FORM,
        }
    }
}

/// So many entities may have alarms that are not registered yet: when a price moves, everybody waits for theirs.
const MOST_STALE: usize = 1_024;

/// What is derived from all states together, and from no record: not kept while a journal is folded.
#[derive(Debug, Default)]
struct PublicFace {
    board: Board,
    alarms: Alarms,
    /// Whose alarms are to be registered anew before a price moves. A busy account's change with each fill, and are asked
    /// for much less often.
    stale: Vec<EntityId>,
    /// Prices that moved, for which alarms were not looked at yet.
    moved: Vec<LivePrices>,
    /// Alarms of one entity, while they are registered.
    collected: Vec<Alarm>,
}

impl PublicFace {
    /// Takes in what an entity shows, and that its alarms may have changed.
    fn follow<E: Listed, H: Hosting>(&mut self, slot: &mut Slot<E, H>) {
        let entity = slot.host.entity();
        let prices = entity.publish(&mut self.board);
        self.moved.extend(prices.filter(|prices| self.alarms.is_news(prices)));
        self.renew_later(slot);
    }

    /// An entity's alarms may have changed.
    fn renew_later<E: Listed, H: Hosting>(&mut self, slot: &mut Slot<E, H>) {
        if slot.host.entity().has_alarms() && !slot.alarms_stale {
            slot.alarms_stale = true;
            self.stale.push(E::address(slot.id));
        }
    }

    /// One look does one thing, and none while a book is asked: what else is due at these prices is seen by the next.
    fn look_again<E: Listed, H: Hosting>(&mut self, slot: &mut Slot<E, H>) {
        if std::mem::take(&mut slot.looked) {
            self.alarms.look_again(E::address(slot.id));
        }
    }
}

/// Registers the alarms that an entity has now.
struct RenewAlarms<'a>(&'a mut PublicFace);

impl<H: Hosting> OnSlot<H> for RenewAlarms<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        slot.alarms_stale = false;
        let PublicFace { board, alarms, collected, .. } = self.0;
        collected.clear();
        slot.host.entity().alarms(board, &mut |alarm| collected.push(alarm));
        // What was due at its look, and could not be done then, is still due.
        slot.looked &= collected.iter().any(|alarm| board.reaches(alarm));
        alarms.set(E::address(slot.id), collected);
    }
}

/// Notes that a slot changed.
fn mark_dirty<E: Listed, H: Hosting>(slot: &mut Slot<E, H>, dirty: &mut VecDeque<EntityId>) {
    if !slot.dirty {
        slot.dirty = true;
        dirty.push_back(E::address(slot.id));
    }
}

/// Registers the deadline that a slot's state has `now`, not before `at_least`.
#[inline]
fn register<E: Listed, H: Hosting>(slot: &mut Slot<E, H>, deadlines: &mut Deadlines, now: TimeNs, at_least: TimeNs) {
    // Who has no timer has no deadline, and of those who have one most have nothing to wait for.
    let deadline = slot.host.entity().deadline();
    if deadline.is_none() && slot.deadline.is_none() {
        return;
    }
    let settles = slot.host.entity().settles();
    let deadline = deadline.map(|deadline| Registered::of(deadline, at_least, settles).in_turn(slot.deadline, now));
    if deadline != slot.deadline {
        reregister(slot, deadlines, deadline);
    }
}

/// Registers another deadline than before. Apart: facts hardly ever change one, and each asks.
#[cold]
fn reregister<E: Listed, H: Hosting>(slot: &mut Slot<E, H>, deadlines: &mut Deadlines, deadline: Option<Registered>) {
    let address = E::address(slot.id);
    if let Some(old) = slot.deadline {
        deadlines.remove(old, address);
    }
    if let Some(new) = deadline {
        deadlines.insert(new, address);
    }
    slot.deadline = deadline;
}

/// Whether what everybody sees, or waits for, may be other after a fact.
fn is_seen(fact: &Fact) -> bool {
    match fact {
        Fact::Contract(_)
        | Fact::Book(_)
        | Fact::Price(_)
        | Fact::Account(_)
        | Fact::Convert(_)
        | Fact::Seconds(_)
        | Fact::Copy(_)
        | Fact::Registry(_) => true,
        Fact::Spot(_) | Fact::Stock(_) | Fact::Chain(_) | Fact::Coupon(_) | Fact::Cell(_) => false,
    }
}

/// Whether a fact may change something that an entity shows on the board. An order of a book, the most frequent fact of all
/// that are seen, changes nothing of it.
fn is_shown(fact: &Fact) -> bool {
    !matches!(fact, Fact::Book(BookFact::ContractOrderPlaced(_)))
}

/// Delivers a record in one role.
struct Deliver<'a, 'b> {
    applied: Applied<'b>,
    role: Role,
    /// What the role moves, when it was made already.
    movements: Option<&'a [Posting]>,
    dirty: &'a mut VecDeque<EntityId>,
    deadlines: &'a mut Deadlines,
    public: Option<&'a mut PublicFace>,
}

impl<H: Hosting> OnSlot<H> for Deliver<'_, '_> {
    /// Whether the entity has ended.
    type Out = bool;
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) -> bool {
        let entity = slot.host.entity_mut();
        match self.movements {
            Some(movements) => entity.evolve_checked(self.applied, self.role, movements),
            None => entity.evolve(self.applied, self.role),
        }
        mark_dirty(slot, self.dirty);
        register(slot, self.deadlines, self.applied.record.time, 0);
        // What everybody sees follows from facts of contracts, prices, conversions and countries; when positions end, from the money
        // beside them, too.
        if let Some(public) = self.public
            && is_seen(&self.applied.record.fact)
        {
            if is_shown(&self.applied.record.fact) {
                public.follow(slot);
            } else {
                public.renew_later(slot);
            }
            public.look_again(slot);
        }
        slot.host.entity().has_ended()
    }
}

/// Takes in what an entity shows and waits for.
struct Follow<'a>(&'a mut PublicFace);

impl<H: Hosting> OnSlot<H> for Follow<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        self.0.follow(slot);
    }
}

/// Has an entity's alarms registered again before a price moves.
struct RenewLater<'a>(&'a mut PublicFace);

impl<H: Hosting> OnSlot<H> for RenewLater<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        self.0.renew_later(slot);
    }
}

/// Has an entity that an alarm woke look again.
struct LookAgain<'a>(&'a mut PublicFace);

impl<H: Hosting> OnSlot<H> for LookAgain<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        self.0.look_again(slot);
    }
}

/// The command that a reached alarm brings.
struct TakeAlarm;

impl<H: Hosting> OnSlot<H> for TakeAlarm {
    type Out = Option<Command>;
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) -> Option<Command> {
        slot.looked = true;
        E::alarm().map(|command| E::command(slot.id, command))
    }
}

/// Counts a loaded entity in.
struct CountIn<'a> {
    dirty: &'a mut VecDeque<EntityId>,
    deadlines: &'a mut Deadlines,
}

impl<H: Hosting> OnSlot<H> for CountIn<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        mark_dirty(slot, self.dirty);
        register(slot, self.deadlines, 0, 0);
    }
}

/// Brings an entity's hash up to date; gives its change.
struct Rehash;

impl<H: Hosting> OnSlot<H> for Rehash {
    type Out = u64;
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) -> u64 {
        let new = slot.host.entity().digest();
        slot.dirty = false;
        new.wrapping_sub(std::mem::replace(&mut slot.digest, new))
    }
}

/// Takes the deadline off and gives the command that it brings.
struct TakeTimer;

impl<H: Hosting> OnSlot<H> for TakeTimer {
    type Out = Option<Command>;
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) -> Option<Command> {
        slot.deadline = None;
        E::timer().map(|command| E::command(slot.id, command))
    }
}

/// Takes the deadline off if it is one at once, or one that settles and is due again, and gives the command that it brings.
struct TakeAtOnce<'a> {
    deadlines: &'a mut Deadlines,
    now: TimeNs,
    settling: bool,
}

impl<H: Hosting> OnSlot<H> for TakeAtOnce<'_> {
    type Out = Option<(Command, bool)>;
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) -> Option<(Command, bool)> {
        let goes_on = |deadline: &Registered| {
            if deadline.settles() { self.settling && deadline.is_elapsed(self.now) } else { deadline.is_at_once() }
        };
        let deadline = slot.deadline.filter(goes_on)?;
        self.deadlines.remove(deadline, E::address(slot.id));
        Some((TakeTimer.on(slot)?, deadline.settles()))
    }
}

/// Registers an entity's deadline again.
struct Rearm<'a> {
    deadlines: &'a mut Deadlines,
    at_least: TimeNs,
}

impl<H: Hosting> OnSlot<H> for Rearm<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        register(slot, self.deadlines, self.at_least, self.at_least);
    }
}

struct RearmIfLost<'a>(Rearm<'a>);

impl<H: Hosting> OnSlot<H> for RearmIfLost<'_> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        if slot.deadline.is_none() {
            self.0.on(slot);
        }
    }
}

struct PlaceHold(HoldId, Option<HoldRequest>, Option<RequestKey>);

impl<H: Hosting> OnSlot<H> for PlaceHold {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        slot.host.entity_mut().place_hold(self.0, self.1, self.2);
    }
}

struct ReleaseHold(HoldId);

impl<H: Hosting> OnSlot<H> for ReleaseHold {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        slot.host.entity_mut().release_hold(self.0);
    }
}

struct Visit<'a, V>(&'a mut V);

impl<H: Hosting, V: Visitor<H>> OnSlot<H> for Visit<'_, V> {
    type Out = ();
    fn on<E: Listed>(self, slot: &mut Slot<E, H>) {
        self.0.visit::<E>(&mut slot.host);
    }
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

    /// Position of the last digest.
    pub fn last_digest(&self) -> Lsn {
        self.last_digest
    }

    /// How many entities exist.
    pub fn entities(&self) -> u64 {
        self.entities.len()
    }

    /// How many entities of each kind exist, by the kind's number.
    pub fn entities_by_kind(&self) -> [u64; Command::KIND_NUMBERS] {
        let mut counted = [0; Command::KIND_NUMBERS];
        self.entities.count(&mut counted);
        counted
    }

    /// Lets the addressed entity decide; what everybody sees is the world's.
    pub fn decide(&mut self, command: &Command, ctx: &Ctx<'_>) -> Decision {
        let board = self.public.as_ref().map_or(Board::nothing(), |public| &public.board);
        self.entities.decide(command, &Ctx { board, ..*ctx })
    }

    /// Begins to keep what is derived from all states: decisions may come from now on.
    pub(crate) fn open(&mut self) {
        let mut public = Box::<PublicFace>::default();
        self.entities.each(|entities, entity| entities.on_slot(entity, Follow(&mut public)));
        self.public = Some(public);
        self.follow_prices();
    }

    /// Has those look again whose alarms are reached by prices that moved. Alarms are made from the new prices.
    fn follow_prices(&mut self) {
        let Some(public) = self.public.as_deref_mut() else { return };
        let changed = public.board.take_changed_terms();
        if public.moved.is_empty() && changed.is_empty() && public.stale.len() < MOST_STALE {
            return;
        }
        let moved = std::mem::take(&mut public.moved);
        let mut stale = std::mem::take(&mut public.stale);
        for entity in stale.drain(..) {
            self.entities.on_slot(entity, RenewAlarms(public));
        }
        public.stale = stale;
        for contract in changed {
            for entity in public.alarms.on(contract) {
                self.entities.on_slot(entity, RenewAlarms(public));
            }
        }
        moved.into_iter().for_each(|prices| public.alarms.moved(prices));
    }

    /// The board as it is now.
    pub fn board(&self) -> &Board {
        self.public.as_ref().map_or(Board::nothing(), |public| &public.board)
    }

    /// The command to the next entity whose alarm was reached; it has no alarms until it has a fact or
    /// [`Self::renew_alarms`].
    pub(crate) fn reached(&mut self) -> Option<Command> {
        let entity = self.public.as_mut()?.alarms.take_reached()?;
        self.entities.on_slot(entity, TakeAlarm)
    }

    /// Whether somebody's alarm was reached.
    pub(crate) fn is_reached(&self) -> bool {
        self.public.as_ref().is_some_and(|public| public.alarms.is_reached())
    }

    /// Has an entity look again that an alarm woke: what it waited for was decided without a fact.
    pub(crate) fn look_again(&mut self, entity: EntityId) {
        if let Some(public) = &mut self.public {
            self.entities.on_existing(entity, LookAgain(public));
        }
    }

    /// Has an entity's alarms registered again: it looked, and left no fact.
    pub(crate) fn renew_alarms(&mut self, entity: EntityId) {
        if let Some(public) = &mut self.public {
            self.entities.on_existing(entity, RenewLater(public));
        }
    }

    /// Has the memory of an entity fetched: it will be needed soon.
    pub(crate) fn prefetch_entity(&self, entity: EntityId) {
        self.entities.prefetch(entity);
    }

    /// Has the memory fetched that an entity points to; its own should be there by now.
    pub(crate) fn prefetch_within(&self, entity: EntityId) {
        self.entities.prefetch_within(entity);
    }

    /// Has the memory of those fetched whom the decision about a command will probably name.
    pub(crate) fn prefetch_likely(&self, command: &Command) {
        self.entities.likely_parties(command, |entity| self.entities.prefetch(entity));
    }

    /// The same for the memory that these point to.
    pub(crate) fn prefetch_within_likely(&self, command: &Command) {
        self.entities.likely_parties(command, |entity| self.entities.prefetch_within(entity));
    }

    /// Shows the host of an entity to `visitor`, if anything ever named the entity.
    pub fn visit(&mut self, entity: EntityId, visitor: &mut impl Visitor<H>) {
        self.entities.on_existing(entity, Visit(visitor));
    }

    /// A question of the entity is on its way; an account sets money aside for it.
    pub fn place_hold(&mut self, entity: EntityId, id: HoldId, request: Option<HoldRequest>, key: Option<RequestKey>) {
        self.entities.on_slot(entity, PlaceHold(id, request, key));
    }

    /// The question has been decided.
    pub fn release_hold(&mut self, entity: EntityId, id: HoldId) {
        self.entities.on_existing(entity, ReleaseHold(id));
    }

    /// Delivers a record to every entity that it names, with its movements, if they were made already. `seen` is told of each
    /// delivery to an account that is `watched`, after it, with what the record was about to change.
    pub fn apply(
        &mut self,
        lsn: Lsn,
        record: &Record,
        movements: Option<&Movements>,
        watched: impl Fn(AccountId) -> bool,
        mut seen: impl FnMut(&Account, Before, Applied<'_>, Role),
    ) {
        let before = |entities: &Entities<H>, entity: EntityId, role| {
            let id = entity.account().filter(|id| watched(*id))?;
            // An account that does not exist yet has nothing that could change.
            Some(entities.accounts.get(id).map_or_else(Before::default, |account| account.before(record, role)))
        };
        self.deliver(
            (lsn, record, movements),
            |_| true,
            before,
            |entities, entity, before, applied, role| {
                if let (EntityId::Account(id), Some(before)) = (entity, before)
                    && let Some(account) = entities.accounts.get(id)
                {
                    seen(account, before, applied, role);
                }
            },
        );
    }

    /// The same where nobody watches: it is asked of each delivery otherwise.
    pub fn apply_unseen(&mut self, lsn: Lsn, record: &Record, movements: &Movements) {
        self.deliver((lsn, record, Some(movements)), |_| true, |_, _, _| (), |_, _, (), _, _| {});
    }

    /// To those of the entities that are `here`.
    fn deliver<B>(
        &mut self,
        (lsn, record, movements): (Lsn, &Record, Option<&Movements>),
        here: impl Fn(EntityId) -> bool,
        before: impl Fn(&Entities<H>, EntityId, Role) -> B,
        mut after: impl FnMut(&Entities<H>, EntityId, B, Applied<'_>, Role),
    ) {
        let applied = Applied { lsn, record };
        let mut one = |entity, role, movements| {
            if !here(entity) {
                return;
            }
            let noted = before(&self.entities, entity, role);
            let (dirty, deadlines, public) = (&mut self.dirty, &mut self.deadlines, self.public.as_deref_mut());
            let ended = self.entities.on_slot(entity, Deliver { applied, role, movements, dirty, deadlines, public });
            after(&self.entities, entity, noted, applied, role);
            if ended {
                self.forget(entity);
            }
        };
        match movements {
            Some(movements) => movements.each().for_each(|(entity, role, own)| one(entity, role, Some(own))),
            None => record.fact.parties(record.decider, |entity, role| one(entity, role, None)),
        }
        if is_seen(&record.fact) {
            self.follow_prices();
        }
        if let Fact::Cell(CellFact::Digest(_)) = &record.fact {
            self.last_digest = lsn;
        }
        self.lsn = lsn;
        self.time = record.time;
    }

    /// An entity has ended: nothing of it is left but what records say. Where it is still listed as changed, it is passed
    /// over.
    fn forget(&mut self, entity: EntityId) {
        let Some((counted, deadline)) = self.entities.remove(entity) else { return };
        self.hash = self.hash.wrapping_sub(counted);
        deadline.into_iter().for_each(|deadline| self.deadlines.remove(deadline, entity));
    }

    /// The state hash now.
    pub fn state_hash(&mut self) -> u64 {
        self.rehash(self.dirty.len());
        self.hash
    }

    /// Takes those that have waited longest since they first changed into the state hash, up to the last `left`: so much
    /// work is left for [`Self::state_hash`], for which everybody waits.
    pub(crate) fn rehash_down_to(&mut self, left: usize) {
        self.rehash(self.dirty.len().saturating_sub(left));
    }

    fn rehash(&mut self, count: usize) {
        let mut dirty = std::mem::take(&mut self.dirty);
        for (n, entity) in dirty.iter().take(count).enumerate() {
            self.prefetch(|ahead| dirty.get(n + ahead).copied());
            let change = self.entities.on_existing(*entity, Rehash).unwrap_or_default();
            self.hash = self.hash.wrapping_add(change);
        }
        dirty.drain(..count);
        self.dirty = dirty;
    }

    /// The digest that belongs into the journal now.
    pub fn digest(&mut self) -> Digest {
        Digest { form: STATE_HASH_FORM, state: self.state_hash(), entities: self.entities() }
    }

    /// The next due timer command, taken off the list; its entity's next deadline comes from what it decides, or from
    /// [`Self::rearm`]. `now` is so far ahead of the calendar. Timers that settle stay where they are unless they may run; also
    /// whether it is one.
    pub fn due(&mut self, now: TimeNs, ahead: TimeNs, settling: bool) -> Option<(Command, bool)> {
        let (entity, settles) = self.deadlines.take_due(now, ahead, settling)?;
        Some((self.entities.on_slot(entity, TakeTimer)?, settles))
    }

    /// The timer of an entity that has more to do at once; the same of timers that settle.
    pub fn due_at_once(&mut self, entity: EntityId, now: TimeNs, settling: bool) -> Option<(Command, bool)> {
        self.entities.on_existing(entity, TakeAtOnce { deadlines: &mut self.deadlines, now, settling }).flatten()
    }

    /// Registers an entity's deadline again, not before `at_least`: its timer came and left no fact.
    pub fn rearm(&mut self, entity: EntityId, at_least: TimeNs) {
        self.entities.on_existing(entity, Rearm { deadlines: &mut self.deadlines, at_least });
    }

    /// As [`Self::rearm`], unless a fact has registered it meanwhile.
    pub(crate) fn rearm_if_lost(&mut self, entity: EntityId, at_least: TimeNs) {
        self.entities.on_existing(entity, RearmIfLost(Rearm { deadlines: &mut self.deadlines, at_least }));
    }

    /// When the next timer is due, in the exchange's time, which is so far ahead of the calendar.
    pub fn next_deadline(&self, ahead: TimeNs, settling: bool) -> Option<TimeNs> {
        self.deadlines.next(ahead, settling)
    }

    /// The commands that tell entities that the process started again.
    pub fn recovered(&self) -> Vec<Command> {
        self.entities.recovered()
    }

    /// What a snapshot holds: the head first (version, position, time, last digest, hash form), then every entity, each
    /// a key and its bytes.
    pub fn save(&self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        let mut head = vec![HEAD_VERSION];
        [self.lsn.0, self.time, self.last_digest.0].iter().for_each(|n| n.put(&mut head));
        STATE_HASH_FORM.put(&mut head);
        std::iter::once((Vec::new(), head)).chain(self.entities.save())
    }

    /// Reads what `save` wrote and checks it against the snapshot's digest, if this build hashes as the writer did.
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
            let version = u8::get(&mut r)?;
            if version < HEAD_VERSION {
                return Err(DecodeError::Range("an older snapshot head"));
            }
            if version > HEAD_VERSION {
                return Err(DecodeError::Unknown { what: "snapshot head version", value: u64::from(version) });
            }
            self.lsn = Lsn(Wire::get(&mut r)?);
            self.time = Wire::get(&mut r)?;
            self.last_digest = Lsn(Wire::get(&mut r)?);
            self.hash_form = Wire::get(&mut r)?;
            return r.finish();
        }
        let entity = EntityId::get(&mut Reader::new(key))?;
        self.entities.load(entity, &mut r)?;
        self.entities.on_slot(entity, CountIn { dirty: &mut self.dirty, deadlines: &mut self.deadlines });
        r.finish()
    }
}
