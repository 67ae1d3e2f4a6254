//! Whether a text is a true statement of reserves.
//!
//! Owns: the reading of the text line by line, every check that needs no node. Never does: print, ask a node. Invariants: the
//! first thing that is wrong is told, with its line; signatures are checked last, as the id is known only then. Known limits:
//! it keeps some 200 bytes an address until then. Rules: `docs/custody.md "Statements of reserves"`.

use super::{FORMAT, Form, Hasher, Header, HeaderAsset, LINE_BYTES, Row, message};
use crate::{bitcoin, evm};
use ::bitcoin::secp256k1::Secp256k1;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::io::{self, BufRead, Read};
use thiserror::Error;
use xng_core::chain::Units;

/// Characters of a name at most.
const NAME_CHARACTERS: usize = 64;
/// Decimal places of the coins.
const BITCOIN_PLACES: u8 = 8;
const EVM_PLACES: u8 = 18;
/// Of a token at most: 2^128 units are less than one then.
const MOST_PLACES: u8 = 38;

/// A text that is a true statement, except for what a node has to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// Its first line.
    pub header: Header,
    /// Its id, that of the message that every address signed.
    pub id: [u8; 32],
    /// Whose addresses they are, when they are Bitcoin's: coins of a test network are worth nothing. All are of one network.
    pub network: Option<bitcoin::Network>,
}

/// Why a text is not a true statement.
#[derive(Debug, Error)]
pub enum Wrong {
    /// The text could not be read to its end.
    #[error("the text cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The text does not have the form of a statement, so it says nothing that could be true or false.
    #[error("no statement of reserves: line {line}: {why}")]
    Malformed {
        /// From 1 on.
        line: u64,
        /// What is wrong with it.
        why: Malformed,
    },
    /// The text has the form of a statement, and what it says is false.
    #[error("a false statement of reserves: {0}")]
    False(#[from] False),
}

/// Why a line is none of a statement's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Malformed {
    /// The text ends before it.
    #[error("there is none")]
    Missing,
    /// It is longer than any that is read.
    #[error("longer than 65536 bytes")]
    TooLong,
    /// The text ends within it.
    #[error("it does not end with a line feed")]
    Unfinished,
    /// It is not UTF-8, or holds a control character such as a carriage return.
    #[error("bytes that are no plain text")]
    NotText,
    /// It is not the JSON of its place: the library's words.
    #[error("{0}")]
    Json(String),
    /// Another format, or another release of it.
    #[error("the format is not xng/reserves/1")]
    Format,
    /// A chain's number on Bitcoin, or none on an EVM chain.
    #[error("an EVM chain has a chain_id above 0, Bitcoin has null")]
    ChainId,
    /// A name is empty, too long, or holds others than ASCII's visible characters and spaces.
    #[error("a name that is not 1 to 64 plain characters")]
    Name,
    /// The assets are none, there twice, or not of such a chain.
    #[error("assets that such a chain does not have, or the same twice")]
    Assets,
    /// A coin has other decimal places than the header says, or a token more than any has.
    #[error("decimal places that such an asset does not have")]
    Places,
    /// The header says that nothing follows: nobody would sign.
    #[error("it lists no address, so nothing is signed")]
    NoAddress,
    /// As many units as the header has assets are needed.
    #[error("{found} amounts where the header has {assets} assets")]
    Amounts {
        /// Amounts of the line.
        found: usize,
        /// Assets of the header.
        assets: usize,
    },
    /// No address of such a chain in the form in which explorers write it.
    #[error("the address: {0}")]
    Address(String),
    /// The signature does not have its form.
    #[error("the signature: {0}")]
    Signature(String),
    /// All addresses that the header counts are there, and something follows that is none.
    #[error("something follows the last address")]
    Trailing,
}

/// What a statement says that is false.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum False {
    /// An address is of another network than the first.
    #[error("line {line}: {address} is of another network than the first address")]
    Network {
        /// From 1 on.
        line: u64,
        /// Its address.
        address: String,
    },
    /// An address is there twice.
    #[error("line {line}: {address} is there twice")]
    Twice {
        /// From 1 on.
        line: u64,
        /// Its address.
        address: String,
    },
    /// An address is not after the one before.
    #[error("line {line}: {address} does not come after the address before it")]
    Order {
        /// From 1 on.
        line: u64,
        /// Its address.
        address: String,
    },
    /// An address holds nothing.
    #[error("line {line}: {address} holds nothing")]
    Nothing {
        /// From 1 on.
        line: u64,
        /// Its address.
        address: String,
    },
    /// Fewer addresses than the header counts.
    #[error("the header counts {counted} addresses, and there are {found}")]
    TooFew {
        /// By the header.
        counted: u64,
        /// Lines after it.
        found: u64,
    },
    /// More addresses than the header counts.
    #[error("the header counts {counted} addresses, and there are more")]
    TooMany {
        /// By the header.
        counted: u64,
    },
    /// The amounts of an asset do not come to what the header says.
    #[error("the header says {said} units of {asset}, and the addresses hold {}", told(*found))]
    Sum {
        /// The asset's name.
        asset: String,
        /// Units by the header.
        said: u128,
        /// Units of the lines; none: above 2^128 - 1.
        found: Option<u128>,
    },
    /// The address's key did not sign this statement.
    #[error("line {line}: {address} did not sign this statement")]
    Signature {
        /// From 1 on.
        line: u64,
        /// Its address.
        address: String,
    },
}

