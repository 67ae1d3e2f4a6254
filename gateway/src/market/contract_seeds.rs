//! Contracts in `config/markets.toml`: what a fresh exchange lists besides markets.
//!
//! Owns: the form of these settings, and the parameters that they make. Never does: list anything. Invariants: what does not
//! fit together is refused before the exchange starts. Known limits: all contracts share their rules.

use super::catalog::{MarketSeed, Seeds};
use serde::Deserialize;
use std::str::FromStr;
use xng_core::contract::book::params::{BookParams, FundingParams};
use xng_core::contract::brackets::{Bracket, Brackets};
use xng_core::contract::params::{ContractParams, FIRST_CONTRACT, LAST_CONTRACT, TicketParams};
use xng_core::ids::{MarketId, PriceId};
use xng_core::money::{Amount, FeePpm, Lots};
use xng_core::spot::LevelFees;

/// A contract: it follows the index of the spot market of its pair.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ContractSeed {
    pub id: u16,
    pub base: String,
    pub settle: String,
    pub tick: String,
    pub lot: String,
}

/// What all contracts have in common.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ContractRules {
    pub stale_after_ms: u32,
    pub mark_band_ppm: u32,
    pub insurance_ppm: u32,
    pub spread_ppm: u32,
    pub overnight_ppm: u32,
    pub fees_ppm: Vec<u32>,
    pub multiples: Vec<u16>,
    pub lots: (i64, i64),
    pub account_cap: String,
    pub house_caps: (i64, i64),
    pub brackets: Vec<(String, u16, u32)>,
    /// Without it contracts have no books.
    pub book: Option<BookRules>,
}

/// What the books of all contracts have in common.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct BookRules {
    pub lots: (i64, i64),
    pub levels: Vec<(u32, u32)>,
    pub max_open_orders: u32,
    pub band_ppm: u32,
    pub protection_ppm: u32,
    pub interest: String,
    pub inner: String,
    pub cap: String,
    pub funding_period_s: u32,
    pub liquidation_ppm: u32,
    pub quota_ppm: u32,
}

/// An amount of the settings.
pub(super) fn amount(text: &str) -> Result<Amount, String> {
    Amount::from_str(text).map_err(|error| format!("{text}: {error}"))
}

impl ContractRules {
    fn tickets(&self) -> Result<TicketParams, String> {
        let lots = |(low, high): (i64, i64)| (Lots(low), Lots(high));
        Ok(TicketParams {
            spread_ppm: self.spread_ppm,
            fees: self.fees_ppm.iter().copied().map(FeePpm).collect(),
            overnight_ppm: self.overnight_ppm,
            multiples: self.multiples.clone(),
            lots: lots(self.lots),
            account_cap: amount(&self.account_cap)?,
            house_caps: lots(self.house_caps),
        })
    }

    fn brackets(&self) -> Result<Brackets, String> {
        let bracket = |(ceiling, max_multiple, rate_ppm): &(String, u16, u32)| {
            Ok(Bracket { ceiling: amount(ceiling)?, max_multiple: *max_multiple, rate_ppm: *rate_ppm })
        };
        let list: Result<Vec<Bracket>, String> = self.brackets.iter().map(bracket).collect();
        Ok(Brackets { list: list? })
    }
}

impl BookRules {
    fn params(&self, contract: MarketId) -> Result<BookParams, String> {
        let level = |(maker, taker): &(u32, u32)| LevelFees { maker: FeePpm(*maker), taker: FeePpm(*taker) };
        let (interest, inner, cap) = (amount(&self.interest)?, amount(&self.inner)?, amount(&self.cap)?);
        let params = BookParams {
            contract,
            version: 0,
            lots: (Lots(self.lots.0), Lots(self.lots.1)),
            fees: self.levels.iter().map(level).collect(),
            max_open_orders: self.max_open_orders,
            band_ppm: self.band_ppm,
            protection_ppm: self.protection_ppm,
            funding: FundingParams { interest, inner, cap, period_s: self.funding_period_s },
            liquidation_ppm: self.liquidation_ppm,
            quota_ppm: self.quota_ppm,
        };
        params.check().map_err(|_| "the numbers of [contracts.book] do not fit together".to_owned())?;
        Ok(params)
    }
}

