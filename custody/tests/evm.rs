//! The adapter on a real EVM node of its own. What is signed is in the signer's tests.

use serde_json::{Value, json};
use std::str::FromStr;
use xng_core::chain::{BlockHash, TxId, Units};
use xng_custody::evm::{
    Address, Asset, At, Balance, Block, Evm, Finality, GasFee, LEAST_GAS, Located, Transaction, Transfer,
};
use xng_custody::hex;
use xng_custody::port::{BroadcastError, ChainError, Found, Taken};
use xng_custody::private_evm::{CHAIN_ID, PrivateEvm, RICH};

const PLAIN: &str = include_str!("contracts/plain.hex");
const SILENT: &str = include_str!("contracts/silent.hex");
const TAXED: &str = include_str!("contracts/taxed.hex");
const BROKEN: &str = include_str!("contracts/broken.hex");

/// Addresses that nobody can spend.
const OURS: Address = Address([0x42; 20]);
const OTHER: Address = Address([0x43; 20]);
const ETHER: u128 = 1_000_000_000_000_000_000;
const GWEI: u128 = 1_000_000_000;
const SUPPLY: u128 = 1_000_000_000_000;

fn rich() -> Address {
    Address::from_str(RICH).unwrap()
}

fn unknown() -> Located {
    Located { found: Found::Unknown, success: None }
}

/// A call of a function with addresses and a number, from the rich one; it waits in the pool.
fn call(node: &PrivateEvm, contract: Address, selector: &str, to: &[Address], units: u128) -> TxId {
    let to: String = to.iter().map(|to| format!("{:0>64}", hex::encode(&to.0))).collect();
    let data = format!("0x{selector}{to}{units:064x}");
    node.send(json!({ "from": RICH, "to": contract.to_string(), "data": data, "gas": "0x30d40" })).unwrap()
}

fn transfer(node: &PrivateEvm, token: Address, to: Address, units: u128) -> TxId {
    call(node, token, "a9059cbb", &[to], units)
}

fn find(block: &Block, txid: TxId) -> &Transaction {
    block.transactions.iter().find(|tx| tx.txid == txid).expect("the transaction")
}

fn received(contract: Address, log: u32, to: Address, units: u128) -> Transfer {
    Transfer { asset: Asset::Token { contract, log }, from: rich(), to, units: Units(units) }
}

fn raw(node: &PrivateEvm, txid: TxId) -> Vec<u8> {
    let text: String = node.call("eth_getRawTransactionByHash", json!([format!("0x{txid}")])).unwrap();
    hex::decode(text.strip_prefix("0x").unwrap()).unwrap()
}

#[test]
fn a_payment_is_seen_in_its_block_and_the_final_block_follows() {
    let Some(node) = PrivateEvm::start_or_tell() else { return };
    let mut chain = node.adapter(&[]);
    assert_eq!(chain.tip().unwrap().height, 0);
    let first = chain.block(0).unwrap();
    assert_eq!((first.parent, first.transactions.len()), (None, 0));
    assert_eq!(chain.block(1), Err(ChainError::NoBlock(1)));

    let paid = node.pay(OURS, ETHER + 1).unwrap();
    assert_eq!(chain.find(paid), Ok(Located { found: Found::InPool, success: None }));
    assert_eq!(chain.next_nonce(rich(), At::Tip), Ok(0));
    assert_eq!(chain.next_nonce(rich(), At::Pool), Ok(1));
    node.mine(1).unwrap();
    let block = chain.block(1).unwrap();
    assert_eq!((block.id, block.parent), (chain.tip().unwrap(), Some(first.id.hash)));
    let [tx] = &block.transactions[..] else { panic!("{block:?}") };
    assert_eq!((tx.txid, tx.sender, tx.nonce, tx.success), (paid, rich(), 0, true));
    let to = Transfer { asset: Asset::Native, from: rich(), to: OURS, units: Units(ETHER + 1) };
    assert_eq!(tx.transfers, [to]);
    assert_eq!(chain.find(paid), Ok(Located { found: Found::InBlock(block.id), success: Some(true) }));
    assert_eq!(chain.next_nonce(rich(), At::Block(block.id.hash)), Ok(1));
    assert_eq!(chain.next_nonce(rich(), At::Block(first.id.hash)), Ok(0));

    // The fee is exactly what the sender lacks.
    let held = |chain: &mut Evm, at| chain.balances(&[rich()], &[], at).unwrap()[0].native.0;
    let spent = held(&mut chain, first.id.hash) - held(&mut chain, block.id.hash);
    assert_eq!(spent, ETHER + 1 + tx.fee.0);

    assert_eq!(chain.final_block().unwrap().height, 0);
    node.mine(4).unwrap();
    assert_eq!(chain.final_block(), Ok(block.id));
    let mut settings = node.settings(&[]);
    settings.finality = Finality::Confirmations(5);
    assert_eq!(Evm::new(settings.clone()).final_block(), Ok(block.id));
    settings.finality = Finality::Confirmations(100);
    assert_eq!(Evm::new(settings).final_block(), Ok(first.id));
}

