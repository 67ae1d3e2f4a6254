//! The whole way of coins on a real Bitcoin node (regtest): an address from the signer's public key, a deposit, a plan, the
//! real signer, a broadcast, confirmations.

mod common;

use common::SignerProcess;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_core::chain::{Coin, CoinTransaction, Key, OutPoint, Payment, TxId, Units};
use xng_custody::bitcoin::{Account, Network, Unsigned, planned_size};
use xng_custody::port::{BroadcastError, ChainAdapter, FeeRate, Found, Taken};
use xng_custody::private_node::PrivateNode;
use xng_custody::signer::Signed;

const CHANGE: Key = Key { ring: 0, change: true, index: 0 };
/// What a payment to a user's address holds here.
const DEPOSIT: u128 = 100_000_000;

struct Rig {
    node: PrivateNode,
    signer: SignerProcess,
    accounts: [Account; 1],
}

impl Rig {
    fn start() -> Option<Self> {
        let node = PrivateNode::start_or_tell()?;
        let signer = SignerProcess::start(1_000_000_000_000, 200_000, &[]);
        let accounts = [Account::new(&signer.client().xpub(0).unwrap(), Network::Regtest).unwrap()];
        Some(Rig { node, signer, accounts })
    }

    fn address(&self, key: Key) -> String {
        self.accounts[0].address(key).unwrap()
    }

    /// Pays one coin to each of the first `n` addresses and reads them out of the blocks, as the exchange does.
    fn deposits(&self, n: u32) -> Vec<Coin> {
        let keys = (0..n).map(|index| Key { ring: 0, change: false, index });
        let ours: BTreeMap<String, Key> = keys.map(|key| (self.address(key), key)).collect();
        for (n, address) in ours.keys().enumerate() {
            self.node.pay(address, "1").unwrap();
            // A pool holds 25 payments out of each other's change at most.
            if n % 20 == 19 {
                self.node.mine(1).unwrap();
            }
        }
        self.node.mine(2).unwrap();
        let mut chain = self.node.adapter();
        let mut coins = Vec::new();
        for height in 102..=chain.final_height().unwrap() {
            for tx in chain.block(height).unwrap().transactions {
                let ours = tx.outputs.iter().filter_map(|output| Some((output, ours.get(output.address.as_ref()?)?)));
                coins.extend(ours.map(|(output, key)| Coin {
                    at: OutPoint { txid: tx.txid, n: output.n },
                    units: output.units,
                    key: *key,
                }));
            }
        }
        assert_eq!(coins.len(), n as usize);
        assert!(coins.iter().all(|coin| coin.units == Units(DEPOSIT)));
        coins
    }

    /// Pays somebody out of coins, at this rate.
    fn plan(&self, inputs: Vec<Coin>, address: &str, units: u128, rate: FeeRate) -> CoinTransaction {
        let fee = rate.fee(planned_size(inputs.len(), &[address], true, Network::Regtest).unwrap());
        let held: u128 = inputs.iter().map(|coin| coin.units.0).sum();
        let payments = vec![Payment { address: address.into(), units: Units(units) }];
        CoinTransaction { inputs, payments, change: Some((CHANGE, Units(held - units - fee.0))), fee }
    }

    fn sign(&self, attempt: u32, plan: &CoinTransaction) -> Signed {
        let signed = self.signer.client().sign(1, attempt, plan).unwrap();
        assert_eq!(Unsigned::verify(&signed.raw, plan, &self.accounts, Network::Regtest), Ok(signed.txid));
        signed
    }

    fn somebody(&self) -> String {
        self.node.call("getnewaddress", json!([])).unwrap()
    }

    fn held(&self, addresses: &[String]) -> Units {
        self.node.adapter().unspent(addresses).unwrap().units()
    }
}

