//! Coins of chains: what the settings say, the chains as everybody sees them, who reads their nodes, who pays
//! withdrawals, who looks our coins up and states them.
//!
//! Owns: the way between a node and the engine's chain. Never does: decide what is credited or paid; hold a private key. Invariants: what
//! is told of a chain is what durable records say. Rules: `docs/rules/custody.md`. Known limits: Bitcoin and EVM chains.

mod address_index;
mod asking;
mod balances;
pub mod chains;
pub mod keys;
mod node;
mod ours;
pub mod payer;
mod publisher;
pub mod reader;
pub mod reserve;
pub(crate) mod review;
pub mod settings;
pub mod statements;
pub mod unconfirmed;
