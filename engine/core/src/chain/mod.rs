//! Chains: where coins come from and go to outside of the exchange.
//!
//! Owns: the state of each chain (`entity.rs`) and the rules of deposits; the modules' headers say which.
//! Never does: talk to a node, hold a key. Invariants: what a chain's node says becomes facts in the order of its final blocks.
//! Rules: `docs/rules/custody.md`. Known limits: chains whose transactions spend outputs (Bitcoin); deposits.

mod coins;
mod entity;
pub mod facts;
pub mod params;

pub use coins::{BlockHash, Coin, CoinTransaction, Key, OutPoint, Payment, TxId, Units};
pub use entity::{Chain, ChainCommand, Cursor, FinalBlock, MOST_CREDITS, Output, OwnCoin, Spend};
pub use params::{AccountKey, ChainId, ChainParams};
