//! Parameters of a market as people read and write them, and a change of them as it is proposed and signed.
//!
//! Owns: these forms, their limits, and what differs. Never does: ask the engine. Invariants: a proposal names all values before and
//! after, and the version that it is of. Known limits: what a stock has beyond a spot market is the settings'.

use super::super::asking::{Refusal, refused};
use crate::common::decimal;
use crate::market::catalog::MarketInfo;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use xng_core::ids::MarketId;
use xng_core::money::{Amount, FeePpm, Lots};
use xng_core::spot::{LevelFees, MarketParams};

/// The kind of these cases.
pub(super) const PARAMETERS: &str = "change parameters";
/// The highest fee: 2 %.
const MOST_FEE_PPM: u32 = 20_000;
/// Ticks of the market's price: programs can name prices of up to 1,000,000,000 ticks, and half as much again is within the band.
const MOST_TICKS: i128 = 500_000_000;
const LEAST_TICKS: i128 = 100;
/// VIP levels with fees of their own.
const MOST_LEVELS: usize = 10;
/// How far limit prices may be from the reference, and market orders from the best price: 0.1 % to 50 %. Less would refuse
/// ordinary orders.
const BAND_PPM: RangeInclusive<u32> = 1_000..=500_000;
/// How old an index may be for a market to trade. A quiet source says its price each three seconds: less would close it again and again.
const STALE_AFTER_MS: RangeInclusive<u32> = 7_000..=600_000;
const MOST_OPEN_ORDERS: u32 = 10_000;

/// Fees of a VIP level, in parts per million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fees {
    maker_ppm: u32,
    taker_ppm: u32,
}

/// Parameters of a market: prices in quote, quantities in base, as decimal texts; fees by VIP level, level 0 first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    tick: String,
    step: String,
    min_quantity: String,
    max_quantity: String,
    min_notional: String,
    band_ppm: u32,
    protection_ppm: u32,
    max_open_orders: u32,
    stale_after_ms: u32,
    fees: Vec<Fees>,
}

/// A field whose value is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Change {
    field: String,
    was: String,
    is: String,
}

fn amount(field: &str, text: &str) -> Result<Amount, Refusal> {
    let amount = decimal::amount(text.trim()).ok().filter(|amount| !amount.is_negative());
    amount.ok_or_else(|| refused(400, format!("{field}: not an amount with at most 8 decimals")))
}

/// How many times `one` goes into `all`, when that is a whole number.
pub(super) fn whole_number(all: Amount, one: Amount) -> Option<i64> {
    (all.0 % one.0 == 0).then(|| i64::try_from(all.0 / one.0).ok()).flatten()
}

/// A quantity in whole steps.
fn lots(field: &str, text: &str, step: Amount) -> Result<Lots, Refusal> {
    whole_number(amount(field, text)?, step)
        .map(Lots)
        .ok_or_else(|| refused(400, format!("{field}: not a whole number of steps")))
}

impl Params {
    pub(super) fn of(p: &MarketParams) -> Params {
        let fees = |level: &LevelFees| Fees { maker_ppm: level.maker.0, taker_ppm: level.taker.0 };
        Params {
            tick: p.tick.to_string(),
            step: p.step.to_string(),
            min_quantity: p.base_amount(p.min_lots).to_string(),
            max_quantity: p.base_amount(p.max_lots).to_string(),
            min_notional: p.min_notional.to_string(),
            band_ppm: p.band_ppm,
            protection_ppm: p.protection_ppm,
            max_open_orders: p.max_open_orders,
            stale_after_ms: p.stale_after_ms,
            fees: p.fees.iter().map(fees).collect(),
        }
    }

    /// Refuses a tick with which prices around this one cannot be written, or are told apart by less than 1 %.
    pub(super) fn fits_price(&self, price: Amount) -> Result<(), Refusal> {
        let tick = amount("tick", &self.tick)?;
        if (price.0 / MOST_TICKS..=price.0 / LEAST_TICKS).contains(&tick.0) {
            return Ok(());
        }
        Err(refused(400, format!("tick: too fine or too coarse for a price of {price}")))
    }

