//! When whose timer is due.
//!
//! Owns: the deadlines of all entities in order. Never does: look at a clock; ask an entity.
//! Invariants: an entity has one at most; one of the calendar is not due while the exchange's time is ahead of the calendar
//! by more than it is past. Known limits: none.

use std::collections::BTreeSet;
use std::num::NonZero;
use xng_core::entity::{Deadline, TimeNs};
use xng_core::ids::EntityId;

/// A deadline in a word, not before a given time: entities are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered(NonZero<u64>);

/// The bit that tells the calendar's from others. Times take 61 bits until 2043, 62 until 2116.
const CALENDAR: u64 = 1 << 63;

impl Registered {
    /// As an entity says it, not before `at_least`.
    pub(crate) fn of(deadline: Deadline, at_least: TimeNs) -> Registered {
        let (at, kind) = match deadline {
            Deadline::Elapsed(at) => (at, 0),
            Deadline::Calendar(at) => (at, CALENDAR),
        };
        Registered(NonZero::new(at.max(at_least) | kind).unwrap_or(NonZero::<u64>::MIN))
    }

    fn at(self) -> TimeNs {
        self.0.get() & !CALENDAR
    }

    fn is_calendar(self) -> bool {
        self.0.get() & CALENDAR != 0
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    elapsed: BTreeSet<(TimeNs, EntityId)>,
    calendar: BTreeSet<(TimeNs, EntityId)>,
}

impl Deadlines {
    fn of(&mut self, deadline: Registered) -> &mut BTreeSet<(TimeNs, EntityId)> {
        if deadline.is_calendar() { &mut self.calendar } else { &mut self.elapsed }
    }

    pub(crate) fn insert(&mut self, deadline: Registered, entity: EntityId) {
        self.of(deadline).insert((deadline.at(), entity));
    }

    pub(crate) fn remove(&mut self, deadline: Registered, entity: EntityId) {
        self.of(deadline).remove(&(deadline.at(), entity));
    }

    /// When the next is due, in the exchange's time, which is so far ahead of the calendar.
    pub(crate) fn next(&self, ahead: TimeNs) -> Option<TimeNs> {
        let elapsed = self.elapsed.first().map(|(at, _)| *at);
        let calendar = self.calendar.first().map(|(at, _)| at.saturating_add(ahead));
        elapsed.into_iter().chain(calendar).min()
    }

    /// Takes off the next that is due.
    pub(crate) fn take_due(&mut self, now: TimeNs, ahead: TimeNs) -> Option<EntityId> {
        let calendar = self.calendar.first().map(|(at, _)| at.saturating_add(ahead));
        let due = match (self.elapsed.first(), calendar) {
            (Some((at, _)), calendar) if *at <= now && calendar.is_none_or(|other| *at <= other) => {
                self.elapsed.pop_first()
            }
            (_, Some(at)) if at <= now => self.calendar.pop_first(),
            (Some(_) | None, _) => None,
        };
        due.map(|(_, entity)| entity)
    }

    /// Leaves those of some entities here and gives the others.
    pub(crate) fn part(&mut self, stays: impl Fn(EntityId) -> bool) -> Deadlines {
        let part = |set: &mut BTreeSet<(TimeNs, EntityId)>| {
            let (here, others) = std::mem::take(set).into_iter().partition(|(_, entity)| stays(*entity));
            *set = here;
            others
        };
        Deadlines { elapsed: part(&mut self.elapsed), calendar: part(&mut self.calendar) }
    }

    /// Takes others in.
    pub(crate) fn join(&mut self, mut others: Deadlines) {
        self.elapsed.append(&mut others.elapsed);
        self.calendar.append(&mut others.calendar);
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
        let registered = Registered::of(deadline, 0);
        deadlines.insert(registered, market(id));
        registered
    }

    #[test]
    fn what_is_of_the_calendar_waits_for_it_and_nothing_else_does() {
        let mut d = Deadlines::default();
        set(&mut d, 1, Deadline::Calendar(NOON));
        set(&mut d, 2, Deadline::Elapsed(NOON + 1));
        let ahead = 2 * HOUR;
        assert_eq!(d.next(ahead), Some(NOON + 1));
        assert_eq!(d.take_due(NOON, ahead), None);
        assert_eq!(d.take_due(NOON + 1, ahead), Some(market(2)), "a span has passed");
        assert_eq!((d.take_due(NOON + ahead - 1, ahead), d.next(ahead)), (None, Some(NOON + ahead)));
        assert_eq!(d.take_due(NOON + ahead, ahead), Some(market(1)), "it is noon on the wall");
        assert_eq!(d.next(ahead), None);
    }

    #[test]
    fn a_clock_that_is_right_takes_both_kinds_in_the_order_of_their_times() {
        let mut d = Deadlines::default();
        for id in 1..=6 {
            let at = NOON + u64::from(id * 7 % 6);
            set(&mut d, id, if id % 2 == 0 { Deadline::Calendar(at) } else { Deadline::Elapsed(at) });
        }
        let taken: Vec<EntityId> = std::iter::from_fn(|| d.take_due(NOON + 3, 0)).collect();
        assert_eq!(taken, [6, 1, 2, 3].map(market));
        assert_eq!(d.next(0), Some(NOON + 4));
    }

    #[test]
    fn a_deadline_is_taken_back_as_it_was_registered_and_zero_is_one() {
        let mut d = Deadlines::default();
        for deadline in [Deadline::Elapsed(0), Deadline::Calendar(0), Deadline::Calendar(NOON), Deadline::Elapsed(NOON)]
        {
            let registered = set(&mut d, 1, deadline);
            assert!(d.next(0).is_some());
            d.remove(registered, market(1));
            assert_eq!(d.next(0), None, "{deadline:?}");
        }
        assert_eq!(Registered::of(Deadline::Elapsed(5), 9).at(), 9, "not before");
    }

    #[test]
    fn what_was_parted_and_joined_is_whole() {
        let mut d = Deadlines::default();
        set(&mut d, 1, Deadline::Elapsed(NOON));
        set(&mut d, 2, Deadline::Calendar(NOON + 1));
        let others = d.part(|entity| entity == market(1));
        assert_eq!((d.next(0), others.next(0)), (Some(NOON), Some(NOON + 1)));
        d.join(others);
        assert_eq!((d.take_due(NOON + 1, 0), d.take_due(NOON + 1, 0)), (Some(market(1)), Some(market(2))));
    }
}