#[test]
fn a_deposit_is_withdrawn_and_every_satoshi_is_found_again() {
    let Some(mut rig) = Rig::start() else { return };
    let coins = rig.deposits(3);
    let mut ours: Vec<String> = coins.iter().map(|coin| rig.address(coin.key)).collect();
    ours.push(rig.address(CHANGE));
    assert_eq!(rig.held(&ours), Units(3 * DEPOSIT));

    let mut chain = rig.node.adapter();
    let somebody = rig.somebody();
    let plan = rig.plan(coins[..2].to_vec(), &somebody, 150_000_000, chain.fee_rate().unwrap());
    let signed = rig.sign(0, &plan);
    assert_eq!(chain.find(signed.txid), Ok(Found::Unknown));
    // Killed before its answer was written down: asked again, the same bytes.
    rig.signer.restart();
    assert_eq!(rig.sign(0, &plan), signed);
    assert_eq!(chain.broadcast(&signed.raw), Ok(Taken::InPool));
    assert_eq!(chain.broadcast(&signed.raw), Ok(Taken::InPool), "sent twice");
    assert_eq!(chain.find(signed.txid), Ok(Found::InPool));
    rig.node.mine(1).unwrap();
    assert_eq!(chain.find(signed.txid), Ok(Found::InBlock(chain.tip().unwrap())));
    assert_eq!(chain.broadcast(&signed.raw), Ok(Taken::Known), "sent again when it is in a block");
    rig.node.mine(1).unwrap();
    let height = chain.final_height().unwrap();
    let block = chain.block(height).unwrap();
    let own = block.transactions.iter().find(|tx| tx.txid == signed.txid).unwrap();
    let spent: Vec<OutPoint> = plan.inputs.iter().map(|coin| coin.at).collect();
    assert_eq!(own.spends, spent);
    let paid: Vec<(Option<String>, Units)> = own.outputs.iter().map(|o| (o.address.clone(), o.units)).collect();
    let (_, back) = plan.change.unwrap();
    assert_eq!(paid, [(Some(somebody.clone()), Units(150_000_000)), (Some(rig.address(CHANGE)), back)]);

    assert_eq!(rig.held(&ours), Units(DEPOSIT + back.0));
    assert_eq!(rig.held(&ours).0 + 150_000_000 + plan.fee.0, 3 * DEPOSIT, "nothing is missing");
    assert_eq!(rig.held(&[somebody]), Units(150_000_000));
}

#[test]
fn a_higher_fee_replaces_and_whichever_is_final_the_other_is_refused() {
    let Some(rig) = Rig::start() else { return };
    let coins = rig.deposits(1);
    let mut chain = rig.node.adapter();
    let somebody = rig.somebody();
    let plan = |rate| rig.plan(coins.clone(), &somebody, 50_000_000, FeeRate(rate));
    let [first, second, third] = [(0, 2_000), (1, 5_000), (2, 9_000)].map(|(n, rate)| rig.sign(n, &plan(rate)));
    assert_eq!(chain.broadcast(&first.raw), Ok(Taken::InPool));
    assert_eq!(chain.broadcast(&second.raw), Ok(Taken::InPool));
    assert_eq!(chain.find(first.txid), Ok(Found::Unknown));
    let late = chain.broadcast(&first.raw);
    assert!(matches!(late, Err(BroadcastError::FeeTooLow(_))), "{late:?}");
    rig.node.mine(1).unwrap();
    assert_eq!(chain.find(second.txid), Ok(Found::InBlock(chain.tip().unwrap())));
    for other in [&first, &third] {
        let spent = chain.broadcast(&other.raw);
        assert!(matches!(spent, Err(BroadcastError::SpentElsewhere(_))), "{spent:?}");
    }
}

#[test]
fn a_fee_below_what_the_node_passes_on_is_told() {
    let Some(rig) = Rig::start() else { return };
    let plan = rig.plan(rig.deposits(1), &rig.somebody(), 50_000_000, FeeRate(10));
    let cheap = rig.node.adapter().broadcast(&rig.sign(0, &plan).raw);
    assert!(matches!(cheap, Err(BroadcastError::FeeTooLow(_))), "{cheap:?}");
}

