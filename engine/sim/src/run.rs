//! One run: a seeded scheduler that drives one or more cells step by step, breaks them, starts them again, and asks the
//! auditors after every step.
//!
//! Owns: which cell is next and what happens to it, the mix of a seed, the paths that are worth reaching.
//! Invariants: everything follows from the seed.
//! Never does: look inside a cell to choose what comes next. Known limits: one step at a time; no two calls overlap
//! but those of the store.

use crate::auditor::Finding;
use crate::dice::Dice;
use crate::site::Site;
use std::collections::BTreeMap;

/// Steps between two full audits.
const FULL_AUDIT_EVERY: u64 = 200;
/// One seed of so many has a real SQLite file beside the store.
const MIRRORED_EVERY: u64 = 50;

/// What may happen to a cell in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
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
    Crash,
    Persist,
    FillOrFree,
}

/// Every event with its base weight.
const EVENTS: [(Event, u64); 14] = [
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
    (Event::Crash, 3),
    (Event::Persist, 15),
    (Event::FillOrFree, 2),
];

/// How often what happens; each seed draws its own.
#[derive(Debug, Clone)]
struct Mix([u64; EVENTS.len()]);

impl Mix {
    fn draw(dice: &mut Dice) -> Mix {
        let drawn = EVENTS.map(|(event, base)| (event, base * dice.pick(&[1, 1, 2, 4]) / dice.pick(&[1, 1, 2])));
        // Some seeds crash all the time, some never …
        let crash = dice.pick(&[0, 1, 3, 10]);
        // … and in some the store stands still nearly always.
        let persist = dice.pick(&[1, 15, 40]);
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
            | Event::FillOrFree => weight,
        }))
    }

    fn next(&self, dice: &mut Dice) -> Event {
        EVENTS[dice.weighted(&self.0)].0
    }
}

/// What a run reached. A path that no run reaches is reported.
pub type Reached = BTreeMap<&'static str, u64>;

/// The paths that are worth reaching.
pub const PATHS: &[&str] = &[
    "answered",
    "refused",
    "in flight twice",
    "repeated and known",
    "lost and asked again",
    "traded",
    "self-trade prevented",
    "ended by its owner's own order",
    "an iceberg shows its next slice",
    "an order waits",
    "triggered and filled",
    "a triggered order ends its list",
    "a filled order ends its list",
    "replaced",
    "left, and its successor refused",
    "an order brings others",
    "what an order brings is placed",
    "what an order brings is refused",
    "made smaller",
    "quotes set",
    "market closed by its timer",
    "digest",
    "snapshot",
    "segment recycled",
    "crash between hold and decision",
    "crash with decisions that are not durable",
    "crash with answers at the gate",
    "crash while a group is written",
    "crash while a segment is archived or recycled",
    "crash while a snapshot is written",
    "crash while recovering",
    "failed sync",
    "kill",
    "power loss",
    "acknowledgement looked up after a kill",
    "acknowledgement looked up after a power loss",
    "records lost that nobody was told of",
    "clock set back",
    "clock set forward",
    "a day passed",
    "request keys forgotten",
    "disks full",
    "busy, the journal is nearly full",
    "busy, the journal is full",
    "snapshot on a full disk",
    "start on a full disk",
    "store opened",
    "store wrote a batch",
    "store slow",
    "store failed, tried again",
    "crash while the store writes",
    "crash, and the store wrote on",
    "compared with SQLite",
    "two cells",
];

/// One run.
pub struct Run {
    dice: Dice,
    mix: Mix,
    sites: Vec<Site>,
    step: u64,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "run at step {}", self.step)
    }
}

impl Run {
    /// Sets a seed's exchange up.
    pub fn new(seed: u64) -> Result<Run, Finding> {
        Run::with(seed, false)
    }

    /// The same on a disk that says that it synced and did not: a run that must fail.
    pub fn on_a_lying_disk(seed: u64) -> Result<Run, Finding> {
        Run::with(seed, true)
    }

    fn with(seed: u64, stubbed: bool) -> Result<Run, Finding> {
        let mut dice = Dice::new(seed);
        let mix = Mix::draw(&mut dice);
        let cells = dice.pick(&[1, 1, 1, 1, 1, 1, 1, 2]);
        let mirrored = seed.is_multiple_of(MIRRORED_EVERY);
        let sites: Result<Vec<Site>, Finding> = (0..cells).map(|_| Site::new(dice.fork(), mirrored, stubbed)).collect();
        let mut run = Run { dice, mix, sites: sites?, step: 0 };
        if let [first, _, ..] = run.sites.as_mut_slice() {
            first.count("two cells");
        }
        Ok(run)
    }

    /// Runs `steps` steps and ends with everything settled and audited.
    pub fn run(&mut self, steps: u64) -> Result<(), (u64, Finding)> {
        for _ in 0..steps {
            self.step += 1;
            self.one().map_err(|finding| (self.step, finding))?;
        }
        for site in &mut self.sites {
            let ended = site.settle().and_then(|()| site.persist_all()).and_then(|()| site.audit_all());
            ended.map_err(|finding| (self.step, finding))?;
        }
        Ok(())
    }

    /// What was reached so far.
    #[must_use]
    pub fn reached(&self) -> Reached {
        let mut all = Reached::new();
        for (path, count) in self.sites.iter().flat_map(|site| &site.reached) {
            *all.entry(path).or_default() += count;
        }
        all
    }

    /// Records in the journals.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.sites.iter().map(Site::records).sum()
    }

    fn one(&mut self) -> Result<(), Finding> {
        let at = self.dice.below(self.sites.len() as u64) as usize;
        let site = &mut self.sites[at];
        match self.mix.next(&mut self.dice) {
            Event::Ask => site.ask(),
            Event::Handle => site.handle_some(),
            Event::HandOver => site.node.cell.hand_over(),
            Event::WriteGroup => site.write_group()?,
            Event::Answers => site.answers()?,
            Event::WholeTurn => site.whole_turn()?,
            Event::Keep => site.keep()?,
            Event::Snapshot => site.snapshot()?,
            Event::Time => site.pass_time(),
            Event::Prices => site.prices(),
            Event::Operate => site.operate(),
            Event::Crash => site.crash()?,
            Event::Persist => drop(site.persist()?),
            Event::FillOrFree => site.fill_or_free(),
        }
        site.audit_step()?;
        if self.step.is_multiple_of(FULL_AUDIT_EVERY) {
            self.sites.iter_mut().try_for_each(Site::audit_all)?;
        }
        Ok(())
    }
}
