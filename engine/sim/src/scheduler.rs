//! The scheduler: the choice of the event that happens next in a run.
//!
//! Owns: the events, their base weights, and the weights of a seed. Never does: look inside a cell; carry an event out
//! (`run.rs` does). Invariants: the choice depends on the seed alone. Known limits: one event at a time.

use crate::rng::Rng;

/// What may happen to a cell in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Ask,
    Handle,
    HandOver,
    WriteGroup,
    Answers,
    WholeTurn,
    Keep,
    Snapshot,
    Time,
    Prices,
    Operate,
    ReadChain,
    Crash,
    Persist,
    FillOrFree,
}

/// Every event with its base weight.
const EVENTS: [(Event, u64); 15] = [
    (Event::Ask, 30),
    (Event::Handle, 20),
    (Event::HandOver, 10),
    (Event::WriteGroup, 20),
    (Event::Answers, 10),
    (Event::WholeTurn, 8),
    (Event::Keep, 4),
    (Event::Snapshot, 3),
    (Event::Time, 10),
    (Event::Prices, 6),
    (Event::Operate, 2),
    (Event::ReadChain, 8),
    (Event::Crash, 3),
    (Event::Persist, 15),
    (Event::FillOrFree, 2),
];

/// How often what happens; each seed draws its own.
#[derive(Debug, Clone)]
pub(crate) struct Mix([u64; EVENTS.len()]);

impl Mix {
    /// The weights of a seed.
    pub(crate) fn draw(rng: &mut Rng) -> Mix {
        let drawn = EVENTS.map(|(event, base)| (event, base * rng.pick(&[1, 1, 2, 4]) / rng.pick(&[1, 1, 2])));
        // Some seeds crash all the time, some never …
        let crash = rng.pick(&[0, 1, 3, 10]);
        // … and in some the store stands still nearly always.
        let persist = rng.pick(&[1, 15, 40]);
        Mix(drawn.map(|(event, weight)| match event {
            Event::Crash => crash,
            Event::Persist => persist,
            Event::Ask => weight.max(1),
            Event::Handle
            | Event::HandOver
            | Event::WriteGroup
            | Event::Answers
            | Event::WholeTurn
            | Event::Keep
            | Event::Snapshot
            | Event::Time
            | Event::Prices
            | Event::Operate
            | Event::ReadChain
            | Event::FillOrFree => weight,
        }))
    }

    /// The next event.
    pub(crate) fn next(&self, rng: &mut Rng) -> Event {
        EVENTS[rng.weighted(&self.0)].0
    }
}
