//! What the cell itself decides: digests.
//!
//! Owns: the form of a digest. Never does: hash a state; its entities do. Invariants: a build checks digests of its own form
//! only. Known limits: none.

use super::FactBody;

/// How this build hashes states. It grows with every change of what an entity's hash covers, so that a build never
/// takes an older build's digest for a damaged state.
pub const STATE_HASH_FORM: u32 = 15;

crate::wire_struct! {
    /// Proof of the whole state at a position, written every 10,000 facts; a replay must find the same.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Digest {
        /// How the state was hashed; only a build of the same form can check it.
        pub form: u32,
        /// Sum of the hashes of all entities.
        pub state: u64,
        /// Entities that exist.
        pub entities: u64,
    }
}

crate::wire_struct! {
    /// The first form of [`Digest`], from before hashes had forms.
    struct DigestV1 {
        /// Sum of the hashes of all entities.
        pub state: u64,
        /// Entities that exist.
        pub entities: u64,
    }
}

impl From<DigestV1> for Digest {
    fn from(old: DigestV1) -> Digest {
        Digest { form: 0, state: old.state, entities: old.entities }
    }
}

impl FactBody for Digest {}

super::fact::product_facts! {
    /// What the cell itself decides.
    Cell(CellFact) {
        /// Hash of the whole state.
        Digest = 40 v 2 (1: DigestV1),
    }
}
