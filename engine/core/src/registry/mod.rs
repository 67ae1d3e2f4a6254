//! The registry: which assets exist.
//!
//! Owns: assets and where they may be kept. Never does: balances.
//! Invariants: an asset's id and name never change.
//! Known limits: one registry a cell; a change of flags is a new `AssetListed` of the same asset.

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::{Applied, CommandClass, Ctx, Decision, Entity, check_version, save_versioned};
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

crate::record::product_facts! {
    /// Facts of assets.
    Registry(RegistryFact) {
        /// An asset exists.
        AssetListed = 1 v 1,
    }
}

/// What the registry can be asked.
#[derive(Debug, Clone)]
pub enum RegistryCommand {
    /// List an asset or change its flags.
    ListAsset(AssetListed),
}

/// All assets.
#[derive(Debug, Default)]
pub struct Registry {
    assets: BTreeMap<AssetId, AssetListed>,
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
}

const STATE_VERSION: u8 = 1;

impl Entity for Registry {
    type Id = ();
    type Command = RegistryCommand;

    const NAME: &'static str = "registry";
    const MESSAGES: &'static [&'static str] = &["list_asset"];

    fn message(command: &RegistryCommand) -> usize {
        match command {
            RegistryCommand::ListAsset(_) => 0,
        }
    }

    fn blank((): ()) -> Registry {
        Registry::default()
    }

    fn decide(&self, command: &RegistryCommand, _ctx: &Ctx<'_>) -> Decision {
        let RegistryCommand::ListAsset(asset) = command;
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

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let fact = &applied.record.fact;
        match fact.asset_listed() {
            Some(listed) => drop(self.assets.insert(listed.asset, listed.clone())),
            // The registry also signs the cell's digests.
            None => assert!(matches!(fact, Fact::Cell(_)), "the registry is not named by {}", fact.name()),
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
        save_versioned(STATE_VERSION, out, |out| self.assets.values().cloned().collect::<Vec<_>>().put(out));
    }

    fn load((): (), r: &mut Reader<'_>) -> Result<Registry, DecodeError> {
        check_version(r, STATE_VERSION, "registry state version")?;
        let assets: Vec<AssetListed> = Wire::get(r)?;
        Ok(Registry { assets: assets.into_iter().map(|a| (a.asset, a)).collect() })
    }
}