#[test]
fn tokens_that_are_listed_are_seen_exactly_and_others_are_not() {
    let Some(node) = PrivateEvm::start_or_tell() else { return };
    let [plain, silent, taxed, broken] = [PLAIN, SILENT, TAXED, BROKEN].map(|code| node.deploy(code, SUPPLY).unwrap());
    // It has the same name and code, but nobody listed it.
    let other = node.deploy(PLAIN, SUPPLY).unwrap();
    let mut chain = node.adapter(&[plain, silent, taxed, broken]);
    let made = chain.block(1).unwrap();
    let minted = Transfer { from: Address([0; 20]), ..received(plain, 0, rich(), SUPPLY) };
    assert_eq!(made.transactions[0].transfers, [minted]);

    let paid = node.pay(OURS, 7).unwrap();
    let fakes = transfer(&node, other, OURS, 1_000_000);
    let first = transfer(&node, plain, OURS, 1_000_000);
    let second = transfer(&node, silent, OURS, 2_000_000);
    let third = transfer(&node, taxed, OURS, 3_000_001);
    let never = transfer(&node, broken, OURS, 4_000_000);
    let too_much = transfer(&node, plain, OURS, SUPPLY + 1);
    let nothing = transfer(&node, plain, OURS, 0);
    let two = call(&node, plain, "3313be4e", &[OURS, OTHER], 5_000_000);
    node.mine(1).unwrap();
    let tip = chain.tip().unwrap();
    let block = chain.block(tip.height).unwrap();
    let seen = |txid| find(&block, txid).transfers.as_slice();
    assert_eq!(block.transactions.len(), 9);
    assert_eq!(seen(paid).len(), 1);
    assert_eq!(seen(fakes), []);
    assert_eq!(seen(first), [received(plain, 1, OURS, 1_000_000)]);
    assert_eq!(seen(second), [received(silent, 2, OURS, 2_000_000)]);
    assert_eq!(seen(third), [received(taxed, 3, OURS, 2_970_001)], "what arrives, not what was sent");
    for txid in [never, too_much] {
        let failed = find(&block, txid);
        assert!(!failed.success && failed.transfers.is_empty() && failed.fee.0 > 0);
        assert_eq!(chain.find(txid), Ok(Located { found: Found::InBlock(block.id), success: Some(false) }));
    }
    assert_eq!(seen(nothing), []);
    assert_eq!(seen(two), [received(plain, 5, OURS, 5_000_000), received(plain, 6, OTHER, 5_000_000)]);
    let nonces: Vec<u64> = block.transactions.iter().map(|tx| tx.nonce).collect();
    assert_eq!(nonces, (5..14).collect::<Vec<u64>>());

    let tokens = [plain, silent, taxed, broken];
    let holds = |address, native, tokens: [u128; 4]| Balance {
        address,
        native: Units(native),
        tokens: tokens.map(Units).to_vec(),
    };
    let now = [holds(OURS, 7, [6_000_000, 2_000_000, 2_970_001, 0]), holds(OTHER, 0, [5_000_000, 0, 0, 0])];
    assert_eq!(chain.balances(&[OURS, OTHER], &tokens, block.id.hash).unwrap(), now);
    transfer(&node, plain, OURS, 1);
    node.mine(2).unwrap();
    assert_eq!(chain.balances(&[OURS, OTHER], &tokens, block.id.hash).unwrap(), now, "after an older block");
    let before = block.parent.unwrap();
    assert_eq!(chain.balances(&[OURS], &tokens, before).unwrap(), [holds(OURS, 0, [0; 4])]);
    assert!(matches!(chain.balances(&[OURS], &[OTHER], block.id.hash), Err(ChainError::Shape(_))), "no contract");
    assert_eq!(chain.balances(&[OURS], &[], BlockHash([1; 32])), Err(ChainError::Moved));
    assert_eq!(chain.next_nonce(OURS, At::Block(BlockHash([1; 32]))), Err(ChainError::Moved));
    let many: Vec<Address> =
        (0..300_u16).map(|n| Address([n.to_be_bytes(); 10].concat().try_into().unwrap())).collect();
    assert_eq!(chain.balances(&many, &tokens, block.id.hash).unwrap().len(), 300, "several messages");
}