fn told(units: Option<u128>) -> String {
    units.map_or_else(|| "more than there can be".into(), |units| units.to_string())
}

/// Checks a statement: form, order, sums, count, and every signature. What the addresses hold a node has to tell.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(reader: &mut dyn BufRead) -> Result<Proven, Wrong> {
    let mut lines = Lines { reader, number: 0 };
    let header_line = lines.next()?.ok_or_else(|| lines.malformed(Malformed::Missing))?;
    let header: Header = parsed(&header_line).map_err(|why| lines.malformed(why))?;
    check_header(&header).map_err(|why| lines.malformed(why))?;

    let mut hasher = Hasher::new(&header_line);
    let mut sums = vec![Some(0_u128); header.assets.len()];
    let mut claims = Claims::new(header.chain);
    let mut before = String::new();
    let mut found = 0;
    while let Some(text) = lines.next()? {
        let full = found == header.addresses;
        let row: Row = parsed(&text).map_err(|why| lines.malformed(if full { Malformed::Trailing } else { why }))?;
        if full {
            return Err(False::TooMany { counted: header.addresses }.into());
        }
        found += 1;
        if row.units.len() != header.assets.len() {
            let (found, assets) = (row.units.len(), header.assets.len());
            return Err(lines.malformed(Malformed::Amounts { found, assets }));
        }
        let (line, address) = (lines.number, row.address.clone());
        let same_network = claims.add(&row).map_err(|why| lines.malformed(why))?;
        if !same_network {
            return Err(False::Network { line, address }.into());
        }
        if address == before {
            return Err(False::Twice { line, address }.into());
        }
        if address < before {
            return Err(False::Order { line, address }.into());
        }
        if row.units.iter().all(|units| units.0 == 0) {
            return Err(False::Nothing { line, address }.into());
        }
        for (sum, units) in sums.iter_mut().zip(&row.units) {
            *sum = sum.and_then(|sum| sum.checked_add(units.0));
        }
        hasher.row(&address, &row.units);
        before = address;
    }
    if found < header.addresses {
        return Err(False::TooFew { counted: header.addresses, found }.into());
    }
    for (asset, found) in header.assets.iter().zip(sums) {
        let Units(said) = asset.units;
        if found != Some(said) {
            return Err(False::Sum { asset: asset.asset.clone(), said, found }.into());
        }
    }
    let id = hasher.id();
    claims.check(&message(&id))?;
    let network = claims.network();
    Ok(Proven { header, id, network })
}

/// Whether `signature` is that of the key of `address`, over the message of this statement. For who has just asked the
/// signer.
///
/// # Errors
/// `Address`, `Signature`: they do not have their form.
pub fn holds(form: Form, address: &str, statement: &[u8; 32], signature: &str) -> Result<bool, Malformed> {
    let row = Row { address: address.into(), units: Vec::new(), signature: signature.into() };
    let mut claims = Claims::new(form);
    claims.add(&row)?;
    Ok(claims.check(&message(statement)).is_ok())
}

/// The lines of a text, one in memory at a time.
struct Lines<'a> {
    reader: &'a mut dyn BufRead,
    /// Of the line read last, from 1 on.
    number: u64,
}

impl Lines<'_> {
    /// The next one without its end; none at the text's end.
    fn next(&mut self) -> Result<Option<String>, Wrong> {
        self.number += 1;
        let mut line = Vec::new();
        Read::take(&mut *self.reader, LINE_BYTES as u64).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.pop_if(|last| *last == b'\n').is_none() {
            let why = if line.len() == LINE_BYTES { Malformed::TooLong } else { Malformed::Unfinished };
            return Err(self.malformed(why));
        }
        let text = String::from_utf8(line).ok().filter(|text| !text.contains(char::is_control));
        text.map(Some).ok_or_else(|| self.malformed(Malformed::NotText))
    }

    /// Of the line read last.
    fn malformed(&self, why: Malformed) -> Wrong {
        Wrong::Malformed { line: self.number, why }
    }
}

/// One statement has one text: no other order, form or space than that of who writes it.
fn parsed<T: DeserializeOwned + Serialize>(line: &str) -> Result<T, Malformed> {
    let of = |error: serde_json::Error| Malformed::Json(error.to_string());
    let parsed: T = serde_json::from_str(line).map_err(of)?;
    let again = serde_json::to_string(&parsed).map_err(of)?;
    if again == line { Ok(parsed) } else { Err(Malformed::Json("not written as statements are".into())) }
}

