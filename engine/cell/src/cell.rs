//! The cell: one total order of commands, one journal.
//!
//! A turn, stage by stage:
//! 1. timers that are due become commands, some of them when they are very many, and go before the commands that were
//!    admitted since the last turn; of those that settle one for two commands when any wait, and of those that ask others one
//!    after the other as many;
//! 2. commands run to completion, one at a time: *decide* (the addressed entity) → *check* (postings sum to zero) →
//!    *apply* (every entity that the record names) → *encode* (into the cell's buffer); an entity that needs the
//!    decision of another one holds money and asks; the question joins the queue;
//! 3. the buffer is handed to the journal;
//! 4. the gate opens up to the journal's durable LSN: answers and pushes leave;
//! 5. the entities that changed longest ago are hashed into the state hash, so that a digest has little left to do.
//!
//! Owns: the total order of commands. Never does: I/O, threads, waiting, business rules.
//! Invariants: a record is applied to every entity that it names before the next command is decided; times grow strictly; a
//! hold ends with its decision, accepted or refused; while the journal has room, a timer that settles waits for two commands
//! for each one that was due before it, however many commands come.
//! Known limits: one thread; a slow decision delays all others.

use crate::admission::is_refused;
use crate::clock::Clock;
use crate::gate::Gate;
use crate::hosting::Hosting;
use crate::message::{Change, Egress, Envelope, Ingress, PortId, Ticket};
use crate::movements::Movements;
use crate::probe::Probe;
use crate::world::World;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use xng_core::board::Board;
use xng_core::entity::{Accepted, Ask, Command, CommandClass, Ctx, Decision, Reply, TimeNs};
use xng_core::ids::{AccountId, EntityId, HoldId};
use xng_core::journal::{Batch, Capacity, Journal, Lsn};
use xng_core::record::{Cause, Fact, Origin, Record, Role, ZeroSum};
use xng_core::reject::Reject;

/// Items that a turn handles at most before it hands over and opens the gate.
const TURN_ITEMS: usize = 512;
/// New commands that the driver (`engine/runtime/src/thread.rs`) admits between two turns; [`Cell::admit`] takes any
/// number. Few enough that cell, disk and gateways work side by side when a few hundred are under way, and that commands
/// do not push each other out of the caches.
pub const ADMIT: usize = 128;
/// The buffer is handed over when it holds this many records …
pub const HANDOVER_RECORDS: u32 = 128;
/// … or bytes.
pub const HANDOVER_BYTES: usize = 64 * 1_024;
/// So many commands ahead, what entities point to is fetched: the addressed one, itself fetched when the command was
/// admitted, and those that its decision will probably name, themselves fetched [`FETCH_LIKELY`] ahead.
const FETCH_WITHIN: usize = 4;
/// So many commands ahead, those are fetched whom its decision will probably name.
const FETCH_LIKELY: usize = 8;
/// Boxes that are kept for commands to come.
const SPARE: usize = 2 * ADMIT;
/// Facts between two digests.
pub const DIGEST_EVERY: u64 = 10_000;
/// Changed entities that the state hash may lack after a turn. Few, so that a digest keeps nobody waiting; each costs less
/// soon after it changed, while it is in the cache.
const UNHASHED: usize = 512;
/// Timers and alarms that go before the commands of a turn at most: when very many are due at once, orders do not wait for
/// all.
const TIMERS: usize = 256;
/// Timers that settle, and likewise questions of those who ask one after the other, in a turn before which nothing waited: few,
/// since an order that comes meanwhile waits for the rest of the turn, and enough that what each turn costs is small beside
/// them.
const SETTLING: usize = 8;
/// Otherwise one for so many commands that waited, rounded up: orders wait for about as much as they cost themselves.
const COMMANDS_A_SETTLING: usize = 2;
/// Timers that settle wait while more bytes than these wait for the disk.
const SETTLE_PENDING_BYTES: u64 = 8 * 1_024 * 1_024;
/// Commands that [`Cell::catch_up`] handles in one go.
const CATCH_UP: usize = 4_096;
/// A timer that came and left no fact comes again after this long.
const TIMER_AGAIN_NS: TimeNs = 1_000_000_000;

