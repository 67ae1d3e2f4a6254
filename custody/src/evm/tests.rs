//! The adapter against nodes that lie, and addresses and transactions without a node.

use super::block::Envelope;
use super::*;
use crate::liar::Liar;
use crate::port::{BroadcastError, ChainError, Found, Taken};
use alloy_consensus::proofs::{calculate_receipt_root, calculate_transaction_root};
use alloy_consensus::transaction::{TxEip2930, TxEip4844, TxEip7702, TxLegacy};
use alloy_consensus::{Header, Receipt, ReceiptEnvelope, SignableTransaction, TxEip1559};
use alloy_eips::eip2718::Encodable2718;
use alloy_primitives::{Address as Place, Bytes, Log, TxKind};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::str::FromStr;
use std::time::Duration;
use xng_core::chain::{AccountTransaction, BlockHash, Key, Recipient, TxId};

const TOKEN: Address = Address([0x70; 20]);
const FALSE_TOKEN: Address = Address([0x71; 20]);
const TO: Address = Address([0x42; 20]);
const GWEI: u128 = 1_000_000_000;

fn node(liar: &Liar) -> Evm {
    Evm::new(Settings {
        url: liar.url.clone(),
        auth: Auth::User { name: "us".into(), password: "secret".into() },
        chain_id: 1,
        finality: Finality::Tag,
        tokens: vec![TOKEN],
        fees: FeeLimits {
            floor: GasFee { max_fee_per_gas: 3 * GWEI, max_priority_fee_per_gas: GWEI },
            cap: GasFee { max_fee_per_gas: 50 * GWEI, max_priority_fee_per_gas: 5 * GWEI },
        },
        gas_cap: 100_000,
        limits: Limits { answer: Duration::from_secs(2), scan: Duration::from_secs(5) },
    })
}

fn signature() -> Signature {
    Signature::new(U256::from(1), U256::from(9), false)
}

/// One transaction of each kind; what signed them is nobody's key.
fn envelopes() -> Vec<Envelope> {
    let (to, gas_limit, value) = (TxKind::Call(Place::from(TO.0)), 21_000, U256::from(5));
    let (max_fee_per_gas, max_priority_fee_per_gas) = (20 * GWEI, GWEI);
    let legacy = TxLegacy { chain_id: Some(1), nonce: 1, gas_price: 11 * GWEI, gas_limit, to, ..Default::default() };
    let listed = TxEip2930 { chain_id: 1, nonce: 2, gas_price: 12 * GWEI, gas_limit, to, value, ..Default::default() };
    let bid = TxEip1559 { chain_id: 1, nonce: 3, gas_limit, max_fee_per_gas, ..Default::default() };
    let bid = TxEip1559 { max_priority_fee_per_gas, to, value, input: Bytes::from(vec![1, 2]), ..bid };
    let blob = TxEip4844 { chain_id: 1, nonce: 4, gas_limit, max_fee_per_gas, ..Default::default() };
    let blob = TxEip4844 { to: Place::from(TO.0), value, max_fee_per_blob_gas: 1, ..blob };
    let code = TxEip7702 { chain_id: 1, nonce: 5, gas_limit, max_fee_per_gas, ..Default::default() };
    let code = TxEip7702 { to: Place::from(TO.0), value, max_priority_fee_per_gas, ..code };
    let made = TxEip1559 { chain_id: 1, nonce: 6, gas_limit, max_fee_per_gas, value, ..Default::default() };
    vec![
        Envelope::Legacy(TxLegacy { value, ..legacy }.into_signed(signature())),
        Envelope::Eip2930(listed.into_signed(signature())),
        Envelope::Eip1559(bid.into_signed(signature())),
        Envelope::Eip4844(blob.into_signed(signature())),
        Envelope::Eip7702(code.into_signed(signature())),
        Envelope::Eip1559(made.into_signed(signature())),
    ]
}

fn topic(address: Address) -> B256 {
    B256::left_padding_from(&address.0)
}

