//! Stocks: spot markets with trading sessions, price step tables, board lots and corporate actions.
//!
//! Owns: what makes a market one of stocks, the numbers of such markets and assets, price steps, what a corporate action does to
//! a holding. Never does: match; know balances. Invariants: a market's number alone says whether it is one of stocks, so that
//! a record needs nothing else to be settled; one market a stock. Rules: `docs/rules/stocks.md`.
//! Known limits: no auctions, no short sales; cash-settled.

pub mod calendar;
pub mod facts;
#[cfg(test)]
mod tests;

use crate::fraction::Fraction;
use crate::ids::{AssetId, MarketId};
use crate::money::{Amount, ONE};
use crate::reject::Reject;
pub use calendar::{CalendarId, SessionPhase};

/// Numbers of stock markets; those of contracts follow.
pub const STOCK_MARKETS: std::ops::Range<u16> = 384..512;
/// A stock's asset has its market's number plus this.
const FIRST_STOCK_ASSET: u32 = 10_000;
/// The highest fee of a stock market: a purchase locks it on top of its cost.
pub const LARGEST_FEE_PPM: u32 = 1_000;

impl MarketId {
    /// Whether it is a market of stocks.
    #[must_use]
    #[inline]
    pub fn is_stock(self) -> bool {
        STOCK_MARKETS.contains(&self.0)
    }

    /// What is traded there, when it is a market of stocks.
    #[must_use]
    pub fn stock_asset(self) -> Option<AssetId> {
        self.is_stock().then(|| AssetId(FIRST_STOCK_ASSET + u32::from(self.0)))
    }
}

impl AssetId {
    /// The market where it is traded, when it is a stock.
    #[must_use]
    pub fn stock_market(self) -> Option<MarketId> {
        let market = self.0.checked_sub(FIRST_STOCK_ASSET).and_then(|number| u16::try_from(number).ok());
        market.map(MarketId).filter(|market| market.is_stock())
    }
}

/// What a purchase locks on top of a cost, for a fee of the highest rate: rounded up, so that it covers any number of fills.
#[must_use]
#[inline]
pub fn fee_reserve(cost: Amount) -> Amount {
    fee_at_most(cost, LARGEST_FEE_PPM)
}

/// A fee, rounded up.
#[must_use]
#[inline]
pub fn fee_at_most(cost: Amount, ppm: u32) -> Amount {
    Amount((cost.0 * i128::from(ppm) + 999_999) / 1_000_000)
}

crate::wire_enum! {
    /// Which steps prices have.
    pub enum StepTable {
        /// One tick at all prices.
        Flat = 1,
        /// The Hong Kong table in force since August 2025.
        Hk2025 = 2,
        /// The Hong Kong table of 2026: 0.005 from 0.5 to 10.
        Hk2026 = 3,
    }
}

/// The Hong Kong table: prices up to the first have steps of the second, in thousandths. A price on a boundary is in the lower
/// band (`docs/rules/stocks.md "Markets"`).
const HK_2025: [(i128, i128); 11] = [
    (250, 1),
    (500, 5),
    (20_000, 10),
    (50_000, 20),
    (100_000, 50),
    (200_000, 100),
    (500_000, 200),
    (1_000_000, 500),
    (2_000_000, 1_000),
    (5_000_000, 2_000),
    (9_995_000, 5_000),
];
const THOUSANDTH: i128 = ONE / 1_000;

impl StepTable {
    /// Its name in the app's calls; nothing of the flat one.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StepTable::Flat => "",
            StepTable::Hk2025 => "hk-2025-08",
            StepTable::Hk2026 => "hk-2026",
        }
    }

    /// The step at a price, where the tick is `tick`; none above the last band.
    #[must_use]
    pub fn step(self, price: Amount, tick: Amount) -> Option<Amount> {
        let row = || HK_2025.iter().find(|(upto, _)| price.0 <= upto * THOUSANDTH).map(|(_, step)| *step);
        match self {
            StepTable::Flat => Some(tick),
            StepTable::Hk2025 => Some(Amount(row()? * THOUSANDTH)),
            StepTable::Hk2026 => {
                let halved = price.0 > 500 * THOUSANDTH && price.0 <= 10_000 * THOUSANDTH;
                Some(Amount(if halved { 5 } else { row()? } * THOUSANDTH))
            }
        }
    }

    /// Whether an order may have this price.
    #[must_use]
    pub fn takes(self, price: Amount, tick: Amount) -> bool {
        self.step(price, tick).is_some_and(|step| price.is_positive() && price.0 % step.0 == 0)
    }
}

