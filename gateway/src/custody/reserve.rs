//! Who looks the coins that are ours up at a chain's node: once a day, and when somebody wants it.
//!
//! Owns: the thread of each chain, which addresses are asked about, what of the answer is ours; balances of chains of accounts are in
//! `balances.rs`, what is told to everybody in `publisher.rs`. Never does: decide what a difference means; the engine's chain halts.
//! Invariants: coins and the node's outputs are compared after the same block: outputs of later blocks do not count, and what later
//! blocks spend was there; a question that fails is asked again, and stops nothing.
//! Rules: `docs/rules/custody.md "Reserves"`. Known limits: what a coin holds that a later block spends is the ledger's own
//! number, which the node told when it came; with very many addresses only those of coins are asked about.

use super::asking::Asking;
use super::balances::Balances;
use super::chains::Chains;
use super::node::Node;
use super::publisher::{CheckedHoldings, PublisherInbox};
use super::settings::ChainSettings;
use super::statements::Statements;
use crate::common::critical_task;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::chain::{AssetKey, ChainCommand, ChainId, Cursor, Key, OutPoint, Units};
use xng_core::entity::Reply;
use xng_custody::port::{ChainAdapter, Unspent};
use xng_runtime::CellHandle;

/// How often it is looked whether a check is due.
const LOOK: Duration = Duration::from_secs(1);
/// Time between checks.
const EVERY: Duration = Duration::from_secs(86_400);
/// After a check that failed.
const AGAIN: Duration = Duration::from_secs(60);
/// Addresses of users that hold no coins are asked about while all together are no more: a node counts so many at once, and with
/// more of them blocks come in between.
const MOST_ADDRESSES: usize = 100_000;
/// The ledger is behind the node's answer by no more blocks: with more nobody reads the chain.
const MOST_LATER: u64 = 1_000;
/// How often an answer of the node is compared with a ledger that moves meanwhile.
const ATTEMPTS: usize = 5;

