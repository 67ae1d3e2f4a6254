//! The gateway's copy of what is listed: assets and markets by name and number, as the facts say it, with the titles
//! and tags that only pages need.
//!
//! Owns: names, numbers, titles and tags. Never does: list anything: facts do. Invariants: what is listed is never
//! taken off; a page and a command of one moment see one catalogue. Known limits: titles come from settings, so they
//! change with a restart only; what traders to come and pages of options offer does too, or when operators have it read again.

use super::contract_seeds::{ContractRules, ContractSeed};
use super::convert_seeds::ConvertRules;
use super::copy_seeds::CopyRules;
use super::seconds_seeds::SecondsRules;
use super::stock_seeds::{StockRules, StockSeed};
use crate::config::ConfigError;
use arc_swap::ArcSwap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use xng_core::contract::facts::ContractFact;
use xng_core::contract::params::FIRST_CONTRACT;
use xng_core::convert::facts::ConvertFact;
use xng_core::convert::params::ConvertParams;
use xng_core::copy::TraderTerms;
use xng_core::ids::{AssetId, MarketId, Wallet};
use xng_core::money::{Amount, FeePpm, Lots};
use xng_core::record::{Fact, Listing};
use xng_core::region::{Country, Products};
use xng_core::registry::{AssetListed, RegistryFact};
use xng_core::seconds::DeskId;
use xng_core::seconds::facts::SecondsFact;
use xng_core::seconds::params::DeskParams;
use xng_core::spot::{LevelFees, MarketParams, MarketState, StateReason};

