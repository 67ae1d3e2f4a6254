//! What is counted and measured of a cell's actors: how the shells and their driver are watched.
//!
//! Every message is counted; one in [`SAMPLE`] is measured, because two looks at the clock cost as much as a short
//! message; one in [`SAMPLE_AT_REST`] while turns are small. Both steps are primes, so that what alternates is met in
//! turn.
//!
//! Owns: the figures, and the [`Probe`] that fills them on the cell's thread. Never does: lock or allocate for a message
//! that is not a new slowest one; look at what a message says. Invariants: counters only grow; the cell's thread alone
//! writes what it counts. Known limits: questions between two actors live and end within a turn, so they are in no
//! depth; waits are known of commands that somebody awaits, up to the turn that handles them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use xng_cell::{Ingress, Probe};
use xng_core::entity::{Command, MESSAGES_A_KIND, TimeNs};
use xng_core::histogram::Histogram;
use xng_core::ids::EntityId;

/// One message in so many is measured.
pub const SAMPLE: u64 = 251;
/// The same after a turn of fewer than [`SMALL`] messages: then there is time.
pub const SAMPLE_AT_REST: u64 = 7;
/// Messages of a small turn.
const SMALL: u64 = 16;
/// Of commands that somebody awaits one in so many has its wait measured.
const SAMPLE_WAITS: u64 = 61;
/// Upper bounds of [`ActorMeters::handle_nanos`].
pub const HANDLE_BOUNDS_NANOS: [u64; 13] =
    [250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000, 100_000_000];
/// Upper bounds of [`ActorMeters::wait_nanos`].
pub const WAIT_BOUNDS_NANOS: [u64; 12] = [
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    5_000_000,
    25_000_000,
    100_000_000,
    1_000_000_000,
];
/// A slowest message is forgotten after this long.
const REMEMBERED_NS: TimeNs = 60_000_000_000;

/// A message that took longest among those that were measured of late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slowest {
    /// Who handled it.
    pub entity: EntityId,
    /// Its number, as [`Command::message`] gives it.
    pub message: usize,
    /// How long it took.
    pub nanos: u64,
    /// When, on the cell's clock.
    pub at: TimeNs,
}

/// A number on a line of the cache of its own: what gateways count does not slow the cell.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Apart(AtomicU64);

/// Figures of all actors of a cell since its start, by number of kind or message.
pub struct ActorMeters {
    sent: [Apart; Command::KIND_NUMBERS],
    taken: [AtomicU64; Command::KIND_NUMBERS],
    instances: [AtomicU64; Command::KIND_NUMBERS],
    progress: [AtomicU64; Command::KIND_NUMBERS],
    messages: [AtomicU64; Command::MESSAGE_NUMBERS],
    /// Time of handling, by message: deciding, applying to everybody named, encoding.
    pub handle_nanos: Box<[Histogram]>,
    /// Time from sending a command until the cell takes it into a turn, by kind.
    pub wait_nanos: Box<[Histogram]>,
    slowest: Mutex<[Option<Slowest>; Command::KIND_NUMBERS]>,
}

impl fmt::Debug for ActorMeters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorMeters").field("messages", &self.messages).finish_non_exhaustive()
    }
}

impl Default for ActorMeters {
    fn default() -> Self {
        let zeros = || std::array::from_fn(|_| AtomicU64::new(0));
        let many = |n: usize, bounds: &'static [u64]| (0..n).map(|_| Histogram::new(bounds)).collect();
        ActorMeters {
            sent: std::array::from_fn(|_| Apart::default()),
            taken: zeros(),
            instances: zeros(),
            progress: zeros(),
            messages: std::array::from_fn(|_| AtomicU64::new(0)),
            handle_nanos: many(Command::MESSAGE_NUMBERS, &HANDLE_BOUNDS_NANOS),
            wait_nanos: many(Command::KIND_NUMBERS, &WAIT_BOUNDS_NANOS),
            slowest: Mutex::default(),
        }
    }
}

