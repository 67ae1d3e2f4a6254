//! Chains: where coins come from and go to outside of the exchange.
//!
//! Owns: the state of each chain (`entity.rs`) and the rules of deposits and withdrawals; the modules' headers say which.
//! Never does: talk to a node, hold a key. Invariants: what a chain's node says becomes facts in the order of its final blocks.
//! Rules: `docs/rules/custody.md`. Known limits: chains whose transactions spend outputs (Bitcoin).

mod coins;
mod entity;
pub mod facts;
pub mod params;
mod plans;
mod size;
mod terms;
mod withdrawal;
pub mod withdrawal_facts;
mod withdrawals;

pub use coins::{BlockHash, Coin, CoinTransaction, Key, OutPoint, Payment, TxId, Units};
pub use entity::{Chain, ChainCommand, Cursor, FinalBlock, MOST_CREDITS, Output, OwnCoin, Spend};
pub use params::{AccountKey, ChainId, ChainParams};
pub use plans::{Attempt, MOST_OWN, Plan, SignedBytes};
pub use size::{OWN_SCRIPT, virtual_size};
pub use terms::WithdrawalTerms;
pub use withdrawal::{OpenWithdrawal, PlanId, Withdrawal, WithdrawalId, WithdrawalRequest, WithdrawalState, flags};
