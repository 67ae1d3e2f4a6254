//! Addresses and the bytes of transactions of EVM chains.
//!
//! Owns: EIP-55, the part of RLP that is needed, EIP-1559. Never does: ask the exchange, whose code makes the same
//! transaction with a library: a difference shows as another id. Invariants: the same plan gives the same bytes.
//! Known limits: it writes and never reads RLP.

use crate::protocol::EvmPlan;
use bitcoin::hex::{DisplayHex, FromHex};
use bitcoin::secp256k1::PublicKey;
use sha3::{Digest, Keccak256};

pub(crate) type Address = [u8; 20];

/// The type of the transaction, before its list.
const KIND: u8 = 2;
/// `transfer(address,uint256)`.
const TRANSFER: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];

pub(crate) fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// The address of a public key.
pub(crate) fn of_public(key: &PublicKey) -> Address {
    let mut address = [0; 20];
    address.copy_from_slice(&keccak(&key.serialize_uncompressed()[1..])[12..]);
    address
}

/// An address that is paid: not that of zeros, and with the right checksum when its digits are of two cases.
pub(crate) fn destination(text: &str) -> Option<Address> {
    let digits = text.strip_prefix("0x")?;
    let address = Address::from_hex(digits).ok().filter(|address| *address != [0; 20])?;
    let small = address.to_lower_hex_string();
    let by = keccak(small.as_bytes()).to_lower_hex_string();
    let one = |(digit, by): (char, char)| if by >= '8' { digit.to_ascii_uppercase() } else { digit };
    let checked: String = small.chars().zip(by.chars()).map(one).collect();
    (digits == small || digits == small.to_uppercase() || digits == checked).then_some(address)
}

fn length(out: &mut Vec<u8>, length: usize, short: u8) {
    if length < 56 {
        // Below 56.
        out.push(short + length as u8);
    } else {
        let bytes = length.to_be_bytes();
        let bytes = trimmed(&bytes);
        // Eight at most.
        out.push(short + 55 + bytes.len() as u8);
        out.extend_from_slice(bytes);
    }
}

fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    match bytes {
        [byte @ 0..0x80] => out.push(*byte),
        _ => {
            length(out, bytes.len(), 0x80);
            out.extend_from_slice(bytes);
        }
    }
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

fn number(out: &mut Vec<u8>, n: u128) {
    text(out, trimmed(&n.to_be_bytes()));
}

/// The transaction of a plan: its fields without the list around them.
pub(crate) struct Unsigned {
    fields: Vec<u8>,
}

impl Unsigned {
    pub(crate) fn new(plan: &EvmPlan, payee: Address, token: Option<Address>) -> Self {
        let mut fields = Vec::with_capacity(160);
        number(&mut fields, plan.chain_id.into());
        number(&mut fields, plan.nonce.into());
        number(&mut fields, plan.max_priority_fee_per_gas.0);
        number(&mut fields, plan.max_fee_per_gas.0);
        number(&mut fields, plan.gas_limit.into());
        match token {
            None => {
                text(&mut fields, &payee);
                number(&mut fields, plan.units.0);
                text(&mut fields, &[]);
            }
            Some(token) => {
                text(&mut fields, &token);
                number(&mut fields, 0);
                let units = plan.units.0.to_be_bytes();
                let data = [&TRANSFER[..], &[0; 12], &payee, &[0; 16], &units].concat();
                text(&mut fields, &data);
            }
        }
        // No access list.
        length(&mut fields, 0, 0xc0);
        Unsigned { fields }
    }

    fn bytes(fields: &[u8]) -> Vec<u8> {
        let mut out = vec![KIND];
        length(&mut out, fields.len(), 0xc0);
        out.extend_from_slice(fields);
        out
    }

    /// What is signed.
    pub(crate) fn hash(&self) -> [u8; 32] {
        keccak(&Unsigned::bytes(&self.fields))
    }

    /// With a signature: its two numbers, and whether the curve's point is odd.
    pub(crate) fn signed(&self, compact: &[u8; 64], odd: bool) -> Vec<u8> {
        let mut fields = self.fields.clone();
        number(&mut fields, odd.into());
        text(&mut fields, trimmed(&compact[..32]));
        text(&mut fields, trimmed(&compact[32..]));
        Unsigned::bytes(&fields)
    }
}
