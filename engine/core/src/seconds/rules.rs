//! Rules of seconds options: which tick decides, who wins, what is paid.
//!
//! Owns: these functions. Never does: know an account or a desk. Invariants: the result is a function of the opening price,
//! the ticks and the side alone; each amount is rounded once.
//! Rules: `docs/rules/seconds.md`. Known limits: none.

use crate::board::Tick;
use crate::entity::TimeNs;
use crate::fraction::Fraction;
use crate::money::Amount;

/// A tick that is older than this at expiry decides nothing.
pub const DECIDES_WITHIN_NS: TimeNs = 5_000_000_000;

crate::wire_enum! {
    /// What the buyer of an option expects of the price.
    pub enum OptionSide {
        /// It will be higher.
        Rise = 1,
        /// It will be lower.
        Fall = 2,
    }
}

crate::wire_enum! {
    /// How an option ended.
    pub enum OptionResult {
        /// The price moved to its side.
        Win = 1,
        /// The price moved to the other side.
        Loss = 2,
        /// The price is the same.
        Tie = 3,
        /// No tick decides: everything is given back.
        Void = 4,
    }
}

/// What a win brings on top of the stake.
#[must_use]
pub fn profit(stake: Amount, ratio_ppm: u32) -> Amount {
    stake.share_ppm(ratio_ppm)
}

/// The tick that decides at a time: the last one with `time <= expires`, unless it is older than [`DECIDES_WITHIN_NS`] then.
/// `ticks` are in the order of their times.
#[must_use]
pub fn deciding(ticks: &[Tick], expires: TimeNs) -> Option<Tick> {
    let upto = ticks.partition_point(|tick| tick.time <= expires);
    let last = ticks[..upto].last().copied()?;
    (expires - last.time <= DECIDES_WITHIN_NS).then_some(last)
}

/// Who wins, by the opening price and that of the tick that decides; none: void.
#[must_use]
pub fn result(side: OptionSide, open: Amount, close: Option<Amount>) -> OptionResult {
    let Some(close) = close else { return OptionResult::Void };
    match (side, close.cmp(&open)) {
        (_, std::cmp::Ordering::Equal) => OptionResult::Tie,
        (OptionSide::Rise, std::cmp::Ordering::Greater) | (OptionSide::Fall, std::cmp::Ordering::Less) => {
            OptionResult::Win
        }
        (OptionSide::Rise, std::cmp::Ordering::Less) | (OptionSide::Fall, std::cmp::Ordering::Greater) => {
            OptionResult::Loss
        }
    }
}

/// What the buyer gets at the end: of stake and fee that were locked, and of the profit of a win. The stake of a coupon was not
/// locked, and is nothing here.
#[must_use]
pub fn paid(result: OptionResult, (stake, fee): (Amount, Amount), profit: Amount) -> Amount {
    match result {
        OptionResult::Win => stake + profit,
        OptionResult::Loss => Amount::ZERO,
        OptionResult::Tie => stake,
        OptionResult::Void => stake + fee,
    }
}

/// The share of wins at which nothing is won and nothing lost, in per cent with four decimals.
#[must_use]
pub fn break_even(stake: Amount, fee: Amount, ratio_ppm: u32) -> Amount {
    let all = stake + profit(stake, ratio_ppm);
    // In units of 1e-4 per cent, which are 1e4 units of 1e-8.
    Amount(Fraction::new((stake + fee).0, all.0).by(1_000_000).half_up() * 10_000)
}

crate::wire_struct! {
    /// What is open of one minute of expiries, on each side.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Exposure {
        /// Stakes on a rise.
        pub rise_stake: Amount,
        /// What they would win.
        pub rise_profit: Amount,
        /// Stakes on a fall.
        pub fall_stake: Amount,
        /// What they would win.
        pub fall_profit: Amount,
    }
}

impl Exposure {
    /// One option more.
    #[must_use]
    pub fn with(mut self, side: OptionSide, stake: Amount, profit: Amount) -> Exposure {
        let (of_stake, of_profit) = match side {
            OptionSide::Rise => (&mut self.rise_stake, &mut self.rise_profit),
            OptionSide::Fall => (&mut self.fall_stake, &mut self.fall_profit),
        };
        *of_stake += stake;
        *of_profit += profit;
        self
    }

    /// What the house loses when the price moves to the side that costs it more.
    #[must_use]
    pub fn worst_loss(&self) -> Amount {
        let (rise, fall) = (self.rise_profit - self.fall_stake, self.fall_profit - self.rise_stake);
        rise.max(fall).max(Amount::ZERO)
    }
}
