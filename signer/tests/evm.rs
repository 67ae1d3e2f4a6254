//! The whole way of ether and tokens on a real EVM node: an address from the signer's public key, a deposit, a plan, the
//! real signer, a broadcast, a block. And what the signer refuses, also after it was killed.

mod common;

use common::SignerProcess;
use serde_json::json;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use xng_core::chain::{AccountTransaction, Key, Recipient, TxId, Units};
use xng_custody::evm::{Account, Address, Asset, At, Evm, LEAST_GAS, Located, Transaction, Unsigned};
use xng_custody::hex;
use xng_custody::port::{BroadcastError, Found, Taken};
use xng_custody::private_evm::{CHAIN_ID, PrivateEvm, RICH};
use xng_custody::signer::{Signed, SignerError};

const PLAIN: &str = include_str!("../../custody/tests/contracts/plain.hex");
const SILENT: &str = include_str!("../../custody/tests/contracts/silent.hex");
/// Where withdrawals are paid from, and a user's place.
const HOT: Key = Key { ring: 0, change: true, index: 0 };
const USER: Key = Key { ring: 0, change: false, index: 5 };
const SOMEBODY: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const COLD: &str = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB";
const TOKEN: &str = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const ETHER: u128 = 1_000_000_000_000_000_000;
const GWEI: u128 = 1_000_000_000;
const SUPPLY: u128 = 1_000_000_000_000;

/// Ten ether and ten million of each token an hour, 0.01 ether a transaction, 100 gwei.
fn signer(tokens: &[String]) -> SignerProcess {
    let bitcoin = "rings = 1\n[BTC]\nhour_units = 0\nfee_units = 0\nfee_rate = 0\ncold = []\n";
    let caps =
        format!("hour_units = \"{}\"\nfee_units = \"{}\"\ngas_price = \"{}\"\n", 10 * ETHER, ETHER / 100, 100 * GWEI);
    let token = |token: &String| format!("[[ETH.token]]\ncontract = \"{token}\"\nhour_units = \"10_000_000\"\n");
    let tokens: String = tokens.iter().map(token).collect();
    SignerProcess::over(&format!("{bitcoin}[ETH]\nchain_id = {CHAIN_ID}\n{caps}cold = [\"{COLD}\"]\n{tokens}"))
}

struct Rig {
    node: PrivateEvm,
    signer: SignerProcess,
    accounts: [Account; 1],
    tokens: [Address; 2],
    chain: Evm,
}

impl Rig {
    fn start() -> Option<Self> {
        let node = PrivateEvm::start_or_tell()?;
        let tokens = [PLAIN, SILENT].map(|code| node.deploy(code, SUPPLY).unwrap());
        let signer = signer(&tokens.map(|token| token.to_string()));
        let accounts = [Account::new(&signer.client().xpub_evm(0).unwrap()).unwrap()];
        let chain = node.adapter(&tokens);
        Some(Rig { node, signer, accounts, tokens, chain })
    }

    fn address(&self, key: Key) -> Address {
        self.accounts[0].address(key).unwrap()
    }

    /// A transfer at the place and price of now.
    fn plan(&mut self, from: Key, to: Recipient, token: Option<Address>, units: u128) -> AccountTransaction {
        let payee = match &to {
            Recipient::Address(text) => Address::from_str(text).unwrap(),
            Recipient::Own(key) => self.address(*key),
        };
        let sender = self.address(from);
        let nonce = self.chain.next_nonce(sender, At::Tip).unwrap();
        let gas_limit = self.chain.gas(sender, payee, token, Units(units)).unwrap();
        let fee = self.chain.fee().unwrap();
        let (max_fee_per_gas, max_priority_fee_per_gas) = (fee.max_fee_per_gas, fee.max_priority_fee_per_gas);
        let units = Units(units);
        let token = token.map(|token| token.0);
        AccountTransaction { from, nonce, to, token, units, gas_limit, max_fee_per_gas, max_priority_fee_per_gas }
    }

    /// Signed and checked.
    fn sign(&self, attempt: u32, plan: &AccountTransaction) -> Signed {
        let signed = self.signer.client().sign_evm(1, attempt, CHAIN_ID, plan).unwrap();
        assert_eq!(Unsigned::verify(&signed.raw, plan, &self.accounts, CHAIN_ID), Ok(signed.txid));
        signed
    }

