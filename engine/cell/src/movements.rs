//! Whom one fact names, and what it moves, made once: to be checked, and then to be applied.
//!
//! Owns: its parties with the postings of each, in the order in which they are told. Never does: check, apply. Invariants: what
//! a party's account applies is what was checked. Known limits: of one fact at a time.

use xng_core::ids::EntityId;
use xng_core::record::{Fact, Posting, Role};

/// See the module's header.
#[derive(Debug, Default)]
pub struct Movements {
    postings: Vec<Posting>,
    parties: Vec<Party>,
}

/// Whom a fact names, and where its postings end.
#[derive(Debug)]
struct Party {
    entity: EntityId,
    role: Role,
    end: usize,
}

impl Movements {
    /// Makes those of a fact; `named` is told of each party before any of them is made.
    pub fn make(&mut self, fact: &Fact, decider: EntityId, mut named: impl FnMut(EntityId, Role)) {
        let Movements { postings, parties } = self;
        postings.clear();
        parties.clear();
        fact.parties(decider, |entity, role| {
            named(entity, role);
            parties.push(Party { entity, role, end: 0 });
        });
        for party in parties {
            fact.postings(party.role, |posting| postings.push(posting));
            party.end = postings.len();
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Posting] {
        &self.postings
    }

    /// Each party, in its role.
    pub fn parties(&self) -> impl Iterator<Item = (EntityId, Role)> {
        self.parties.iter().map(|party| (party.entity, party.role))
    }

    /// The same with its movements.
    pub fn each(&self) -> impl Iterator<Item = (EntityId, Role, &[Posting])> {
        let mut from = 0;
        self.parties.iter().map(move |party| {
            let own = &self.postings[std::mem::replace(&mut from, party.end)..party.end];
            (party.entity, party.role, own)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::account::facts::Transferred;
    use xng_core::ids::{AccountId, AssetId, Wallet};
    use xng_core::money::Amount;
    use xng_core::record::{CellFact, Digest, STATE_HASH_FORM};

    #[test]
    fn each_party_has_its_own_and_nothing_is_left_of_the_fact_before() {
        let (account, asset, amount) = (AccountId::FIRST_USER, AssetId(3), Amount(7));
        let transferred = Transferred { account, asset, from: Wallet::Spot, to: Wallet::Futures, amount };
        let mut movements = Movements::default();
        let mut named = Vec::new();
        movements.make(&transferred.into(), EntityId::Account(account), |entity, role| named.push((entity, role)));
        assert_eq!(named, [(EntityId::Account(account), Role::Decider)]);
        assert_eq!(movements.parties().collect::<Vec<_>>(), named);
        let both: Vec<_> = movements.each().flat_map(|(.., own)| own).map(|p| (p.wallet, p.available)).collect();
        assert_eq!(both, [(Wallet::Spot, -amount), (Wallet::Futures, amount)]);
        assert_eq!((movements.each().count(), movements.all().len()), (1, 2));
        let digest = Digest { form: STATE_HASH_FORM, state: 0, entities: 0 };
        movements.make(&Fact::Cell(CellFact::Digest(Box::new(digest))), EntityId::REGISTRY, |_, _| {});
        assert_eq!((movements.each().count(), movements.all().len()), (1, 0));
    }
}