#[derive(Debug)]
struct Item {
    command: Command,
    ticket: Option<Ticket>,
    cause: Cause,
    origin: Origin,
    hold: Option<Held>,
    /// What woke its entity, when it is the command itself and not a question that it led to.
    woken: Option<Woken>,
}

/// What an entity holds until its question is decided.
#[derive(Debug, Clone, Copy)]
struct Held {
    by: EntityId,
    id: HoldId,
    /// It asked because of its timer, which comes again when the question is decided.
    by_timer: bool,
}

/// What made the cell send a command to an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Woken {
    /// Its deadline.
    ByTimer,
    /// A price.
    ByAlarm,
}

/// Counters of one cell since its start.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CellCounters {
    /// Commands decided.
    pub commands: u64,
    /// Records appended.
    pub records: u64,
    /// Commands refused by an entity.
    pub rejects: u64,
    /// Commands not taken.
    pub busy: u64,
    /// Digests appended.
    pub digests: u64,
}

/// One arbiter's worth of entities with their journal.
pub struct Cell<H: Hosting, J: Journal, C: Clock> {
    world: World<H>,
    journal: J,
    clock: C,
    /// In boxes: a question takes the place of the command that led to it, and nothing is copied on its way.
    queue: VecDeque<Box<Item>>,
    /// Commands that came since the last turn.
    admitted: VecDeque<Box<Item>>,
    /// Boxes of commands that are done.
    spare: VecDeque<Box<Item>>,
    /// Answers that rest on nothing: "busy" does not wait for a slow disk.
    at_once: Vec<(PortId, Egress)>,
    gate: Gate,
    out: Batch,
    movements: Movements,
    sums: ZeroSum,
    /// The latest that the clock said: it may be set back, time here is not.
    now: TimeNs,
    digest_every: u64,
    unhashed: usize,
    next_hold: u64,
    /// Timers that settle which may still join the queue in this turn.
    settling_left: usize,
    /// How often entities whose timers ask others, one after the other, may still go on in this turn.
    asking_left: usize,
    /// Commands waited when the turn began.
    others_wait: bool,
    /// The time up to which [`Cell::catch_up`] makes up, once it has begun.
    catching_up: Option<TimeNs>,
    watchers: BTreeMap<AccountId, Vec<PortId>>,
    refused: Refused,
    in_hand: Option<Box<Item>>,
    counters: CellCounters,
}

/// What stopped the process before and is not tried again (`docs/decisions.md "Fail stop"`).
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Descriptions of single commands.
    pub commands: Vec<String>,
    /// Halted entities: they take nothing new. What frees money, what reads, and what the exchange itself tells them
    /// goes on, so that nobody's money is stuck and a market still closes.
    pub entities: Vec<EntityId>,
}

impl Refused {
    #[inline]
    fn names(&self, command: &Command, by_system: bool) -> bool {
        if self.commands.is_empty() && self.entities.is_empty() {
            return false;
        }
        let takes = !by_system && command.class() == CommandClass::Consumes;
        (takes && self.entities.contains(&command.target()))
            || (!self.commands.is_empty() && self.commands.contains(&format!("{command:?}")))
    }
}

/// What was being handled when an entity panicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InHand {
    /// The entity.
    pub entity: EntityId,
    /// Description of the command.
    pub command: String,
    /// The exchange itself sent it (a timer, a start), so that refusing it alone would not keep the entity sound.
    pub by_system: bool,
}

impl<H: Hosting, J: Journal, C: Clock> fmt::Debug for Cell<H, J, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("world", &self.world).field("queue", &self.queue.len()).finish()
    }
}

/// Two people of the back office are two, and ask for what they may.
fn refusal_to_staff(origin: Origin, command: &Command) -> Option<Reject> {
    let Origin::Staff { maker, checker, .. } = origin else { return None };
    if maker == checker {
        return Some(Reject::NotTwoPeople);
    }
    (!command.is_for_staff()).then_some(Reject::NotAllowed)
}

