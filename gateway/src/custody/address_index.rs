//! Which of our addresses a text is.
//!
//! Owns: the table from texts to keys, as far as addresses were assigned. Never does: see a private key. Invariants: an address is
//! in it with its number. Known limits: in memory, some 120 B an address.

use super::chains::Chains;
use super::keys::AddressError;
use std::collections::HashMap;
use xng_core::chain::{ChainId, Key};

/// See the module's header.
#[derive(Debug)]
pub(super) struct AddressIndex {
    chain: ChainId,
    by_text: HashMap<String, (Key, u64)>,
    known: u64,
}

impl AddressIndex {
    pub(super) fn new(chain: ChainId) -> AddressIndex {
        AddressIndex { chain, by_text: HashMap::new(), known: 0 }
    }

    /// With these addresses, in the order of their numbers.
    #[cfg(test)]
    pub(super) fn of(chain: ChainId, addresses: &[(String, Key)]) -> AddressIndex {
        let by_text = (0..).zip(addresses).map(|(number, (text, key))| (text.clone(), (*key, number))).collect();
        AddressIndex { chain, by_text, known: addresses.len() as u64 }
    }

    /// Takes in what was assigned meanwhile; how many addresses it knows.
    ///
    /// # Errors
    /// When an address is of a key that the settings do not name.
    pub(super) fn follow(&mut self, chains: &Chains) -> Result<u64, AddressError> {
        for (number, key) in chains.addresses_from(self.chain, self.known) {
            self.by_text.insert(chains.address(self.chain, key)?, (key, number));
            self.known = number + 1;
        }
        Ok(self.known)
    }

    /// The key of an address of ours with a number below `known`.
    pub(super) fn key(&self, text: &str, known: u64) -> Option<Key> {
        self.by_text.get(text).filter(|(_, number)| *number < known).map(|(key, _)| *key)
    }
}
