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
        let signer = SignerProcess::start(1_000_000_000, 200_000, &[]);
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
        for address in ours.keys() {
            self.node.pay(address, "1").unwrap();
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
        self.node.adapter().unspent(addresses).unwrap().units
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
