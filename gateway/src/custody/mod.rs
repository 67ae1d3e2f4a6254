//! Coins of chains: what the settings say, the chains as everybody sees them, who reads their nodes.
//!
//! Owns: the way between a node and the engine's chain. Never does: decide what is credited; hold a private key. Invariants: what
//! is told of a chain is what durable records say. Rules: `docs/rules/custody.md`. Known limits: Bitcoin; deposits.

mod address_index;
pub mod chains;
pub mod reader;
pub mod settings;
