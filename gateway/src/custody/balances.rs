//! What an EVM node shows on our addresses, beside what the ledger says.
//!
//! Owns: which addresses are asked about, what is compared. Never does: decide what a difference means; the engine's chain halts.
//! Invariants: node and ledger are compared after the same block, address by address: what one holds too much covers no other.
//! Known limits: with very many addresses only those that hold something are asked about; the node must hold the state of that block.

use super::chains::Chains;
use super::publisher::CheckedHoldings;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::chain::{AssetKey, Chain, ChainAsset, ChainCommand, ChainId, Cursor, Key, Units};
use xng_custody::evm::{Address, Balance, Evm};

/// Addresses of users that hold nothing are asked about while all together are no more.
const MOST_ADDRESSES: usize = 100_000;

/// What the ledger says after a block.
pub(super) struct Balances {
    chain: ChainId,
    at: Cursor,
    assets: Vec<ChainAsset>,
    addresses: Vec<(Key, Address)>,
    held: BTreeMap<AssetKey, Units>,
}

impl Balances {
    /// None while a block is half read.
    ///
    /// # Errors
    /// When an address cannot be made.
    pub(super) fn of(chains: &Chains, chain: ChainId) -> Result<Option<Balances>, String> {
        let ledger = |of: &Chain| {
            let at = of.cursor().filter(|cursor| cursor.whole)?;
            let assets: Vec<ChainAsset> = of.params()?.assets().collect();
            let held: BTreeMap<AssetKey, Units> = of.balances().map(|(at, units)| (*at, *units)).collect();
            Some((at, assets, held))
        };
        let Some((at, assets, held)) = chains.look(chain, ledger).flatten() else { return Ok(None) };
        let mut keys: BTreeSet<Key> = held.keys().map(|at| at.key).collect();
        let changes = chains.change_addresses(chain).map_err(|error| error.to_string())?;
        keys.extend(changes.into_values());
        let assigned = chains.addresses_from(chain, 0);
        if keys.len() + assigned.len() <= MOST_ADDRESSES {
            keys.extend(assigned.into_iter().map(|(_, key)| key));
        }
        let address = |key: Key| chains.evm_address(chain, key).map(|address| (key, address));
        let addresses = keys.into_iter().map(address).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        Ok(Some(Balances { chain, at, assets, addresses, held }))
    }

    /// Asks the node: a check of each asset.
    ///
    /// # Errors
    /// What the node says instead, for people.
    pub(super) fn ask(&self, node: &mut Evm) -> Result<Vec<ChainCommand>, String> {
        let addresses: Vec<Address> = self.addresses.iter().map(|(_, address)| *address).collect();
        let tokens: Vec<Address> = self.assets.iter().filter_map(|asset| asset.contract.map(Address)).collect();
        let shown = node.balances(&addresses, &tokens, self.at.hash).map_err(|error| error.to_string())?;
        tracing::debug!(chain = self.chain.0, addresses = addresses.len(), "balances were looked up");
        Ok(self.assets.iter().enumerate().map(|(n, asset)| self.check(*asset, n, &shown)).collect())
    }

    /// Whether a check of it shows all that the ledger has.
    pub(super) fn is_whole(&self, check: &ChainCommand) -> bool {
        let ChainCommand::CheckReserve { token, found, .. } = check else { return false };
        let its: Vec<_> = self.assets.iter().filter(|asset| asset.token() == *token).map(|asset| asset.asset).collect();
        let ours = self.held.iter().filter(|(at, _)| its.contains(&at.asset));
        ours.map(|(_, units)| units.0).sum::<u128>() == found.0
    }

    /// What the ledger has after the block of the check.
    pub(super) fn shown(self) -> CheckedHoldings {
        CheckedHoldings { at: self.at, assets: self.assets, held: self.held }
    }

    fn check(&self, asset: ChainAsset, n: usize, shown: &[Balance]) -> ChainCommand {
        let (mut found, mut besides) = (0, 0_u128);
        for ((key, _), balance) in self.addresses.iter().zip(shown) {
            let has = n.checked_sub(1).map_or(balance.native, |n| balance.tokens[n]).0;
            let ours = self.held.get(&AssetKey { asset: asset.asset, key: *key }).map_or(0, |units| units.0);
            found += has.min(ours);
            besides = has.saturating_sub(ours).saturating_add(besides);
        }
        let token = asset.token();
        let (found, besides) = (Units(found), Units(besides));
        ChainCommand::CheckReserve { height: self.at.height, token, found, besides }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::chain::BlockHash;
    use xng_core::ids::AssetId;
    use xng_core::money::Amount;

    #[test]
    fn what_one_address_has_too_much_covers_no_other() {
        let key = |index| Key { ring: 0, change: false, index };
        let form = |asset, contract| ChainAsset {
            asset: AssetId(asset),
            contract,
            decimals: 6,
            min_deposit: Amount(1),
            min_sweep: Amount(1),
        };
        let assets = vec![form(2, None), form(4, Some([7; 20]))];
        let held = [(2, 0, 500), (2, 1, 300), (4, 1, 90)];
        let held = held.map(|(asset, at, units)| (AssetKey { asset: AssetId(asset), key: key(at) }, Units(units)));
        let at = Cursor { height: 9, hash: BlockHash([1; 32]), parts: 0, whole: true, known: 2 };
        let addresses = vec![(key(0), Address([1; 20])), (key(1), Address([2; 20]))];
        let (chain, held) = (ChainId(2), held.into_iter().collect());
        let ledger = Balances { chain, at, assets, addresses, held };
        let shows = |n: usize, of: [(u128, u128); 2]| {
            let shown: Vec<Balance> = of
                .iter()
                .map(|(native, token)| Balance {
                    address: Address([0; 20]),
                    native: Units(*native),
                    tokens: vec![Units(*token)],
                })
                .collect();
            let check = ledger.check(ledger.assets[n], n, &shown);
            let ChainCommand::CheckReserve { height: 9, token, found, besides } = check else { panic!("{check:?}") };
            (token, found.0, besides.0)
        };
        assert_eq!(shows(0, [(500, 0), (300, 90)]), (None, 800, 0));
        assert_eq!(shows(0, [(700, 0), (100, 90)]), (None, 600, 200));
        assert_eq!(shows(1, [(0, 5), (0, 89)]), (Some(AssetId(4)), 89, 5));
    }
}