fn log(contract: Address, topics: Vec<B256>, data: Vec<u8>) -> Log {
    Log::new_unchecked(Place::from(contract.0), topics, Bytes::from(data))
}

/// Logs of the first transaction: of these only one tells a transfer of a listed token.
fn logs() -> Vec<Log> {
    let what = keccak256("Transfer(address,address,uint256)");
    let word = |n: u128| U256::from(n).to_be_bytes::<32>().to_vec();
    let (from, to) = (topic(Address([9; 20])), topic(TO));
    vec![
        log(FALSE_TOKEN, vec![what, from, to], word(1_000)),
        log(TOKEN, vec![what, from, to], word(1_000)),
        log(TOKEN, vec![what, from, to], word(0)),
        log(TOKEN, vec![what, from, to], U256::MAX.to_be_bytes::<32>().to_vec()),
        log(TOKEN, vec![what, from, to, to], Vec::new()),
        log(TOKEN, vec![what, from], word(1_000)),
        log(TOKEN, vec![keccak256("Approval(address,address,uint256)"), from, to], word(1_000)),
        log(TOKEN, vec![what, from, B256::repeat_byte(0x42)], word(1_000)),
        log(TOKEN, vec![what, from, to], vec![1]),
    ]
}

/// Block and receipts as a node tells them.
fn told() -> (Value, Value) {
    let envelopes = envelopes();
    let receipt = |(n, envelope): (usize, &Envelope)| {
        let logs = if n < 2 { logs() } else { Vec::new() };
        // The third one failed.
        let receipt = Receipt { status: (n != 2).into(), cumulative_gas_used: 21_000 * (n as u64 + 1), logs };
        ReceiptEnvelope::from_typed(envelope.tx_type(), receipt.with_bloom())
    };
    let receipts: Vec<ReceiptEnvelope> = envelopes.iter().enumerate().map(receipt).collect();
    told_of(&envelopes, &receipts)
}

fn told_of(envelopes: &[Envelope], receipts: &[ReceiptEnvelope]) -> (Value, Value) {
    let header = Header {
        number: 7,
        parent_hash: B256::repeat_byte(0xab),
        base_fee_per_gas: Some(10_000_000_000),
        transactions_root: calculate_transaction_root(envelopes),
        receipts_root: calculate_receipt_root(receipts),
        ..Default::default()
    };
    let mut block = serde_json::to_value(&header).unwrap();
    block["hash"] = json!(header.hash_slow());
    block["size"] = json!("0x1");
    block["transactions"] = json!(envelopes);
    (block, json!(receipts))
}

fn tell(block: &Value, receipts: &Value) -> Result<Block, ChainError> {
    let liar = Liar::of(json!({ "eth_getBlockByNumber": block, "eth_getBlockReceipts": receipts }));
    node(&liar).block(7)
}

#[test]
fn every_kind_of_transaction_is_read_and_only_listed_tokens_are() {
    let (block, receipts) = told();
    let read = tell(&block, &receipts).unwrap();
    assert_eq!(read.parent, Some(BlockHash([0xab; 32])));
    assert_eq!(read.id.height, 7);
    let nonces: Vec<u64> = read.transactions.iter().map(|tx| tx.nonce).collect();
    assert_eq!(nonces, [1, 2, 3, 4, 5, 6]);
    let ids = read.transactions.iter().map(|tx| tx.txid);
    assert!(ids.eq(envelopes().iter().map(|envelope| TxId(keccak256(envelope.encoded_2718()).0))));
    let prices = [11, 12, 11, 10, 11, 10].map(|gwei| Units(21_000 * gwei * GWEI));
    assert!(read.transactions.iter().map(|tx| tx.fee).eq(prices));
    let sum = |tx: &Transaction| tx.transfers.len();
    assert_eq!(read.transactions.iter().map(sum).collect::<Vec<_>>(), [2, 2, 0, 1, 1, 0], "failed and made: nothing");
    let [first, second, ..] = &read.transactions[..] else { panic!("two") };
    let native = Transfer { asset: Asset::Native, from: first.sender, to: TO, units: Units(5) };
    let token = |log| Transfer {
        asset: Asset::Token { contract: TOKEN, log },
        from: Address([9; 20]),
        to: TO,
        units: Units(1_000),
    };
    assert_eq!(first.transfers, [native, token(1)]);
    assert_eq!(second.transfers[1], token(10), "numbers of logs go on through the block");
    assert!(!read.transactions[2].success);
}

