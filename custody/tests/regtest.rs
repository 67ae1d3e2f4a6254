//! The adapter on a real Bitcoin node of its own (regtest). What is signed is in the signer's tests.

use serde_json::{Value, json};
use xng_core::chain::{BlockHash, TxId, Units};
use xng_custody::bitcoin::satoshi;
use xng_custody::hex;
use xng_custody::port::{BroadcastError, ChainAdapter, ChainError, FeeRate, Found, Taken};
use xng_custody::private_node::PrivateNode;

/// Addresses of this test's own, which nobody can spend.
const OURS: [&str; 2] = [
    "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
    "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6",
];

fn txid(text: &str) -> TxId {
    TxId(hex::hash(text).expect("an id"))
}

fn raw(node: &PrivateNode, txid: &str) -> Vec<u8> {
    let text: String = node.call("getrawtransaction", json!([txid, 0])).unwrap();
    hex::decode(&text).unwrap()
}

#[test]
fn a_payment_is_seen_in_its_final_block_and_counted() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut chain = node.adapter();
    assert_eq!(chain.tip().unwrap().height, 101);
    assert_eq!(chain.final_height(), Ok(100));
    assert_eq!(chain.fee_rate(), Ok(FeeRate(1_000)), "a young node knows nothing: the floor");
    let first = chain.block(0).unwrap();
    assert_eq!((first.parent, first.transactions.len()), (None, 1));
    assert_eq!(chain.block(102), Err(ChainError::NoBlock(102)));

    let paid = node.pay(OURS[0], "0.12345678").unwrap();
    let second = node.pay(OURS[1], "20.00000001").unwrap();
    assert_eq!(chain.find(txid(&paid)), Ok(Found::InPool));
    node.mine(1).unwrap();
    let id = chain.tip().unwrap();
    assert_eq!(chain.find(txid(&paid)), Ok(Found::InBlock(id)));
    assert_eq!(chain.final_height(), Ok(101), "one confirmation is not enough");
    node.mine(1).unwrap();
    assert_eq!(chain.final_height(), Ok(102));

    let block = chain.block(102).unwrap();
    assert_eq!((block.id, block.parent), (id, Some(chain.block(101).unwrap().id.hash)));
    assert!(block.transactions[0].coinbase && block.transactions[0].spends.is_empty());
    for (paid, address, coins) in [(&paid, OURS[0], "0.12345678"), (&second, OURS[1], "20.00000001")] {
        let tx = block.transactions.iter().find(|tx| tx.txid == txid(paid)).unwrap();
        let ours = tx.outputs.iter().find(|output| output.address.as_deref() == Some(address)).unwrap();
        assert_eq!(ours.units, Units(satoshi(coins).unwrap().into()));
        assert!(!tx.coinbase && !tx.spends.is_empty());
    }

    let both = [OURS[0].to_owned(), OURS[1].to_owned(), OURS[0].to_uppercase()];
    let held = chain.unspent(&both).unwrap();
    assert_eq!((held.units(), held.outputs.len()), (Units(12_345_678 + 2_000_000_001), 2));
    assert!(held.outputs.iter().all(|output| output.height > 0 && output.height <= held.at.height));
    assert_eq!(held.at, chain.tip().unwrap());
    assert_eq!(chain.unspent(&[]).unwrap().outputs, []);
    assert!(matches!(chain.unspent(&["bc1q".into()]), Err(ChainError::Question(_))));
}

#[test]
fn the_same_bytes_may_be_sent_twice_and_a_spent_input_is_told() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut chain = node.adapter();
    let paid = node.pay(OURS[0], "1").unwrap();
    let bytes = raw(&node, &paid);
    assert_eq!(chain.broadcast(&bytes), Ok(Taken::InPool));
    // A second spend of the same input, which pays more and then less than the first.
    let bumped: Value = node.call("bumpfee", json!([paid])).unwrap();
    let new = bumped["txid"].as_str().unwrap();
    assert_eq!(chain.find(txid(&paid)), Ok(Found::Unknown), "the replacement took its place");
    assert!(matches!(chain.broadcast(&bytes), Err(BroadcastError::FeeTooLow(_))));
    let newer = raw(&node, new);
    node.mine(1).unwrap();
    assert_eq!(chain.broadcast(&newer), Ok(Taken::Known));
    assert!(matches!(chain.broadcast(&bytes), Err(BroadcastError::SpentElsewhere(_))));
    assert!(matches!(chain.broadcast(&[1, 2, 3]), Err(BroadcastError::Chain(ChainError::Question(_)))));
    assert_eq!(chain.find(TxId([7; 32])), Ok(Found::Unknown));
}

