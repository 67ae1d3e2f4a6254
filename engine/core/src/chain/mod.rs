//! Chains: where coins come from and go to outside of the exchange.
//!
//! Owns: the state of each chain (`entity.rs`) and the rules of deposits and withdrawals; the modules' headers say which.
//! Never does: talk to a node, hold a key. Invariants: what a chain's node says becomes facts in the order of its final blocks.
//! Two forms of chains: of coins, whose transactions spend outputs (Bitcoin), and of accounts (`accounts`, EVM).
//! Rules: `docs/rules/custody.md`. Known limits: none.

mod accounts;
mod coins;
mod command;
mod entity;
pub mod facts;
mod limits;
pub mod params;
mod plans;
mod size;
mod terms;
mod withdrawal;
pub mod withdrawal_facts;
mod withdrawals;

pub use accounts::{AssetKey, GasPrice, Incoming, OwnTransfer, TransferAttempt, TransferBlock, TransferPlan};
pub use coins::{
    AccountTransaction, BlockHash, Coin, CoinTransaction, Contract, Key, OutPoint, Payment, Recipient, TxId, Units,
};
pub use command::{ChainCommand, FinalBlock, Output, Spend};
pub use entity::{Chain, Cursor, MOST_CREDITS, OwnCoin};
pub use params::{AccountKey, AccountsParams, ChainAsset, ChainId, ChainParams, Token};
pub use plans::{Attempt, MOST_OWN, Plan, SignedBytes};
pub use size::{OWN_SCRIPT, virtual_size};
pub use terms::WithdrawalTerms;
pub use withdrawal::{OpenWithdrawal, PlanId, Withdrawal, WithdrawalId, WithdrawalRequest, WithdrawalState, flags};
pub use withdrawals::VOTES_AFTER_FAILURE;