#[test]
fn a_block_that_contradicts_itself_is_an_error() {
    let (block, receipts) = told();
    let lies: Vec<(&str, Value)> = vec![
        ("/hash", json!(B256::ZERO)),
        ("/hash", json!("0x00")),
        ("/number", json!("0x8")),
        ("/parentHash", json!(B256::ZERO)),
        ("/baseFeePerGas", json!("0x1")),
        ("/baseFeePerGas", json!(null)),
        ("/receiptsRoot", json!(B256::ZERO)),
        ("/transactionsRoot", json!(B256::ZERO)),
        ("/timestamp", json!("0xffffffffffffffffff")),
        ("/transactions", json!([])),
        ("/transactions", json!(null)),
        ("/transactions", json!([block["transactions"][0]])),
        ("/transactions/0/value", json!("0x6")),
        ("/transactions/0/value", json!("0x")),
        ("/transactions/0/value", json!(-1)),
        ("/transactions/0/to", json!(Place::ZERO)),
        ("/transactions/0/nonce", json!("0x2")),
        ("/transactions/0/r", json!("0x8")),
        ("/transactions/3/type", json!("0x2")),
        ("/transactions/3/type", json!("0x77")),
    ];
    for (place, lie) in lies {
        let mut block = block.clone();
        *block.pointer_mut(place).unwrap() = lie.clone();
        let said = tell(&block, &receipts);
        assert!(matches!(said, Err(ChainError::Shape(_))), "{place}: {lie}: {said:?}");
    }
    let lies: Vec<(&str, Value)> = vec![
        ("", json!([])),
        ("", json!("x")),
        ("", json!([receipts[0]])),
        ("/0/status", json!("0x0")),
        ("/0/logs", json!([])),
        ("/0/logs/1/address", json!(Place::ZERO)),
        ("/0/logs/1/data", json!("0x0")),
        ("/0/logs/1/data", json!(B256::repeat_byte(1))),
        ("/0/logs/1/topics/2", json!(B256::ZERO)),
        ("/0/logs/1/topics", json!([B256::ZERO, B256::ZERO, B256::ZERO, B256::ZERO, B256::ZERO])),
        ("/1/cumulativeGasUsed", json!("0x1")),
        ("/2/type", json!("0x0")),
    ];
    for (place, lie) in lies {
        let mut receipts = receipts.clone();
        *receipts.pointer_mut(place).unwrap() = lie.clone();
        let said = tell(&block, &receipts);
        assert!(matches!(said, Err(ChainError::Shape(_))), "{place}: {lie}: {said:?}");
    }
    assert_eq!(tell(&Value::Null, &receipts), Err(ChainError::NoBlock(7)));
    assert_eq!(tell(&block, &Value::Null), Err(ChainError::Moved), "the block is gone");
}

/// The first block of Ethereum, with the hash that everybody knows.
#[test]
fn the_first_block_of_the_main_network_is_proven() {
    let empty = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
    let block = json!({
        "hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
        "parentHash": B256::ZERO, "mixHash": B256::ZERO, "miner": Place::ZERO, "logsBloom": alloy_primitives::Bloom::ZERO,
        "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
        "stateRoot": "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
        "transactionsRoot": empty, "receiptsRoot": empty, "difficulty": "0x400000000", "number": "0x0",
        "gasLimit": "0x1388", "gasUsed": "0x0", "timestamp": "0x0", "nonce": "0x0000000000000042",
        "extraData": "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
        "totalDifficulty": "0x400000000", "size": "0x21c", "uncles": [], "transactions": [],
    });
    let liar = Liar::of(json!({ "eth_getBlockByNumber": block, "eth_getBlockReceipts": [] }));
    let read = node(&liar).block(0).unwrap();
    assert_eq!((read.parent, read.transactions), (None, vec![]));
}