    /// Mined, and read out of its block as the exchange does.
    fn mine(&mut self, txid: TxId) -> Transaction {
        self.node.mine(1).unwrap();
        let tip = self.chain.tip().unwrap();
        let found = Located { found: Found::InBlock(tip), success: Some(true) };
        assert_eq!(self.chain.find(txid), Ok(found));
        let block = self.chain.block(tip.height).unwrap();
        block.transactions.into_iter().find(|tx| tx.txid == txid).unwrap()
    }

    /// Of the coin and of both tokens.
    fn holds(&mut self, address: Address) -> [u128; 3] {
        let at = self.chain.tip().unwrap().hash;
        let [balance] = &self.chain.balances(&[address], &self.tokens, at).unwrap()[..] else { panic!("one") };
        [balance.native.0, balance.tokens[0].0, balance.tokens[1].0]
    }

    fn deposit_token(&self, token: Address, to: Address, units: u128) {
        let data = format!("0xa9059cbb{:0>64}{units:064x}", hex::encode(&to.0));
        let call = json!({ "from": RICH, "to": token.to_string(), "data": data, "gas": "0x30d40" });
        self.node.send(call).unwrap();
        self.node.mine(1).unwrap();
    }
}

#[test]
fn a_withdrawal_of_ether_survives_kills_and_every_wei_is_found_again() {
    let Some(mut rig) = Rig::start() else { return };
    let hot = rig.address(HOT);
    rig.node.pay(hot, 3 * ETHER).unwrap();
    rig.node.mine(1).unwrap();
    rig.node.save().unwrap();

    let plan = rig.plan(HOT, Recipient::Address(SOMEBODY.into()), None, ETHER + 7);
    assert_eq!(plan.gas_limit, LEAST_GAS);
    let signed = rig.sign(0, &plan);
    // Killed before its answer was written down: asked again, the same bytes.
    rig.signer.restart();
    assert_eq!(rig.sign(0, &plan), signed);
    assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
    // The node forgets its pool; the same bytes go out again.
    rig.node.kill();
    assert!(matches!(rig.chain.broadcast(&signed.raw), Err(BroadcastError::Chain(e)) if e.is_passing()));
    rig.node.restart().unwrap();
    rig.chain = rig.node.adapter(&rig.tokens);
    assert_eq!(rig.chain.find(signed.txid).unwrap().found, Found::Unknown);
    rig.signer.restart();
    assert_eq!(rig.sign(0, &plan), signed);
    assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
    assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::Known));

    let tx = rig.mine(signed.txid);
    assert_eq!((tx.sender, tx.nonce, tx.success), (hot, 0, true));
    let [paid] = tx.transfers[..] else { panic!("{tx:?}") };
    assert_eq!((paid.asset, paid.units, paid.to), (Asset::Native, Units(ETHER + 7), SOMEBODY.parse().unwrap()));
    assert_eq!(rig.holds(SOMEBODY.parse().unwrap())[0], ETHER + 7);
    assert_eq!(rig.holds(hot)[0], 3 * ETHER - ETHER - 7 - tx.fee.0, "the fee exactly");
    assert!(tx.fee.0 <= u128::from(plan.gas_limit) * plan.max_fee_per_gas);
    assert!(matches!(rig.chain.broadcast(&signed.raw), Err(BroadcastError::SpentElsewhere(_))), "its nonce is used");
    assert_eq!(rig.chain.next_nonce(hot, At::Tip), Ok(1));
}

