//! Chains: where coins come from and go to outside of the exchange.
//!
//! Owns: the state of each chain and the rules of deposits and withdrawals; the modules' headers say which.
//! Never does: talk to a node, hold a key. Invariants: what a chain's node says becomes facts in the order of its final blocks.
//! Known limits: chains whose transactions spend outputs (Bitcoin) so far.

mod coins;

pub use coins::{BlockHash, Coin, CoinTransaction, Key, OutPoint, Payment, TxId, Units};