/// Its first transaction: id and sender are those of the explorers.
#[test]
fn the_first_transaction_of_the_main_network_has_its_id_and_sender() {
    let envelope: Envelope = serde_json::from_value(json!({
        "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060", "type": "0x0",
        "from": "0xa1e4380a3b1f749673e270229993ee55f35663b4", "to": "0x5df9b87991262f6ba471f09758cde1c0fc1de734",
        "nonce": "0x0", "gas": "0x5208", "gasPrice": "0x2d79883d2000", "value": "0x7a69", "input": "0x", "v": "0x1c",
        "r": "0x88ff6cf0fefd94db46111149ae4bfc179e9b94721fffd821d38d16464b3f71d0",
        "s": "0x45e0aff800961cfce805daef7016b9b675c137a6a41a548f7b60a3484c06a33a",
    }))
    .unwrap();
    let receipt = Receipt { status: true.into(), cumulative_gas_used: 21_000, logs: Vec::new() };
    let (block, receipts) = told_of(&[envelope], &[ReceiptEnvelope::Legacy(receipt.with_bloom())]);
    let read = tell(&block, &receipts).unwrap();
    let [tx] = &read.transactions[..] else { panic!("{read:?}") };
    assert_eq!(tx.txid.to_string(), "5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060");
    let (from, to) = ("0xa1e4380a3b1f749673e270229993ee55f35663b4", "0x5df9b87991262f6ba471f09758cde1c0fc1de734");
    let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
    assert_eq!(tx.transfers, [Transfer { asset: Asset::Native, from, to, units: Units(31_337) }]);
    assert_eq!((tx.sender, tx.fee), (from, Units(21_000 * 50_000 * GWEI)));
}

#[test]
fn a_node_without_a_final_block_is_not_ready() {
    let says = |answer: Value| {
        let answer = answer.to_string();
        let liar = Liar::new(move |method| match method {
            "eth_chainId" => (200, json!({ "result": "0x1", "id": "ID" }).to_string()),
            _ => (200, answer.clone()),
        });
        node(&liar).final_block()
    };
    let fault = |code: i64, message: &str| json!({ "error": { "code": code, "message": message }, "id": "ID" });
    assert!(matches!(says(json!({ "result": null, "id": "ID" })), Err(ChainError::NotReady(_))));
    assert!(matches!(says(fault(-32_000, "finalized block not found")), Err(ChainError::NotReady(_))));
    assert!(matches!(says(fault(-39_001, "Unknown block")), Err(ChainError::NotReady(_))));
    assert!(matches!(says(fault(-32_602, "invalid argument 0: hex string without 0x")), Err(ChainError::Rpc { .. })));
}