#[test]
fn gas_and_fees_are_asked_of_the_node_and_bounded() {
    let Some(node) = PrivateEvm::start_or_tell() else { return };
    let (plain, broken) = (node.deploy(PLAIN, SUPPLY).unwrap(), node.deploy(BROKEN, SUPPLY).unwrap());
    let mut chain = node.adapter(&[plain]);
    assert_eq!(chain.gas(rich(), OURS, None, Units(1)), Ok(LEAST_GAS));
    let gas = chain.gas(rich(), OURS, Some(plain), Units(1_000)).unwrap();
    assert!((40_000..100_000).contains(&gas), "{gas}");
    assert!(matches!(chain.gas(OURS, OTHER, Some(plain), Units(1)), Err(ChainError::Rpc { .. })), "it has none");
    assert!(matches!(chain.gas(rich(), OTHER, Some(broken), Units(1)), Err(ChainError::Rpc { .. })));
    let mut settings = node.settings(&[]);
    settings.gas_cap = gas - 1;
    let above = Evm::new(settings.clone()).gas(rich(), OURS, Some(plain), Units(1_000));
    assert!(matches!(above, Err(ChainError::Question(_))));

    let fee = chain.fee().unwrap();
    assert!(fee.max_fee_per_gas > fee.max_priority_fee_per_gas && fee.max_priority_fee_per_gas >= 1, "{fee:?}");
    let cap = GasFee { max_fee_per_gas: 10, max_priority_fee_per_gas: 20 };
    settings.fees.cap = cap;
    let capped = Evm::new(settings).fee();
    assert_eq!(capped, Ok(GasFee { max_priority_fee_per_gas: 10, ..cap }), "the miner's part is a part");
}