impl<H: Hosting, J: Journal, C: Clock> Cell<H, J, C> {
    /// A cell that goes on from `world`. Its entities are told first that the process started again; see
    /// [`Cell::catch_up`] for timers that passed meanwhile.
    pub fn new(mut world: World<H>, journal: J, clock: C) -> Self {
        world.open();
        let (recovered, now) = (world.recovered(), world.time());
        let mut cell = Cell {
            world,
            journal,
            clock,
            queue: VecDeque::new(),
            admitted: VecDeque::new(),
            spare: VecDeque::new(),
            at_once: Vec::new(),
            gate: Gate::default(),
            out: Batch::default(),
            movements: Movements::default(),
            sums: ZeroSum::default(),
            now,
            digest_every: DIGEST_EVERY,
            unhashed: UNHASHED,
            next_hold: 0,
            settling_left: 0,
            asking_left: 0,
            others_wait: false,
            catching_up: None,
            watchers: BTreeMap::new(),
            refused: Refused::default(),
            in_hand: None,
            counters: CellCounters::default(),
        };
        for command in recovered {
            cell.enqueue(command, Cause::Cell, None);
        }
        cell
    }

    /// Writes a digest after so many facts instead of [`DIGEST_EVERY`]; simulations want them often.
    pub fn digest_every(&mut self, facts: u64) {
        self.digest_every = facts;
    }

    /// Leaves so many changed entities out of the state hash after a turn instead of [`UNHASHED`]; simulations have few.
    pub fn leave_unhashed(&mut self, entities: usize) {
        self.unhashed = entities;
    }

    /// Refuses what stopped the process before.
    pub fn refuse(&mut self, refused: Refused) {
        self.refused = refused;
    }

    /// After a panic: what was being handled.
    pub fn in_hand(&self) -> Option<InHand> {
        self.in_hand.as_ref().map(|item| InHand {
            entity: item.command.target(),
            command: format!("{:?}", item.command),
            by_system: is_by_system(item.cause),
        })
    }

    /// Everything at its current position.
    pub fn world(&self) -> &World<H> {
        &self.world
    }

    /// The world, for hosts that have work of their own (mailboxes). Facts go through commands only.
    pub fn world_mut(&mut self) -> &mut World<H> {
        &mut self.world
    }

    /// The state hash at the current position.
    pub fn state_hash(&mut self) -> u64 {
        self.world.state_hash()
    }

    /// Its counters.
    pub fn counters(&self) -> CellCounters {
        self.counters
    }

    /// The journal.
    pub fn journal(&mut self) -> &mut J {
        &mut self.journal
    }

    /// The clock.
    pub fn clock(&mut self) -> &mut C {
        &mut self.clock
    }

    /// The latest that the clock said.
    pub fn latest(&self) -> TimeNs {
        self.now
    }

    /// Commands and questions that wait.
    pub fn queued(&self) -> usize {
        self.queue.len() + self.admitted.len()
    }

    /// Answers that wait for the journal.
    pub fn gated(&self) -> usize {
        self.gate.len()
    }

    fn enqueue(&mut self, command: Command, cause: Cause, woken: Option<Woken>) {
        let origin = Origin::System;
        let item = self.boxed(Item { command, ticket: None, cause, origin, hold: None, woken });
        self.queue.push_back(item);
    }

    /// The next timer that is due by `until`, or the next alarm: the `n`-th time one goes first, the next time the other, so
    /// that very many of the one do not keep the other waiting.
    fn enqueue_next(&mut self, n: usize, until: TimeNs, ahead: TimeNs, settling: bool) -> bool {
        let timer = |world: &mut World<H>| Some((world.due(until, ahead, settling)?, Woken::ByTimer));
        let alarm = |world: &mut World<H>| Some(((world.reached()?, false), Woken::ByAlarm));
        let world = &mut self.world;
        let next = match n % 2 {
            0 => timer(world).or_else(|| alarm(world)),
            _ => alarm(world).or_else(|| timer(world)),
        };
        let Some(((command, settles), woken)) = next else { return false };
        self.settling_left = self.settling_left.saturating_sub(usize::from(settles));
        self.enqueue(command, Cause::Timer, Some(woken));
        true
    }

    #[inline]
    fn boxed(&mut self, item: Item) -> Box<Item> {
        match self.spare.pop_back() {
            Some(mut spare) => {
                *spare = item;
                spare
            }
            None => Box::new(item),
        }
    }

