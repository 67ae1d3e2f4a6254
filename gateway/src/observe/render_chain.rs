//! Facts of chains as text.
//!
//! Owns: their names and forms. Never does: round. Invariants: every number of a fact is there. Known limits: none.

use super::render::name;
use serde_json::{Value, json};
use xng_core::chain::Key;
use xng_core::chain::facts::{ChainFact, Credit};
use xng_core::chain::withdrawal_facts::{OwnTransaction, Vote};
use xng_core::chain::{AccountTransaction, CoinTransaction, Contract, Recipient, Withdrawal, flags};
use xng_custody::evm::Address;

fn key(key: &Key) -> Value {
    json!({ "ring": key.ring, "change": key.change, "index": key.index })
}

fn credit(c: &Credit) -> Value {
    json!({ "txid": c.at.txid.to_string(), "output": c.at.n, "key": key(&c.key), "owner": c.owner.0, "asset": c.asset.0,
        "units": c.units.0.to_string(), "amount": c.amount.to_string(), "kind": name(c.kind) })
}

fn own(o: &OwnTransaction) -> Value {
    let change = o
        .change
        .map(|change| json!({ "output": change.at.n, "key": key(&change.key), "units": change.units.0.to_string() }));
    let paid = o.paid.iter().map(|paid| {
        json!({ "withdrawal": paid.withdrawal.0, "account": paid.account.0, "asset": paid.asset.0,
            "number": paid.number.to_string(), "fee": paid.fee.to_string() })
    });
    json!({ "plan": o.plan.0, "attempt": o.attempt, "txid": o.txid.to_string(), "asset": o.asset.0,
        "fee": o.fee.to_string(), "change": change, "paid": paid.collect::<Vec<Value>>(),
        "transfer": o.transfer.map(|end| json!({ "fee_units": end.fee.0.to_string(), "moved": end.moved,
            "failed": end.failed.map(|payee| payee.withdrawal.0) })) })
}

/// The names of a withdrawal's flags.
pub(crate) fn flag_names(bits: u32) -> Vec<&'static str> {
    flags::NAMES.iter().enumerate().filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, name)| *name).collect()
}

fn withdrawal(w: &Withdrawal) -> Value {
    json!({ "withdrawal": w.withdrawal.0, "account": w.account.0, "asset": w.asset.0, "number": w.number.to_string(),
        "fee": w.fee.to_string(), "units": w.units.0.to_string(), "address": w.address, "script_bytes": w.script_bytes,
        "inside": w.inside.map(|account| account.0), "flags": flag_names(w.flags), "needed": w.needed })
}

fn vote(v: &Vote) -> Value {
    json!({ "who": v.who, "reason": v.reason })
}

fn transaction(t: &CoinTransaction) -> Value {
    let inputs = t.inputs.iter().map(|coin| {
        json!({ "txid": coin.at.txid.to_string(), "output": coin.at.n, "units": coin.units.0.to_string(),
            "key": key(&coin.key) })
    });
    let payments =
        t.payments.iter().map(|p| json!({ "address": p.address, "units": p.units.0.to_string() })).collect::<Vec<_>>();
    let change = t.change.map(|(to, units)| json!({ "key": key(&to), "units": units.0.to_string() }));
    json!({ "inputs": inputs.collect::<Vec<_>>(), "payments": payments, "change": change,
        "fee": t.fee.0.to_string() })
}

fn transfer(t: &AccountTransaction) -> Value {
    let to = match &t.to {
        Recipient::Address(text) => json!(text),
        Recipient::Own(to) => key(to),
    };
    json!({ "from": key(&t.from), "nonce": t.nonce, "to": to, "token": t.token.map(contract), "units": t.units.0.to_string(),
        "gas_limit": t.gas_limit, "max_fee_per_gas": t.max_fee_per_gas.to_string(),
        "max_priority_fee_per_gas": t.max_priority_fee_per_gas.to_string() })
}

fn contract(of: Contract) -> String {
    Address(of).to_string()
}