    /// The market's parameters with these in their places; the version stays.
    ///
    /// # Errors
    /// The field that cannot be so.
    pub(super) fn on(&self, old: &MarketParams) -> Result<MarketParams, Refusal> {
        let (tick, step) = (amount("tick", &self.tick)?, amount("step", &self.step)?);
        if !tick.is_positive() || !step.is_positive() {
            return Err(refused(400, "tick and step are more than nothing"));
        }
        let level = |fees: &Fees| LevelFees { maker: FeePpm(fees.maker_ppm), taker: FeePpm(fees.taker_ppm) };
        let new = MarketParams {
            tick,
            step,
            min_lots: lots("min_quantity", &self.min_quantity, step)?,
            max_lots: lots("max_quantity", &self.max_quantity, step)?,
            min_notional: amount("min_notional", &self.min_notional)?,
            band_ppm: self.band_ppm,
            protection_ppm: self.protection_ppm,
            max_open_orders: self.max_open_orders,
            stale_after_ms: self.stale_after_ms,
            fees: self.fees.iter().map(level).collect(),
            ..old.clone()
        };
        // What users hold of a stock must stay a whole number of its lots.
        if old.stock.is_some() && (new.step, new.min_lots) != (old.step, old.min_lots) {
            return Err(refused(400, "A stock's lot, and the smallest quantity with it, stay."));
        }
        // What is so already may stay so, as a market that needs no index.
        let bounds = [
            ("band_ppm", BAND_PPM.contains(&new.band_ppm) || new.band_ppm == old.band_ppm),
            ("protection_ppm", BAND_PPM.contains(&new.protection_ppm) || new.protection_ppm == old.protection_ppm),
            ("max_open_orders", (1..=MOST_OPEN_ORDERS).contains(&new.max_open_orders)),
            (
                "stale_after_ms",
                STALE_AFTER_MS.contains(&new.stale_after_ms) || new.stale_after_ms == old.stale_after_ms,
            ),
            ("fees", (1..=MOST_LEVELS).contains(&new.fees.len())),
            ("fees", new.fees.iter().all(|level| level.maker.0.max(level.taker.0) <= MOST_FEE_PPM)),
        ];
        if let Some((field, _)) = bounds.iter().find(|(_, fits)| !fits) {
            return Err(refused(400, format!("{field}: out of range")));
        }
        new.check()
            .map_err(|_| refused(400, "These numbers do not fit together: see docs/rules/spot.md, Parameters."))?;
        Ok(new)
    }

    fn fields(&self) -> Vec<(String, String)> {
        let plain = [
            ("tick", self.tick.clone()),
            ("step", self.step.clone()),
            ("min_quantity", self.min_quantity.clone()),
            ("max_quantity", self.max_quantity.clone()),
            ("min_notional", self.min_notional.clone()),
            ("band_ppm", self.band_ppm.to_string()),
            ("protection_ppm", self.protection_ppm.to_string()),
            ("max_open_orders", self.max_open_orders.to_string()),
            ("stale_after_ms", self.stale_after_ms.to_string()),
        ];
        plain.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What differs from these, field by field; fees by VIP level, a level that is not there is empty.
    pub(super) fn changes(&self, new: &Params) -> Vec<Change> {
        let plain = self.fields().into_iter().zip(new.fields());
        let plain = plain.map(|((field, was), (_, is))| Change { field, was, is });
        let fee = |of: &Params, level: usize, taker: bool| {
            let fees = of.fees.get(level);
            fees.map_or_else(String::new, |fees| if taker { fees.taker_ppm } else { fees.maker_ppm }.to_string())
        };
        let levels = 0..self.fees.len().max(new.fees.len());
        let fees = levels.flat_map(|level| [(level, false), (level, true)]).map(|(level, taker)| Change {
            field: format!("{}_ppm of level {level}", if taker { "taker" } else { "maker" }),
            was: fee(self, level, taker),
            is: fee(new, level, taker),
        });
        plain.chain(fees).filter(|change| change.was != change.is).collect()
    }
}

/// Other parameters of a market, as they are proposed and signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Proposal {
    pub(super) market: u16,
    pub(super) symbol: String,
    /// The version in force when it was proposed: no other one is changed.
    pub(super) version: u32,
    /// When it takes effect; none: as soon as it is approved.
    pub(super) effective_ms: Option<u64>,
    was: Params,
    is: Params,
}

impl Proposal {
    pub(super) fn new(info: &MarketInfo, new: &MarketParams, effective_ms: Option<u64>) -> Proposal {
        Proposal {
            market: info.params.market.0,
            symbol: info.params.symbol.clone(),
            version: info.params.version,
            effective_ms,
            was: Params::of(&info.params),
            is: Params::of(new),
        }
    }

    pub(super) fn of_subject(subject: &str) -> Option<Proposal> {
        serde_json::from_str(subject).ok()
    }

    pub(super) fn subject(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers")
    }

    pub(super) fn id(&self) -> MarketId {
        MarketId(self.market)
    }

