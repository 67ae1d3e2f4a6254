//! Rest: nothing is asked any more, prices stay or walk, and everything that is due is done.
//!
//! Owns: when a cell is at rest, the way that prices take then. Never does: judge what is left; the auditor does. Invariants:
//! after each price nobody is at an end without being liquidated. Known limits: a journal that is nearly full takes no
//! prices, so nothing is looked at then.

use crate::auditor::Finding;
use crate::site::{SECOND, Site, wrong};
use xng_core::journal::Capacity;

/// Ticks of each price, a second apart, after which nothing is due any more: a copy waits for a price for ten seconds of the
/// exchange's time.
const REST: u32 = 12;
/// Where prices walk to, in parts per thousand of what they were.
const WAY: [i64; 5] = [10, -10, 30, -30, 0];
/// Lengths of one step, in parts of ten thousand.
const STEPS: [i64; 3] = [25, 40, 60];

impl Site {
    /// Runs until nothing waits any more, but for room in a journal that may not grow.
    pub(crate) fn settle(&mut self) -> Result<(), Finding> {
        self.free();
        let mut tried = false;
        loop {
            let durable = self.node.durable();
            self.whole_turn()?;
            while self.node.commit().map_err(wrong)? {}
            self.answers()?;
            // What is due by now is still to come: a timer, or one whose alarm the last price reached.
            // Stamps run ahead of a clock that stands still.
            let now = self.now.max(self.auditor.time());
            let due = self.node.cell.next_deadline().is_some_and(|at| at <= now);
            if self.node.cell.queued() == 0 && self.node.cell.gated() == 0 && !due {
                return Ok(());
            }
            if self.node.cell.gated() > 0 && self.node.durable() == durable {
                if tried {
                    return Ok(());
                }
                self.make_room()?;
                tried = true;
            }
        }
    }

    /// What waits for room in the journal gets it, where nobody needs the oldest records any more.
    fn make_room(&mut self) -> Result<(), Finding> {
        self.persist_all()?;
        self.snapshot()?;
        while self.node.keep().map_err(wrong)? {
            self.count("segment recycled");
        }
        Ok(())
    }

    /// Whether the journal takes prices, and whatever else may be refused for want of room.
    pub(crate) fn takes_prices(&self) -> bool {
        self.node.capacity() == Capacity::Plenty && self.node.cell.gated() == 0
    }

    /// Time passes, each price comes once, so many parts of ten thousand away from its middle, and all is done.
    fn tick_all(&mut self, by: u64, away: impl Fn(usize) -> i64) -> Result<(), Finding> {
        self.now += by;
        self.node.cell.clock().0 = self.now;
        for tick in self.setting.ticks_away(away) {
            self.admit(None, None, tick);
        }
        self.settle()
    }

    /// Prices come, stay, and nothing else happens: then nobody is left who should have been liquidated.
    pub(crate) fn come_to_rest(&mut self) -> Result<(), Finding> {
        // After a clock that was set back, the exchange's time stands still until the calendar is there again.
        self.now = self.now.max(self.auditor.time());
        for _ in 0..REST {
            self.tick_all(SECOND, |_| 0)?;
        }
        if !self.takes_prices() {
            return Ok(());
        }
        self.auditor.nobody_is_due()?;
        self.chain.agrees(&self.auditor)?;
        self.accounts.agrees(&self.auditor)?;
        self.auditor.no_option_is_due(self.now)?;
        self.auditor.no_campaign_is_due(self.now)?;
        self.auditor.nobody_is_left()?;
        self.auditor.no_stock_is_due(self.node.cell.world(), self.node.cell.latest())?;
        self.auditor.no_leg_is_due(self.now)
    }

    /// Prices walk up and down step by step while periods of funding end. Whoever comes to an end is seen at once: the alarms
    /// of all positions lie where they must.
    pub(crate) fn walk(&mut self) -> Result<(), Finding> {
        if !self.auditor.has_legs() {
            return Ok(());
        }
        self.count("prices walk");
        let (step, against) = (self.rng.pick(&STEPS), self.rng.below(16));
        // Half of the prices go the other way, so that pools of several contracts are pulled apart.
        let way = move |n: usize, at: i64| if against >> n & 1 == 1 { -at } else { at };
        let mut at = 0;
        for end in WAY.map(|thousandths| thousandths * 10) {
            while at != end {
                at += (end - at).clamp(-step, step);
                let by = SECOND + self.rng.below(9 * SECOND);
                self.tick_all(by, |n| way(n, at))?;
                if self.takes_prices() && self.auditor.all_ends_are_seen(self.now).is_err() {
                    // Whom funding brought to an end just then looks at the next price.
                    self.tick_all(SECOND, |n| way(n, at))?;
                }
                if !self.takes_prices() {
                    return Ok(());
                }
                self.auditor.all_ends_are_seen(self.now)?;
            }
        }
        Ok(())
    }
}