    /// Takes something in. Answers "busy" at once when the journal cannot take more.
    pub fn admit(&mut self, ingress: Ingress) {
        match ingress {
            Ingress::Command(envelope) => self.admit_command(envelope),
            Ingress::Watch(account, port) => {
                let ports = self.watchers.entry(account).or_default();
                if !ports.contains(&port) {
                    ports.push(port);
                }
            }
            Ingress::Unwatch(account, port) => {
                if let Some(ports) = self.watchers.get_mut(&account) {
                    ports.retain(|p| *p != port);
                    if ports.is_empty() {
                        self.watchers.remove(&account);
                    }
                }
            }
        }
    }

    #[inline]
    fn admit_command(&mut self, envelope: Envelope) {
        let (pending, capacity) = (self.journal.pending_bytes(), self.journal.capacity());
        if is_refused(envelope.command.class(), capacity, pending) {
            self.counters.busy += 1;
            self.at_once
                .extend(envelope.ticket.map(|Ticket { port, token }| (port, Egress::Reply(token, Reply::Busy))));
            return;
        }
        let Envelope { command, ticket, origin, cause } = envelope;
        self.world.prefetch_entity(command.target());
        let item = self.boxed(Item { command, ticket, cause, origin, hold: None, woken: None });
        self.admitted.push_back(item);
    }

    /// One turn with all its stages; `leave` receives what passed the gate. True when anything happened.
    pub fn turn(&mut self, leave: impl FnMut(PortId, Egress)) -> bool {
        let worked = self.turn_with_probe(&mut (), leave);
        self.rehash_incrementally();
        worked
    }

    /// Stages 1 to 4; `probe` looks on.
    pub fn turn_with_probe(&mut self, probe: &mut impl Probe, leave: impl FnMut(PortId, Egress)) -> bool {
        let worked = self.run(probe);
        self.hand_over();
        worked | self.open_gate(leave)
    }

    fn run(&mut self, probe: &mut impl Probe) -> bool {
        self.enqueue_due();
        let mut handled = 0;
        while handled < TURN_ITEMS && self.handle_with_probe(probe) {
            handled += 1;
        }
        handled > 0
    }

    /// Stage 1 alone: due timers, then what was admitted, join the queue. Turns call it; a simulation may stop between
    /// any two stages.
    pub fn enqueue_due(&mut self) {
        let (now, ahead) = (self.now(), self.clock.ahead());
        let waiting = self.queued();
        self.others_wait = waiting > 0;
        let room = if waiting == 0 { SETTLING } else { waiting.div_ceil(COMMANDS_A_SETTLING) };
        // The first one comes by its own timer.
        self.asking_left = room - 1;
        self.settling_left = if self.may_settle() { room } else { 0 };
        for n in 0..TIMERS {
            if !self.enqueue_next(n, now, ahead, self.settling_left > 0) {
                break;
            }
        }
        if self.queue.is_empty() {
            std::mem::swap(&mut self.queue, &mut self.admitted);
        } else {
            self.queue.append(&mut self.admitted);
        }
    }

    fn may_settle(&self) -> bool {
        self.journal.capacity() == Capacity::Plenty && self.journal.pending_bytes() <= SETTLE_PENDING_BYTES
    }

    /// Makes up for the time in which nobody ran: entities are told that the process started again, then each timer that is
    /// due by now runs to its end, one after the other, in due order over all entities. Nothing is admitted before. True
    /// when all is done; otherwise it is called again when the journal has taken what there is.
    pub fn catch_up(&mut self) -> bool {
        let now = self.now();
        let until = *self.catching_up.get_or_insert(now);
        let ahead = self.clock.ahead();
        for n in 0..CATCH_UP {
            if self.handle_next() {
                continue;
            }
            let settling = self.may_settle();
            if !self.enqueue_next(n, until, ahead, settling) {
                self.hand_over();
                // What waits for room for good waits for it in turns.
                return self.journal.capacity() != Capacity::Plenty || settling;
            }
        }
        self.hand_over();
        false
    }

    /// One command of stage 2; false when none waits.
    pub fn handle_next(&mut self) -> bool {
        self.handle_with_probe(&mut ())
    }

