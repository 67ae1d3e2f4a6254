//! Countries of accounts and what they are not offered, as the auditor sees them.
//!
//! Owns: each account's country, and each country's barred products with the record that ruled so. Never does: use the engine's rules.
//! Invariants checked: one person bars, two allow; no account opens what is barred where its owner lives; accounts and registry have
//! what their records say. Known limits: what somebody else decides (a market, a contract's book, a desk, a trader) may follow a rule that
//! came while the question was on its way; of orders of a contract that wait, and of spot orders whose trigger fires, nothing is
//! checked.

use super::tiers::may_be_on_its_way;
use super::{Auditor, Finding};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::BTreeMap;
use xng_core::account::verification::TierChanged;
use xng_core::contract::book::facts::BookFact;
use xng_core::contract::facts::ContractFact;
use xng_core::convert::facts::ConvertFact;
use xng_core::copy::facts::CopyFact;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::market::Side;
use xng_core::record::{Cause, Fact, Origin, Record};
use xng_core::region::{Country, Product, Products};
use xng_core::registry::RegionRuled;
use xng_core::reject::Reject;
use xng_core::seconds::facts::SecondsFact;
use xng_core::spot::facts::{OrdersChanged, SpotFact};

/// Since when something is so.
type Since = (Lsn, TimeNs);

/// What the auditor knows of countries.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions {
    of: BTreeMap<AccountId, (Country, Since)>,
    barred: BTreeMap<Country, BTreeMap<Product, Since>>,
}

/// Who decided what a record says, as far as a rule may have come meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DecidedBy {
    Account,
    SomebodyElse,
}

impl Regions {
    pub(super) fn moved(&mut self, f: &TierChanged, since: Since) {
        if let Some(country) = f.country {
            self.of.insert(f.account, (country, since));
        }
    }

    pub(super) fn ruled(&mut self, f: &RegionRuled, origin: Origin, since: Since) -> Result<(), String> {
        let rules = self.barred.entry(f.country).or_default();
        let allows = rules.keys().any(|product| !f.barred.has(*product));
        let bars = f.barred.iter().any(|product| !rules.contains_key(&product));
        let by_two = matches!(origin, Origin::Staff { maker, checker, .. } if maker != checker);
        let by_one = matches!(origin, Origin::Admin | Origin::System);
        if allows == bars || allows && !by_two || bars && !by_one {
            return Err(format!("rules {:?} for {:?} after {rules:?}, as {origin:?}", f.barred, f.country));
        }
        rules.retain(|product, _| f.barred.has(*product));
        for product in f.barred.iter() {
            rules.entry(product).or_insert(since);
        }
        if rules.is_empty() {
            self.barred.remove(&f.country);
        }
        Ok(())
    }

    /// Whether an account may open something of a product by a record of this time.
    fn offers(&self, account: AccountId, product: Product, by: DecidedBy, now: Since) -> Result<(), String> {
        let (country, moved) = self.of.get(&account).copied().unwrap_or_default();
        let Some(barred) = self.barred.get(&country).and_then(|rules| rules.get(&product)) else {
            return Ok(());
        };
        // The later of both made it so.
        let since = (*barred).max(moved);
        if account.is_system() || by == DecidedBy::SomebodyElse && may_be_on_its_way(since, now) {
            return Ok(());
        }
        Err(format!("opens {product:?} for account {account}, which is not offered in {country:?} since {}", since.0))
    }
}

/// Whether an order that buys comes of it.
fn buys(f: &OrdersChanged) -> bool {
    let placed = f.placed.iter().map(|order| order.side);
    let waiting = f.waiting.iter().map(|order| order.side);
    placed.chain(waiting).chain(f.pending.iter().map(|order| order.side)).any(|side| side == Side::Buy)
}