#[test]
fn fees_stay_between_floor_and_cap() {
    let fee = |base: u64, advice: Value| {
        let header = Header { base_fee_per_gas: Some(base), ..Default::default() };
        let mut block = serde_json::to_value(&header).unwrap();
        block["hash"] = json!(header.hash_slow());
        let rewards = json!([["0x77359400"], ["0x3b9aca00"], ["0xb2d05e00"]]);
        let answer = Liar::new(move |method| {
            let result = match method {
                "eth_maxPriorityFeePerGas" if advice.is_null() => {
                    return (200, json!({ "error": { "code": -32_601, "message": "x" }, "id": "ID" }).to_string());
                }
                "eth_maxPriorityFeePerGas" => advice.clone(),
                "eth_feeHistory" => json!({ "reward": rewards }),
                _ => block.clone(),
            };
            (200, json!({ "result": result, "id": "ID" }).to_string())
        });
        node(&answer).fee().map(|fee| (fee.max_fee_per_gas, fee.max_priority_fee_per_gas))
    };
    assert_eq!(fee(10_000_000_000, json!("0x77359400")), Ok((22 * GWEI, 2 * GWEI)));
    assert_eq!(fee(1, json!("0x0")), Ok((3 * GWEI, GWEI)), "the floors");
    assert_eq!(fee(u64::MAX, json!(U256::MAX)), Ok((50 * GWEI, 5 * GWEI)), "the caps");
    assert_eq!(fee(10_000_000_000, Value::Null), Ok((22 * GWEI, 2 * GWEI)), "the median of what was paid");
    assert!(matches!(fee(1, json!("ten")), Err(ChainError::Shape(_))));
}

#[test]
fn refusals_of_a_transaction_are_told_apart() {
    let raw = envelopes()[2].encoded_2718();
    let says = |code: i64, message: &str| {
        let answer = json!({ "error": { "code": code, "message": message }, "id": "ID" }).to_string();
        node(&Liar::new(move |_| (200, answer.clone()))).broadcast(&raw)
    };
    for message in ["already known", "transaction already imported", "Known transaction", "AlreadyKnown"] {
        assert_eq!(says(-32_000, message), Ok(Taken::Known), "{message}");
    }
    for message in ["nonce too low: next nonce 5, tx nonce 1", "Nonce too low", "OldNonce, current nonce: 3"] {
        assert!(matches!(says(-32_003, message), Err(BroadcastError::SpentElsewhere(_))), "{message}");
    }
    let fees =
        ["transaction underpriced", "replacement transaction underpriced", "max fee per gas less than block base fee"];
    for message in fees {
        assert!(matches!(says(-32_000, message), Err(BroadcastError::FeeTooLow(_))), "{message}");
    }
    for message in ["insufficient funds for gas * price + value", "intrinsic gas too low", "Unknown transaction type"] {
        assert!(matches!(says(-32_000, message), Err(BroadcastError::Refused(_))), "{message}");
    }
    assert!(matches!(says(-32_601, "no method"), Err(BroadcastError::Chain(ChainError::Rpc { .. }))));
    let other = node(&Liar::of(json!({ "eth_sendRawTransaction": B256::ZERO }))).broadcast(&raw);
    assert!(matches!(other, Err(BroadcastError::Chain(ChainError::Shape(_)))), "it took another one");
    assert!(matches!(
        node(&Liar::of(json!({}))).broadcast(&[2, 1]),
        Err(BroadcastError::Chain(ChainError::Question(_)))
    ));
}

#[test]
fn answers_to_many_questions_find_their_question_and_a_missing_one_is_an_error() {
    let at = BlockHash([1; 32]);
    let word = |n: u128| json!(B256::from(U256::from(n)));
    let holds = |native: Value, token: Value| {
        let liar = Liar::of(json!({ "eth_getBalance": native, "eth_call": token }));
        node(&liar).balances(&[TO, TOKEN], &[TOKEN], at)
    };
    let balance = |address| Balance { address, native: Units(255), tokens: vec![Units(1_000)] };
    assert_eq!(holds(json!("0xff"), word(1_000)), Ok(vec![balance(TO), balance(TOKEN)]));
    let wrong = [
        (json!("0x"), word(1)),
        (json!("255"), word(1)),
        (json!(format!("0x1{}", "0".repeat(32))), word(1)),
        (json!("0x0"), json!("0x")),
        (json!("0x0"), json!(U256::MAX)),
        (json!("0x0"), json!(null)),
        (json!("0x0"), json!(format!("{}00", B256::ZERO))),
    ];
    for (native, token) in wrong {
        assert!(matches!(holds(native.clone(), token.clone()), Err(ChainError::Shape(_))), "{native} {token}");
    }
    let fault = |code: i64, message: &str| {
        let answer = json!({ "error": { "code": code, "message": message }, "id": "ID" }).to_string();
        node(&Liar::new(move |_| (200, answer.clone()))).balances(&[TO], &[], at)
    };
    for message in ["header not found", "header for hash not found", "hash is not currently canonical"] {
        assert_eq!(fault(-32_000, message), Err(ChainError::Moved), "{message}");
    }
    assert!(matches!(fault(-32_601, "Method not found"), Err(ChainError::Rpc { .. })));
    assert!(matches!(fault(-32_000, "missing trie node: not found"), Err(ChainError::Rpc { .. })));
    let twice = node(&Liar::new(|_| (200, json!({ "result": "0x1", "id": 1 }).to_string())));
    let mut twice = twice;
    assert!(matches!(twice.balances(&[TO, TO], &[], at), Err(ChainError::Shape(_))), "two answers to one question");
    assert_eq!(node(&Liar::of(json!({}))).balances(&[], &[], at), Ok(vec![]));
}

