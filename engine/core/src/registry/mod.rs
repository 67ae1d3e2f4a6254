//! The registry: which assets exist, how far the office's audit was anchored, and what countries are not offered.
//!
//! Owns: assets and where they may be kept; the newest anchor of the audit; products that are barred by country. Never does: balances;
//! read the audit; know where anybody lives. Invariants: an asset's id and name never change; an anchor is never taken back, a newer
//! one follows it; one person bars a product, whom the office's audit names, two allow it again, whom the
//! journal names. Rules: `docs/rules/regions.md`.
//! Known limits: one registry a cell; a change of flags is a new `AssetListed` of the same asset.

use crate::board::Board;
use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Decision, Entity, LivePrices, TimeNs, check_version, save_versioned};
use crate::ids::{AssetId, Wallet};
use crate::record::{Fact, FactBody, Origin, Role};
use crate::region::{Country, Products};
use crate::reject::Reject;
use std::collections::BTreeMap;

crate::wire_struct! {
    /// An asset exists, or its flags changed.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AssetListed {
        /// Its id.
        pub asset: AssetId,
        /// Its code, upper case (`BTC`).
        pub name: String,
        /// Wallets between which it may be transferred.
        pub wallets: Vec<Wallet>,
    }
}

impl FactBody for AssetListed {
    fn asset_listed(&self) -> Option<&AssetListed> {
        Some(self)
    }
}

crate::wire_struct! {
    /// So far the office's audit reached, and its newest hash: whoever cuts rows off or writes others does not change this
    /// (`docs/back-office.md "The audit"`).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AuditAnchored {
        /// Rows of the audit.
        pub rows: u64,
        /// The hash of the last of them, SHA-256.
        pub head: [u8; 32],
        /// Who said that the audit is right although an earlier anchor does not hold, as after a backup was brought back.
        pub accepted_by: Option<String>,
    }
}

impl FactBody for AuditAnchored {}

crate::wire_struct! {
    /// What is not offered in a country from now on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RegionRuled {
        /// Where; unknown: to owners of whom nobody knows where they live.
        pub country: Country,
        /// All that is not.
        pub barred: Products,
    }
}

impl FactBody for RegionRuled {}

crate::record::product_facts! {
    /// Facts of assets, of the office's audit and of countries.
    Registry(RegistryFact) {
        /// An asset exists.
        AssetListed = 1 v 1,
        /// The office's audit reached so far.
        AuditAnchored = 185 v 1,
        /// What is not offered in a country.
        RegionRuled = 187 v 1,
    }
}

/// What the registry can be asked.
#[derive(Debug, Clone)]
pub enum RegistryCommand {
    /// List an asset or change its flags.
    ListAsset(AssetListed),
    /// Keep how far the office's audit reaches.
    AnchorAudit(AuditAnchored),
    /// Offer some products no more in a country.
    Bar(Country, Products),
    /// Offer some there again.
    Allow(Country, Products),
}

/// All assets.
#[derive(Debug, Default)]
pub struct Registry {
    assets: BTreeMap<AssetId, AssetListed>,
    anchor: Option<(AuditAnchored, TimeNs)>,
    /// Countries where something is not offered.
    barred: BTreeMap<Country, Products>,
}

impl Registry {
    /// One asset.
    #[must_use]
    pub fn asset(&self, id: AssetId) -> Option<&AssetListed> {
        self.assets.get(&id)
    }

    /// All assets by id.
    pub fn assets(&self) -> impl Iterator<Item = &AssetListed> {
        self.assets.values()
    }

    /// The newest anchor of the audit, and its time.
    #[must_use]
    pub fn anchor(&self) -> Option<&(AuditAnchored, TimeNs)> {
        self.anchor.as_ref()
    }

    /// What is not offered, by country.
    #[must_use]
    pub fn barred(&self) -> &BTreeMap<Country, Products> {
        &self.barred
    }

    fn rule(&self, country: Country, changed: impl FnOnce(Products) -> Products) -> Decision {
        let before = self.barred.get(&country).copied().unwrap_or_default();
        let barred = changed(before);
        if barred == before {
            return Decision::Reject(Reject::AlreadyExists);
        }
        Decision::Fact(RegionRuled { country, barred }.into())
    }

    /// One person of the back office, whose name is in its audit, or the operator.
    fn bar(&self, country: Country, products: Products, origin: Origin) -> Decision {
        match origin {
            Origin::Admin | Origin::System => self.rule(country, |before| before.with(products)),
            Origin::User | Origin::Api | Origin::House | Origin::Staff { .. } => Decision::Reject(Reject::NotAllowed),
        }
    }

