//! Roots: one hash for all ticks of an hour, in a statement that is signed.
//!
//! Owns: the tree (leaf SHA-256(0x00 || hash), node SHA-256(0x01 || left || right), an odd last node goes up unchanged) and the
//! bytes of the statement. Never does: sign, or know a key. Invariants: a path has no entry for a level at which its node
//! has no sibling. Known limits: none. Rules: `docs/rules/prices.md "Roots"`.

use super::line::Hash;
use sha2::{Digest as _, Sha256};
use xng_core::ids::PriceId;

/// What a statement begins with.
const KIND: &[u8] = b"xng/ticks/1";
/// Its length in bytes.
const STATEMENT_BYTES: usize = KIND.len() + 2 + 3 * 8 + 2 * 32;

/// What is said of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Of which price.
    pub price: PriceId,
    /// Hours since 1970.
    pub hour: u64,
    /// Number of its first tick.
    pub first: u64,
    /// Number of its last tick.
    pub last: u64,
    /// Hash of the last tick.
    pub hash: Hash,
    /// The root over the hashes of all of its ticks.
    pub root: Hash,
}

impl Statement {
    /// The bytes that are signed: all numbers big-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (hour, first, last) = (self.hour.to_be_bytes(), self.first.to_be_bytes(), self.last.to_be_bytes());
        [KIND, &self.price.0.to_be_bytes(), &hour, &first, &last, &self.hash, &self.root].concat()
    }

    /// What these bytes say; none when they are no statement.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Statement> {
        if bytes.len() != STATEMENT_BYTES {
            return None;
        }
        let rest = bytes.strip_prefix(KIND)?;
        let (price, rest) = rest.split_first_chunk::<2>()?;
        let (hour, rest) = rest.split_first_chunk::<8>()?;
        let (first, rest) = rest.split_first_chunk::<8>()?;
        let (last, rest) = rest.split_first_chunk::<8>()?;
        let (hash, rest) = rest.split_first_chunk::<32>()?;
        let number = u64::from_be_bytes;
        let price = PriceId(u16::from_be_bytes(*price));
        let (hour, first, last) = (number(*hour), number(*first), number(*last));
        Some(Statement { price, hour, first, last, hash: *hash, root: rest.try_into().ok()? })
    }
}

/// A statement with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRoot {
    /// The statement's bytes.
    pub statement: Vec<u8>,
    /// The Ed25519 signature of them.
    pub signature: Vec<u8>,
    /// The public key.
    pub key: Vec<u8>,
}

/// Signs statements.
pub trait Signs: Send + Sync + std::fmt::Debug {
    /// The public key.
    fn key(&self) -> Vec<u8>;
    /// The signature of these bytes.
    fn sign(&self, bytes: &[u8]) -> Vec<u8>;
}

fn leaf(hash: &Hash) -> Hash {
    Sha256::new().chain_update([0]).chain_update(hash).finalize().into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

fn above(level: &[Hash]) -> Vec<Hash> {
    level.chunks(2).map(|pair| if let [left, right] = pair { node(left, right) } else { pair[0] }).collect()
}

/// The root over hashes, of which there is at least one.
#[must_use]
pub fn root(hashes: &[Hash]) -> Hash {
    let mut level: Vec<Hash> = hashes.iter().map(leaf).collect();
    while level.len() > 1 {
        level = above(&level);
    }
    level.first().copied().unwrap_or_default()
}

/// The siblings on the way from the leaf at `place` to the root.
#[must_use]
pub fn path(hashes: &[Hash], mut place: usize) -> Vec<Hash> {
    let (mut level, mut path) = (hashes.iter().map(leaf).collect::<Vec<Hash>>(), Vec::new());
    while level.len() > 1 {
        path.extend(level.get(place ^ 1));
        (level, place) = (above(&level), place / 2);
    }
    path
}

/// The root to which a path leads from the leaf at `place` of so many; none when the path is too short or too long.
#[must_use]
pub fn climbed(hash: &Hash, mut place: u64, mut leaves: u64, path: &[Hash]) -> Option<Hash> {
    let (mut at, mut path) = (leaf(hash), path.iter());
    if place >= leaves {
        return None;
    }
    while leaves > 1 {
        if place % 2 == 1 {
            at = node(path.next()?, &at);
        } else if place + 1 < leaves {
            at = node(&at, path.next()?);
        }
        (place, leaves) = (place / 2, leaves.div_ceil(2));
    }
    path.next().is_none().then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_leaf_of_each_tree_leads_to_its_root_and_no_other_path_does() {
        for leaves in 1..=33_u8 {
            let hashes: Vec<Hash> = (0..leaves).map(|n| [n; 32]).collect();
            let root = root(&hashes);
            for (place, hash) in hashes.iter().enumerate() {
                let path = path(&hashes, place);
                let up = |place, path: &[Hash]| climbed(hash, place as u64, u64::from(leaves), path);
                assert_eq!(up(place, &path), Some(root), "{place} of {leaves}");
                assert_ne!(up(place + 1, &path), Some(root));
                assert_eq!(up(place, &[path.as_slice(), &[[9; 32]]].concat()), None, "too long");
                if let Some((_, short)) = path.split_last() {
                    assert_eq!(up(place, short), None, "too short");
                }
            }
        }
    }

    #[test]
    fn a_statement_is_read_as_it_was_written_and_nothing_else_is() {
        let statement = Statement { price: PriceId(7), hour: 480_000, first: 3, last: 9, hash: [1; 32], root: [2; 32] };
        let bytes = statement.to_bytes();
        assert_eq!(bytes.len(), STATEMENT_BYTES);
        assert_eq!(Statement::of_bytes(&bytes), Some(statement));
        assert_eq!(Statement::of_bytes(&bytes[1..]), None);
        assert_eq!(Statement::of_bytes(&[bytes.as_slice(), &[0]].concat()), None);
    }
}
