//! One run: it drives one or more cells step by step as the scheduler chooses, breaks them, starts them again, and calls the
//! auditors after every step.
//!
//! Owns: the cells of a run, the choice of the next cell, the order of steps and audits. Never does: choose an event;
//! `scheduler.rs` does. Invariants: everything follows from the seed. Known limits: one step at a time; only calls of the
//! store overlap.

use crate::auditor::Finding;
use crate::rng::Rng;
use crate::scheduler::{Event, Mix};
use crate::site::Site;
use std::collections::BTreeMap;

/// Steps between two full audits.
const FULL_AUDIT_EVERY: u64 = 200;
/// One seed of so many has a real SQLite file beside the store.
const MIRRORED_EVERY: u64 = 50;

/// What a run reached. A path that no run reaches is reported.
pub type Reached = BTreeMap<&'static str, u64>;

/// One run.
pub struct Run {
    rng: Rng,
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
        let mut rng = Rng::new(seed);
        let mix = Mix::draw(&mut rng);
        let cells = rng.pick(&[1, 1, 1, 1, 1, 1, 1, 2]);
        let mirrored = seed.is_multiple_of(MIRRORED_EVERY);
        let sites: Result<Vec<Site>, Finding> = (0..cells).map(|_| Site::new(rng.fork(), mirrored, stubbed)).collect();
        let mut run = Run { rng, mix, sites: sites?, step: 0 };
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
            let ended = site
                .settle()
                .and_then(|()| site.come_to_rest())
                .and_then(|()| site.walk())
                .and_then(|()| site.come_to_rest())
                .and_then(|()| site.pay_all())
                .and_then(|()| site.pay_all_of_accounts())
                .and_then(|()| site.persist_all())
                .and_then(|()| site.audit_all());
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
        let at = self.rng.below(self.sites.len() as u64) as usize;
        let site = &mut self.sites[at];
        match self.mix.next(&mut self.rng) {
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
            Event::ReadChain => site.read_chain()?,
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