/// Starts a thread for each chain of the settings.
///
/// # Errors
/// Settings without a way to a node, or no thread to be had.
pub fn start(
    settings: &[ChainSettings],
    chains: &Arc<Chains>,
    statements: &Arc<Statements>,
    cell: &CellHandle,
) -> Result<(), String> {
    for chain in settings {
        let (id, node) = (chain.chain(), chain.node()?);
        let asking = Asking::new(id, cell);
        let publisher = PublisherInbox::start(chain, chains, statements).map_err(|error| error.to_string())?;
        let mut checker = Checker { chain: id, node, chains: chains.clone(), asking, publisher, next: None };
        critical_task::spawn("reserve check", move || {
            loop {
                std::thread::sleep(LOOK);
                checker.round();
            }
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// What the ledger says after a block.
struct Ledger {
    at: Cursor,
    coins: BTreeMap<OutPoint, (Units, Key)>,
}

/// What the node shows of these coins, and what it shows besides, after the block at `height`; `later` was spent by blocks above.
fn compare(ledger: &Ledger, unspent: &Unspent, later: &BTreeSet<OutPoint>) -> (Units, Units) {
    let (mut found, mut besides) = (0, 0);
    for output in unspent.outputs.iter().filter(|output| output.height <= ledger.at.height) {
        match ledger.coins.get(&output.at) {
            Some((units, _)) if *units == output.units => found += units.0,
            Some(_) => {}
            None => besides += output.units.0,
        }
    }
    found += later.iter().filter_map(|at| ledger.coins.get(at)).map(|(units, _)| units.0).sum::<u128>();
    (Units(found), Units(besides))
}

struct Checker {
    chain: ChainId,
    node: Node,
    chains: Arc<Chains>,
    asking: Asking,
    /// Makes statements of what was found whole.
    publisher: Option<PublisherInbox>,
    /// Not before then; none before the first one.
    next: Option<Instant>,
}

impl Checker {
    fn round(&mut self) {
        if self.chains.look(self.chain, |chain| chain.halted().is_some()).unwrap_or(true) {
            // Whoever lets it go on wants to know at once.
            self.next = None;
            return;
        }
        let is_due = self.next.is_none_or(|next| Instant::now() >= next) || self.chains.is_check_wanted(self.chain);
        if !is_due || !self.chains.has_caught_up(self.chain) {
            return;
        }
        let checked = self.check();
        if let (Ok(Some(shown)), Some(publisher)) = (&checked, &self.publisher) {
            publisher.publish(shown.clone());
        }
        let failed = checked.err();
        if let Some(error) = &failed {
            tracing::warn!(chain = self.chain.0, error, "the coins of a chain could not be looked up");
        }
        self.next = Some(Instant::now() + if failed.is_none() { EVERY } else { AGAIN });
        self.chains.check_done(self.chain, failed);
    }

    /// None while a block is half read.
    fn ledger(&self) -> Option<Ledger> {
        let ledger = self.chains.look(self.chain, |chain| {
            let at = chain.cursor().filter(|cursor| cursor.whole)?;
            Some(Ledger { at, coins: chain.coins().map(|(at, coin)| (*at, (coin.units, coin.key))).collect() })
        });
        ledger.flatten()
    }

    /// Addresses of coins, those to which plans bring change, and those that users have.
    fn keys(&self) -> BTreeSet<Key> {
        let own = self.chains.look(self.chain, |chain| {
            let plans = chain.plans().flat_map(|plan| &plan.attempts);
            let change = plans.filter_map(|attempt| Some(attempt.transaction.change?.0));
            chain.coins().map(|(_, coin)| coin.key).chain(change).collect::<BTreeSet<Key>>()
        });
        let mut keys = own.unwrap_or_default();
        let assigned = self.chains.addresses_from(self.chain, 0);
        if keys.len() + assigned.len() <= MOST_ADDRESSES {
            keys.extend(assigned.into_iter().map(|(_, key)| key));
        }
        keys
    }

    /// What was there when all was there.
    fn check(&mut self) -> Result<Option<CheckedHoldings>, String> {
        let (chains, chain) = (&self.chains, self.chain);
        match &mut self.node {
            Node::Coins(_) => self.check_coins(),
            Node::Accounts(node) => {
                for _ in 0..ATTEMPTS {
                    let Some(balances) = Balances::of(chains, chain)? else {
                        std::thread::sleep(LOOK);
                        continue;
                    };
                    let checks = balances.ask(node)?;
                    let whole = checks.iter().all(|check| balances.is_whole(check));
                    let mut answers = checks.into_iter().map(|check| self.asking.ask(check));
                    // One that is refused was made after another block than the ledger's: all are made again.
                    if answers.all(|answer| matches!(answer, Some(Reply::Accepted(_)))) {
                        return Ok(whole.then(|| balances.shown()));
                    }
                }
                Err("the ledger moves on too fast, or its chain was halted".into())
            }
        }
    }

    /// The node of a chain of coins.
    fn node(&mut self) -> Result<&mut dyn ChainAdapter, String> {
        match &mut self.node {
            Node::Coins(node) => Ok(&mut **node),
            Node::Accounts(_) => Err("its node is of a chain of accounts".into()),
        }
    }

    fn check_coins(&mut self) -> Result<Option<CheckedHoldings>, String> {
        let keys = self.keys();
        let addresses = keys.iter().map(|key| self.chains.address(self.chain, *key));
        let addresses = addresses.collect::<Result<Vec<String>, _>>().map_err(|error| error.to_string())?;
        let unspent = self.node()?.unspent(&addresses).map_err(|error| error.to_string())?;
        for _ in 0..ATTEMPTS {
            let Some(ledger) = self.ledger() else {
                std::thread::sleep(LOOK);
                continue;
            };
            if ledger.coins.values().any(|(_, key)| !keys.contains(key)) {
                return Err("a coin came to a new address meanwhile".into());
            }
            let later = self.spent_later(&ledger, &unspent)?;
            let (found, besides) = compare(&ledger, &unspent, &later);
            let height = ledger.at.height;
            match self.asking.ask(ChainCommand::CheckReserve { height, token: None, found, besides }) {
                Some(Reply::Accepted(_)) => return Ok(self.shown(&ledger, found)),
                // The ledger moved on: compared again.
                Some(Reply::Rejected(_) | Reply::Busy) | None => std::thread::sleep(LOOK),
                Some(other @ (Reply::View(_) | Reply::TradeIds { .. } | Reply::Known(_))) => {
                    return Err(format!("the check is answered with {other:?}"));
                }
            }
        }
        Err("the ledger moves on too fast".into())
    }

    /// What the ledger has, if the node showed all of it.
    fn shown(&self, ledger: &Ledger, found: Units) -> Option<CheckedHoldings> {
        let all = ledger.coins.values().map(|(units, _)| units.0).sum::<u128>();
        let assets = self.chains.look(self.chain, |chain| Some(chain.params()?.assets().collect::<Vec<_>>()));
        let assets = assets.flatten().filter(|_| found.0 == all)?;
        let asset = assets.first()?.asset;
        let mut held = BTreeMap::<AssetKey, Units>::new();
        for (units, key) in ledger.coins.values() {
            held.entry(AssetKey { asset, key: *key }).or_default().0 += units.0;
        }
        Some(CheckedHoldings { at: ledger.at, assets, held })
    }

    /// What blocks spend between the ledger's and that of the node's answer.
    fn spent_later(&mut self, ledger: &Ledger, unspent: &Unspent) -> Result<BTreeSet<OutPoint>, String> {
        if unspent.at.height.saturating_sub(ledger.at.height) > MOST_LATER {
            return Err("the ledger is far behind the node".into());
        }
        let mut below = (ledger.at.height, ledger.at.hash);
        let mut spent = BTreeSet::new();
        for height in ledger.at.height + 1..=unspent.at.height {
            let block = self.node()?.block(height).map_err(|error| error.to_string())?;
            if block.parent != Some(below.1) {
                return Err("the chain goes another way".into());
            }
            below = (height, block.id.hash);
            let all = block.transactions.iter().flat_map(|transaction| transaction.spends.iter().copied());
            spent.extend(all.filter(|at| ledger.coins.contains_key(at)));
        }
        if below != (unspent.at.height, unspent.at.hash) {
            return Err("the chain moved meanwhile".into());
        }
        Ok(spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::chain::{BlockHash, TxId};
    use xng_custody::port::{BlockId, UnspentOutput};

    fn at(n: u8) -> OutPoint {
        OutPoint { txid: TxId([n; 32]), n: 0 }
    }

    #[test]
    fn outputs_and_coins_are_compared_after_the_same_block() {
        let key = Key { ring: 0, change: false, index: 0 };
        let hash = BlockHash([1; 32]);
        let cursor = Cursor { height: 10, hash, parts: 0, whole: true, known: 1 };
        let coins = [(1, 500), (2, 300), (3, 200)].map(|(n, units)| (at(n), (Units(units), key)));
        let ledger = Ledger { at: cursor, coins: coins.into_iter().collect() };
        let output = |n, units, height| UnspentOutput { at: at(n), units: Units(units), height };
        let shows = |outputs: &[UnspentOutput], later: &[u8]| {
            let unspent = Unspent { at: BlockId { height: 12, hash }, outputs: outputs.to_vec() };
            let (found, besides) = compare(&ledger, &unspent, &later.iter().map(|n| at(*n)).collect());
            (found.0, besides.0)
        };
        assert_eq!(shows(&[output(1, 500, 9), output(2, 300, 10), output(3, 200, 4)], &[]), (1_000, 0));
        // One is spent by a block that the ledger has not taken, which pays change and a deposit.
        assert_eq!(shows(&[output(2, 300, 10), output(3, 200, 4), output(4, 450, 11)], &[1]), (1_000, 0));
        assert_eq!(shows(&[output(1, 500, 9), output(2, 300, 10)], &[]), (800, 0), "one is missing");
        assert_eq!(shows(&[output(1, 499, 9), output(2, 300, 10), output(3, 200, 4)], &[]), (500, 0), "one holds less");
        assert_eq!(
            shows(&[output(1, 500, 9), output(2, 300, 10), output(3, 200, 4), output(5, 546, 8)], &[]),
            (1_000, 546)
        );
    }
}