    /// What was taken from people is given back by two.
    fn allow(&self, country: Country, products: Products, origin: Origin) -> Decision {
        match origin {
            Origin::Staff { maker, checker, .. } if maker != checker => {
                self.rule(country, |before| before.without(products))
            }
            Origin::Staff { .. } | Origin::System | Origin::Admin | Origin::House | Origin::User | Origin::Api => {
                Decision::Reject(Reject::NotTwoPeople)
            }
        }
    }

    fn list(&self, asset: &AssetListed) -> Decision {
        let renames = self.assets.get(&asset.asset).is_some_and(|old| old.name != asset.name);
        let taken = self.assets.values().any(|a| a.name == asset.name && a.asset != asset.asset);
        if asset.name.is_empty() || renames || taken {
            return Decision::Reject(Reject::BadParameters);
        }
        if self.assets.get(&asset.asset) == Some(asset) {
            return Decision::Reject(Reject::AlreadyExists);
        }
        Decision::Fact(asset.clone().into())
    }

    /// Without somebody's word an audit only grows.
    fn anchor_audit(&self, anchor: &AuditAnchored) -> Decision {
        let (rows, accepted) = (anchor.rows, anchor.accepted_by.as_deref());
        if rows == 0 || accepted.is_some_and(str::is_empty) {
            return Decision::Reject(Reject::BadParameters);
        }
        match &self.anchor {
            Some((last, _)) if (last.rows, last.head) == (rows, anchor.head) => Decision::Reject(Reject::AlreadyExists),
            Some((last, _)) if rows <= last.rows && accepted.is_none() => Decision::Reject(Reject::BadParameters),
            Some(_) | None => Decision::Fact(anchor.clone().into()),
        }
    }
}

/// 2: the anchor; 3: countries.
const STATE_VERSION: u8 = 3;

impl Entity for Registry {
    type Id = ();
    type Command = RegistryCommand;