#[test]
fn a_withdrawal_outlives_a_killed_node_and_a_reorganisation() {
    let Some(mut rig) = Rig::start() else { return };
    let coins = rig.deposits(1);
    let somebody = rig.somebody();
    let plan = rig.plan(coins, &somebody, 50_000_000, FeeRate(2_000));
    let signed = rig.sign(0, &plan);
    // The node writes its blocks down when it is asked this; its pool it loses.
    rig.node.call::<Value>("gettxoutsetinfo", json!([])).unwrap();
    let mut chain = rig.node.adapter();
    assert_eq!(chain.broadcast(&signed.raw), Ok(Taken::InPool));
    rig.node.kill();
    assert!(matches!(chain.broadcast(&signed.raw), Err(BroadcastError::Chain(_))));
    rig.node.restart().unwrap();
    let mut chain = rig.node.adapter();
    assert_eq!(rig.sign(0, &plan).txid, signed.txid);
    assert_eq!(chain.broadcast(&signed.raw), Ok(Taken::InPool));
    rig.node.mine(1).unwrap();
    let block = chain.tip().unwrap();
    assert_eq!(chain.find(signed.txid), Ok(Found::InBlock(block)));

    rig.node.call::<Value>("invalidateblock", json!([block.hash.to_string()])).unwrap();
    assert_ne!(chain.find(signed.txid), Ok(Found::InBlock(block)));
    assert_eq!(chain.broadcast(&signed.raw), Ok(Taken::InPool));
    rig.node.mine(2).unwrap();
    let Ok(Found::InBlock(new)) = chain.find(signed.txid) else { panic!("it is in no block") };
    assert!(new.height == block.height && new.hash != block.hash);
    assert_eq!(rig.held(&[somebody]), Units(50_000_000));
    assert_eq!(chain.find(TxId([1; 32])), Ok(Found::Unknown));
}

/// Numbers that look like chance and are the same in each run.
struct Dice(u64);

impl Dice {
    fn one_in(&mut self, n: u64) -> bool {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33).is_multiple_of(n)
    }
}

/// `CHAINS_CYCLES` withdrawals (12 by default), each with kills of node and signer in its way.
#[test]
fn however_often_node_and_signer_are_killed_each_withdrawal_is_paid_once_and_the_totals_agree() {
    let Some(mut rig) = Rig::start() else { return };
    let cycles: u32 = std::env::var("CHAINS_CYCLES").map_or(12, |text| text.parse().unwrap());
    let mut dice = Dice(u64::from(cycles));
    let coins = rig.deposits(cycles);
    let mut ours: Vec<String> = coins.iter().map(|coin| rig.address(coin.key)).collect();
    ours.push(rig.address(CHANGE));
    rig.node.call::<Value>("gettxoutsetinfo", json!([])).unwrap();

    let mut withdrawals = Vec::new();
    for (n, coin) in coins.into_iter().enumerate() {
        let somebody = rig.somebody();
        let mut attempts = Vec::new();
        for attempt in 0..=u32::from(dice.one_in(2)) {
            let plan =
                rig.plan(vec![coin], &somebody, 50_000_000 + n as u128, FeeRate(2_000 * (1 + u64::from(attempt))));
            let signed = rig.sign(attempt, &plan);
            if dice.one_in(3) {
                rig.signer.restart();
                assert_eq!(rig.sign(attempt, &plan), signed);
            }
            // What the node says is not believed: only what is found later counts.
            let _said = rig.node.adapter().broadcast(&signed.raw);
            if dice.one_in(3) {
                rig.node.kill();
                rig.node.restart().unwrap();
            }
            attempts.push((plan, signed));
        }
        if dice.one_in(2) {
            rig.node.mine(1).unwrap();
        }
        if dice.one_in(3) {
            rig.node.call::<Value>("gettxoutsetinfo", json!([])).unwrap();
        }
        withdrawals.push((somebody, attempts));
    }

    // As an exchange does that has only its journal: the same bytes until one of them is found.
    let mut chain = rig.node.adapter();
    let in_block = |found: Found| matches!(found, Found::InBlock(_));
    for _ in 0..5 {
        for (_, attempts) in &withdrawals {
            if !attempts.iter().any(|(_, signed)| in_block(chain.find(signed.txid).unwrap())) {
                attempts.iter().for_each(|(_, signed)| drop(chain.broadcast(&signed.raw)));
            }
        }
        rig.node.mine(1).unwrap();
    }
    let (mut paid, mut fees) = (0, 0);
    for (n, (somebody, attempts)) in withdrawals.iter().enumerate() {
        let done: Vec<_> = attempts.iter().filter(|(_, signed)| in_block(chain.find(signed.txid).unwrap())).collect();
        assert_eq!(done.len(), 1, "withdrawal {n}");
        assert_eq!(rig.held(std::slice::from_ref(somebody)), Units(50_000_000 + n as u128));
        paid += 50_000_000 + n as u128;
        fees += done[0].0.fee.0;
    }
    assert_eq!(rig.held(&ours).0 + paid + fees, u128::from(cycles) * DEPOSIT, "on the chain is what the plans say");
}