#[test]
fn the_same_bytes_may_be_sent_twice_and_a_used_nonce_is_told() {
    let Some(node) = PrivateEvm::start_or_tell() else { return };
    let mut chain = node.adapter(&[]);
    let priced = |nonce: &str, to: Address, gwei: u128| {
        let fee = format!("{:#x}", gwei * GWEI);
        json!({ "from": RICH, "to": to.to_string(), "value": "0x5", "gas": "0x5208", "nonce": nonce,
            "maxFeePerGas": fee, "maxPriorityFeePerGas": fee })
    };
    // Bytes that the node signed; it forgets them at once.
    let bytes = |nonce, to, gwei| {
        let txid = node.send(priced(nonce, to, gwei)).unwrap();
        let bytes = raw(&node, txid);
        node.call::<Value>("anvil_dropTransaction", json!([format!("0x{txid}")])).unwrap();
        (txid, bytes)
    };
    let (first, cheap, dear) = (bytes("0x0", OURS, 10), bytes("0x0", OTHER, 10), bytes("0x0", OURS, 12));
    assert_eq!(chain.find(first.0), Ok(unknown()));
    assert_eq!(chain.broadcast(&first.1), Ok(Taken::InPool));
    assert_eq!(chain.broadcast(&first.1), Ok(Taken::Known), "sent twice");
    assert!(matches!(chain.broadcast(&cheap.1), Err(BroadcastError::FeeTooLow(_))), "no more than the first");
    assert_eq!(chain.broadcast(&dear.1), Ok(Taken::InPool));
    assert_eq!(chain.find(first.0), Ok(unknown()), "the replacement took its place");
    node.mine(1).unwrap();
    assert!(matches!(chain.find(dear.0).unwrap().found, Found::InBlock(_)));
    for (_, bytes) in [&first, &dear] {
        assert!(matches!(chain.broadcast(bytes), Err(BroadcastError::SpentElsewhere(_))), "the nonce is used");
    }
    assert!(matches!(chain.broadcast(&[1, 2, 3]), Err(BroadcastError::Chain(ChainError::Question(_)))));
    assert_eq!(chain.find(TxId([7; 32])), Ok(unknown()));
    let poor = bytes("0x1", OURS, 20);
    node.call::<Value>("anvil_setBalance", json!([RICH, "0x1"])).unwrap();
    let poor = chain.broadcast(&poor.1);
    assert!(matches!(poor, Err(BroadcastError::Refused(_))), "{poor:?}");
}

#[test]
fn a_reorganisation_shows_in_the_parents_and_takes_the_transaction_out_of_its_block() {
    let Some(node) = PrivateEvm::start_or_tell() else { return };
    let mut chain = node.adapter(&[]);
    node.mine(1).unwrap();
    let paid = node.pay(OURS, 5).unwrap();
    node.mine(2).unwrap();
    let (old, above) = (chain.block(2).unwrap(), chain.block(3).unwrap());
    assert_eq!(above.parent, Some(old.id.hash));
    node.reorganise(2).unwrap();
    node.mine(1).unwrap();
    let new = chain.block(3).unwrap();
    assert_ne!(new.parent, Some(old.id.hash));
    assert_ne!(new.id, above.id);
    let other = chain.block(2).unwrap();
    assert_eq!((other.parent, other.transactions.len()), (old.parent, 0), "the fork is below");
    assert!(!matches!(chain.find(paid).unwrap().found, Found::InBlock(block) if block == old.id));
    assert_eq!(chain.balances(&[OURS], &[], old.id.hash), Err(ChainError::Moved));
    assert_eq!(chain.balances(&[OURS], &[], other.id.hash).unwrap()[0].native, Units(0));
}

#[test]
fn a_node_that_is_killed_tells_that_it_is_away_and_takes_the_same_bytes_again() {
    let Some(mut node) = PrivateEvm::start_or_tell() else { return };
    node.mine(2).unwrap();
    node.save().unwrap();
    let before = node.adapter(&[]).tip().unwrap();
    let paid = node.pay(OURS, 5).unwrap();
    let bytes = raw(&node, paid);
    let mut gone = node.adapter(&[]);
    node.kill();
    let away = gone.broadcast(&bytes);
    assert!(matches!(away, Err(BroadcastError::Chain(ChainError::Unreachable(_)))), "{away:?}");
    assert!(gone.tip().unwrap_err().is_passing());
    node.restart().unwrap();
    let mut chain = node.adapter(&[]);
    assert_eq!(chain.tip(), Ok(before));
    assert_eq!(chain.find(paid), Ok(unknown()), "its pool is gone with it");
    assert_eq!(chain.broadcast(&bytes), Ok(Taken::InPool));
    node.mine(1).unwrap();
    assert!(matches!(chain.find(paid).unwrap().found, Found::InBlock(_)));
}

#[test]
fn a_node_of_another_chain_is_refused() {
    let Some(node) = PrivateEvm::start_or_tell() else { return };
    let mut settings = node.settings(&[]);
    settings.chain_id = 1;
    let wrong = ChainError::WrongChain { ours: "1".into(), theirs: CHAIN_ID.to_string() };
    let mut chain = Evm::new(settings);
    assert_eq!(chain.tip(), Err(wrong.clone()));
    assert_eq!(chain.final_block(), Err(wrong));
}