impl ActorMeters {
    /// Commands of a kind that were sent and are not handled yet, the one in hand included.
    #[must_use]
    pub fn depth(&self, kind: usize) -> u64 {
        // In this order: what is sent between the two looks makes it too large, never less than nothing.
        let taken = self.taken[kind].load(Relaxed);
        self.sent[kind].0.load(Relaxed).saturating_sub(taken)
    }

    /// Entities of a kind.
    #[must_use]
    pub fn instances(&self, kind: usize) -> u64 {
        self.instances[kind].load(Relaxed)
    }

    /// When a message to a kind was last handled, on the cell's clock; 0 before the first.
    #[must_use]
    pub fn progress(&self, kind: usize) -> TimeNs {
        self.progress[kind].load(Relaxed)
    }

    /// Messages handled, by number.
    #[must_use]
    pub fn messages(&self, message: usize) -> u64 {
        self.messages[message].load(Relaxed)
    }

    /// The message of a kind that took longest of late.
    #[must_use]
    pub fn slowest(&self, kind: usize) -> Option<Slowest> {
        self.slow()[kind]
    }

    fn slow(&self) -> MutexGuard<'_, [Option<Slowest>; Command::KIND_NUMBERS]> {
        self.slowest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count_sent(&self, item: &Ingress) {
        if let Ingress::Command(envelope) = item {
            self.sent[envelope.command.kind()].0.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn count_instances(&self, counted: [u64; Command::KIND_NUMBERS]) {
        self.instances.iter().zip(counted).for_each(|(gauge, n)| gauge.store(n, Relaxed));
    }

    fn note_slow(&self, slow: Slowest) {
        let mut known = self.slow();
        let known = &mut known[slow.message / MESSAGES_A_KIND];
        let keep = known.is_some_and(|k| k.nanos >= slow.nanos && k.at + REMEMBERED_NS > slow.at);
        if !keep {
            *known = Some(slow);
        }
    }
}

/// Something on its way into a cell, with the moment it was sent when its wait is to be measured.
#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) item: Ingress,
    sent: Option<Instant>,
}

impl Queued {
    pub(crate) fn new(item: Ingress) -> Queued {
        let ticket = if let Ingress::Command(envelope) = &item { envelope.ticket } else { None };
        let sent = ticket.filter(|t| t.token.is_multiple_of(SAMPLE_WAITS)).map(|_| Instant::now());
        Queued { item, sent }
    }
}

/// The probe of one cell: a message costs it an addition; all that is more is done at the end of a turn or for the one
/// that is measured.
#[derive(Debug)]
pub struct Meter {
    shared: Arc<ActorMeters>,
    counted: [u64; Command::MESSAGE_NUMBERS],
    /// Messages so far, when the turn before ended, and at the next one that is measured.
    handled: u64,
    before: u64,
    next: u64,
    measured: Option<Measured>,
    taken: [u64; Command::KIND_NUMBERS],
    now: TimeNs,
}

#[derive(Debug, Clone, Copy)]
struct Measured {
    began: Instant,
    message: usize,
    entity: EntityId,
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl Meter {
    /// Fills `shared`.
    #[must_use]
    pub fn new(shared: Arc<ActorMeters>) -> Meter {
        let (counted, taken) = ([0; Command::MESSAGE_NUMBERS], [0; Command::KIND_NUMBERS]);
        Meter { shared, counted, handled: 0, before: 0, next: SAMPLE, measured: None, taken, now: 0 }
    }

    pub(crate) fn takes(&mut self, queued: &Queued) {
        let Ingress::Command(envelope) = &queued.item else { return };
        let kind = envelope.command.kind();
        self.taken[kind] += 1;
        if let Some(sent) = queued.sent {
            self.shared.wait_nanos[kind].record(nanos(sent));
        }
    }

    /// A turn is over; `done` when nothing of what was taken waits, `now` on the cell's clock.
    pub fn turned(&mut self, done: bool, now: TimeNs) {
        self.now = now;
        let handled = self.handled - std::mem::replace(&mut self.before, self.handled);
        if handled > 0 {
            self.publish(now);
            if handled < SMALL {
                self.next = self.next.min(self.handled + SAMPLE_AT_REST);
            }
        }
        if done {
            self.shared.taken.iter().zip(self.taken).for_each(|(counter, n)| counter.store(n, Relaxed));
        }
    }

    fn publish(&self, now: TimeNs) {
        for (message, (counter, counted)) in self.shared.messages.iter().zip(&self.counted).enumerate() {
            if counter.load(Relaxed) != *counted {
                counter.store(*counted, Relaxed);
                self.shared.progress[message / MESSAGES_A_KIND].store(now, Relaxed);
            }
        }
    }

    #[cold]
    fn measure(&mut self, command: &Command, message: usize) {
        self.next = self.handled + SAMPLE;
        self.measured = Some(Measured { began: Instant::now(), message, entity: command.target() });
    }

    #[cold]
    fn measured(&mut self, Measured { began, message, entity }: Measured) {
        let nanos = nanos(began);
        self.measured = None;
        self.shared.handle_nanos[message].record(nanos);
        self.shared.note_slow(Slowest { entity, message, nanos, at: self.now });
    }
}

impl Probe for Meter {
    #[inline]
    fn begins(&mut self, command: &Command) {
        let message = command.message();
        self.counted[message] += 1;
        self.handled += 1;
        if self.handled == self.next {
            self.measure(command, message);
        }
    }

