//! The deadlines of all entities, in order.
//!
//! Owns: at most one deadline an entity.
//! Never does: look at a clock; call an entity.
//! Invariants: a calendar deadline (wall time) is held back while the exchange's time is ahead of the wall clock by more than
//! the deadline is overdue.
//! Known limits: none.

use std::collections::BTreeSet;
use std::num::NonZero;
use xng_core::entity::{Deadline, TimeNs};
use xng_core::ids::EntityId;

/// A deadline in a word, not before a given time: entities are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered(NonZero<u64>);

/// The bit that tells the calendar's from others. Times take 61 bits until 2043, 62 until 2116.
const CALENDAR: u64 = 1 << 63;
/// The bit that tells those of timers that settle.
const SETTLES: u64 = 1 << 62;

impl Registered {
    /// As an entity says it, not before `at_least`; of a timer that `settles`, or one that does not.
    pub(crate) fn of(deadline: Deadline, at_least: TimeNs, settles: bool) -> Registered {
        let (at, kind) = match deadline {
            Deadline::Elapsed(at) => (at, 0),
            Deadline::Calendar(at) => (at, CALENDAR),
        };
        let settles = if settles { SETTLES } else { 0 };
        Registered(NonZero::new(at.max(at_least) | kind | settles).unwrap_or(NonZero::<u64>::MIN))
    }

    fn at(self) -> TimeNs {
        self.0.get() & !(CALENDAR | SETTLES)
    }

    /// It is due as soon as possible, at no time of its own.
    pub(crate) fn is_at_once(self) -> bool {
        self.0.get() & !SETTLES <= 1
    }

    pub(crate) fn settles(self) -> bool {
        self.0.get() & SETTLES != 0
    }

    /// It is due by now, and not the calendar's.
    pub(crate) fn is_elapsed(self, now: TimeNs) -> bool {
        self.0.get() & CALENDAR == 0 && self.at() <= now
    }

    /// Those that settle at once take turns: one that was `registered` keeps its place, another one comes after those that
    /// wait already.
    pub(crate) fn in_turn(self, registered: Option<Registered>, now: TimeNs) -> Registered {
        if !self.settles() || !self.is_at_once() {
            return self;
        }
        let waits = registered.filter(|waits| waits.settles() && waits.is_elapsed(now));
        waits.unwrap_or_else(|| Registered::of(Deadline::Elapsed(now), 0, true))
    }

    /// Its place among [`Deadlines::sets`].
    fn set(self) -> usize {
        usize::from(self.0.get() & CALENDAR != 0) + 2 * usize::from(self.0.get() & SETTLES != 0)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// Elapsed, calendar, and both of those that settle.
    sets: [BTreeSet<(TimeNs, EntityId)>; 4],
}

/// Sets of timers that may run whatever room the journal has.
const URGENT: usize = 2;

impl Deadlines {
    pub(crate) fn insert(&mut self, deadline: Registered, entity: EntityId) {
        self.sets[deadline.set()].insert((deadline.at(), entity));
    }

    pub(crate) fn remove(&mut self, deadline: Registered, entity: EntityId) {
        self.sets[deadline.set()].remove(&(deadline.at(), entity));
    }

    /// When the first of each set is due, in the exchange's time, which is so far ahead of the calendar; those that settle
    /// are left out unless they may run.
    fn firsts(&self, ahead: TimeNs, settling: bool) -> impl Iterator<Item = (TimeNs, usize)> {
        let sets = if settling { &self.sets[..] } else { &self.sets[..URGENT] };
        sets.iter().enumerate().filter_map(move |(n, set)| {
            let (at, _) = set.first()?;
            Some((if n % 2 == 1 { at.saturating_add(ahead) } else { *at }, n))
        })
    }

    /// When the next is due; see [`Deadlines::firsts`].
    pub(crate) fn next(&self, ahead: TimeNs, settling: bool) -> Option<TimeNs> {
        self.firsts(ahead, settling).map(|(at, _)| at).min()
    }

    /// Takes off the next that is due; also whether it settles.
    pub(crate) fn take_due(&mut self, now: TimeNs, ahead: TimeNs, settling: bool) -> Option<(EntityId, bool)> {
        let (_, set) = self.firsts(ahead, settling).min().filter(|(at, _)| *at <= now)?;
        self.sets[set].pop_first().map(|(_, entity)| (entity, set >= URGENT))
    }

    /// Leaves those of some entities here and gives the others.
    pub(crate) fn split_off(&mut self, stays: impl Fn(EntityId) -> bool) -> Deadlines {
        let sets = self.sets.each_mut().map(|set| {
            let (here, others) = std::mem::take(set).into_iter().partition(|(_, entity)| stays(*entity));
            *set = here;
            others
        });
        Deadlines { sets }
    }