#[test]
fn a_reorganisation_shows_in_the_parents_and_takes_the_transaction_out_of_its_block() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut chain = node.adapter();
    let paid = node.pay(OURS[0], "1").unwrap();
    node.mine(2).unwrap();
    let (old, above) = (chain.block(102).unwrap(), chain.block(103).unwrap());
    let held: String = old.id.hash.to_string();
    node.call::<Value>("invalidateblock", json!([held])).unwrap();
    assert_eq!(chain.tip().unwrap().height, 101);
    assert_eq!(chain.find(txid(&paid)), Ok(Found::InPool));
    // The other branch has three blocks without it.
    for _ in 0..3 {
        let to: String = node.call("getnewaddress", json!([])).unwrap();
        node.call::<Value>("generateblock", json!([to, []])).unwrap();
    }
    let new = chain.block(103).unwrap();
    assert_ne!(new.parent, Some(old.id.hash));
    assert_ne!(new.id, above.id);
    assert_eq!(chain.block(102).unwrap().parent, old.parent, "the fork is below");
    assert_eq!(chain.unspent(&[OURS[0].to_owned()]).unwrap().units(), Units(0));
    node.mine(1).unwrap();
    assert_eq!(chain.find(txid(&paid)), Ok(Found::InBlock(chain.tip().unwrap())));
}

#[test]
fn a_transaction_that_a_reorganisation_made_void_is_unknown_although_the_index_had_it() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut chain = node.adapter();
    let paid = node.pay(OURS[0], "1").unwrap();
    let bytes = raw(&node, &paid);
    node.mine(1).unwrap();
    let tip: BlockHash = chain.tip().unwrap().hash;
    node.call::<Value>("invalidateblock", json!([tip.to_string()])).unwrap();
    let bumped: Value = node.call("bumpfee", json!([paid])).unwrap();
    node.mine(2).unwrap();
    assert_eq!(chain.find(txid(&paid)), Ok(Found::Unknown));
    assert!(matches!(chain.find(txid(bumped["txid"].as_str().unwrap())), Ok(Found::InBlock(_))));
    assert!(matches!(chain.broadcast(&bytes), Err(BroadcastError::SpentElsewhere(_))));
}

#[test]
fn a_node_that_is_killed_tells_that_it_is_away_and_takes_the_same_bytes_again() {
    let Some(mut node) = PrivateNode::start_or_tell() else { return };
    // The node writes its blocks down now and then, and when it is asked this.
    node.call::<Value>("gettxoutsetinfo", json!([])).unwrap();
    let before = node.adapter().tip().unwrap();
    let paid = node.pay(OURS[0], "1").unwrap();
    let bytes = raw(&node, &paid);
    let mut gone = node.adapter();
    node.kill();
    let away = gone.broadcast(&bytes);
    assert!(matches!(away, Err(BroadcastError::Chain(ChainError::Unreachable(_)))), "{away:?}");
    node.restart().unwrap();
    let mut chain = node.adapter();
    assert_eq!(chain.tip(), Ok(before));
    // Its pool is gone with it, unless its wallet told it again meanwhile.
    assert!(matches!(chain.find(txid(&paid)), Ok(Found::Unknown | Found::InPool)));
    assert_eq!(chain.broadcast(&bytes), Ok(Taken::InPool));
    node.mine(1).unwrap();
    assert_eq!(chain.find(txid(&paid)), Ok(Found::InBlock(chain.tip().unwrap())));
}

#[test]
fn a_node_of_another_network_is_refused() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut settings = node.settings();
    settings.network = xng_custody::bitcoin::Network::Main;
    let refused = xng_custody::bitcoin::Bitcoind::new(settings.clone()).tip();
    assert_eq!(refused, Err(ChainError::WrongChain { ours: "main".into(), theirs: "regtest".into() }));
    settings.auth = xng_custody::bitcoin::Auth::User { name: "somebody".into(), password: "else".into() };
    assert_eq!(xng_custody::bitcoin::Bitcoind::new(settings).tip(), Err(ChainError::Unauthorised));
}
