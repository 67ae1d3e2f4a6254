//! Parameters of a market: the sizes of its ticks and lots, its limits and fees. Facts carry them; configuration only
//! seeds them.
//!
//! Owns: ticks, lots, limits, fees. Never does: take a default from anywhere. Invariants: tick times
//! lot is a whole number of 1e-8 of the quote. Known limits: they change on an empty book only, where they give
//! numbers their meaning.

use super::facts::Units;
use super::old_forms::MarketParamsV1;
use crate::codec::{DecodeError, Reader, Wire};
use crate::contract::params::FIRST_CONTRACT;
use crate::ids::{AssetId, MarketId};
use crate::market::{LevelFees, MarketState, StateReason};
use crate::money::{Amount, FeePpm, Lots, ONE, Ticks};
use crate::reject::Reject;
use crate::stock::{LARGEST_FEE_PPM, StockTerms};

crate::wire_struct! {
    /// Everything that gives a market's numbers their meaning.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MarketParams {
        /// Which market.
        pub market: MarketId,
        /// Counts changes; commands made from an older version are refused.
        pub version: u32,
        /// Its name without separator, upper case (`BTCUSDT`).
        pub symbol: String,
        /// What is bought and sold.
        pub base: AssetId,
        /// What it is paid in.
        pub quote: AssetId,
        /// One tick, in quote for one whole base.
        pub tick: Amount,
        /// One lot, in base.
        pub step: Amount,
        /// Smallest quantity.
        pub min_lots: Lots,
        /// Largest quantity.
        pub max_lots: Lots,
        /// Smallest price times quantity.
        pub min_notional: Amount,
        /// Limit prices may differ from the reference by this much.
        pub band_ppm: u32,
        /// Market orders stop this far from the best opposite price at entry.
        pub protection_ppm: u32,
        /// Open orders of one account at most, one at least.
        pub max_open_orders: u32,
        /// Fees by VIP level, level 0 first; higher levels use the last entry.
        pub fees: Vec<LevelFees>,
        /// Trading needs an index not older than this; 0: it needs none.
        pub stale_after_ms: u32,
        /// Opens with the house's first quotes instead of with the price alone.
        pub house_quoted: bool,
        /// What it has beyond a spot market, when stocks are traded.
        pub stock: Option<StockTerms>,
    }
}

impl MarketParams {
    /// Reads the bytes of this form, or of the one before stocks.
    ///
    /// # Errors
    /// Bytes that are neither.
    pub fn of_any_form(bytes: &[u8]) -> Result<MarketParams, DecodeError> {
        fn whole<T: Wire>(bytes: &[u8]) -> Result<T, DecodeError> {
            let mut reader = Reader::new(bytes);
            let params = T::get(&mut reader)?;
            reader.finish().map(|()| params)
        }
        whole::<MarketParams>(bytes).or_else(|_| whole::<MarketParamsV1>(bytes).map(MarketParams::from))
    }

    /// What its ticks and lots mean, for facts.
    #[must_use]
    pub fn units(&self) -> Units {
        let (lot_units, tick_lot_units) = (self.lot_units(), self.tick_lot_units());
        Units { market: self.market, base: self.base, quote: self.quote, lot_units, tick_lot_units }
    }

    /// Base units in one lot.
    #[must_use]
    pub fn lot_units(&self) -> i64 {
        self.step.0 as i64
    }

    /// Quote units that one lot costs at one tick: a whole number (`docs/rules/money.md "Amounts"`).
    #[must_use]
    pub fn tick_lot_units(&self) -> i64 {
        (self.tick.0 * self.step.0 / ONE) as i64
    }

    /// Price times quantity.
    #[must_use]
    pub fn notional(&self, ticks: Ticks, lots: Lots) -> Amount {
        notional(ticks, lots, self.tick_lot_units())
    }

    /// Base amount of a quantity.
    #[must_use]
    pub fn base_amount(&self, lots: Lots) -> Amount {
        base_amount(lots, self.lot_units())
    }

    /// The fees of a VIP level.
    #[must_use]
    pub fn fees_of(&self, level: u8) -> LevelFees {
        let free = LevelFees { maker: FeePpm(0), taker: FeePpm(0) };
        self.fees.get(usize::from(level)).or(self.fees.last()).copied().unwrap_or(free)
    }

    /// The state in which a market of these parameters begins: it trades at once when it needs neither index nor session.
    #[must_use]
    pub fn first_state(&self) -> (MarketState, StateReason) {
        if self.stale_after_ms == 0 && self.stock.is_none() {
            (MarketState::Trading, StateReason::Fresh)
        } else {
            (MarketState::CancelOnly, StateReason::Listed)
        }
    }

    /// The dearest order that rules let through before they look at its price, when sums can hold it.
    fn largest_notional(&self) -> Option<i128> {
        let one = i64::try_from(self.tick.0 * self.step.0 / ONE).ok()?;
        i128::from(one).checked_mul(i128::from(self.max_lots.0))?.checked_mul(1 << 52)
    }

    /// Refuses parameters that do not fit together.
    pub fn check(&self) -> Result<(), Reject> {
        let small = |a: Amount| a.is_positive() && a.0 <= i128::from(i64::MAX);
        // Sizes first: their product is known to fit then.
        let fits = small(self.tick)
            && small(self.step)
            && (self.tick.0 * self.step.0) % ONE == 0
            && self.largest_notional().is_some()
            && self.base != self.quote
            && self.market.0 < FIRST_CONTRACT
            && !self.symbol.is_empty()
            && self.min_lots.0 > 0
            && self.max_lots >= self.min_lots
            && self.max_open_orders > 0
            && !self.fees.is_empty()
            && self.fees.iter().all(|f| f.maker.0 < 1_000_000 && f.taker.0 < 1_000_000)
            && self.band_ppm < 1_000_000
            && self.protection_ppm < 1_000_000
            && self.market.is_stock() == self.stock.is_some()
            && self.base.stock_market().is_none_or(|market| market == self.market)
            // Its market must know of all who hold a stock.
            && self.quote.stock_market().is_none();
        if !fits {
            return Err(Reject::BadParameters);
        }
        match &self.stock {
            None => Ok(()),
            Some(stock) => {
                let dear = |f: &LevelFees| f.maker.0 > LARGEST_FEE_PPM || f.taker.0 > LARGEST_FEE_PPM;
                stock.check(self.market, self.base, self.tick)?;
                if self.fees.iter().any(dear) { Err(Reject::BadParameters) } else { Ok(()) }
            }
        }
    }

    /// Whether a limit price is one of the market's steps.
    #[must_use]
    #[inline]
    pub fn takes_price(&self, ticks: Ticks) -> bool {
        let price = |ticks: Ticks| Amount(i128::from(ticks.0) * self.tick.0);
        self.stock.is_none_or(|stock| stock.steps.takes(price(ticks), self.tick))
    }
}

/// Price times quantity from a record's own unit.
#[must_use]
pub fn notional(ticks: Ticks, lots: Lots, tick_lot_units: i64) -> Amount {
    let product = i128::from(ticks.0) * i128::from(lots.0);
    Amount(product.checked_mul(i128::from(tick_lot_units)).expect("notional overflow"))
}

/// Base amount from a record's own unit.
#[must_use]
pub fn base_amount(lots: Lots, lot_units: i64) -> Amount {
    Amount(i128::from(lots.0) * i128::from(lot_units))
}