/// `config/markets.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Seeds {
    pub asset: Vec<AssetSeed>,
    pub market: Vec<MarketSeed>,
    pub fees: FeeSeed,
    pub rules: RuleSeed,
    #[serde(default)]
    pub contract: Vec<ContractSeed>,
    pub contracts: Option<ContractRules>,
    pub convert: Option<ConvertRules>,
    pub seconds: Option<SecondsRules>,
    pub copy: Option<CopyRules>,
    pub stocks: Option<StockRules>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct AssetSeed {
    pub id: u32,
    pub name: String,
    pub title: String,
    pub wallets: Vec<String>,
    pub precision: u8,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct MarketSeed {
    pub id: u16,
    pub base: String,
    pub quote: String,
    pub tick: String,
    pub step: String,
    pub min_notional: String,
    pub start_price: String,
    pub tags: Vec<String>,
    /// Of markets of stocks.
    pub stock: Option<StockSeed>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct FeeSeed {
    pub levels: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RuleSeed {
    pub max_amount_steps: i64,
    pub band_ppm: u32,
    pub protection_ppm: u32,
    pub max_open_orders: u32,
    pub stale_after_ms: u32,
}

impl MarketSeed {
    /// `BTCUSDT`.
    #[must_use]
    pub fn symbol(&self) -> String {
        format!("{}{}", self.base, self.quote)
    }
}

impl Seeds {
    /// Reads the file.
    pub fn load(path: &Path) -> Result<Seeds, ConfigError> {
        let fail = |message: String| ConfigError::File { path: path.to_owned(), message };
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        let seeds: Seeds = toml::from_str(&text).map_err(|e| fail(e.to_string()))?;
        for asset in &seeds.asset {
            seeds.listing(asset).map_err(fail)?;
        }
        for market in &seeds.market {
            seeds.params(market).map_err(|m| fail(format!("market {}: {m}", market.id)))?;
        }
        for contract in &seeds.contract {
            let params = seeds.contract_params(contract).and_then(|_| seeds.book_params(contract));
            params.map_err(|m| fail(format!("contract {}: {m}", contract.id)))?;
        }
        seeds.convert_params().map_err(fail)?;
        seeds.desk_params().map_err(fail)?;
        seeds.trader_terms().map_err(fail)?;
        Ok(seeds)
    }

    /// An asset's number by name.
    #[must_use]
    pub fn asset_id(&self, name: &str) -> Option<AssetId> {
        self.asset.iter().find(|a| a.name == name).map(|a| AssetId(a.id))
    }

    /// The fact's form of an asset.
    pub fn listing(&self, seed: &AssetSeed) -> Result<AssetListed, String> {
        let names = || Wallet::ACCOUNTS.map(|wallet| wallet.name()).join(", ");
        let wallet = |name: &String| {
            Wallet::parse(name)
                .ok_or_else(|| format!("asset {}: there is no wallet {name}; wallets are {}", seed.name, names()))
        };
        let wallets: Result<Vec<Wallet>, String> = seed.wallets.iter().map(wallet).collect();
        Ok(AssetListed { asset: AssetId(seed.id), name: seed.name.clone(), wallets: wallets? })
    }

    /// The fact's form of a market.
    pub fn params(&self, seed: &MarketSeed) -> Result<MarketParams, String> {
        let amount = |text: &str| Amount::from_str(text).map_err(|e| format!("{text}: {e}"));
        let asset = |name: &str| self.asset_id(name).ok_or_else(|| format!("unknown asset {name}"));
        if !(1..FIRST_CONTRACT).contains(&seed.id) {
            return Err(format!("markets have the ids 1 to {}", FIRST_CONTRACT - 1));
        }
        let level = |(maker, taker): &(u32, u32)| LevelFees { maker: FeePpm(*maker), taker: FeePpm(*taker) };
        let stock = seed.stock.as_ref().map(|stock| self.stock_terms(stock)).transpose()?;
        let (stock, fees, stale_after_ms) = match stock {
            Some((terms, fees, stale_after_ms)) => (Some(terms), fees, stale_after_ms),
            None => (None, self.fees.levels.iter().map(level).collect(), self.rules.stale_after_ms),
        };
        let params = MarketParams {
            market: MarketId(seed.id),
            version: 0,
            symbol: seed.symbol(),
            base: asset(&seed.base)?,
            quote: asset(&seed.quote)?,
            tick: amount(&seed.tick)?,
            step: amount(&seed.step)?,
            min_lots: Lots(1),
            max_lots: Lots(self.rules.max_amount_steps),
            min_notional: amount(&seed.min_notional)?,
            band_ppm: self.rules.band_ppm,
            protection_ppm: self.rules.protection_ppm,
            max_open_orders: self.rules.max_open_orders,
            fees,
            stale_after_ms,
            house_quoted: true,
            stock,
        };
        params.check().map_err(|_| "tick, step and the other numbers do not fit together".to_owned())?;
        Ok(params)
    }
}

/// A listed asset.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Number.
    pub id: AssetId,
    /// Code.
    pub name: String,
    /// Full name.
    pub title: String,
    /// Wallets that may hold it.
    pub wallets: Vec<Wallet>,
    /// Decimals that pages show.
    pub precision: u8,
}

impl Asset {
    fn listed(f: &AssetListed, seeds: &Seeds) -> Asset {
        let seed = seeds.asset.iter().find(|a| a.id == f.asset.0);
        Asset {
            id: f.asset,
            name: f.name.clone(),
            title: seed.map_or_else(|| f.name.clone(), |s| s.title.clone()),
            wallets: f.wallets.clone(),
            precision: seed.map_or(8, |s| s.precision),
        }
    }
}

/// A listed market.
#[derive(Debug, Clone)]
pub struct MarketInfo {
    /// Its parameters as of the last fact.
    pub params: MarketParams,
    /// Base code.
    pub base: String,
    /// Quote code.
    pub quote: String,
    /// Labels of the market page.
    pub tags: Vec<String>,
    /// Its state as of the last fact.
    pub state: MarketState,
    /// Why it is so.
    pub reason: StateReason,
}

impl MarketInfo {
    /// `BTC/USDT`.
    #[must_use]
    pub fn pair(&self) -> String {
        format!("{}/{}", self.base, self.quote)
    }
}

/// Everything that is listed.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Assets by number.
    pub assets: BTreeMap<AssetId, Asset>,
    /// Markets by number.
    pub markets: BTreeMap<MarketId, MarketInfo>,
    /// Symbols of contracts by number.
    pub contracts: BTreeMap<MarketId, String>,
    /// Parameters of conversion, once there are some.
    pub convert: Option<ConvertParams>,
    /// Terms of desks of seconds options.
    pub desks: BTreeMap<DeskId, DeskParams>,
    /// Stakes that pages offer.
    pub option_amounts: Vec<String>,
    /// What traders to come offer their followers.
    pub copy: Option<TraderTerms>,
    /// What is not offered, by country.
    pub barred: BTreeMap<Country, Products>,
    /// Counts the rules that barred something, from 1 on where something was barred at the start.
    pub times_barred: u64,
    by_symbol: BTreeMap<String, MarketId>,
}

impl Catalog {
    /// A market by `BTCUSDT` or `BTC/USDT`, in any case of letters.
    #[must_use]
    pub fn by_symbol(&self, symbol: &str) -> Option<&MarketInfo> {
        let name: String = symbol.chars().filter(|c| *c != '/').map(|c| c.to_ascii_uppercase()).collect();
        self.by_symbol.get(&name).and_then(|id| self.markets.get(id))
    }

    /// What is not offered in a country.
    #[must_use]
    pub fn barred(&self, country: Country) -> Products {
        self.barred.get(&country).copied().unwrap_or_default()
    }

    /// Whether an asset may be converted.
    #[must_use]
    pub fn converts(&self, asset: AssetId) -> bool {
        self.convert.as_ref().is_some_and(|params| params.asset(asset).is_some())
    }

    /// Whether a pair has seconds options.
    #[must_use]
    pub fn has_options(&self, pair: MarketId) -> bool {
        self.desks.values().any(|desk| desk.pair() == pair)
    }

    /// A contract by its symbol, in any case of letters.
    #[must_use]
    pub fn contract(&self, symbol: &str) -> Option<MarketId> {
        self.contracts.iter().find(|(_, name)| name.eq_ignore_ascii_case(symbol)).map(|(id, _)| *id)
    }

    /// The symbol of a market or a contract.
    #[must_use]
    pub fn symbol(&self, id: MarketId) -> Option<&str> {
        let market = self.markets.get(&id).map(|info| info.params.symbol.as_str());
        market.or_else(|| self.contracts.get(&id).map(String::as_str))
    }

    /// A market by its two assets.
    #[must_use]
    pub fn by_pair(&self, base: AssetId, quote: AssetId) -> Option<&MarketInfo> {
        self.markets.values().find(|m| m.params.base == base && m.params.quote == quote)
    }

    /// An asset's code, or its number when it is not listed.
    #[must_use]
    pub fn asset_name(&self, id: AssetId) -> String {
        self.assets.get(&id).map_or_else(|| id.to_string(), |a| a.name.clone())
    }

    /// The asset with this code.
    #[must_use]
    pub fn asset_named(&self, name: &str) -> Option<AssetId> {
        self.assets.values().find(|asset| asset.name == name).map(|asset| asset.id)
    }

    /// The catalog after a fact that changes it. Most do not: nothing is copied for them.
    fn with_fact(&self, fact: &Fact, seeds: &Seeds) -> Option<Catalog> {
        if let Some((market, state, reason)) = fact.market_state()
            && self.markets.get(&market).is_some_and(|info| (info.state, info.reason) != (state, reason))
        {
            let mut next = self.clone();
            let info = next.markets.get_mut(&market)?;
            (info.state, info.reason) = (state, reason);
            return Some(next);
        }
        if let Some(listed) = fact.asset_listed() {
            let mut next = self.clone();
            next.assets.insert(listed.asset, Asset::listed(listed, seeds));
            return Some(next);
        }
        if let Fact::Contract(ContractFact::ContractListed(f)) = fact {
            let mut next = self.clone();
            next.contracts.insert(f.params.contract, f.params.symbol.clone());
            return Some(next);
        }
        if let Fact::Convert(ConvertFact::ConvertParamsSet(f)) = fact {
            return Some(Catalog { convert: Some(f.params.clone()), ..self.clone() });
        }
        if let Fact::Seconds(SecondsFact::DeskParamsSet(f)) = fact {
            let mut next = self.clone();
            next.desks.insert(f.params.desk, f.params.clone());
            return Some(next);
        }
        if let Fact::Registry(RegistryFact::RegionRuled(f)) = fact {
            let mut next = self.clone();
            next.times_barred += u64::from(!f.barred.without(self.barred(f.country)).is_empty());
            next.barred.insert(f.country, f.barred);
            next.barred.retain(|_, barred| !barred.is_empty());
            return Some(next);
        }
        let (params, listing) = fact.market_params()?;
        let mut next = self.clone();
        match listing {
            Listing::New => next.insert_market(params, seeds),
            Listing::Changed => next.markets.get_mut(&params.market)?.params = params.clone(),
        }
        Some(next)
    }

    /// Adds a market as it stands after recovery.
    pub fn insert_market(&mut self, params: &MarketParams, seeds: &Seeds) {
        let seed = seeds.market.iter().find(|m| m.id == params.market.0);
        let (state, reason) = params.first_state();
        self.by_symbol.insert(params.symbol.clone(), params.market);
        let info = MarketInfo {
            base: self.asset_name(params.base),
            quote: self.asset_name(params.quote),
            tags: seed.map(|s| s.tags.clone()).unwrap_or_default(),
            state,
            reason,
            params: params.clone(),
        };
        self.markets.insert(params.market, info);
    }
}

/// The catalog as all threads read it.
#[derive(Debug, Clone)]
pub struct SharedCatalog {
    current: Arc<ArcSwap<Catalog>>,
    seeds: Arc<Seeds>,
}

impl SharedCatalog {
    /// Starts with what recovery found.
    #[must_use]
    pub fn new(catalog: Catalog, seeds: Arc<Seeds>) -> SharedCatalog {
        SharedCatalog { current: Arc::new(ArcSwap::from_pointee(catalog)), seeds }
    }

    /// What is listed now.
    #[must_use]
    pub fn now(&self) -> Arc<Catalog> {
        self.current.load_full()
    }

    /// The seeds that it was made with.
    #[must_use]
    pub fn seeds(&self) -> &Seeds {
        &self.seeds
    }

    /// Follows a durable fact.
    pub fn follow(&self, fact: &Fact) {
        if self.current.load().with_fact(fact, &self.seeds).is_some() {
            let next = |now: &Arc<Catalog>| now.with_fact(fact, &self.seeds).map_or_else(|| now.clone(), Arc::new);
            self.current.rcu(next);
        }
    }

    /// What traders to come offer from now on.
    pub fn offer_traders(&self, terms: Option<TraderTerms>) {
        self.current.rcu(|now| Catalog { copy: terms, ..Catalog::clone(now) });
    }

    /// Stakes that pages offer from now on.
    pub fn offer_amounts(&self, amounts: &[String]) {
        self.current.rcu(|now| Catalog { option_amounts: amounts.to_vec(), ..Catalog::clone(now) });
    }
}
