//! The adapter against nodes that lie, and addresses and transactions without a node.

use super::*;
use crate::liar::Liar;
use crate::port::{BroadcastError, ChainAdapter, ChainError, FeeRate, Found, Taken};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use xng_core::chain::{BlockHash, Coin, CoinTransaction, Key, Payment, Units};

fn node(liar: &Liar) -> Bitcoind {
    Bitcoind::new(Settings {
        url: liar.url.clone(),
        auth: Auth::User { name: "us".into(), password: "secret".into() },
        network: Network::Regtest,
        confirmations: 2,
        fees: FeeLimits { floor: FeeRate(1_000), cap: FeeRate(50_000), within_blocks: 6 },
        limits: Limits { answer: Duration::from_secs(2), scan: Duration::from_secs(5) },
    })
}

/// The first block of regtest, as a node tells it.
fn first_block() -> Value {
    let merkle = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
    json!({
        "hash": "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
        "height": 0, "version": 1, "merkleroot": merkle, "time": 1296688602, "nonce": 2, "bits": "207fffff",
        "tx": [{
            "txid": merkle,
            "vin": [{ "coinbase": "04ffff001d0104", "sequence": 4294967295_u32 }],
            "vout": [{ "value": 50, "n": 0, "scriptPubKey": { "hex": "0014751e76e8199196d454941c45d1b3a323f1433bd6" } }],
        }],
    })
}

fn tell(block: Value) -> Result<crate::port::Block, ChainError> {
    let liar = Liar::of(json!({ "getblockhash": first_block()["hash"], "getblock": block }));
    node(&liar).block(0)
}

#[test]
fn a_block_that_contradicts_itself_is_an_error() {
    let block = tell(first_block()).unwrap();
    assert_eq!(block.parent, None);
    let output = &block.transactions[0].outputs[0];
    assert_eq!(output.address.as_deref(), Some("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"));
    assert_eq!(output.units, Units(5_000_000_000));

    let lies: [(&str, Value); 24] = [
        ("/hash", json!("00".repeat(32))),
        ("/hash", json!("00")),
        ("/height", json!(1)),
        ("/height", json!(-1)),
        ("/version", json!(2)),
        ("/time", json!(1)),
        ("/nonce", json!(3)),
        ("/bits", json!("207ffffe")),
        ("/bits", json!("zz")),
        ("/merkleroot", json!("ab".repeat(32))),
        ("/tx/0/txid", json!("ab".repeat(32))),
        ("/tx/0/txid", json!("é".repeat(32))),
        ("/tx", json!([])),
        ("/tx", json!(null)),
        ("/tx", json!([first_block()["tx"][0], first_block()["tx"][0]])),
        ("/tx/0/vin", json!([])),
        ("/tx/0/vin/0", json!({ "txid": "ab".repeat(32), "vout": 0 })),
        ("/tx/0/vin/0", json!({})),
        ("/tx/0/vout/0/n", json!(1)),
        ("/tx/0/vout/0/value", json!(-1)),
        ("/tx/0/vout/0/value", json!(0.000000001)),
        ("/tx/0/vout/0/value", json!("50")),
        ("/tx/0/vout/0/scriptPubKey", json!({})),
        ("/tx/0/vout/0/scriptPubKey/hex", json!("0")),
    ];
    for (place, lie) in lies {
        let mut block = first_block();
        *block.pointer_mut(place).unwrap() = lie.clone();
        assert!(matches!(tell(block), Err(ChainError::Shape(_))), "{place}: {lie}");
    }
    let mut parent = first_block();
    parent["previousblockhash"] = json!("ab".repeat(32));
    assert!(matches!(tell(parent), Err(ChainError::Shape(_))));
}

