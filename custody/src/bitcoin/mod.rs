//! Bitcoin: the adapter of a node, addresses, transactions.
//!
//! Owns: which network is meant. Never does: hold a private key. Invariants: the network is told, never guessed.
//! Known limits: testnet 3 and 4 have the same addresses and are one here; no signet.

mod adapter;
mod address;
mod amount;
mod message;
#[cfg(test)]
mod tests;
mod transaction;

pub use crate::rpc::{Auth, Limits, Rpc};
pub use adapter::{Bitcoind, FeeLimits, Settings};
pub use address::{Account, AddressError, Destination, checked, destination};
pub use amount::satoshi;
#[cfg(test)]
pub(crate) use message::tests::signed;
pub(crate) use message::{Claim, MessageError};
pub use transaction::{TransactionError, Unsigned, planned_size};

use ::bitcoin as library;
use library::hashes::Hash;
use xng_core::chain::{OutPoint, TxId};

/// Which Bitcoin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// The one whose coins are worth something.
    Main,
    /// A public test network.
    Test,
    /// A private one whose blocks are made at will.
    Regtest,
}

impl Network {
    /// Names that nodes give it.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Network::Main => &["main"],
            Network::Test => &["test", "testnet4"],
            Network::Regtest => &["regtest"],
        }
    }

    /// The coin's hardened number in a path (BIP 44).
    #[must_use]
    pub fn coin(self) -> u32 {
        match self {
            Network::Main => 0,
            Network::Test | Network::Regtest => 1,
        }
    }

    fn to_bitcoin(self) -> library::Network {
        match self {
            Network::Main => library::Network::Bitcoin,
            Network::Test => library::Network::Testnet,
            Network::Regtest => library::Network::Regtest,
        }
    }
}

/// The library keeps hashes in the order of the wire, explorers show them backwards.
fn txid(of: library::Txid) -> TxId {
    let mut bytes = of.to_byte_array();
    bytes.reverse();
    TxId(bytes)
}

fn out_point(of: OutPoint) -> library::OutPoint {
    let mut bytes = of.txid.0;
    bytes.reverse();
    library::OutPoint { txid: library::Txid::from_byte_array(bytes), vout: of.n }
}
