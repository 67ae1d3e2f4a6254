//! One run: a seeded scheduler that drives one or more cells step by step, breaks them, starts them again, and asks the
//! auditors after every step.
//!
//! Owns: which cell is next and what happens to it, the mix of a seed, the paths that are worth reaching.
//! Invariants: everything follows from the seed.

use crate::auditor::Finding;
use crate::dice::Dice;
use crate::site::Site;
use std::collections::BTreeMap;

/// Steps between two full audits.
const FULL_AUDIT_EVERY: u64 = 200;
/// One seed of so many has a real SQLite file beside the store.
const MIRRORED_EVERY: u64 = 50;

/// How often what happens; each seed draws its own.
#[derive(Debug, Clone)]
struct Mix([u64; 14]);

impl Mix {
    fn draw(dice: &mut Dice) -> Mix {
        let mut weights = [30, 20, 10, 20, 10, 8, 4, 3, 10, 6, 2, 3, 15, 2];
        for weight in &mut weights {
            *weight = *weight * dice.pick(&[1, 1, 2, 4]) / dice.pick(&[1, 1, 2]);
        }
        // Some seeds crash all the time, some never.
        weights[11] = dice.pick(&[0, 1, 3, 10]);
        // … and in some the store stands still nearly always.
        weights[12] = dice.pick(&[1, 15, 40]);
        weights[0] = weights[0].max(1);
        Mix(weights)
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
        match self.dice.weighted(&self.mix.0) {
            0 => site.ask(),
            1 => site.handle_some(),
            2 => site.node.cell.hand_over(),
            3 => site.write_group()?,
            4 => site.answers()?,
            5 => site.whole_turn()?,
            6 => site.keep()?,
            7 => site.snapshot()?,
            8 => site.pass_time(),
            9 => site.prices(),
            10 => site.operate(),
            11 => site.crash()?,
            12 => drop(site.persist()?),
            _ => site.fill_or_free(),
        }
        site.audit_step()?;
        if self.step.is_multiple_of(FULL_AUDIT_EVERY) {
            self.sites.iter_mut().try_for_each(Site::audit_all)?;
        }
        Ok(())
    }
}