    /// What it changes, field by field.
    pub(super) fn changes(&self) -> Vec<Change> {
        self.was.changes(&self.is)
    }

    /// The market's parameters with what is proposed in its place, whatever version is in force.
    pub(super) fn on(&self, old: &MarketParams) -> Result<MarketParams, Refusal> {
        self.is.on(old)
    }

    /// Whether these are the parameters that it made.
    pub(super) fn made(&self, now: &MarketParams) -> bool {
        now.version == self.version + 1 && Params::of(now) == self.is
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::market::catalog::Seeds;
    use std::path::Path;

    /// Parameters of BTC/USDT as shipped.
    pub(in crate::backoffice::parameters) fn btc() -> MarketParams {
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        seeds.params(&seeds.market[0]).unwrap()
    }

    fn why(params: &Params) -> String {
        params.on(&btc()).unwrap_err().to_string()
    }

    #[test]
    fn parameters_are_read_as_they_are_written_and_each_change_is_named() {
        let old = btc();
        let was = Params::of(&old);
        assert_eq!(was.on(&old).unwrap(), old);
        let mut is = Params { tick: "0.1".into(), band_ppm: 50_000, ..was.clone() };
        is.fees[0].taker_ppm = 900;
        is.fees.pop();
        let last = was.fees.len() - 1;
        let told: Vec<(String, String)> = was.changes(&is).into_iter().map(|c| (c.field, c.is)).collect();
        let expected = [
            ("tick".to_owned(), "0.1"),
            ("band_ppm".to_owned(), "50000"),
            ("taker_ppm of level 0".to_owned(), "900"),
            (format!("maker_ppm of level {last}"), ""),
            (format!("taker_ppm of level {last}"), ""),
        ];
        assert_eq!(told, expected.map(|(field, is)| (field, is.to_owned())));
    }

    #[test]
    fn a_tick_fits_the_price_and_a_stocks_lot_stays() {
        let was = Params::of(&btc());
        let fits = |tick: &str| {
            let price = amount("price", "60000").unwrap();
            Params { tick: tick.to_owned(), ..was.clone() }.fits_price(price).is_ok()
        };
        assert!(fits("0.01") && fits("600") && fits("0.00012"));
        assert!(!fits("601") && !fits("0.00011") && !fits("0"));
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        let seed = seeds.market.iter().find(|market| market.stock.is_some()).unwrap();
        let stock = seeds.params(seed).unwrap();
        let was = Params::of(&stock);
        assert!(Params { max_open_orders: 7, ..was.clone() }.on(&stock).is_ok());
        let doubled = stock.base_amount(Lots(2)).to_string();
        let refused = Params { min_quantity: doubled.clone(), ..was.clone() }.on(&stock).unwrap_err();
        assert!(refused.to_string().contains("lot"), "{refused}");
        assert!(Params { step: doubled.clone(), min_quantity: doubled, ..was }.on(&stock).is_err());
    }

    #[test]
    fn what_no_market_should_have_is_refused_by_field() {
        let was = Params::of(&btc());
        let fees = |taker_ppm, levels| vec![Fees { maker_ppm: 0, taker_ppm }; levels];
        assert!(why(&Params { tick: "0".into(), ..was.clone() }).contains("tick"));
        assert!(why(&Params { tick: "-1".into(), ..was.clone() }).contains("tick"));
        assert!(why(&Params { step: "1e-5".into(), ..was.clone() }).contains("step"));
        assert!(why(&Params { min_quantity: "0.000015".into(), ..was.clone() }).contains("whole number of steps"));
        assert!(why(&Params { band_ppm: 0, ..was.clone() }).contains("band_ppm"));
        assert!(why(&Params { protection_ppm: 900_000, ..was.clone() }).contains("protection_ppm"));
        assert!(why(&Params { max_open_orders: 0, ..was.clone() }).contains("max_open_orders"));
        assert!(why(&Params { stale_after_ms: 3_000, ..was.clone() }).contains("stale_after_ms"));
        assert!(why(&Params { stale_after_ms: 0, ..was.clone() }).contains("stale_after_ms"));
        assert!(why(&Params { fees: fees(20_001, 1), ..was.clone() }).contains("fees"));
        assert!(why(&Params { fees: fees(0, 11), ..was.clone() }).contains("fees"));
        assert!(why(&Params { fees: fees(0, 0), ..was.clone() }).contains("fees"));
        assert!(why(&Params { min_quantity: "0".into(), ..was.clone() }).contains("fit together"));
        assert!(why(&Params { max_quantity: "999999999999999999999999".into(), ..was }).contains("max_quantity"));
    }
}