    fn handle_with_probe(&mut self, probe: &mut impl Probe) -> bool {
        self.in_hand = self.queue.pop_front();
        let Some(item) = &self.in_hand else { return false };
        if let Some(next) = self.queue.get(FETCH_WITHIN) {
            self.world.prefetch_within(next.command.target());
            self.world.prefetch_within_likely(&next.command);
        }
        if let Some(next) = self.queue.get(FETCH_LIKELY) {
            self.world.prefetch_likely(&next.command);
        }
        probe.begins(&item.command);
        self.handle();
        self.spare.extend(self.in_hand.take().filter(|_| self.spare.len() < SPARE));
        probe.ended();
        if self.out.count >= HANDOVER_RECORDS || self.out.bytes.len() >= HANDOVER_BYTES {
            self.hand_over();
        }
        true
    }

    /// Stage 3 alone.
    pub fn hand_over(&mut self) {
        if !self.out.is_empty() {
            self.journal.append(&mut self.out);
        }
    }

    /// Stage 4 alone. True when anything left.
    pub fn open_gate(&mut self, mut leave: impl FnMut(PortId, Egress)) -> bool {
        let durable = self.journal.durable();
        let mut left = !self.at_once.is_empty();
        for (port, egress) in self.at_once.drain(..) {
            leave(port, egress);
        }
        self.gate.open(durable, |port, egress| {
            left = true;
            leave(port, egress);
        });
        left
    }

    /// Stage 5 alone: it can wait until what passed the gate is on its way.
    pub fn rehash_incrementally(&mut self) {
        self.world.rehash_down_to(self.unhashed);
    }

    /// When the next timer is due.
    pub fn next_deadline(&mut self) -> Option<TimeNs> {
        if self.world.is_reached() {
            return Some(self.now);
        }
        let (ahead, settling) = (self.clock.ahead(), self.may_settle());
        self.world.next_deadline(ahead, settling)
    }

    /// The clock, never going back nor behind the last stamp: a timer that was due is not early when it is decided.
    fn now(&mut self) -> TimeNs {
        self.now = self.now.max(self.clock.now()).max(self.world.time());
        self.now
    }

    fn stamp(&mut self) -> TimeNs {
        self.now().max(self.world.time() + 1)
    }

    /// Decides what is in hand and does what follows.
    fn handle(&mut self) {
        self.counters.commands += 1;
        let now = self.stamp();
        let Some(item) = &self.in_hand else { return };
        let (request, origin, others_wait) = (item.cause.request(), item.origin, self.others_wait);
        let ctx = Ctx { now, request, origin, others_wait, board: Board::nothing() };
        let decision = if self.refused.names(&item.command, is_by_system(item.cause)) {
            Decision::Reject(Reject::Poisoned)
        } else if let Some(reject) = refusal_to_staff(origin, &item.command) {
            Decision::Reject(reject)
        } else {
            self.world.decide(&item.command, &ctx)
        };
        // The decision is made: what was held for it is free again, and a fact takes what it needs.
        let held = item.hold;
        if let Some(held) = held {
            self.world.release_hold(held.by, held.id);
            if !matches!(decision, Decision::Fact(_)) {
                self.world.look_again(held.by);
            }
        }
        let (ticket, cause, origin, target) = (item.ticket, item.cause, item.origin, item.command.target());
        let woken = item.woken;
        let waits = |ask: &Ask| ask.hold.is_some() || cause.request().is_some();
        // The question that another one's timer led to says nothing about this one's own.
        match (woken, &decision) {
            (None, _) | (Some(_), Decision::Fact(_)) => {}
            // Its timer comes again when the question is decided.
            (Some(Woken::ByTimer), Decision::Ask(ask)) if waits(ask) => {}
            (Some(Woken::ByTimer), _) => self.world.rearm(target, now + TIMER_AGAIN_NS),
            (Some(Woken::ByAlarm), _) => self.world.renew_alarms(target),
        }
        match decision {
            Decision::Fact(fact) => {
                let reply = fact.reply(now);
                self.commit(Record { time: now, decider: target, cause, origin, fact }, ticket);
                self.answer(ticket, reply);
                // What has a queue to work off is asked again in the same turn, after what waits already: one step a turn
                // would be slower than new orders can join.
                if woken == Some(Woken::ByTimer) {
                    self.go_on(target, now);
                }
            }
            Decision::Ask(ask) => {
                let waits = waits(&ask);
                let by_timer = woken == Some(Woken::ByTimer);
                if by_timer {
                    // Who works off a queue asks one after the other: the next one's slot is fetched now, and was, of this one.
                    self.world.prefetch_within(ask.command.target());
                    self.world.prefetch_likely(&item.command);
                }
                let hold = waits.then(|| {
                    self.next_hold += 1;
                    let id = HoldId(self.next_hold);
                    self.world.place_hold(target, id, ask.hold, cause.request());
                    Held { by: target, id, by_timer }
                });
                if let Some(mut item) = self.in_hand.take() {
                    (item.command, item.hold, item.woken) = (ask.command, hold, None);
                    self.queue.push_back(item);
                }
            }
            Decision::Reply(reply) => self.answer(ticket, reply),
            Decision::Reject(reject) => {
                self.counters.rejects += 1;
                self.answer(ticket, Reply::Rejected(reject));
            }
            Decision::Nothing => self.answer(ticket, Reply::Accepted(Accepted::Done)),
        }
        if let Some(held) = held.filter(|held| held.by_timer) {
            self.world.rearm_if_lost(held.by, now + TIMER_AGAIN_NS);
            if self.asking_left > 0 {
                self.asking_left -= 1;
                self.go_on(held.by, now);
            }
        }
    }