crate::wire_struct! {
    /// What a market of stocks has beyond a spot market. Its lot is the board lot.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct StockTerms {
        /// When it trades.
        pub calendar: CalendarId,
        /// Steps of its prices.
        pub steps: StepTable,
        /// Takes limit orders while it is closed; they are matched at the open, in the order in which they came.
        pub queues: bool,
        /// A move of the index by so much …
        pub pause_ppm: u32,
        /// … within so long …
        pub pause_window_ms: u32,
        /// … pauses trading for so long.
        pub pause_ms: u32,
    }
}

impl StockTerms {
    /// Whether they fit together and to the market's number, base, tick and step.
    pub(crate) fn check(&self, market: MarketId, base: AssetId, tick: Amount) -> Result<(), Reject> {
        let hk_tick = self.steps == StepTable::Flat || tick.0 == THOUSANDTH;
        let pause = (1..1_000_000).contains(&self.pause_ppm) && self.pause_window_ms > 0 && self.pause_ms > 0;
        if market.stock_asset() == Some(base) && hk_tick && pause { Ok(()) } else { Err(Reject::BadParameters) }
    }
}

/// A corporate action of one stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// So many new shares for so many old ones.
    Split {
        /// New shares.
        new: u32,
        /// Old shares.
        old: u32,
    },
    /// Money for each share.
    Dividend {
        /// In the quote asset.
        per_share: Amount,
        /// What is withheld of it.
        withheld_ppm: u32,
    },
}

impl crate::codec::Wire for ActionKind {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            ActionKind::Split { new, old } => {
                out.push(1);
                new.put(out);
                old.put(out);
            }
            ActionKind::Dividend { per_share, withheld_ppm } => {
                out.push(2);
                per_share.put(out);
                withheld_ppm.put(out);
            }
        }
    }
    fn get(r: &mut crate::codec::Reader<'_>) -> Result<Self, crate::codec::DecodeError> {
        use crate::codec::Wire;
        match u8::get(r)? {
            1 => Ok(ActionKind::Split { new: Wire::get(r)?, old: Wire::get(r)? }),
            2 => Ok(ActionKind::Dividend { per_share: Wire::get(r)?, withheld_ppm: Wire::get(r)? }),
            other => Err(crate::codec::DecodeError::Unknown { what: "corporate action", value: u64::from(other) }),
        }
    }
}

/// The largest number of new or old shares of a split.
const MOST_SHARES: u32 = 10_000;
/// The highest dividend per share.
const LARGEST_DIVIDEND: Amount = Amount::whole(1_000_000);

impl ActionKind {
    /// Whether it can be done.
    ///
    /// # Errors
    /// `BadParameters`.
    pub fn check(&self) -> Result<(), Reject> {
        let good = match self {
            ActionKind::Split { new, old } => {
                (1..=MOST_SHARES).contains(new) && (1..=MOST_SHARES).contains(old) && new != old
            }
            ActionKind::Dividend { per_share, withheld_ppm } => {
                per_share.is_positive() && *per_share <= LARGEST_DIVIDEND && *withheld_ppm <= 1_000_000
            }
        };
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    /// A holding after it.
    #[must_use]
    pub fn holding(&self, held: Amount) -> Amount {
        match self {
            ActionKind::Split { new, old } => scaled(held, *new, *old),
            ActionKind::Dividend { .. } => held,
        }
    }

    /// A price after it.
    #[must_use]
    pub fn price(&self, price: Amount) -> Amount {
        match self {
            ActionKind::Split { new, old } => scaled(price, *old, *new),
            ActionKind::Dividend { .. } => price,
        }
    }

    /// What a holding brings: before anything is withheld, and what is withheld of it.
    #[must_use]
    pub fn dividend(&self, held: Amount) -> (Amount, Amount) {
        match self {
            ActionKind::Split { .. } => (Amount::ZERO, Amount::ZERO),
            ActionKind::Dividend { per_share, withheld_ppm } => {
                let gross = Fraction::value(*per_share, held).round8();
                (gross, gross.share_ppm(*withheld_ppm))
            }
        }
    }
}

fn scaled(amount: Amount, by: u32, over: u32) -> Amount {
    Fraction::from(amount).times(Fraction::new(by.into(), over.into())).round8()
}

/// What a part of a board lot brings.
#[must_use]
pub fn odd_cash(odd: Amount, price: Amount) -> Amount {
    Fraction::value(price, odd).round8()
}
