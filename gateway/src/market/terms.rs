//! Terms of conversion, seconds options and copy trading: what the settings say, against what is in force.
//!
//! Owns: the comparison, and what makes the one the other. Never does: read a file, send a command. Invariants: what cannot be put
//! into force is refused by field before anything is; each step names every field that it changes. Known limits: markets and
//! assets are listed by a start; who is a trader keeps what was agreed.

use super::catalog::{Catalog, Seeds};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::account::{AccountCommand, ConvertCommand};
use xng_core::convert::params::ConvertParams;
use xng_core::copy::TraderTerms;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId, MarketId};
use xng_core::seconds::desk::DeskCommand;
use xng_core::seconds::params::DeskParams;

/// A field whose value is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Of what: `[seconds] BTCUSDT 30 s`.
    pub terms: String,
    /// As the settings name it.
    pub field: String,
    /// In force; empty when nothing is.
    pub was: String,
    /// In the settings; empty when they have it no more.
    pub is: String,
}

/// How a step is put into force.
#[derive(Debug)]
pub enum Change {
    /// By the engine.
    Command(Box<Command>),
    /// What traders to come offer.
    Copy(Option<TraderTerms>),
    /// Stakes that pages offer.
    Amounts(Vec<String>),
}

/// What is put into force at once.
#[derive(Debug)]
pub struct Step {
    /// Of what.
    pub terms: String,
    /// Nothing of it was in force.
    pub is_new: bool,
    /// What it changes.
    pub differences: Vec<Difference>,
    /// How.
    pub change: Change,
}

/// Values by the names of their fields.
type Fields = BTreeMap<String, String>;

fn fields<const N: usize>(all: [(&str, String); N]) -> Fields {
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Step {
    /// None when nothing differs.
    fn of(terms: String, was: Option<Fields>, is: &Fields, change: Change) -> Option<Step> {
        let (is_new, was) = (was.is_none(), was.unwrap_or_default());
        let value = |of: &Fields, name: &String| of.get(name).cloned().unwrap_or_default();
        let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let all = names.into_iter().map(|name| Difference {
            terms: terms.clone(),
            field: name.clone(),
            was: value(&was, name),
            is: value(is, name),
        });
        let differences: Vec<Difference> = all.filter(|d| d.was != d.is).collect();
        (!differences.is_empty()).then_some(Step { terms, is_new, differences, change })
    }

    /// For the audit: of what, and each field with its values.
    #[must_use]
    pub fn told(&self) -> String {
        let changes = self.differences.iter().map(|d| format!("{} {} -> {}", d.field, or_none(&d.was), or_none(&d.is)));
        format!("set terms of {}: {}", self.terms, changes.collect::<Vec<String>>().join("; "))
    }
}

fn or_none(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}

/// The settings beside what is listed.
struct Compared<'a> {
    seeds: &'a Seeds,
    listed: &'a Catalog,
}

/// What the settings would change, step by step.
///
/// # Errors
/// What cannot be put into force, in words that name the field.
pub fn plan(seeds: &Seeds, listed: &Catalog) -> Result<Vec<Step>, String> {
    let compared = Compared { seeds, listed };
    let mut steps: Vec<Step> = compared.conversion()?.into_iter().collect();
    steps.extend(compared.desks()?);
    steps.extend(compared.amounts());
    steps.extend(compared.copying()?);
    Ok(steps)
}