#[test]
fn a_withdrawal_that_waits_is_replaced_with_enough_fee_and_one_of_them_is_mined() {
    let Some(mut rig) = Rig::start() else { return };
    let hot = rig.address(HOT);
    rig.node.pay(hot, 3 * ETHER).unwrap();
    rig.node.mine(1).unwrap();
    let plan = rig.plan(HOT, Recipient::Address(SOMEBODY.into()), None, ETHER);
    let first = rig.sign(0, &plan);
    assert_eq!(rig.chain.broadcast(&first.raw), Ok(Taken::InPool));
    let raised = |of: u128| of + of.div_ceil(8);
    let (max_fee_per_gas, tip) = (raised(plan.max_fee_per_gas), raised(plan.max_priority_fee_per_gas));
    let little = AccountTransaction { max_fee_per_gas, max_priority_fee_per_gas: tip - 1, ..plan.clone() };
    let refused = rig.signer.client().sign_evm(1, 1, CHAIN_ID, &little);
    assert!(matches!(refused, Err(SignerError::Refused { code, .. }) if code == "fee_not_higher"));
    let bumped = AccountTransaction { max_fee_per_gas, max_priority_fee_per_gas: tip, ..plan.clone() };
    let second = rig.sign(1, &bumped);
    assert_eq!(rig.chain.broadcast(&second.raw), Ok(Taken::InPool));
    assert!(matches!(rig.chain.broadcast(&first.raw), Err(BroadcastError::FeeTooLow(_))), "less than what waits");
    let tx = rig.mine(second.txid);
    assert_eq!(rig.chain.find(first.txid).unwrap().found, Found::Unknown);
    assert!(matches!(rig.chain.broadcast(&first.raw), Err(BroadcastError::SpentElsewhere(_))));
    assert_eq!(rig.holds(hot)[0], 2 * ETHER - tx.fee.0, "paid once");
    assert_eq!(rig.sign(0, &plan), first, "an older attempt has the same bytes, too");
}

#[test]
fn tokens_are_swept_from_a_users_key_after_it_got_gas_and_then_withdrawn() {
    let Some(mut rig) = Rig::start() else { return };
    let (hot, user) = (rig.address(HOT), rig.address(USER));
    rig.node.pay(hot, ETHER).unwrap();
    for token in rig.tokens {
        rig.deposit_token(token, user, 5_000_000);
    }
    assert_eq!(rig.holds(user), [0, 5_000_000, 5_000_000]);

    for (n, token) in rig.tokens.into_iter().enumerate() {
        // A key without coins cannot pay for gas: first they come from the hot key.
        let mut sweep = rig.plan(USER, Recipient::Own(HOT), Some(token), 5_000_000);
        let gas = u128::from(sweep.gas_limit) * sweep.max_fee_per_gas;
        let top_up = rig.plan(HOT, Recipient::Own(USER), None, gas);
        let signed = rig.sign(0, &top_up);
        assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
        let tx = rig.mine(signed.txid);
        assert_eq!(tx.transfers[0].to, user);
        sweep.nonce = n as u64;
        let signed = rig.sign(0, &sweep);
        rig.signer.restart();
        assert_eq!(rig.sign(0, &sweep), signed);
        assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
        let tx = rig.mine(signed.txid);
        let [moved] = tx.transfers[..] else { panic!("{tx:?}") };
        assert_eq!((moved.asset, moved.from, moved.to), (Asset::Token { contract: token, log: 0 }, user, hot));
        assert_eq!((tx.sender, moved.units), (user, Units(5_000_000)));
    }
    assert_eq!(rig.holds(user)[1..], [0, 0]);
    assert_eq!(rig.holds(hot)[1..], [5_000_000, 5_000_000]);

    let withdrawal = rig.plan(HOT, Recipient::Address(SOMEBODY.into()), Some(rig.tokens[1]), 1_234_567);
    let before = rig.holds(hot);
    let signed = rig.sign(0, &withdrawal);
    assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
    let tx = rig.mine(signed.txid);
    assert_eq!(rig.holds(hot), [before[0] - tx.fee.0, 5_000_000, 5_000_000 - 1_234_567]);
    assert_eq!(rig.holds(SOMEBODY.parse().unwrap()), [0, 0, 1_234_567]);
}

#[test]
fn a_transfer_that_fails_costs_its_fee_and_uses_its_nonce() {
    let Some(mut rig) = Rig::start() else { return };
    let hot = rig.address(HOT);
    rig.node.pay(hot, ETHER).unwrap();
    rig.deposit_token(rig.tokens[0], hot, 1_000);
    let mut plan = rig.plan(HOT, Recipient::Address(SOMEBODY.into()), Some(rig.tokens[0]), 1_000);
    plan.units = Units(1_001);
    let signed = rig.sign(0, &plan);
    assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
    rig.node.mine(1).unwrap();
    assert_eq!(rig.chain.find(signed.txid).unwrap().success, Some(false));
    let tip = rig.chain.tip().unwrap();
    let block = rig.chain.block(tip.height).unwrap();
    let [tx] = &block.transactions[..] else { panic!("{block:?}") };
    assert!(!tx.success && tx.transfers.is_empty());
    assert_eq!(rig.holds(hot)[..2], [ETHER - tx.fee.0, 1_000]);
    assert_eq!(rig.chain.next_nonce(hot, At::Block(tip.hash)), Ok(1));
}