    /// The timer of an entity joins the queue again when it has more to do at once.
    fn go_on(&mut self, entity: EntityId, now: TimeNs) {
        if let Some((command, settles)) = self.world.due_at_once(entity, now, self.settling_left > 0) {
            self.settling_left = self.settling_left.saturating_sub(usize::from(settles));
            self.world.prefetch_likely(&command);
            self.enqueue(command, Cause::Timer, Some(Woken::ByTimer));
        }
    }

    fn answer(&mut self, ticket: Option<Ticket>, reply: Reply) {
        if let Some(Ticket { port, token }) = ticket {
            self.gate.park(self.world.lsn(), port, Egress::Reply(token, reply));
        }
    }

    fn commit(&mut self, record: Record, by: Option<Ticket>) {
        let Record { time, decider, ref fact, .. } = record;
        // The exchange's own accounts change with most facts, and are in the cache.
        let is_far = |role| !matches!(role, Role::Fees | Role::Insurance | Role::Other);
        self.movements.make(fact, decider, |entity, role| {
            if is_far(role) {
                self.world.prefetch_entity(entity)
            }
        });
        self.sums.clear();
        self.movements.all().iter().for_each(|posting| self.sums.add(posting));
        if let Some((asset, sum)) = self.sums.imbalance() {
            panic!("postings of {} do not balance: {sum} of asset {asset}", fact.name());
        }
        for (entity, _) in self.movements.parties().filter(|(_, role)| is_far(*role)) {
            self.world.prefetch_within(entity);
        }
        self.append(record, by);
        if self.world.lsn().0 - self.world.last_digest().0 >= self.digest_every {
            self.counters.digests += 1;
            let fact = Fact::from(self.world.digest());
            let (decider, cause, origin) = (EntityId::REGISTRY, Cause::Cell, Origin::System);
            self.movements.make(&fact, decider, |_, _| {});
            self.append(Record { time: time + 1, decider, cause, origin, fact }, None);
        }
    }

    fn append(&mut self, record: Record, by: Option<Ticket>) {
        let lsn: Lsn = self.world.lsn().next();
        let (watchers, gate) = (&self.watchers, &mut self.gate);
        if watchers.is_empty() {
            self.world.apply_unseen(lsn, &record, &self.movements);
        } else {
            let watched = |account| watchers.contains_key(&account);
            self.world.apply(lsn, &record, Some(&self.movements), watched, |account, before, applied, role| {
                let Some(ports) = watchers.get(&account.id()) else { return };
                let event = account.event(before, applied, role);
                for port in ports {
                    gate.park(lsn, *port, Egress::Event(Box::new(Change { event: event.clone(), by })));
                }
            });
        }
        self.out.push(lsn, |bytes| record.encode(bytes));
        self.counters.records += 1;
    }
}

/// Sent by the cell itself.
fn is_by_system(cause: Cause) -> bool {
    matches!(cause, Cause::Timer | Cause::Cell)
}
