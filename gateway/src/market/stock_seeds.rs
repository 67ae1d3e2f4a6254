//! Stocks in `config/markets.toml`: what a market of stocks has beyond a spot market, and what all of them have in common.
//!
//! Owns: the form of these settings, the terms and calendars that they make. Never does: set them. Invariants: what does not fit
//! together is refused before the exchange starts. Known limits: all stocks have the same fee and pauses at first.
//! Calendars themselves are in `config/calendars.toml` (`calendars.rs`).

use super::calendars::{CalendarSeed, Calendars};
use super::catalog::{MarketSeed, Seeds};
use jiff::Timestamp;
use serde::Deserialize;
use xng_core::ids::MarketId;
use xng_core::money::FeePpm;
use xng_core::spot::LevelFees;
use xng_core::stock::calendar::CalendarParams;
use xng_core::stock::{CalendarId, StepTable, StockTerms};

/// Sessions of a calendar reach so far.
const DAYS: u32 = 400;

/// `[stocks]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct StockRules {
    pub fee_ppm: u32,
    pub queues: bool,
    pub pause_ppm: u32,
    pub pause_window_ms: u32,
    pub pause_ms: u32,
    pub stale_after_ms: u32,
}

/// `stock` of a market.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct StockSeed {
    /// A calendar's number.
    pub calendar: u16,
    /// `flat`, or the name of a table.
    pub steps: String,
}

impl Seeds {
    /// What a market of stocks has in common with all others: terms, fees, how old the index may be.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(super) fn stock_terms(&self, seed: &StockSeed) -> Result<(StockTerms, Vec<LevelFees>, u32), String> {
        let rules = self.stocks.as_ref().ok_or("a market of stocks needs [stocks]")?;
        let table = |table: &&StepTable| table.name() == seed.steps || table.name().is_empty() && seed.steps == "flat";
        let steps = StepTable::ALL.iter().find(table).ok_or_else(|| format!("unknown price steps {}", seed.steps))?;
        let terms = StockTerms {
            calendar: CalendarId(seed.calendar),
            steps: *steps,
            queues: rules.queues,
            pause_ppm: rules.pause_ppm,
            pause_window_ms: rules.pause_window_ms,
            pause_ms: rules.pause_ms,
        };
        let fee = FeePpm(rules.fee_ppm);
        Ok((terms, vec![LevelFees { maker: fee, taker: fee }], rules.stale_after_ms))
    }

    fn stocks_of(&self, calendar: u16) -> impl Iterator<Item = &MarketSeed> {
        self.market.iter().filter(move |m| m.stock.as_ref().is_some_and(|stock| stock.calendar == calendar))
    }

    /// Parameters of the calendars that markets name, from a time on.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn calendar_params(&self, calendars: &Calendars, from: Timestamp) -> Result<Vec<CalendarParams>, String> {
        let mut numbers: Vec<u16> = self.market.iter().filter_map(|m| Some(m.stock.as_ref()?.calendar)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let params = |number: u16| {
            let seed = calendars.calendar.iter().find(|seed| seed.id == number);
            let seed = seed.ok_or_else(|| format!("there is no calendar {number}"))?;
            let mut markets: Vec<MarketId> = self.stocks_of(number).map(|market| MarketId(market.id)).collect();
            markets.sort_unstable();
            params_of(seed, from, markets)
        };
        numbers.into_iter().map(params).collect()
    }
}

/// A calendar's parameters as its seed makes them.
///
/// # Errors
/// What is wrong, in words.
pub fn params_of(seed: &CalendarSeed, from: Timestamp, markets: Vec<MarketId>) -> Result<CalendarParams, String> {
    let mut sessions = seed.sessions(from, DAYS).map_err(|error| format!("calendar {}: {error}", seed.name))?;
    // A day that ends with the next one's begin ends a millisecond before: orders of the day leave then.
    for next in (1..sessions.len()).rev() {
        if sessions[next - 1].close_ms == sessions[next].open_ms {
            sessions[next - 1].close_ms -= 1;
        }
    }
    let params = CalendarParams {
        calendar: CalendarId(seed.id),
        version: 0,
        name: seed.name.clone(),
        zone: seed.zone.clone(),
        sessions,
        markets,
    };
    params.check().map_err(|_| format!("the sessions of calendar {} do not fit together", seed.name))?;
    Ok(params)
}