    #[inline]
    fn ended(&mut self) {
        if let Some(measured) = self.measured {
            self.measured(measured);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_cell::{Envelope, PortId, Ticket};
    use xng_core::ids::PriceId;
    use xng_core::price::PriceCommand;
    use xng_core::record::{Cause, Origin};

    fn push(token: u64) -> Ingress {
        let said = xng_core::price::facts::SourcePrice { source: 0, price: xng_core::money::Amount(1) };
        let command = Command::Price(PriceId(1), PriceCommand::Push(said));
        let ticket = Some(Ticket { port: PortId(0), token });
        Ingress::Command(Envelope { ticket, origin: Origin::System, cause: Cause::Request, command })
    }

    fn handle(meter: &mut Meter, queued: Queued) {
        meter.takes(&queued);
        let Ingress::Command(envelope) = queued.item else { return };
        meter.begins(&envelope.command);
        meter.ended();
    }

    fn prices() -> (usize, usize) {
        let kind = Command::KINDS.iter().find(|kind| kind.name == "price").expect("prices are a kind");
        let place = kind.messages.iter().position(|name| *name == "push").expect("they are pushed");
        (kind.number, kind.message(place))
    }

    #[test]
    fn every_message_is_counted_and_one_in_so_many_is_measured() {
        let shared = Arc::new(ActorMeters::default());
        let mut meter = Meter::new(shared.clone());
        let sent: Vec<Queued> = (0..502).map(|token| Queued::new(push(token))).collect();
        sent.iter().for_each(|queued| shared.count_sent(&queued.item));
        let (kind, message) = prices();
        assert_eq!(shared.depth(kind), 502);
        sent.into_iter().for_each(|queued| handle(&mut meter, queued));
        meter.turned(true, 7);
        assert_eq!((shared.messages(message), shared.depth(kind), shared.progress(kind)), (502, 0, 7));
        assert_eq!((shared.handle_nanos[message].count(), shared.wait_nanos[kind].count()), (2, 9));
        assert_eq!(shared.slowest(kind).map(|slow| slow.message), Some(message));
    }

    #[test]
    fn in_small_turns_more_is_measured() {
        let shared = Arc::new(ActorMeters::default());
        let mut meter = Meter::new(shared.clone());
        for token in 0..71 {
            handle(&mut meter, Queued::new(push(token)));
            meter.turned(true, token);
        }
        assert_eq!(shared.handle_nanos[prices().1].count(), 10);
    }

    #[test]
    fn what_was_taken_and_still_waits_is_in_the_depth() {
        let shared = Arc::new(ActorMeters::default());
        let mut meter = Meter::new(shared.clone());
        let queued = Queued::new(push(1));
        shared.count_sent(&queued.item);
        meter.takes(&queued);
        meter.turned(false, 1);
        assert_eq!(shared.depth(prices().0), 1);
    }

    #[test]
    fn every_message_has_a_name_of_its_own() {
        for kind in Command::KINDS {
            let mut names = kind.messages.to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), kind.messages.len(), "{}", kind.name);
        }
    }
}
