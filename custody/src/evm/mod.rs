//! EVM chains: the adapter of a node, addresses, transactions. Ethereum and tokens of the ERC-20 form.
//!
//! Owns: what is the same for all of them. Never does: hold a private key. Invariants: which chain is meant is told by its
//! number, never guessed. Known limits: amounts are read up to 2^128 - 1, which no coin and no sane token reaches. Rules:
//! `docs/custody.md "EVM chains"`.

mod adapter;
mod address;
mod block;
mod message;
#[cfg(test)]
mod tests;
mod transaction;

pub use crate::rpc::{Auth, Limits};
pub use adapter::{At, Balance, Evm, FeeLimits, Finality, GasFee, Located, Settings};
pub use address::{Account, Address, AddressError, destination};
pub use block::{Asset, Block, Transaction, Transfer};
#[cfg(test)]
pub(crate) use message::tests::signed;
pub(crate) use message::{Claim, MessageError};
pub use transaction::{TransactionError, Unsigned};

use ::bitcoin as library;
use alloy_primitives::{B256, Signature, U256, keccak256};
use library::secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use library::secp256k1::{Message, PublicKey, Secp256k1, VerifyOnly};
use xng_core::chain::Units;

/// A transfer of ether takes so much gas when nobody's code runs; nothing takes less.
pub const LEAST_GAS: u64 = 21_000;

/// `transfer(address,uint256)`.
const TRANSFER: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];
/// `balanceOf(address)`.
const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];

/// A call with an address and a number.
fn transfer_call(to: Address, units: Units) -> Vec<u8> {
    let mut data = balance_call(to);
    data[..4].copy_from_slice(&TRANSFER);
    data.extend_from_slice(&U256::from(units.0).to_be_bytes::<32>());
    data
}

/// A call with an address.
fn balance_call(of: Address) -> Vec<u8> {
    let mut data = BALANCE_OF.to_vec();
    data.extend_from_slice(&[0; 12]);
    data.extend_from_slice(&of.0);
    data
}

/// The address of a public key.
fn address_of(key: &PublicKey) -> Address {
    let hash = keccak256(&key.serialize_uncompressed()[1..]);
    let mut address = [0; 20];
    address.copy_from_slice(&hash[12..]);
    Address(address)
}

/// Who signed this hash; none when nobody did.
fn signer_of(curve: &Secp256k1<VerifyOnly>, hash: B256, signature: &Signature) -> Option<Address> {
    let mut compact = [0; 64];
    compact[..32].copy_from_slice(&signature.r().to_be_bytes::<32>());
    compact[32..].copy_from_slice(&signature.s().to_be_bytes::<32>());
    let id = RecoveryId::from_i32(i32::from(signature.v())).ok()?;
    let signature = RecoverableSignature::from_compact(&compact, id).ok()?;
    let key = curve.recover_ecdsa(&Message::from_digest(hash.0), &signature).ok()?;
    Some(address_of(&key))
}

fn units(of: U256) -> Option<Units> {
    u128::try_from(of).ok().map(Units)
}
