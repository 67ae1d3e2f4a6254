//! Parameters of a contract. Facts carry them; configuration only seeds them.
//!
//! Owns: units, limits, fees, brackets, what tickets cost. Never does: take a default from anywhere. Invariants: tick times
//! lot is a whole number of 1e-8 of the settle asset, also for a hundredth of a lot.
//! Rules: `docs/rules/contracts.md "Parameters"`. Known limits: settled in one asset.

use super::brackets::Brackets;
use super::tickets::HUNDREDTHS;
use crate::ids::{AssetId, MarketId, PriceId};
use crate::money::{Amount, FeePpm, Lots, MAX_AMOUNT, ONE};
use crate::reject::Reject;

/// Contracts have the numbers from here on; spot markets those below.
pub const FIRST_CONTRACT: u16 = 512;
/// The last number that fits into order ids, less one.
pub const LAST_CONTRACT: u16 = 1_022;
/// More lots than this do not fit into a cap.
const MOST_LOTS: i64 = 1_000_000_000_000;
/// The longest time for which an index may be relied on.
pub const MAX_STALE_MS: u32 = 60_000;

crate::wire_struct! {
    /// What tickets of a contract cost and how many there may be.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TicketParams {
        /// Distance of the opening price from the index.
        pub spread_ppm: u32,
        /// Fee on the notional value at opening, by VIP level; the last one holds for all above.
        pub fees: Vec<FeePpm>,
        /// A night's fee on the notional value.
        pub overnight_ppm: u32,
        /// Multiples that can be chosen.
        pub multiples: Vec<u16>,
        /// Smallest and largest number of lots of one ticket.
        pub lots: (Lots, Lots),
        /// Largest notional value of one account's tickets.
        pub account_cap: Amount,
        /// Largest difference of all long and all short lots, and largest sum.
        pub house_caps: (Lots, Lots),
    }
}

crate::wire_struct! {
    /// Parameters of a contract.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContractParams {
        /// Which one.
        pub contract: MarketId,
        /// Grows with each change.
        pub version: u32,
        /// Its name, as in `BTCUSDT`.
        pub symbol: String,
        /// What a lot is measured in.
        pub base: AssetId,
        /// What margins, fees and results are paid in.
        pub settle: AssetId,
        /// Whose index it follows.
        pub price: PriceId,
        /// Smallest step of a price.
        pub tick: Amount,
        /// Quantity of the base in one lot.
        pub lot: Amount,
        /// Brackets.
        pub brackets: Brackets,
        /// Distance of the mark from the index at most.
        pub mark_band_ppm: u32,
        /// How old the index may be.
        pub stale_after_ms: u32,
        /// Part of each fee that the insurance gets.
        pub insurance_ppm: u32,
        /// Tickets.
        pub tickets: TicketParams,
    }
}

impl ContractParams {
    /// Whether they fit together.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        self.sizes()?;
        self.brackets.check()?;
        let t = &self.tickets;
        let most = t.multiples.iter().copied().max().unwrap_or_default();
        // Half of a ticket's margin is there when it is opened.
        let opens_alive = u64::from(t.spread_ppm) * u64::from(most) < 500_000;
        let whole = |lot: i128| (self.tick.0 * lot) % ONE == 0;
        let hundredths = i128::from(HUNDREDTHS);
        let units = self.tick.is_positive() && self.lot.is_positive() && self.lot.0 % hundredths == 0;
        let rates = [self.mark_band_ppm, self.insurance_ppm, t.spread_ppm, t.overnight_ppm];
        let good = (FIRST_CONTRACT..=LAST_CONTRACT).contains(&self.contract.0)
            && !self.symbol.is_empty()
            // A stock that a product keeps locked could not go through a corporate action.
            && self.settle.stock_market().is_none()
            && units
            && whole(self.lot.0 / hundredths)
            && rates.iter().all(|ppm| *ppm < 1_000_000)
            && (1..=MAX_STALE_MS).contains(&self.stale_after_ms)
            && !t.fees.is_empty()
            && t.fees.iter().all(|fee| fee.0 < 1_000_000)
            && !t.multiples.is_empty()
            && t.multiples.iter().all(|multiple| *multiple > 0)
            && t.lots.0 > Lots::ZERO
            && t.lots.0 <= t.lots.1
            && t.account_cap.is_positive()
            && opens_alive
            && t.house_caps.0 > Lots::ZERO
            && t.house_caps.0 <= t.house_caps.1;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// Numbers that are multiplied are small enough for it.
    fn sizes(&self) -> Result<(), Reject> {
        let t = &self.tickets;
        let small = |amount: Amount| amount.is_positive() && amount <= MAX_AMOUNT;
        let few = |lots: Lots| lots.0 > 0 && lots.0 <= MOST_LOTS;
        let amounts =
            [self.tick, self.lot, t.account_cap].into_iter().chain(self.brackets.list.iter().map(|b| b.ceiling));
        let lots = [t.lots.0, t.lots.1, t.house_caps.0, t.house_caps.1];
        let all = |lots: Lots| self.lot.0.checked_mul(lots.0.into()).is_some_and(|base| base <= MAX_AMOUNT.0);
        let fit = amounts.into_iter().all(small) && lots.into_iter().all(few) && all(t.lots.1);
        if fit && self.version < u32::MAX { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// How old the index may be.
    #[must_use]
    pub fn stale_after_ns(&self) -> u64 {
        u64::from(self.stale_after_ms) * 1_000_000
    }

    /// The quantity of the base in so many hundredths of a lot.
    #[must_use]
    pub fn base_of(&self, hundredths: Lots) -> Amount {
        Amount(i128::from(hundredths.0) * (self.lot.0 / i128::from(HUNDREDTHS)))
    }

    /// The fee of a level.
    #[must_use]
    pub fn ticket_fee(&self, level: u8) -> FeePpm {
        let fees = &self.tickets.fees;
        fees.get(usize::from(level)).or(fees.last()).copied().unwrap_or(FeePpm(0))
    }
}