#[test]
fn a_withdrawal_whose_block_leaves_the_chain_goes_out_again_with_the_same_bytes() {
    let Some(mut rig) = Rig::start() else { return };
    let hot = rig.address(HOT);
    rig.node.pay(hot, 3 * ETHER).unwrap();
    rig.node.mine(1).unwrap();
    let plan = rig.plan(HOT, Recipient::Address(SOMEBODY.into()), None, ETHER);
    let signed = rig.sign(0, &plan);
    assert_eq!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool));
    rig.mine(signed.txid);
    let old = rig.chain.tip().unwrap();
    rig.node.reorganise(1).unwrap();
    assert_ne!(rig.chain.tip().unwrap(), old);
    assert_eq!(rig.chain.next_nonce(hot, At::Tip), Ok(0));
    assert!(matches!(rig.chain.find(signed.txid).unwrap().found, Found::Unknown | Found::InPool));
    assert!(matches!(rig.chain.broadcast(&signed.raw), Ok(Taken::InPool | Taken::Known)));
    let tx = rig.mine(signed.txid);
    assert_eq!(rig.holds(hot)[0], 2 * ETHER - tx.fee.0, "paid once");
}

/// Killed while it signs, again and again: whatever signature was told, its nonce pays nobody else afterwards.
#[test]
fn every_signature_that_was_told_is_remembered_whenever_the_kill_comes() {
    let mut signer = signer(&[TOKEN.into()]);
    let pays = |nonce, text: &str, gwei: u128| AccountTransaction {
        from: HOT,
        nonce,
        to: Recipient::Address(text.into()),
        token: Some(TOKEN.parse::<Address>().unwrap().0),
        units: Units(1),
        gas_limit: 60_000,
        max_fee_per_gas: gwei * GWEI,
        max_priority_fee_per_gas: gwei * GWEI,
    };
    let mut told = Vec::new();
    for cycle in 0..4_u64 {
        let (client, count) = (signer.client(), Arc::new(AtomicUsize::new(0)));
        let counted = count.clone();
        let signing = thread::spawn(move || {
            let sign = |nonce| {
                let signed = client.sign_evm(1, 0, CHAIN_ID, &pays(nonce, SOMEBODY, 10)).ok()?;
                counted.fetch_add(1, Ordering::Relaxed);
                Some((nonce, signed))
            };
            (cycle * 1_000..cycle * 1_000 + 500).map_while(sign).collect::<Vec<_>>()
        });
        // Two are told before the kill, however slow the machine is.
        while count.load(Ordering::Relaxed) < 2 && !signing.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(37 * cycle));
        signer.kill();
        told.extend(signing.join().unwrap());
        signer.restart();
    }
    assert!(told.len() > 7, "{} were told", told.len());
    for (nonce, signed) in &told {
        assert_eq!(code(&signer, CHAIN_ID, &pays(*nonce, COLD, 20)), "payees_differ");
        assert_eq!(signer.client().sign_evm(1, 0, CHAIN_ID, &pays(*nonce, SOMEBODY, 10)).unwrap(), *signed);
    }
}

fn code(signer: &SignerProcess, chain_id: u64, plan: &AccountTransaction) -> String {
    match signer.client().sign_evm(1, 0, chain_id, plan) {
        Ok(_) => "signed".into(),
        Err(SignerError::Refused { code, .. }) => code,
        Err(other) => panic!("{other}"),
    }
}

