//! The registry: which assets exist, and how far the office's audit was anchored.
//!
//! Owns: assets and where they may be kept; the newest anchor of the audit. Never does: balances; read the audit.
//! Invariants: an asset's id and name never change; an anchor is never taken back, a newer one follows it.
//! Known limits: one registry a cell; a change of flags is a new `AssetListed` of the same asset.

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Decision, Entity, TimeNs, check_version, save_versioned};
use crate::ids::{AssetId, Wallet};
use crate::record::{Fact, FactBody, Role};
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

crate::record::product_facts! {
    /// Facts of assets, and of the office's audit.
    Registry(RegistryFact) {
        /// An asset exists.
        AssetListed = 1 v 1,
        /// The office's audit reached so far.
        AuditAnchored = 185 v 1,
    }
}

/// What the registry can be asked.
#[derive(Debug, Clone)]
pub enum RegistryCommand {
    /// List an asset or change its flags.
    ListAsset(AssetListed),
    /// Keep how far the office's audit reaches.
    AnchorAudit(AuditAnchored),
}

/// All assets.
#[derive(Debug, Default)]
pub struct Registry {
    assets: BTreeMap<AssetId, AssetListed>,
    anchor: Option<(AuditAnchored, TimeNs)>,
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

/// 2: the anchor.
const STATE_VERSION: u8 = 2;

impl Entity for Registry {
    type Id = ();
    type Command = RegistryCommand;

    const NAME: &'static str = "registry";
    const MESSAGES: &'static [&'static str] = &["list_asset", "anchor_audit"];

    fn message(command: &RegistryCommand) -> usize {
        match command {
            RegistryCommand::ListAsset(_) => 0,
            RegistryCommand::AnchorAudit(_) => 1,
        }
    }

    fn blank((): ()) -> Registry {
        Registry::default()
    }

    fn decide(&self, command: &RegistryCommand, _ctx: &Ctx<'_>) -> Decision {
        match command {
            RegistryCommand::ListAsset(asset) => self.list(asset),
            RegistryCommand::AnchorAudit(anchor) => self.anchor_audit(anchor),
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
        }
    }

    fn class(_command: &RegistryCommand) -> CommandClass {
        CommandClass::Consumes
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
        });
    }

    fn load((): (), r: &mut Reader<'_>) -> Result<Registry, DecodeError> {
        let version = check_version(r, STATE_VERSION, "registry state version")?;
        let assets: Vec<AssetListed> = Wire::get(r)?;
        let anchor = if version > 1 { Wire::get(r)? } else { None };
        Ok(Registry { assets: assets.into_iter().map(|a| (a.asset, a)).collect(), anchor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::ids::EntityId;
    use crate::journal::Lsn;
    use crate::record::{Cause, Origin, Record};

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
}
