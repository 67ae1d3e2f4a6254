//! Lines of the archive's files: a tick with its hash, and where a chain begins.
//!
//! Owns: their form, texts of hashes. Never does: read or write a file. Invariants: a line is read only in the one form in
//! which it is written, so that any other byte is noticed. Known limits: none. Rules: `docs/rules/prices.md "Archive"`.

use serde_json::Value;
use std::fmt::Write as _;
use xng_core::entity::TimeNs;
use xng_core::ids::PriceId;
use xng_core::money::Amount;
use xng_core::price::{SourcePrice, canonical, chained};

/// SHA-256.
pub type Hash = [u8; 32];

/// A tick as the archive has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedTick {
    /// Its number in the price's log.
    pub seq: u64,
    /// When it came.
    pub time: TimeNs,
    /// The index.
    pub index: Amount,
    /// The sources that counted.
    pub sources: Vec<SourcePrice>,
    /// Of the tick before and of this one.
    pub hash: Hash,
}

impl ArchivedTick {
    /// The hash that it must have after a tick of this hash.
    #[must_use]
    pub fn hash_after(&self, previous: &Hash, price: PriceId) -> Hash {
        chained(previous, &canonical(price, (self.seq, self.time), self.index, &self.sources))
    }
}

/// Where a chain goes on, or begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// Hash of the tick before.
    pub(super) previous: Hash,
    /// What was before is not known: the chain begins here, after zeros.
    pub(super) begins: bool,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// The first one, and one after ticks that are missing.
    Head(Head),
    /// A tick.
    Tick(ArchivedTick),
}

/// Bytes as text.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of such a text, of small letters only.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// A hash from its text.
#[must_use]
pub fn hash(text: &str) -> Option<Hash> {
    unhex(text)?.try_into().ok()
}

/// The first line, with its end.
pub(super) fn head(head: Head) -> String {
    format!("{{\"previous\":\"{}\",\"begins\":{}}}\n", hex(&head.previous), head.begins)
}

/// A tick without the end of the line, as it is in files, answers and proofs.
#[must_use]
pub fn tick(tick: &ArchivedTick) -> String {
    let ArchivedTick { seq, time, index, sources, hash } = tick;
    let mut text = format!("{{\"seq\":{seq},\"time_ns\":\"{time}\",\"index\":\"{index}\",\"sources\":[");
    for (n, SourcePrice { source, price }) in sources.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(text, "{comma}[{source},\"{price}\"]");
    }
    let _ = write!(text, "],\"hash\":\"{}\"}}", hex(hash));
    text
}

/// A tick from its JSON, if each of its numbers is written as [`tick`] writes it and nothing else is there.
#[must_use]
pub fn tick_of(value: &Value) -> Option<ArchivedTick> {
    let text = |name: &str| value[name].as_str();
    let source = |pair: &Value| {
        let (source, price) = (pair[0].as_u64()?.try_into().ok()?, pair[1].as_str()?.parse().ok()?);
        Some(SourcePrice { source, price })
    };
    let read = ArchivedTick {
        seq: value["seq"].as_u64()?,
        time: text("time_ns")?.parse().ok()?,
        index: text("index")?.parse().ok()?,
        sources: value["sources"].as_array()?.iter().map(source).collect::<Option<_>>()?,
        hash: hash(text("hash")?)?,
    };
    let again: Value = serde_json::from_str(&tick(&read)).ok()?;
    (again == *value).then_some(read)
}

/// A line without its end; none when it is not one that was written.
pub(super) fn parsed(text: &str) -> Option<Line> {
    let value: Value = serde_json::from_str(text).ok()?;
    let line = match value.get("previous") {
        Some(previous) => {
            let found = Head { previous: hash(previous.as_str()?)?, begins: value["begins"].as_bool()? };
            return (head(found).trim_end() == text).then_some(Line::Head(found));
        }
        None => tick_of(&value)?,
    };
    (tick(&line) == text).then_some(Line::Tick(line))
}

/// Of a tick's line: its number, without reading the rest.
pub(super) fn seq_of(text: &str) -> Option<u64> {
    text.strip_prefix("{\"seq\":")?.split(',').next()?.parse().ok()
}

/// Of a tick's line: its hash, without reading the rest.
pub(super) fn hash_of(text: &str) -> Option<Hash> {
    let end = text.strip_suffix("\"}")?;
    hash(end.get(end.len().checked_sub(64)?..)?)
}