#[test]
fn a_transaction_that_moves_while_it_is_looked_for_is_never_unknown() {
    let id = TxId([5; 32]);
    let (block, _) = told();
    let find = |located: Value, receipt: Value, chain: &str| {
        let answers = json!({
            "eth_chainId": chain, "eth_getBlockByNumber": block,
            "eth_getTransactionByHash": located, "eth_getTransactionReceipt": receipt,
        });
        node(&Liar::of(answers)).find(id)
    };
    let hash = json!(B256::from(id.0));
    let (ours, other) = (block["hash"].clone(), json!(B256::ZERO));
    let located = |block: &Value| json!({ "hash": hash, "blockHash": block });
    let receipt = |block: &Value, status: &str| {
        let mut receipt = json!({ "transactionHash": hash, "blockHash": block, "blockNumber": "0x7" });
        receipt["status"] = json!(status);
        receipt
    };
    assert_eq!(find(Value::Null, Value::Null, "0x1"), Ok(Located { found: Found::Unknown, success: None }));
    let waits = find(located(&Value::Null), Value::Null, "0x1");
    assert_eq!(waits, Ok(Located { found: Found::InPool, success: None }));
    for (status, success) in [("0x0", false), ("0x1", true)] {
        let found = find(located(&ours), receipt(&ours, status), "0x1").unwrap();
        assert!(matches!(found, Located { found: Found::InBlock(_), success: Some(it) } if it == success));
    }
    for receipt in [Value::Null, receipt(&other, "0x1")] {
        assert_eq!(find(located(&ours), receipt, "0x1"), Err(ChainError::Moved));
    }
    assert_eq!(find(located(&other), receipt(&other, "0x1"), "0x1"), Err(ChainError::Moved), "not on the chain");
    let lie = json!({ "hash": B256::ZERO, "blockHash": null });
    assert!(matches!(find(lie, Value::Null, "0x1"), Err(ChainError::Shape(_))));
    let wrong = ChainError::WrongChain { ours: "1".into(), theirs: "5".into() };
    assert_eq!(find(Value::Null, Value::Null, "0x5"), Err(wrong));
}

/// `m/44'/60'/0'` of the words that development nodes have, and of the words of BIP 84's vectors.
const XPUB: &str =
    "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP";
/// A key one place above an account.
const ABOVE: &str =
    "xpub6AmukNpN4yyPLhoxodeZnq8jGbGmwqLveeym8dLD4p8RVCpNjLfkcLvgWH9kQjSgLwFQBQDHn7297uNnCC8QHHZiCZV3DnDAxPi4GrczKnr";

fn key(index: u32) -> Key {
    Key { ring: 0, change: false, index }
}

fn accounts() -> [Account; 1] {
    [Account::new(XPUB).unwrap()]
}

