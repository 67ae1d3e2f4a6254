//! Chains as the exchange sees them: what a node tells, what a transaction must look like, who is asked to sign it.
//!
//! - [`port`]: what every chain's adapter can do, and how it may fail.
//! - [`bitcoin`]: the adapter of a Bitcoin node, addresses, transactions.
//! - [`evm`]: the adapter of an EVM node (Ethereum and its tokens), addresses, transactions.
//! - [`rpc`]: JSON-RPC, which both adapters speak.
//! - [`fake`]: a chain in memory with the same port, for the simulator and for tests.
//! - [`signer`]: asks the signer, a process of its own.
//! - [`reserves`]: statements of what the exchange's addresses hold, which anybody can check.
//!
//! Owns: every byte that goes to a node or comes from one. Never does: decide, book, keep state over a restart; hold a
//! private key or a seed. Invariants: what a node says gives a value or a typed error, never a panic; amounts are whole
//! units, read from their text. Known limits: Bitcoin and EVM chains. Rules: `docs/custody.md "Parts"`.
#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

pub mod bitcoin;
pub mod evm;
pub mod fake;
pub mod hex;
#[cfg(test)]
mod liar;
pub mod port;
#[cfg(feature = "test-support")]
pub mod private_evm;
#[cfg(feature = "test-support")]
pub mod private_node;
pub mod reserves;
pub mod rpc;
pub mod signer;
