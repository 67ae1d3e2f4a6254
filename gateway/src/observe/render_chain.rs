//! Facts of chains as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there. Known limits: none.

use super::render::name;
use serde_json::{Value, json};
use xng_core::chain::Key;
use xng_core::chain::facts::{ChainFact, Credit};

fn key(key: &Key) -> Value {
    json!({ "ring": key.ring, "change": key.change, "index": key.index })
}

fn credit(c: &Credit) -> Value {
    json!({ "txid": c.at.txid.to_string(), "output": c.at.n, "key": key(&c.key), "owner": c.owner.0, "asset": c.asset.0,
        "units": c.units.0.to_string(), "amount": c.amount.to_string(), "kind": name(c.kind) })
}

pub(super) fn chain(fact: &ChainFact) -> Value {
    match fact {
        ChainFact::ChainSet(f) => {
            let p = &f.params;
            json!({ "chain": p.chain.0, "version": p.version, "name": p.name, "asset": p.asset.0, "decimals": p.decimals,
                "confirmations": p.confirmations, "min_deposit": p.min_deposit.to_string(), "addresses": p.addresses,
                "ring": p.ring, "keys": p.keys.iter().map(|key| key.ring).collect::<Vec<u32>>() })
        }
        ChainFact::AddressAssigned(f) => {
            json!({ "chain": f.chain.0, "number": f.number, "key": key(&f.key), "account": f.account.0 })
        }
        ChainFact::BlocksPassed(f) => json!({ "chain": f.chain.0, "from": f.from.to_string(), "height": f.height,
            "hash": f.hash.to_string() }),
        ChainFact::BlockTaken(f) => json!({ "chain": f.chain.0, "from": f.from.to_string(), "height": f.height,
            "hash": f.hash.to_string(), "part": f.part, "last": f.last, "known": f.known,
            "credits": f.credits.iter().map(credit).collect::<Vec<Value>>() }),
        ChainFact::SmallDepositsCredited(f) => json!({ "chain": f.chain.0, "key": key(&f.key), "account": f.account.0,
            "asset": f.asset.0, "amount": f.amount.to_string() }),
        ChainFact::ChainHalted(f) => json!({ "chain": f.chain.0, "reason": name(f.reason), "height": f.height,
            "txid": f.txid.to_string() }),
        ChainFact::ChainResumed(f) => json!({ "chain": f.chain.0 }),
    }
}