#[test]
fn addresses_are_those_of_the_standard() {
    let account = &accounts()[0];
    let address = |key| account.address(key).map(|address| address.to_string());
    assert_eq!(address(key(0)).unwrap(), "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    assert_eq!(address(key(1)).unwrap(), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    assert_eq!(address(key(9)).unwrap(), "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720");
    assert_ne!(address(Key { change: true, ..key(0) }), address(key(0)));
    assert_eq!(address(Key { ring: 1, ..key(0) }), Err(AddressError::WrongAccount));
    assert_eq!(address(key(1 << 31)), Err(AddressError::NoChild));
    for text in [ABOVE, "", "xpub", &XPUB.replace('9', "8")] {
        assert_eq!(Account::new(text).err(), Some(AddressError::NotAnAccount), "{text}");
    }
}

/// The vectors of EIP-55.
#[test]
fn a_checksum_is_asked_for_when_both_cases_are_there() {
    let vectors = [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "0xde709f2102306220921060314715629080e2fb77",
        "0x27b1fdb04752bbc536007a920d24acb045561c26",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ];
    for text in vectors {
        let address = destination(text).unwrap();
        assert_eq!(address.to_string(), text);
        assert_eq!(destination(&text.to_lowercase()), Ok(address));
        assert_eq!(destination(&format!("0x{}", text[2..].to_uppercase())), Ok(address));
    }
    assert_eq!(destination("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), Err(AddressError::Checksum));
    assert_eq!(destination(&format!("0x{}", "0".repeat(40))), Err(AddressError::Zero));
    let forms = ["", "0x", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"];
    let long = format!("{}00", vectors[0]);
    for text in forms.into_iter().chain([&long[..], "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae", "0xé"]) {
        assert_eq!(destination(text), Err(AddressError::Malformed), "{text}");
    }
}

fn plan() -> AccountTransaction {
    AccountTransaction {
        from: key(0),
        nonce: 3,
        to: Recipient::Address(TO.to_string()),
        token: None,
        units: Units(1_000),
        gas_limit: 21_000,
        max_fee_per_gas: 20 * GWEI,
        max_priority_fee_per_gas: GWEI,
    }
}

#[test]
fn a_plan_that_is_no_transaction_is_told() {
    let new = |plan: AccountTransaction| Unsigned::new(&plan, &accounts(), 1).map(|unsigned| unsigned.to_bytes()[0]);
    assert_eq!(new(plan()), Ok(2));
    assert_eq!(new(AccountTransaction { to: Recipient::Own(key(4)), token: Some(TOKEN.0), ..plan() }), Ok(2));
    let foreign = Key { ring: 1, ..key(0) };
    let wrong = [
        (TransactionError::Empty, AccountTransaction { units: Units(0), ..plan() }),
        (TransactionError::Range, AccountTransaction { nonce: u64::MAX, ..plan() }),
        (TransactionError::Range, AccountTransaction { gas_limit: 20_999, ..plan() }),
        (TransactionError::Range, AccountTransaction { max_priority_fee_per_gas: 21 * GWEI, ..plan() }),
        (TransactionError::Range, AccountTransaction { max_fee_per_gas: u128::MAX, ..plan() }),
        (TransactionError::Range, AccountTransaction { units: Units(u128::MAX), ..plan() }),
        (TransactionError::Contract, AccountTransaction { token: Some(TO.0), ..plan() }),
        (AddressError::WrongAccount.into(), AccountTransaction { from: foreign, ..plan() }),
        (AddressError::WrongAccount.into(), AccountTransaction { to: Recipient::Own(foreign), ..plan() }),
        (AddressError::Malformed.into(), AccountTransaction { to: Recipient::Address("x".into()), ..plan() }),
    ];
    for (error, plan) in wrong {
        assert_eq!(new(plan.clone()), Err(error), "{plan:?}");
    }
    assert_eq!(Unsigned::new(&plan(), &accounts(), 0), Err(TransactionError::Range));
}

#[test]
fn bytes_that_nobody_of_ours_signed_are_not_the_plan() {
    let (accounts, unsigned) = (accounts(), Unsigned::new(&plan(), &accounts(), 1).unwrap());
    let verify = |raw: &[u8]| Unsigned::verify(raw, &plan(), &accounts, 1);
    assert_eq!(unsigned.signing_hash(), keccak256(unsigned.to_bytes()).0);
    assert_eq!(verify(&unsigned.to_bytes()), Err(TransactionError::Bytes));
    let other = TxEip1559 { chain_id: 1, nonce: 3, ..Default::default() }.into_signed(signature());
    assert_eq!(verify(&Envelope::Eip1559(other).encoded_2718()), Err(TransactionError::Another));
    assert_eq!(verify(&envelopes()[0].encoded_2718()), Err(TransactionError::Another));
    let forged = TxEip1559 {
        chain_id: 1,
        nonce: 3,
        gas_limit: 21_000,
        max_fee_per_gas: 20 * GWEI,
        max_priority_fee_per_gas: GWEI,
        to: TxKind::Call(Place::from(TO.0)),
        value: U256::from(1_000),
        ..Default::default()
    };
    let forged = Envelope::Eip1559(forged.into_signed(signature())).encoded_2718();
    assert_eq!(verify(&forged), Err(TransactionError::NotSigned));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(|n| json!(format!("{n:#x}"))),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| json!(Bytes::from(bytes))),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,8}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

/// Every place in a value.
fn places(of: &Value, at: String, list: &mut Vec<String>) {
    if let Some(map) = of.as_object() {
        map.iter().for_each(|(name, value)| places(value, format!("{at}/{name}"), list));
    }
    if let Some(values) = of.as_array() {
        values.iter().enumerate().for_each(|(n, value)| places(value, format!("{at}/{n}"), list));
    }
    list.push(at);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// A block with anything in any place is read as it is or not at all.
    #[test]
    fn no_answer_makes_the_adapter_panic(put in any_json(), place in any::<proptest::sample::Index>(), first: bool) {
        let (mut block, mut receipts) = told();
        let whole = tell(&block, &receipts).unwrap();
        let value = if first { &mut block } else { &mut receipts };
        let mut list = Vec::new();
        places(value, String::new(), &mut list);
        *value.pointer_mut(&list[place.index(list.len())]).unwrap() = put;
        match tell(&block, &receipts) {
            Ok(read) => prop_assert_eq!(read, whole),
            Err(error) => prop_assert!(matches!(
                error,
                ChainError::Shape(_) | ChainError::NoBlock(7) | ChainError::Moved
            ), "{:?}", error),
        }
    }

    #[test]
    fn no_bytes_make_the_adapter_panic(answer in any_json(), raw in proptest::collection::vec(any::<u8>(), 0..200)) {
        let liar = Liar::new(move |_| (200, json!({ "result": answer, "id": "ID" }).to_string()));
        let mut chain = node(&liar);
        let at = BlockHash([1; 32]);
        let _ = (chain.tip(), chain.final_block(), chain.fee(), chain.next_nonce(TO, At::Block(at)));
        let _ = (chain.find(TxId([1; 32])), chain.balances(&[TO], &[TOKEN], at), chain.gas(TO, TO, None, Units(1)));
        let _ = (chain.broadcast(&raw), chain.block(7));
        prop_assert!(Unsigned::verify(&raw, &plan(), &accounts(), 1).is_err());
    }

    #[test]
    fn any_text_is_an_address_or_none(text in "(0x)?[0-9a-fA-Fx]{0,42}|.*") {
        if let Ok(address) = destination(&text) {
            prop_assert_eq!(Address::from_str(&address.to_string()), Ok(address));
            prop_assert_eq!(address.to_string().to_lowercase(), text.to_lowercase());
        }
    }
}

#[test]
fn a_password_is_not_printed() {
    assert!(!format!("{:?}", node(&Liar::of(json!({})))).contains("secret"));
}