    const NAME: &'static str = "registry";
    const MESSAGES: &'static [&'static str] = &["list_asset", "anchor_audit", "bar", "allow"];

    fn message(command: &RegistryCommand) -> usize {
        match command {
            RegistryCommand::ListAsset(_) => 0,
            RegistryCommand::AnchorAudit(_) => 1,
            RegistryCommand::Bar(..) => 2,
            RegistryCommand::Allow(..) => 3,
        }
    }

    fn blank((): ()) -> Registry {
        Registry::default()
    }

    fn decide(&self, command: &RegistryCommand, ctx: &Ctx<'_>) -> Decision {
        match command {
            RegistryCommand::ListAsset(asset) => self.list(asset),
            RegistryCommand::AnchorAudit(anchor) => self.anchor_audit(anchor),
            RegistryCommand::Bar(country, products) => self.bar(*country, *products, ctx.origin),
            RegistryCommand::Allow(country, products) => self.allow(*country, *products, ctx.origin),
        }
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let fact = &applied.record.fact;
        let Fact::Registry(own) = fact else {
            // The registry also signs the cell's digests.
            return assert!(matches!(fact, Fact::Cell(_)), "the registry is not named by {}", fact.name());
        };
        match own {
            RegistryFact::AssetListed(listed) => drop(self.assets.insert(listed.asset, (**listed).clone())),
            RegistryFact::AuditAnchored(anchor) => self.anchor = Some(((**anchor).clone(), applied.record.time)),
            RegistryFact::RegionRuled(ruled) if ruled.barred.is_empty() => drop(self.barred.remove(&ruled.country)),
            RegistryFact::RegionRuled(ruled) => drop(self.barred.insert(ruled.country, ruled.barred)),
        }
    }

    /// Products that are barred, and that they are offered again.
    fn is_for_staff(command: &RegistryCommand) -> bool {
        matches!(command, RegistryCommand::Allow(..))
    }

    fn class(command: &RegistryCommand) -> CommandClass {
        match command {
            // What protects goes on when little room is left.
            RegistryCommand::Bar(..) => CommandClass::Releases,
            RegistryCommand::ListAsset(_) | RegistryCommand::AnchorAudit(_) | RegistryCommand::Allow(..) => {
                CommandClass::Consumes
            }
        }
    }

    fn publish(&self, board: &mut Board) -> Option<LivePrices> {
        board.set_barred(self.barred.clone());
        None
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::new();
        self.save(&mut bytes);
        hash_bytes(0, &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| {
            self.assets.values().cloned().collect::<Vec<_>>().put(out);
            self.anchor.put(out);
            let barred = self.barred.iter().map(|(country, barred)| RegionRuled { country: *country, barred: *barred });
            barred.collect::<Vec<_>>().put(out);
        });
    }

    fn load((): (), r: &mut Reader<'_>) -> Result<Registry, DecodeError> {
        let version = check_version(r, STATE_VERSION, "registry state version")?;
        let assets: Vec<AssetListed> = Wire::get(r)?;
        let anchor = if version > 1 { Wire::get(r)? } else { None };
        let barred: Vec<RegionRuled> = if version > 2 { Wire::get(r)? } else { Vec::new() };
        let barred = barred.into_iter().map(|ruled| (ruled.country, ruled.barred)).collect();
        Ok(Registry { assets: assets.into_iter().map(|a| (a.asset, a)).collect(), anchor, barred })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::EntityId;
    use crate::journal::Lsn;
    use crate::record::{Cause, Record};
    use crate::region::Product;

    fn anchor(rows: u64, head: u8, by: Option<&str>) -> RegistryCommand {
        RegistryCommand::AnchorAudit(AuditAnchored { rows, head: [head; 32], accepted_by: by.map(str::to_owned) })
    }

    /// Asks, and applies what was decided; why it was refused.
    fn ask(registry: &mut Registry, command: &RegistryCommand) -> Option<Reject> {
        let board = Board::nothing();
        let ctx = Ctx { now: 7, request: None, origin: Origin::Admin, others_wait: false, board };
        match registry.decide(command, &ctx) {
            Decision::Fact(fact) => {
                let decider = EntityId::Registry(());
                let record = Record { time: 7, decider, cause: Cause::Request, origin: Origin::Admin, fact };
                registry.evolve(Applied { lsn: Lsn(1), record: &record }, Role::Decider);
                None
            }
            Decision::Reject(reject) => Some(reject),
            Decision::Ask(_) | Decision::Reply(_) | Decision::Nothing => panic!("neither a fact nor a refusal"),
        }
    }

    #[test]
    fn an_audit_only_grows_unless_somebody_accepts_less() {
        let mut registry = Registry::default();
        for (command, refused) in [
            (anchor(0, 1, None), Some(Reject::BadParameters)),
            (anchor(10, 1, None), None),
            (anchor(10, 1, None), Some(Reject::AlreadyExists)),
            (anchor(10, 2, None), Some(Reject::BadParameters)),
            (anchor(9, 2, None), Some(Reject::BadParameters)),
            (anchor(9, 2, Some("")), Some(Reject::BadParameters)),
            (anchor(9, 2, Some("ann")), None),
            (anchor(10, 3, None), None),
        ] {
            assert_eq!(ask(&mut registry, &command), refused, "{command:?}");
        }
        let (newest, time) = registry.anchor().unwrap();
        assert_eq!((newest.rows, newest.head, *time), (10, [3; 32], 7));
    }

    #[test]
    fn a_state_from_before_anchors_is_read() {
        let listed = AssetListed { asset: AssetId(1), name: "BTC".into(), wallets: vec![Wallet::Spot] };
        let mut old = vec![1];
        vec![listed.clone()].put(&mut old);
        let registry = Registry::load((), &mut Reader::new(&old)).unwrap();
        assert_eq!((registry.asset(AssetId(1)), registry.anchor()), (Some(&listed), None));
    }

    #[test]
    fn rules_of_countries_are_in_the_state_and_in_its_digest() {
        let mut registry = Registry::default();
        let (country, before) = (Country::parse("US").unwrap(), registry.digest());
        let bar = |product| RegistryCommand::Bar(country, [product].into_iter().collect());
        assert_eq!(ask(&mut registry, &bar(Product::Spot)), None);
        assert_eq!(ask(&mut registry, &bar(Product::Spot)), Some(Reject::AlreadyExists));
        assert_eq!(ask(&mut registry, &bar(Product::Options)), None);
        assert_ne!(registry.digest(), before);
        let mut saved = Vec::new();
        registry.save(&mut saved);
        let loaded = Registry::load((), &mut Reader::new(&saved)).unwrap();
        let barred: Products = [Product::Spot, Product::Options].into_iter().collect();
        assert_eq!((loaded.barred()[&country], loaded.digest()), (barred, registry.digest()));
        // A state from before rules.
        let mut old = vec![2];
        (Vec::<AssetListed>::new(), None::<(AuditAnchored, TimeNs)>).put(&mut old);
        assert!(Registry::load((), &mut Reader::new(&old)).unwrap().barred().is_empty());
    }
}