/// Letters that look like others, or turn the text round, could tell a person something false.
fn is_name(text: &str) -> bool {
    (1..=NAME_CHARACTERS).contains(&text.len()) && text.bytes().all(|c| c == b' ' || c.is_ascii_graphic())
}

/// Places of a coin are its chain's; those of a token only its contract knows.
fn are_places(chain: Form, asset: &HeaderAsset) -> bool {
    match (chain, &asset.contract) {
        (Form::Bitcoin, _) => asset.decimals == BITCOIN_PLACES,
        (Form::Evm, None) => asset.decimals == EVM_PLACES,
        (Form::Evm, Some(_)) => asset.decimals <= MOST_PLACES,
    }
}

/// Whether a first line says what one can say.
///
/// # Errors
/// What it says that no first line does.
pub fn check_header(header: &Header) -> Result<(), Malformed> {
    if header.format != FORMAT {
        return Err(Malformed::Format);
    }
    let number = match header.chain {
        Form::Bitcoin => header.chain_id.is_none(),
        Form::Evm => header.chain_id.is_some_and(|id| id > 0),
    };
    if !number {
        return Err(Malformed::ChainId);
    }
    if !is_name(&header.name) || !header.assets.iter().all(|asset| is_name(&asset.asset)) {
        return Err(Malformed::Name);
    }
    // The same coin or contract twice would be counted twice.
    let names: BTreeSet<&str> = header.assets.iter().map(|asset| asset.asset.as_str()).collect();
    let contracts: BTreeSet<Option<&str>> = header.assets.iter().map(|asset| asset.contract.as_deref()).collect();
    let distinct = names.len() == header.assets.len() && contracts.len() == header.assets.len();
    let of_the_chain = match header.chain {
        Form::Bitcoin => matches!(&header.assets[..], [HeaderAsset { contract: None, .. }]),
        Form::Evm => contracts.iter().flatten().all(|text| is_contract(text)) && !header.assets.is_empty(),
    };
    if !distinct || !of_the_chain {
        return Err(Malformed::Assets);
    }
    if !header.assets.iter().all(|asset| are_places(header.chain, asset)) {
        return Err(Malformed::Places);
    }
    if header.addresses == 0 {
        return Err(Malformed::NoAddress);
    }
    Ok(())
}

/// With its checksum: one contract has one text.
fn is_contract(text: &str) -> bool {
    evm::destination(text).is_ok_and(|contract| contract.to_string() == text)
}

/// Addresses with their signatures, until the id is known. In the order of the lines from the second on.
enum Claims {
    Bitcoin(Vec<bitcoin::Claim>),
    Evm(Vec<evm::Claim>),
}

impl Claims {
    fn new(form: Form) -> Self {
        match form {
            Form::Bitcoin => Claims::Bitcoin(Vec::new()),
            Form::Evm => Claims::Evm(Vec::new()),
        }
    }

    /// Gives whether it is of the same network as those before.
    fn add(&mut self, row: &Row) -> Result<bool, Malformed> {
        match self {
            Claims::Bitcoin(claims) => {
                let claim = bitcoin::Claim::new(&row.address, &row.signature)?;
                let network = claims.first().map(bitcoin::Claim::network);
                let same = network.is_none_or(|network| network == claim.network());
                claims.push(claim);
                Ok(same)
            }
            Claims::Evm(claims) => {
                claims.push(evm::Claim::new(&row.address, &row.signature)?);
                Ok(true)
            }
        }
    }

    fn network(&self) -> Option<bitcoin::Network> {
        match self {
            Claims::Bitcoin(claims) => claims.first().map(bitcoin::Claim::network),
            Claims::Evm(_) => None,
        }
    }

    /// That every one signed `text`.
    fn check(&self, text: &str) -> Result<(), False> {
        let curve = Secp256k1::verification_only();
        let wrong = match self {
            Claims::Bitcoin(claims) => first_wrong(claims, |claim| claim.holds(&curve, text), bitcoin::Claim::address),
            Claims::Evm(claims) => first_wrong(claims, |claim| claim.holds(&curve, text), evm::Claim::address),
        };
        wrong.map_or(Ok(()), |(line, address)| Err(False::Signature { line, address }))
    }
}

/// The line and the address of the first claim that does not hold.
fn first_wrong<C>(claims: &[C], holds: impl Fn(&C) -> bool, address: impl Fn(&C) -> String) -> Option<(u64, String)> {
    let lines = 2..;
    lines.zip(claims).find(|(_, claim)| !holds(claim)).map(|(line, claim)| (line, address(claim)))
}

impl From<bitcoin::MessageError> for Malformed {
    fn from(error: bitcoin::MessageError) -> Self {
        match error {
            bitcoin::MessageError::Address => Malformed::Address(error.to_string()),
            bitcoin::MessageError::Signature => Malformed::Signature(error.to_string()),
        }
    }
}

impl From<evm::MessageError> for Malformed {
    fn from(error: evm::MessageError) -> Self {
        match error {
            evm::MessageError::Address => Malformed::Address(error.to_string()),
            evm::MessageError::Signature => Malformed::Signature(error.to_string()),
        }
    }
}