    /// Takes others in.
    pub(crate) fn join(&mut self, mut others: Deadlines) {
        self.sets.iter_mut().zip(&mut others.sets).for_each(|(own, other)| own.append(other));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::MarketId;

    const HOUR: TimeNs = 3_600_000_000_000;
    const NOON: TimeNs = 1_800_000_000_000_000_000;

    fn market(id: u16) -> EntityId {
        EntityId::Market(MarketId(id))
    }

    fn set(deadlines: &mut Deadlines, id: u16, deadline: Deadline) -> Registered {
        let registered = Registered::of(deadline, 0, false);
        deadlines.insert(registered, market(id));
        registered
    }

    fn taken(deadlines: &mut Deadlines, now: TimeNs, ahead: TimeNs, settling: bool) -> Option<EntityId> {
        deadlines.take_due(now, ahead, settling).map(|(entity, _)| entity)
    }

    #[test]
    fn what_is_of_the_calendar_waits_for_it_and_nothing_else_does() {
        let mut d = Deadlines::default();
        set(&mut d, 1, Deadline::Calendar(NOON));
        set(&mut d, 2, Deadline::Elapsed(NOON + 1));
        let ahead = 2 * HOUR;
        assert_eq!(d.next(ahead, true), Some(NOON + 1));
        assert_eq!(taken(&mut d, NOON, ahead, true), None);
        assert_eq!(taken(&mut d, NOON + 1, ahead, true), Some(market(2)), "a span has passed");
        assert_eq!((taken(&mut d, NOON + ahead - 1, ahead, true), d.next(ahead, true)), (None, Some(NOON + ahead)));
        assert_eq!(taken(&mut d, NOON + ahead, ahead, true), Some(market(1)), "it is noon on the wall");
        assert_eq!(d.next(ahead, true), None);
    }

    #[test]
    fn a_clock_that_is_right_takes_both_kinds_in_the_order_of_their_times() {
        let mut d = Deadlines::default();
        for id in 1..=6 {
            let at = NOON + u64::from(id * 7 % 6);
            set(&mut d, id, if id % 2 == 0 { Deadline::Calendar(at) } else { Deadline::Elapsed(at) });
        }
        let taken: Vec<EntityId> = std::iter::from_fn(|| taken(&mut d, NOON + 3, 0, true)).collect();
        assert_eq!(taken, [6, 1, 2, 3].map(market));
        assert_eq!(d.next(0, true), Some(NOON + 4));
    }

    #[test]
    fn a_deadline_is_taken_back_as_it_was_registered_and_zero_is_one() {
        let mut d = Deadlines::default();
        for deadline in [Deadline::Elapsed(0), Deadline::Calendar(0), Deadline::Calendar(NOON), Deadline::Elapsed(NOON)]
        {
            let registered = set(&mut d, 1, deadline);
            assert!(d.next(0, true).is_some());
            d.remove(registered, market(1));
            assert_eq!(d.next(0, true), None, "{deadline:?}");
        }
        assert_eq!(Registered::of(Deadline::Elapsed(5), 9, true).at(), 9, "not before");
    }

    #[test]
    fn what_was_parted_and_joined_is_whole() {
        let mut d = Deadlines::default();
        set(&mut d, 1, Deadline::Elapsed(NOON));
        set(&mut d, 2, Deadline::Calendar(NOON + 1));
        let others = d.split_off(|entity| entity == market(1));
        assert_eq!((d.next(0, true), others.next(0, true)), (Some(NOON), Some(NOON + 1)));
        d.join(others);
        assert_eq!(
            (taken(&mut d, NOON + 1, 0, true), taken(&mut d, NOON + 1, 0, true)),
            (Some(market(1)), Some(market(2)))
        );
    }

    #[test]
    fn what_settles_waits_while_it_may_not_run_and_keeps_nothing_else_waiting() {
        let mut d = Deadlines::default();
        d.insert(Registered::of(Deadline::Elapsed(NOON), 0, true), market(1));
        d.insert(Registered::of(Deadline::Calendar(NOON + 1), 0, false), market(2));
        d.insert(Registered::of(Deadline::Calendar(NOON + 2), 0, true), market(3));
        assert_eq!(d.next(0, false), Some(NOON + 1));
        assert_eq!(taken(&mut d, NOON + 9, 0, false), Some(market(2)));
        assert_eq!((taken(&mut d, NOON + 9, 0, false), d.next(0, false)), (None, None));
        assert_eq!(
            (taken(&mut d, NOON + 9, 0, true), taken(&mut d, NOON + 9, 0, true)),
            (Some(market(1)), Some(market(3)))
        );
    }

    #[test]
    fn what_settles_at_once_takes_turns_and_keeps_its_place_while_it_waits() {
        let at_once = || Registered::of(Deadline::Elapsed(0), 0, true);
        let first = at_once().in_turn(None, NOON);
        let second = at_once().in_turn(None, NOON + 1);
        assert_eq!((first.at(), second.at()), (NOON, NOON + 1));
        assert_eq!(at_once().in_turn(Some(first), NOON + 2), first, "another fact changes nothing");
        assert_eq!(at_once().in_turn(None, NOON + 2).at(), NOON + 2, "it had its turn");
        let later = Registered::of(Deadline::Elapsed(NOON + 9), 0, true);
        assert_eq!(at_once().in_turn(Some(later), NOON + 2).at(), NOON + 2, "it is due earlier than it was");
        assert_eq!(later.in_turn(None, NOON), later);
        let urgent = Registered::of(Deadline::Elapsed(0), 0, false);
        assert_eq!(urgent.in_turn(None, NOON), urgent);
    }
}