pub(super) fn chain(fact: &ChainFact) -> Value {
    match fact {
        ChainFact::ChainSet(f) => {
            let p = &f.params;
            let tokens = p.assets().skip(1).map(|token| {
                json!({ "asset": token.asset.0, "contract": token.contract.map(contract), "decimals": token.decimals,
                    "min_deposit": token.min_deposit.to_string(), "min_sweep": token.min_sweep.to_string() })
            });
            let accounts = p.accounts.as_ref().map(|of| {
                json!({ "chain_id": of.chain_id, "min_sweep": of.min_sweep.to_string(), "coin_gas": of.coin_gas,
                    "token_gas": of.token_gas, "tokens": tokens.collect::<Vec<Value>>() })
            });
            json!({ "chain": p.chain.0, "version": p.version, "name": p.name, "asset": p.asset.0, "decimals": p.decimals,
                "confirmations": p.confirmations, "min_deposit": p.min_deposit.to_string(), "addresses": p.addresses,
                "ring": p.ring, "keys": p.keys.iter().map(|key| key.ring).collect::<Vec<u32>>(), "accounts": accounts })
        }
        ChainFact::AddressAssigned(f) => {
            json!({ "chain": f.chain.0, "number": f.number, "key": key(&f.key), "account": f.account.0 })
        }
        ChainFact::BlocksPassed(f) => json!({ "chain": f.chain.0, "from": f.from.to_string(), "height": f.height,
            "hash": f.hash.to_string() }),
        ChainFact::BlockTaken(f) => json!({ "chain": f.chain.0, "from": f.from.to_string(), "height": f.height,
            "hash": f.hash.to_string(), "part": f.part, "last": f.last, "known": f.known,
            "credits": f.credits.iter().map(credit).collect::<Vec<Value>>(),
            "own": f.own.iter().map(own).collect::<Vec<Value>>() }),
        ChainFact::SmallDepositsCredited(f) => json!({ "chain": f.chain.0, "key": key(&f.key), "account": f.account.0,
            "asset": f.asset.0, "amount": f.amount.to_string() }),
        ChainFact::ChainHalted(f) => json!({ "chain": f.chain.0, "reason": name(f.reason), "height": f.height,
            "txid": f.txid.to_string() }),
        ChainFact::ChainResumed(f) => json!({ "chain": f.chain.0 }),
        ChainFact::ReserveChecked(f) => json!({ "chain": f.chain.0, "height": f.height, "hash": f.hash.to_string(),
            "token": f.token.map(|token| token.0), "held_units": f.held.0.to_string(),
            "found_units": f.found.0.to_string(), "besides_units": f.besides.0.to_string() }),
        ChainFact::WithdrawalTermsSet(f) => {
            let t = &f.terms;
            json!({ "chain": t.chain.0, "token": t.token.map(|token| token.0), "version": t.version, "open": t.open, "fee": t.fee.to_string(),
                "min": t.min.to_string(), "max": t.max.to_string(), "daily_limit": t.daily_limit.to_string(),
                "daily_limit_advanced": t.daily_limit_advanced.to_string(),
                "most_open": t.most_open, "auto_each": t.auto_each.to_string(), "auto_day": t.auto_day.to_string(),
                "auto_hour": t.auto_hour.to_string(), "two_votes_above": t.two_votes_above.to_string(),
                "most_a_transaction": t.most_a_transaction.to_string(), "most_chain_fee": t.most_chain_fee.0.to_string(), "bump_after_ms": t.bump_after_ms })
        }
        ChainFact::WithdrawalRequested(f) => json!({ "chain": f.chain.0, "withdrawal": withdrawal(&f.withdrawal),
            "version": f.version, "daily_limit": f.daily_limit.to_string() }),
        ChainFact::WithdrawalAgreed(f) => json!({ "chain": f.chain.0, "withdrawal": f.withdrawal.0,
            "account": f.account.0, "vote": vote(&f.vote), "approved": f.approved }),
        ChainFact::WithdrawalEnded(f) => json!({ "chain": f.chain.0, "withdrawal": f.withdrawal.0,
            "account": f.account.0, "asset": f.asset.0, "number": f.number.to_string(), "end": name(f.end),
            "vote": f.vote.as_ref().map(vote) }),
        ChainFact::SettledInside(f) => json!({ "chain": f.chain.0, "withdrawal": withdrawal(&f.withdrawal),
            "receiver": f.receiver.0, "vote": f.vote.as_ref().map(vote), "version": f.version,
            "daily_limit": f.daily_limit.to_string() }),
        ChainFact::TransactionPlanned(f) => json!({ "chain": f.chain.0, "plan": f.plan.0, "attempt": f.attempt,
            "transaction": transaction(&f.transaction),
            "withdrawals": f.withdrawals.iter().map(|id| id.0).collect::<Vec<u64>>() }),
        ChainFact::TransferPlanned(f) => json!({ "chain": f.chain.0, "plan": f.plan.0, "attempt": f.attempt,
            "transaction": transfer(&f.transaction), "withdrawal": f.withdrawal.map(|id| id.0) }),
        ChainFact::TransactionSigned(f) => json!({ "chain": f.chain.0, "plan": f.plan.0, "attempt": f.attempt,
            "txid": f.txid.to_string(), "bytes": f.raw.len(),
            "payees": f.payees.iter().map(|p| json!({ "withdrawal": p.withdrawal.0, "account": p.account.0 }))
                .collect::<Vec<Value>>() }),
    }
}