impl Seeds {
    /// The fact's form of a contract's book, when contracts have books.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn book_params(&self, seed: &ContractSeed) -> Result<Option<BookParams>, String> {
        let rules = self.contracts.as_ref().and_then(|rules| rules.book.as_ref());
        rules.map(|rules| rules.params(MarketId(seed.id))).transpose()
    }

    /// The spot market whose index a contract follows.
    fn market_of(&self, seed: &ContractSeed) -> Option<&MarketSeed> {
        self.market.iter().find(|market| market.base == seed.base && market.quote == seed.settle)
    }

    /// The fact's form of a contract.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn contract_params(&self, seed: &ContractSeed) -> Result<ContractParams, String> {
        let rules = self.contracts.as_ref().ok_or("there are no rules in [contracts]")?;
        let market = self.market_of(seed);
        let market = market.ok_or_else(|| format!("no market {}{} has its index", seed.base, seed.settle))?;
        let asset = |name: &str| self.asset_id(name).ok_or_else(|| format!("unknown asset {name}"));
        if !(FIRST_CONTRACT..=LAST_CONTRACT).contains(&seed.id) {
            return Err(format!("contracts have the ids {FIRST_CONTRACT} to {LAST_CONTRACT}"));
        }
        let params = ContractParams {
            contract: MarketId(seed.id),
            version: 0,
            symbol: market.symbol(),
            base: asset(&seed.base)?,
            settle: asset(&seed.settle)?,
            price: PriceId(market.id),
            tick: amount(&seed.tick)?,
            lot: amount(&seed.lot)?,
            brackets: rules.brackets()?,
            mark_band_ppm: rules.mark_band_ppm,
            stale_after_ms: rules.stale_after_ms,
            insurance_ppm: rules.insurance_ppm,
            tickets: rules.tickets()?,
        };
        params.check().map_err(|_| "tick, lot, brackets and the other numbers do not fit together".to_owned())?;
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn seeds() -> Seeds {
        Seeds::load(Path::new("../config/markets.toml")).unwrap()
    }

    #[test]
    fn the_shipped_contracts_fit_together_and_follow_the_index_of_their_pair() {
        let seeds = seeds();
        let params: Vec<ContractParams> =
            seeds.contract.iter().map(|seed| seeds.contract_params(seed).unwrap()).collect();
        let named: Vec<(&str, u16, u16)> =
            params.iter().map(|p| (p.symbol.as_str(), p.contract.0, p.price.0)).collect();
        assert_eq!((named.len(), &named[..2]), (8, &[("BTCUSDT", 512, 1), ("ETHUSDT", 513, 2)][..]));
        let market = |price: u16| seeds.market.iter().find(|market| market.id == price).unwrap();
        assert!(named.iter().all(|(symbol, _, price)| market(*price).symbol() == *symbol), "{named:?}");
        // The worked numbers' contract.
        assert_eq!((params[0].tick, params[0].lot), (amount("0.01").unwrap(), amount("0.01").unwrap()));
        assert_eq!(params[0].tickets.multiples, [10, 20, 50, 100]);
        let book = seeds.book_params(&seeds.contract[1]).unwrap().unwrap();
        assert_eq!((book.contract.0, book.fees[0].maker.0, book.fees[0].taker.0), (513, 200, 500));
        assert_eq!((book.funding.period_s, book.band_ppm), (8 * 3_600, 50_000));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let mut seeds = seeds();
        let mut seed = seeds.contract[0].clone();
        seed.id = 511;
        assert!(seeds.contract_params(&seed).unwrap_err().contains("512 to 1022"));
        seed = ContractSeed { settle: "USDC".into(), ..seeds.contract[0].clone() };
        assert!(seeds.contract_params(&seed).unwrap_err().contains("BTCUSDC"));
        seed = ContractSeed { lot: "0.0000001".into(), ..seeds.contract[0].clone() };
        assert!(seeds.contract_params(&seed).unwrap_err().contains("fit together"));
        let rules = seeds.contracts.as_mut().unwrap();
        rules.book.as_mut().unwrap().funding_period_s = 7 * 3_600;
        assert!(seeds.book_params(&seeds.contract[0]).unwrap_err().contains("[contracts.book]"));
        seeds.contracts = None;
        assert_eq!(seeds.book_params(&seeds.contract[0]), Ok(None));
        assert!(seeds.contract_params(&seeds.contract[0]).unwrap_err().contains("[contracts]"));
        let spot = MarketSeed { id: 512, ..seeds.market[0].clone() };
        assert!(seeds.params(&spot).unwrap_err().contains("1 to 511"));
    }
}