#[test]
fn answers_that_are_none_are_told_apart() {
    type Expected = fn(&ChainError) -> bool;
    let info = || json!({ "chain": "regtest", "blocks": 1, "bestblockhash": "ab".repeat(32) });
    let whole = json!({ "result": info(), "error": null, "id": "ID" }).to_string();
    let fault =
        |code: i64| json!({ "result": null, "error": { "code": code, "message": "x" }, "id": "ID" }).to_string();
    let cases: Vec<(u16, String, Expected)> = vec![
        (401, String::new(), |e| *e == ChainError::Unauthorised),
        (403, String::new(), |e| *e == ChainError::Unauthorised),
        (503, "Work queue depth exceeded".into(), |e| matches!(e, ChainError::Unreachable(_))),
        (500, fault(-28), |e| matches!(e, ChainError::NotReady(_))),
        (500, fault(-1), |e| matches!(e, ChainError::Rpc { code: -1, .. })),
        (404, fault(-32_601), |e| matches!(e, ChainError::Rpc { code: -32_601, .. })),
        (200, String::new(), |e| matches!(e, ChainError::Shape(_))),
        (200, "[".repeat(100_000), |e| matches!(e, ChainError::Shape(_))),
        (200, "<html>".into(), |e| matches!(e, ChainError::Shape(_))),
        (200, whole.replace("\"ID\"", "77"), |e| matches!(e, ChainError::Shape(_))),
        (200, whole.replace("\"blocks\":1", "\"blocks\":1.5"), |e| matches!(e, ChainError::Shape(_))),
        (200, whole.replace("\"blocks\":1", "\"blocks\":-1"), |e| matches!(e, ChainError::Shape(_))),
        (200, whole.replace("regtest", "main"), |e| matches!(e, ChainError::WrongChain { .. })),
        (302, String::new(), |e| matches!(e, ChainError::Shape(_) | ChainError::Unreachable(_))),
    ];
    for (status, text, expected) in cases {
        let told = text.clone();
        let liar = Liar::new(move |_| (status, told.clone()));
        let error = node(&liar).tip().unwrap_err();
        assert!(expected(&error), "{status} {text:.100}: {error:?}");
    }
    let liar = Liar::new(move |_| (200, whole.clone()));
    let mut chain = node(&liar);
    assert_eq!(chain.tip().unwrap().hash, BlockHash([0xab; 32]));
    *liar.said.lock().unwrap() = Box::new(|_| {
        thread::sleep(Duration::from_secs(4));
        (200, String::new())
    });
    assert!(matches!(chain.tip(), Err(ChainError::Unreachable(_))), "it takes too long");
}