/// What a record opens of products, for whom, and who decided it.
fn opened(record: &Record) -> Option<(AccountId, Vec<Product>, DecidedBy)> {
    let asked = matches!(record.cause, Cause::Request | Cause::Keyed(_));
    let by_account = |account, product| Some((account, vec![product], DecidedBy::Account));
    let by_another = |account, product| Some((account, vec![product], DecidedBy::SomebodyElse));
    match &record.fact {
        Fact::Contract(ContractFact::TicketOpened(f)) => {
            let copies = f.copy.map(|_| Product::Copying);
            Some((f.account, [Product::Contracts].into_iter().chain(copies).collect(), DecidedBy::Account))
        }
        Fact::Contract(ContractFact::TicketReserved(f)) => by_account(f.account, Product::Contracts),
        Fact::Contract(ContractFact::TicketsMoved(f)) if !f.activated.is_empty() => {
            by_account(f.account, Product::Contracts)
        }
        Fact::Convert(ConvertFact::Converted(f)) => by_account(f.account, Product::Conversion),
        Fact::Convert(ConvertFact::DustConverted(f)) => by_account(f.account, Product::Conversion),
        Fact::Spot(SpotFact::OrderPlaced(f)) if f.side == Side::Buy && asked => {
            by_another(f.account, if f.units.market.is_stock() { Product::Stocks } else { Product::Spot })
        }
        Fact::Spot(SpotFact::OrdersChanged(f)) if buys(f) && (asked || f.activated.is_some()) => {
            by_another(f.account, if f.units.market.is_stock() { Product::Stocks } else { Product::Spot })
        }
        Fact::Book(BookFact::ContractOrderPlaced(f)) if !f.opens.is_zero() => {
            by_another(f.order.account, Product::Contracts)
        }
        Fact::Book(BookFact::ConditionalsChanged(f)) if f.placed.as_ref().is_some_and(|f| !f.opens.is_zero()) => {
            by_another(f.account, Product::Contracts)
        }
        Fact::Seconds(SecondsFact::OptionOpened(f)) => by_another(f.option.account, Product::Options),
        Fact::Copy(CopyFact::Followed(f)) => {
            Some((f.account, vec![Product::Contracts, Product::Copying], DecidedBy::SomebodyElse))
        }
        Fact::Spot(_)
        | Fact::Account(_)
        | Fact::Contract(_)
        | Fact::Book(_)
        | Fact::Price(_)
        | Fact::Convert(_)
        | Fact::Seconds(_)
        | Fact::Copy(_)
        | Fact::Stock(_)
        | Fact::Chain(_)
        | Fact::Coupon(_)
        | Fact::Registry(_)
        | Fact::Cell(_) => None,
    }
}

impl Auditor {
    /// Whether a record opens nothing that is barred.
    pub(super) fn check_offered(&self, lsn: Lsn, record: &Record) -> Result<(), Finding> {
        if let Fact::Copy(CopyFact::CopySkipped(f)) = &record.fact
            && f.reason == Reject::NotInRegion
        {
            let offers = |product| self.regions.offers(f.account, product, DecidedBy::Account, (lsn, record.time));
            if [Product::Contracts, Product::Copying].into_iter().all(|product| offers(product).is_ok()) {
                return Err(format!("record {lsn} skips a copy of account {}, where nothing is barred", f.account));
            }
        }
        if self.regions.barred.is_empty() {
            return Ok(());
        }
        let Some((account, products, by)) = opened(record) else { return Ok(()) };
        let mut all = products.into_iter();
        let checked = all.try_for_each(|product| self.regions.offers(account, product, by, (lsn, record.time)));
        checked.map_err(|what| format!("record {lsn} {what}"))
    }

    /// Whether accounts have the countries, and the registry the rules, that their records say.
    pub(super) fn agrees_on_regions<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, (country, _)) in &self.regions.of {
            let has = world.accounts().get(*id).map(|account| account.country());
            if has != Some(*country) {
                return Err(format!("account {id} lives in {has:?}, its records say {country:?}"));
            }
        }
        let has: BTreeMap<Country, Products> =
            world.registry().get(()).map(|registry| registry.barred().clone()).unwrap_or_default();
        let of = |rules: &BTreeMap<Product, Since>| rules.keys().copied().collect::<Products>();
        let known: BTreeMap<Country, Products> =
            self.regions.barred.iter().map(|(country, rules)| (*country, of(rules))).collect();
        if has == known { Ok(()) } else { Err(format!("the registry bars {has:?}, its records say {known:?}")) }
    }
}