/// Without a node: who holds the keys needs none.
#[test]
fn everything_that_is_forbidden_is_refused_also_after_a_kill() {
    let mut signer = signer(&[TOKEN.into()]);
    let pays = |nonce, units, text: &str| AccountTransaction {
        from: HOT,
        nonce,
        to: Recipient::Address(text.into()),
        token: None,
        units: Units(units),
        gas_limit: 21_000,
        max_fee_per_gas: 40 * GWEI,
        max_priority_fee_per_gas: GWEI,
    };
    let first = pays(0, ETHER, SOMEBODY);
    let token = |units| AccountTransaction {
        token: Some(TOKEN.parse::<Address>().unwrap().0),
        gas_limit: 60_000,
        ..pays(7, units, SOMEBODY)
    };
    let signed = signer.client().sign_evm(1, 0, CHAIN_ID, &first).unwrap();
    let higher = AccountTransaction { max_fee_per_gas: 50 * GWEI, max_priority_fee_per_gas: 2 * GWEI, ..first.clone() };
    let foreign = Key { ring: 1, ..HOT };
    let forbidden = [
        ("wrong_chain", 1, first.clone()),
        ("payees_differ", CHAIN_ID, AccountTransaction { to: Recipient::Address(COLD.into()), ..higher.clone() }),
        ("payees_differ", CHAIN_ID, AccountTransaction { to: Recipient::Own(USER), ..higher.clone() }),
        ("payees_differ", CHAIN_ID, AccountTransaction { units: Units(ETHER + 1), ..higher.clone() }),
        ("payees_differ", CHAIN_ID, AccountTransaction { nonce: 0, ..token(1) }),
        ("fee_not_higher", CHAIN_ID, AccountTransaction { max_fee_per_gas: 44 * GWEI, ..higher.clone() }),
        ("fee_not_higher", CHAIN_ID, AccountTransaction { max_priority_fee_per_gas: GWEI, ..higher }),
        ("foreign_key", CHAIN_ID, AccountTransaction { from: foreign, ..pays(1, 1, SOMEBODY) }),
        ("foreign_key", CHAIN_ID, AccountTransaction { to: Recipient::Own(foreign), ..pays(1, 1, SOMEBODY) }),
        ("token_not_listed", CHAIN_ID, AccountTransaction { token: Some([7; 20]), ..token(1) }),
        ("fee_above_cap", CHAIN_ID, AccountTransaction { max_fee_per_gas: 101 * GWEI, ..pays(1, 1, SOMEBODY) }),
        ("fee_above_cap", CHAIN_ID, AccountTransaction { gas_limit: 300_000, ..pays(1, 1, SOMEBODY) }),
        ("above_hour_cap", CHAIN_ID, pays(1, 9 * ETHER, SOMEBODY)),
        ("above_hour_cap", CHAIN_ID, token(10_000_001)),
        ("empty", CHAIN_ID, pays(1, 0, SOMEBODY)),
        ("address", CHAIN_ID, pays(1, 1, "0x0000000000000000000000000000000000000000")),
    ];
    for _ in 0..2 {
        for (expected, chain_id, plan) in &forbidden {
            assert_eq!(code(&signer, *chain_id, plan), *expected, "{plan:?}");
        }
        signer.restart();
    }
    assert_eq!(signer.client().sign_evm(1, 0, CHAIN_ID, &first).unwrap(), signed, "the same bytes");
    assert_eq!(code(&signer, CHAIN_ID, &pays(1, 900 * ETHER, COLD)), "signed", "cold addresses have no cap");
    assert_eq!(code(&signer, CHAIN_ID, &token(10_000_000)), "signed");
    signer.restart();
    assert_eq!(code(&signer, CHAIN_ID, &AccountTransaction { nonce: 8, ..token(1) }), "above_hour_cap");
}

#[test]
fn a_policy_without_the_chain_signs_for_none() {
    let signer = SignerProcess::start(1_000_000, 20_000, &[]);
    assert!(signer.client().xpub_evm(0).unwrap().starts_with("xpub"));
    assert!(matches!(signer.client().xpub_evm(1), Err(SignerError::Refused { code, .. }) if code == "foreign_key"));
    let plan = AccountTransaction {
        from: HOT,
        nonce: 0,
        to: Recipient::Own(USER),
        token: None,
        units: Units(1),
        gas_limit: 21_000,
        max_fee_per_gas: 1,
        max_priority_fee_per_gas: 1,
    };
    assert_eq!(code(&signer, CHAIN_ID, &plan), "wrong_chain");
}
