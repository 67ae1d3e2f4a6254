//! Chains of accounts (EVM): balances of our addresses instead of coins.
//!
//! Owns: what each address of ours holds of each asset and its next nonce (`state.rs`), final blocks (`blocks.rs`), payments, sweeps
//! and coin for their gas (`plans.rs`). Never does: sign, send, read a price of gas: who follows the node says it.
//! Invariants: what our addresses hold is the negative of the custody account plus what is less than an amount's last place, for each
//! asset; a nonce is of one plan, and all transactions of a plan move the same, so that the chain takes one of them once; a
//! transaction of an address of ours that no plan has halts the chain.
//! Rules: `docs/rules/custody.md "Chains of accounts"`. Known limits: payments are made by one address, one payee each.

mod blocks;
mod plans;
mod state;

pub use blocks::{Incoming, OwnTransfer, TransferBlock};
pub use plans::GasPrice;
pub(super) use state::Accounts;
pub use state::{AssetKey, TransferAttempt, TransferPlan};