#[test]
fn fee_rates_stay_between_floor_and_cap() {
    let rate = |estimate: &'static str, least: &'static str| {
        let liar = Liar::new(move |method| {
            let pool = format!("{{\"mempoolminfee\":{least}}}");
            let result = if method == "estimatesmartfee" { estimate.to_owned() } else { pool };
            (200, format!("{{\"result\":{result},\"error\":null,\"id\":\"ID\"}}"))
        });
        node(&liar).fee_rate()
    };
    assert_eq!(rate(r#"{"errors":["Insufficient data"]}"#, "0.00000100"), Ok(FeeRate(1_000)));
    assert_eq!(rate(r#"{"feerate":0.00012345}"#, "0.00001000"), Ok(FeeRate(12_345)));
    assert_eq!(rate(r#"{"feerate":0.00002}"#, "0.0003"), Ok(FeeRate(30_000)));
    assert_eq!(rate(r#"{"feerate":1.5}"#, "0.00001"), Ok(FeeRate(50_000)));
    assert!(matches!(rate(r#"{"feerate":-1}"#, "0.00001"), Err(ChainError::Shape(_))));
    assert!(matches!(rate(r#"{"feerate":null}"#, "0.00001"), Err(ChainError::Shape(_))));
    assert!(matches!(rate("{}", "1e-5"), Err(ChainError::Shape(_))));
}

#[test]
fn refusals_of_a_transaction_are_told_apart() {
    let plan = plan();
    let raw = Unsigned::new(&plan, &accounts(), Network::Regtest).unwrap().to_bytes();
    let says = |code: i64, message: &str| {
        let answer = json!({ "result": null, "error": { "code": code, "message": message }, "id": "ID" }).to_string();
        node(&Liar::new(move |_| (500, answer.clone()))).broadcast(&raw)
    };
    assert_eq!(says(-27, "Transaction outputs already in utxo set"), Ok(Taken::Known));
    assert_eq!(says(-26, "txn-already-known"), Ok(Taken::Known));
    for (code, message) in [(-25, "bad-txns-inputs-missingorspent"), (-26, "txn-mempool-conflict")] {
        assert!(matches!(says(code, message), Err(BroadcastError::SpentElsewhere(_))), "{message}");
    }
    for message in ["min relay fee not met, 0 < 110", "insufficient fee, rejecting replacement ab", "mempool full"] {
        assert!(matches!(says(-26, message), Err(BroadcastError::FeeTooLow(_))), "{message}");
    }
    for (code, message) in [(-26, "dust"), (-25, "Fee exceeds maximum"), (-22, "TX decode failed")] {
        assert!(matches!(says(code, message), Err(BroadcastError::Refused(_))), "{message}");
    }
    assert!(matches!(says(-28, "Loading"), Err(BroadcastError::Chain(ChainError::NotReady(_)))));
    assert!(matches!(says(-32_601, "no method"), Err(BroadcastError::Chain(ChainError::Rpc { .. }))));
    let other = node(&Liar::of(json!({ "sendrawtransaction": "ab".repeat(32) }))).broadcast(&raw);
    assert!(matches!(other, Err(BroadcastError::Chain(ChainError::Shape(_)))), "it took another one");
}

#[test]
fn a_node_without_an_index_never_says_that_a_transaction_is_unknown() {
    let find = |indexes: Value| {
        let info = json!({ "chain": "regtest", "blocks": 1, "bestblockhash": "ab".repeat(32) });
        let liar = Liar::new(move |method| {
            let result = if method == "getblockchaininfo" { info.clone() } else { indexes.clone() };
            let missing = json!({ "code": -5, "message": "No such mempool transaction" });
            match method {
                "getrawtransaction" => (500, json!({ "result": null, "error": missing, "id": "ID" }).to_string()),
                _ => (200, json!({ "result": result, "error": null, "id": "ID" }).to_string()),
            }
        });
        node(&liar).find(xng_core::chain::TxId([1; 32]))
    };
    assert!(matches!(find(json!({})), Err(ChainError::Settings(_))));
    assert!(matches!(find(json!({ "txindex": { "synced": false } })), Err(ChainError::NotReady(_))));
    assert_eq!(find(json!({ "txindex": { "synced": true } })), Ok(Found::Unknown));
}

#[test]
fn a_password_is_not_printed() {
    let liar = Liar::of(json!({}));
    assert!(!format!("{:?}", node(&liar)).contains("secret"));
}

/// The account of BIP 84's words on test networks.
const TPUB: &str =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
/// The same words' account on the main network, in the ordinary form of extended keys.
const XPUB: &str =
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";

fn accounts() -> [Account; 1] {
    [Account::new(TPUB, Network::Regtest).unwrap()]
}

fn key(index: u32) -> Key {
    Key { ring: 0, change: false, index }
}

#[test]
fn our_addresses_are_those_of_the_standard() {
    let account = Account::new(XPUB, Network::Main).unwrap();
    assert_eq!(account.address(key(0)).unwrap(), "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
    assert_eq!(account.address(key(1)).unwrap(), "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g");
    let change = Key { change: true, ..key(0) };
    assert_eq!(account.address(change).unwrap(), "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
    assert_eq!(account.address(Key { ring: 1, ..key(0) }), Err(AddressError::WrongAccount));
    assert_eq!(account.address(key(1 << 31)), Err(AddressError::NoChild));
    assert_eq!(Account::new(XPUB, Network::Regtest).unwrap_err(), AddressError::NotAnAccount);
    assert_eq!(Account::new(TPUB, Network::Main).unwrap_err(), AddressError::NotAnAccount);
    assert_eq!(Account::new(&XPUB[..110], Network::Main).unwrap_err(), AddressError::NotAnAccount);
    assert!(accounts()[0].address(key(0)).unwrap().starts_with("bcrt1q"));
}

#[test]
fn destinations_of_every_kind_that_is_paid_and_no_other() {
    let main = |text: &str| destination(text, Network::Main);
    let paid = [
        "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
    ];
    for (text, script_bytes) in paid.into_iter().zip([25, 23, 22, 34, 34]) {
        assert_eq!(main(text).as_deref(), Ok(text));
        assert_eq!(checked(text, Network::Main), Ok(Destination { address: text.to_owned(), script_bytes }));
        assert_eq!(checked(text, Network::Regtest), Err(AddressError::WrongNetwork));
        assert_eq!(destination(text, Network::Regtest), Err(AddressError::WrongNetwork));
    }
    assert_eq!(main("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4").as_deref(), Ok(paid[2]));
    // A future version of witnesses.
    assert_eq!(main("bc1sw50qgdz25j"), Err(AddressError::Kind));
    for text in ["", "bc1", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", XPUB] {
        assert_eq!(main(text), Err(AddressError::Malformed), "{text}");
    }
    assert_eq!(main(" bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"), Err(AddressError::Malformed));
}

fn plan() -> CoinTransaction {
    let at = xng_core::chain::OutPoint { txid: xng_core::chain::TxId([0xab; 32]), n: 1 };
    CoinTransaction {
        inputs: vec![Coin { at, units: Units(100_000), key: key(7) }],
        payments: vec![Payment {
            address: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080".into(),
            units: Units(60_000),
        }],
        change: Some((Key { change: true, ..key(0) }, Units(39_000))),
        fee: Units(1_000),
    }
}

/// An id that changes is a withdrawal that is planned twice: releases must agree.
#[test]
fn the_same_plan_gives_the_same_transaction_for_ever() {
    let unsigned = Unsigned::new(&plan(), &accounts(), Network::Regtest).unwrap();
    let bytes = crate::hex::encode(&unsigned.to_bytes());
    assert!(bytes.starts_with(&format!("0200000001{}0100000000fdffffff02", "ab".repeat(32))), "{bytes}");
    assert_eq!(unsigned.txid().to_string(), "190923f17b8a785c6fffe6e02c8cc85676ab27d0d8f79351d50aa332725c7cef");
}

#[test]
fn a_plan_that_is_no_transaction_says_why() {
    let made = |change: &dyn Fn(&mut CoinTransaction)| {
        let mut plan = plan();
        change(&mut plan);
        Unsigned::new(&plan, &accounts(), Network::Regtest).map(|unsigned| unsigned.txid())
    };
    use TransactionError::{Dust, Empty, InputTwice, Range, WrongSum};
    assert_eq!(made(&|plan| plan.inputs.clear()), Err(Empty));
    assert_eq!(made(&|plan| plan.inputs.extend(plan.inputs.clone())), Err(InputTwice));
    assert_eq!(made(&|plan| plan.fee = Units(999)), Err(WrongSum));
    assert_eq!(made(&|plan| plan.fee = Units(u128::MAX)), Err(Range));
    assert_eq!(made(&|plan| plan.inputs[0].units = Units(u128::MAX)), Err(Range));
    assert_eq!(made(&|plan| plan.payments[0].units = Units(100)), Err(Dust));
    assert_eq!(made(&|plan| plan.payments[0].address = "x".into()), Err(AddressError::Malformed.into()));
    assert_eq!(made(&|plan| plan.inputs[0].key.ring = 1), Err(AddressError::WrongAccount.into()));
    let only = |plan: &mut CoinTransaction| {
        plan.payments.clear();
        plan.change = None;
    };
    assert_eq!(made(&only), Err(Empty));
    let mut other = plan();
    other.payments[0].units = Units(60_001);
    other.fee = Units(999);
    let raw = Unsigned::new(&plan(), &accounts(), Network::Regtest).unwrap().to_bytes();
    let verify = |raw: &[u8], plan: &CoinTransaction| Unsigned::verify(raw, plan, &accounts(), Network::Regtest);
    assert_eq!(verify(&raw, &plan()), Err(TransactionError::NotSigned(0)));
    assert_eq!(verify(&raw, &other), Err(TransactionError::Another));
    assert_eq!(verify(&raw[1..], &plan()), Err(TransactionError::Bytes));
}

#[test]
fn sizes_are_those_of_the_forms() {
    let size = |inputs, addresses: &[&str], change| planned_size(inputs, addresses, change, Network::Main).unwrap();
    let ours = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
    // 141 is the well-known size of one input and two outputs of this kind.
    assert_eq!(size(1, &[ours], true), 141);
    assert_eq!(size(2, &[ours], true), 209);
    assert_eq!(size(1, &["3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"], false), 111);
    assert_eq!(planned_size(1, &["x"], true, Network::Main), Err(AddressError::Malformed));
}

/// Every place of a value, and every value in it.
fn places(of: &Value, at: String, found: &mut Vec<String>) {
    match of {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| places(value, format!("{at}/{name}"), found)),
        Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| places(item, format!("{at}/{n}"), found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found.push(at);
}

#[test]
fn no_value_at_any_place_of_a_block_makes_a_panic_or_another_block() {
    let truth = tell(first_block()).unwrap();
    let mut all = Vec::new();
    places(&first_block(), String::new(), &mut all);
    assert!(all.len() > 15);
    let odd = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("é\u{0}"),
        json!("f".repeat(64)),
        json!("F".repeat(100_000)),
        json!([]),
        json!({}),
        json!([[[[]]]]),
        json!([null, null]),
    ];
    let told = Arc::new(Mutex::new(Value::Null));
    let answer = Arc::clone(&told);
    let liar = Liar::new(move |method| {
        let block = answer.lock().unwrap().clone();
        let result = if method == "getblock" { block } else { first_block()["hash"].clone() };
        (200, json!({ "result": result, "error": null, "id": "ID" }).to_string())
    });
    let mut node = node(&liar);
    for place in all {
        for odd in &odd {
            let mut block = first_block();
            *block.pointer_mut(&place).unwrap() = odd.clone();
            *told.lock().unwrap() = block;
            match node.block(0) {
                // What pays the miner, and to whom, is not covered by the hash: it is the node's word.
                Ok(block) => assert_eq!((block.id, block.transactions.len()), (truth.id, 1), "{place}: {odd:.80}"),
                Err(error) => assert!(matches!(error, ChainError::Shape(_)), "{place}: {odd:.80}: {error}"),
            }
        }
    }
}

/// Prints how long it took; the main network's blocks have up to 5,000 or so.
#[test]
fn a_block_of_five_thousand_transactions_is_read_whole() {
    use library::hashes::Hash;
    let wide = |n: u32| format!("{n:08x}").repeat(8);
    let mut block = first_block();
    let script = first_block()["tx"][0]["vout"][0]["scriptPubKey"].clone();
    let many = (1..5_000).map(|n| {
        let input = json!({ "txid": wide(n), "vout": 1, "sequence": 4_294_967_293_u32, "txinwitness": [wide(n), wide(n)] });
        let output = |place: u32| json!({ "value": 0.5, "n": place, "scriptPubKey": script });
        json!({ "txid": wide(n + 10_000), "vin": [input, input], "vout": [output(0), output(1)], "hex": wide(n).repeat(12) })
    });
    block["tx"].as_array_mut().unwrap().extend(many);
    // The header that such a block would have.
    let hash = |text: &Value| {
        let mut bytes = crate::hex::hash(text.as_str().unwrap()).unwrap();
        bytes.reverse();
        bytes
    };
    let ids =
        block["tx"].as_array().unwrap().iter().map(|tx| library::TxMerkleNode::from_byte_array(hash(&tx["txid"])));
    let merkle_root = library::merkle_tree::calculate_root(ids).unwrap();
    let header = library::block::Header {
        version: library::block::Version::from_consensus(1),
        prev_blockhash: library::BlockHash::all_zeros(),
        merkle_root,
        time: 1_296_688_602,
        bits: library::CompactTarget::from_consensus(0x207f_ffff),
        nonce: 2,
    };
    block["merkleroot"] = json!(merkle_root.to_string());
    block["hash"] = json!(header.block_hash().to_string());
    let liar = Liar::of(json!({ "getblockhash": block["hash"], "getblock": block }));
    let mut node = node(&liar);
    let began = std::time::Instant::now();
    let read = node.block(0).unwrap();
    println!("{} transactions in {:?}", read.transactions.len(), began.elapsed());
    assert_eq!(read.transactions.len(), 5_000);
    assert!(read.transactions[1..].iter().all(|tx| tx.outputs[1].units == Units(50_000_000) && tx.spends.len() == 2));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        for network in [Network::Main, Network::Test, Network::Regtest] {
            let _read = destination(&text, network);
            proptest::prop_assert!(Account::new(&text, network).is_err());
        }
        proptest::prop_assert!(satoshi(&text).is_none_or(|units| units <= 2_100_000_000_000_000));
        if let Some(bytes) = crate::hex::decode(&text) {
            proptest::prop_assert_eq!(crate::hex::encode(&bytes), text.to_lowercase());
        }
        let read = Unsigned::verify(&bytes, &plan(), &accounts(), Network::Regtest);
        proptest::prop_assert!(read.is_err());
    }

    #[test]
    fn every_amount_comes_back_from_its_text(units in 0..=2_100_000_000_000_000_u64) {
        let text = format!("{}.{:08}", units / 100_000_000, units % 100_000_000);
        proptest::prop_assert_eq!(satoshi(&text), Some(units));
    }
}