impl Compared<'_> {
    /// An asset that the settings number as it is listed.
    fn has_asset(&self, field: &str, asset: AssetId) -> Result<(), String> {
        let seed = self.seeds.asset.iter().find(|seed| seed.id == asset.0);
        let named = seed.map_or_else(|| asset.to_string(), |seed| seed.name.clone());
        match self.listed.assets.get(&asset) {
            Some(known) if known.name == named => Ok(()),
            Some(_) | None => Err(format!("{field}: {named} is not listed as {asset}; a start lists new assets")),
        }
    }

    /// A market that the settings number as it is listed.
    fn has_market(&self, field: &str, market: MarketId) -> Result<(), String> {
        let seed = self.seeds.market.iter().find(|seed| seed.id == market.0);
        let named = seed.map_or_else(|| market.to_string(), |seed| seed.symbol());
        match self.listed.markets.get(&market) {
            Some(known) if known.params.symbol == named => Ok(()),
            Some(_) | None => Err(format!("{field}: {named} is not listed as {market}; a start lists new markets")),
        }
    }

    fn conversion(&self) -> Result<Option<Step>, String> {
        let old = self.listed.convert.as_ref();
        let Some(new) = self.seeds.convert_params()? else {
            return match old {
                None => Ok(None),
                Some(_) => Err("[convert] is missing: to convert nothing, name no assets but dust_into".into()),
            };
        };
        for asset in &new.assets {
            self.has_asset("[convert] assets", asset.asset)?;
            if let Some(price) = asset.price {
                self.has_market("[convert] assets", MarketId(price.0))?;
            }
        }
        let new = ConvertParams { version: old.map_or(0, |old| old.version), ..new };
        let (was, is) = (old.map(|old| self.convert_fields(old)), self.convert_fields(&new));
        let set = AccountCommand::Convert(ConvertCommand::SetParams(Box::new(new)));
        let change = Change::Command(Box::new(Command::Account(AccountId::CONVERT_HOUSE, set)));
        Ok(Step::of("[convert]".into(), was, &is, change))
    }

    fn convert_fields(&self, params: &ConvertParams) -> Fields {
        let ConvertParams {
            version: _,
            spread_ppm,
            fee_ppm,
            guard_ppm,
            value,
            stale_after_ms,
            quote_ms,
            dust_limit,
            dust_fee_ppm,
            dust_into,
            assets,
        } = params;
        let mut all = fields([
            ("spread_ppm", spread_ppm.to_string()),
            ("fee_ppm", fee_ppm.to_string()),
            ("guard_ppm", guard_ppm.to_string()),
            ("value", format!("{} to {}", value.0, value.1)),
            ("stale_after_ms", stale_after_ms.to_string()),
            ("quote_ms", quote_ms.to_string()),
            ("dust_limit", dust_limit.to_string()),
            ("dust_fee_ppm", dust_fee_ppm.to_string()),
            ("dust_into", self.listed.asset_name(*dust_into)),
        ]);
        for asset in assets {
            let name = self.listed.asset_name(asset.asset);
            let index = asset.price.and_then(|price| self.listed.symbol(MarketId(price.0)));
            all.insert(format!("index of {name}"), index.unwrap_or("worth 1").to_owned());
            all.insert(format!("daily cap of {name}"), asset.daily_cap.to_string());
        }
        all
    }

    fn desks(&self) -> Result<Vec<Step>, String> {
        let wanted = self.seeds.desk_params()?;
        let mut steps = Vec::new();
        for new in &wanted {
            self.has_market("[seconds] pairs", new.pair())?;
            self.has_asset("[seconds] asset", new.asset)?;
            let old = self.listed.desks.get(&new.desk);
            if let Some(old) = old {
                let pair = self.listed.symbol(new.pair()).unwrap_or_default();
                if old.seconds != new.seconds {
                    let (was, is) = (old.seconds, new.seconds);
                    return Err(format!(
                        "[seconds] durations: the desk of {pair} for {was} s cannot become one for {is} s; a duration keeps \
                         its place, others follow behind"
                    ));
                }
                if (old.asset, old.price) != (new.asset, new.price) {
                    return Err(format!(
                        "[seconds] asset: stakes of {pair} stay in {}",
                        self.listed.asset_name(old.asset)
                    ));
                }
            }
            steps.extend(self.desk(old, new.clone()));
        }
        let is_dropped = |old: &&DeskParams| wanted.iter().all(|new| new.desk != old.desk);
        let dropped = self.listed.desks.values().filter(is_dropped);
        steps.extend(dropped.filter_map(|old| self.desk(Some(old), DeskParams { open: false, ..old.clone() })));
        Ok(steps)
    }

    fn desk(&self, old: Option<&DeskParams>, new: DeskParams) -> Option<Step> {
        let pair = self.listed.symbol(new.pair()).unwrap_or_default();
        let terms = format!("[seconds] {pair} {} s", new.seconds);
        let new = DeskParams { version: old.map_or(0, |old| old.version), ..new };
        let (was, is) = (old.map(desk_fields), desk_fields(&new));
        let set = DeskCommand::SetParams(Box::new(new.clone()));
        Step::of(terms, was, &is, Change::Command(Box::new(Command::Seconds(new.desk, set))))
    }

    fn amounts(&self) -> Option<Step> {
        let new: Vec<String> = self.seeds.option_amounts();
        let as_fields = |amounts: &[String]| fields([("amounts", amounts.join(", "))]);
        let was = Some(as_fields(&self.listed.option_amounts));
        Step::of("[seconds]".into(), was, &as_fields(&new), Change::Amounts(new))
    }

    fn copying(&self) -> Result<Option<Step>, String> {
        let new = self.seeds.trader_terms()?;
        if let Some(terms) = new {
            self.has_asset("[copy] asset", terms.asset)?;
        }
        let as_fields = |terms: TraderTerms| {
            let TraderTerms { asset, share_ppm } = terms;
            fields([("asset", self.listed.asset_name(asset)), ("share_ppm", share_ppm.to_string())])
        };
        let is = new.map(as_fields).unwrap_or_default();
        Ok(Step::of("[copy]".into(), self.listed.copy.map(as_fields), &is, Change::Copy(new)))
    }
}

fn desk_fields(params: &DeskParams) -> Fields {
    let DeskParams {
        version: _,
        desk: _,
        // What a desk is, which stays.
        price: _,
        seconds: _,
        asset: _,
        ratio_ppm,
        fee_ppm,
        stake,
        most_open,
        minute_cap,
        day_cap,
        fresh_ms,
        open,
    } = params;
    fields([
        ("ratio_ppm", ratio_ppm.to_string()),
        ("fee_ppm", fee_ppm.to_string()),
        ("stake", format!("{} to {}", stake.0, stake.1)),
        ("most_open", most_open.to_string()),
        ("minute_cap", minute_cap.to_string()),
        ("day_cap", day_cap.to_string()),
        ("fresh_ms", fresh_ms.to_string()),
        ("open", if *open { "yes" } else { "no" }.to_owned()),
    ])
}
