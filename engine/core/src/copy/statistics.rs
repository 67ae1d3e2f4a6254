//! What a trader's own closed tickets brought.
//!
//! Owns: sums, the course of the sum, days. Never does: take a number from anywhere but facts. Invariants: no command sets
//! them. Rules: `docs/rules/copy-trading.md "Statistics"`. Known limits: days older than 31 are in the sums alone.

use crate::contract::leg::Direction;
use crate::convert::day_of;
use crate::entity::TimeNs;
use crate::money::Amount;

/// Days that are kept.
pub const DAYS: usize = 31;

crate::wire_struct! {
    /// Results of a trader since the account became one.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Statistics {
        /// Closed tickets.
        pub closed: u64,
        /// Those that brought something after their costs.
        pub won: u64,
        /// Long ones.
        pub long: u64,
        /// Short ones.
        pub short: u64,
        /// What all brought after their costs.
        pub profit: Amount,
        /// Margins of all at opening.
        pub margins: Amount,
        /// The highest that the profit ever was; not below zero.
        pub peak: Amount,
        /// The farthest that the profit ever was below its peak.
        pub drawdown: Amount,
        /// The worst result of a day that is over; not above zero.
        pub worst_day: Amount,
        /// Results of the last days on which tickets were closed, by day since 1970-01-01 in UTC.
        pub days: Vec<(u32, Amount)>,
        /// Copies that were opened.
        pub copies: u64,
        /// Copies that were skipped.
        pub skips: u64,
    }
}

impl Statistics {
    /// Another ticket was closed.
    pub fn close(&mut self, direction: Direction, margin: Amount, gained: Amount, time: TimeNs) {
        self.closed += 1;
        self.won += u64::from(gained.is_positive());
        match direction {
            Direction::Long => self.long += 1,
            Direction::Short => self.short += 1,
        }
        self.profit += gained;
        self.margins += margin;
        self.peak = self.peak.max(self.profit);
        self.drawdown = self.drawdown.max(self.peak - self.profit);
        let day = day_of(time);
        if let Some((last, sum)) = self.days.last_mut()
            && *last == day
        {
            *sum += gained;
            return;
        }
        self.worst_day = self.worst();
        self.days.push((day, gained));
        if self.days.len() > DAYS {
            self.days.remove(0);
        }
    }

    /// The worst day's result, the last one's among them; not above zero.
    #[must_use]
    pub fn worst(&self) -> Amount {
        self.days.last().map_or(self.worst_day, |(_, sum)| self.worst_day.min(*sum))
    }

    /// A day's result.
    #[must_use]
    pub fn day(&self, day: u32) -> Amount {
        self.days.iter().find(|(at, _)| *at == day).map_or(Amount::ZERO, |(_, sum)| *sum)
    }
}
