//! Statements of reserves: what the exchange's addresses hold on one chain after one block, signed by each address's key.
//!
//! Owns: the format `xng/reserves/1`, the id of a statement, the message that addresses sign, whether a text is a true
//! statement ([`verify`]). Never does: ask a node, hold a key, choose addresses. Invariants: one id means one header and one
//! list of addresses and units; what [`verify`] takes is signed by every address that it lists. Known limits: what the
//! addresses hold is the statement's word until a node is asked; P2WPKH and addresses of EVM keys, no contracts' addresses.
//! Rules: `docs/custody.md "Statements of reserves"`.

mod check;
#[cfg(test)]
mod tests;

pub use check::{False, Malformed, Proven, Wrong, check_header, holds, verify};

use crate::hex;
use ::bitcoin::hashes::{Hash, HashEngine, sha256};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::borrow::Borrow;
use std::io;
use xng_core::chain::{BlockHash, Units};

/// What the first line says that the text is.
pub const FORMAT: &str = "xng/reserves/1";
/// Bytes of a line at most, with its end.
pub const LINE_BYTES: usize = 1 << 16;

/// How the chain's addresses look and sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// P2WPKH addresses of any Bitcoin network, BIP-322 (simple).
    Bitcoin,
    /// Addresses of keys on EVM chains, EIP-191.
    Evm,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// The chain's form.
    pub chain: Form,
    /// The chain's name, for a person: 1 to 64 visible characters of ASCII or spaces. So are the names of assets.
    pub name: String,
    /// EIP-155; none for Bitcoin.
    #[serde(deserialize_with = "Option::deserialize")]
    pub chain_id: Option<u64>,
    /// The block after which the addresses hold this.
    pub height: u64,
    /// That block's, 64 lower-case digits.
    #[serde(serialize_with = "put_hash", deserialize_with = "get_hash")]
    pub hash: BlockHash,
    /// When the statement was made: milliseconds since 1970, UTC.
    pub time_ms: u64,
    /// What is counted: of Bitcoin one, on EVM chains the coin and tokens, each once.
    pub assets: Vec<HeaderAsset>,
    /// Lines that follow.
    pub addresses: u64,
}

/// An asset in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderAsset {
    /// Its name, for a person.
    pub asset: String,
    /// The token's contract with its checksum (EIP-55); none: the chain's coin.
    #[serde(deserialize_with = "Option::deserialize")]
    pub contract: Option<String>,
    /// Decimal places: 8 means that 100,000,000 units are one. 8 of Bitcoin's coin, 18 of an EVM chain's, 38 of a token at most.
    pub decimals: u8,
    /// What all addresses hold together.
    #[serde(serialize_with = "put_units", deserialize_with = "get_units")]
    pub units: Units,
}

/// An address and what it holds: a line after the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// As explorers write it: lower-case on Bitcoin, with its checksum on EVM chains.
    pub address: String,
    /// Of each asset of the header, in its order; at least one is above 0.
    #[serde(serialize_with = "put_all", deserialize_with = "get_all")]
    pub units: Vec<Units>,
    /// Of [`message`], as [`crate::signer::Signer::attest`] gives it.
    pub signature: String,
}

impl Header {
    /// The first line, without its end.
    ///
    /// # Errors
    /// None that these types can have; the JSON library's type says otherwise.
    pub fn line(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }
}

/// The id of a statement while its lines become known.
struct Hasher(sha256::HashEngine);

impl Hasher {
    fn new(header_line: &str) -> Self {
        let mut hasher = Hasher(sha256::HashEngine::default());
        hasher.line(header_line);
        hasher
    }

    fn line(&mut self, text: &str) {
        self.0.input(text.as_bytes());
        self.0.input(b"\n");
    }

    fn row(&mut self, address: &str, units: &[Units]) {
        let mut text = address.to_owned();
        for units in units {
            text.push(' ');
            text.push_str(&units.0.to_string());
        }
        self.line(&text);
    }

    fn id(self) -> [u8; 32] {
        sha256::Hash::from_engine(self.0).to_byte_array()
    }
}

/// The id of a statement: SHA-256 over its first line (`header_line`, without its end) and its addresses with their units,
/// in the order of the file. Signatures are not in it, as they sign it.
#[must_use]
pub fn id<'a>(header_line: &str, rows: impl IntoIterator<Item = (&'a str, &'a [Units])>) -> [u8; 32] {
    let mut hasher = Hasher::new(header_line);
    for (address, units) in rows {
        hasher.row(address, units);
    }
    hasher.id()
}

/// What each address signs: `Statement of reserves `, and the id in 64 lower-case digits.
#[must_use]
pub fn message(id: &[u8; 32]) -> String {
    format!("Statement of reserves {}", hex::encode(id))
}

/// Writes a statement: `header_line` ([`Header::line`], without its end), then the rows in their order. Nothing is checked;
/// [`verify`] does that with what was written.
///
/// # Errors
/// Those of `out`.
pub fn write<R: Borrow<Row>>(
    out: &mut dyn io::Write,
    header_line: &str,
    rows: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    writeln!(out, "{header_line}")?;
    for row in rows {
        writeln!(out, "{}", serde_json::to_string(row.borrow())?)?;
    }
    Ok(())
}

/// The bytes of 64 lower-case digits.
fn hash(text: &str) -> Option<[u8; 32]> {
    hex::hash(text).filter(|bytes| hex::encode(bytes) == text)
}

/// Decimal digits as a number is written: no sign, no leading zero.
fn units(text: &str) -> Option<Units> {
    let number: u128 = text.parse().ok()?;
    (number.to_string() == text).then_some(Units(number))
}

fn put_hash<S: Serializer>(hash: &BlockHash, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(hash)
}

fn get_hash<'de, D: Deserializer<'de>>(from: D) -> Result<BlockHash, D::Error> {
    let text = String::deserialize(from)?;
    hash(&text).map(BlockHash).ok_or_else(|| D::Error::custom("a hash that is not 64 lower-case digits"))
}

fn put_units<S: Serializer>(units: &Units, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&units.0)
}

fn get_units<'de, D: Deserializer<'de>>(from: D) -> Result<Units, D::Error> {
    let text = String::deserialize(from)?;
    units(&text).ok_or_else(|| D::Error::custom("not whole units"))
}

fn put_all<S: Serializer>(units: &[Units], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(units.iter().map(|units| units.0.to_string()))
}

fn get_all<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Units>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let all: Option<Vec<Units>> = texts.iter().map(|text| units(text)).collect();
    all.ok_or_else(|| D::Error::custom("not whole units"))
}
