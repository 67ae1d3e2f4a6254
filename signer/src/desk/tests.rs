//! What is signed and what is not, without a sealed seed or a socket.

use super::*;
use crate::keys::Network;
use crate::protocol::{Change, Input, Payment};
use crate::seal::entropy_of;
use crate::signed_log;
use bitcoin::consensus::encode::deserialize_hex;
use proptest::prelude::*;
use std::time::Duration;
use xng_core::chain as core;
use xng_custody::bitcoin as custody;
use xng_custody::hex;

const WORDS: &str = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
const SOMEBODY: &str = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
const ELSE: &str = "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6";

struct Rig {
    desk: Desk,
    folder: tempfile::TempDir,
    clock: SystemTime,
}

fn keys() -> Keys {
    Keys::new(Network::Regtest, &entropy_of(WORDS).unwrap()).unwrap()
}

fn policy() -> Policy {
    let cold = crate::transaction::destination(ELSE, Network::Regtest).unwrap();
    Policy { rings: 2, hour_units: 1_000_000, fee_units: 50_000, fee_rate: 200_000, cold: [cold].into(), evm: None }
}

fn rig() -> Rig {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    signed_log::create(&path).unwrap();
    let (log, past) = signed_log::open(&path).unwrap();
    let clock = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    Rig { desk: Desk::new(keys(), policy(), log, past).unwrap(), folder, clock }
}

impl Rig {
    fn sign(&mut self, plan: &Plan) -> Answer {
        self.desk.answer(Question::Sign(plan.clone()), self.clock).unwrap()
    }

    fn code(&mut self, plan: &Plan) -> &'static str {
        match self.sign(plan) {
            Answer::Signed { .. } => "signed",
            Answer::Refused { code, .. } => code,
            Answer::Xpub(_) => "xpub",
            Answer::Attested { .. } => "attested",
        }
    }

    fn lines(&self) -> usize {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap().lines().count()
    }
}

fn input(n: u32, units: u64) -> Input {
    let key = Key { ring: 0, change: false, index: n };
    Input { txid: "ab".repeat(32).parse().unwrap(), n, units: Units(units), key }
}

fn payment(address: &str, units: u64) -> Payment {
    Payment { address: address.into(), units: Units(units) }
}

fn change(index: u32, units: u64) -> Option<Change> {
    Some(Change { key: Key { ring: 0, change: true, index }, units: Units(units) })
}

/// 100,000 in, 60,000 to somebody, 39,000 back, a fee of 1,000.
fn plan() -> Plan {
    Plan {
        plan: 1,
        attempt: 0,
        inputs: vec![input(0, 100_000)],
        payments: vec![payment(SOMEBODY, 60_000)],
        change: change(0, 39_000),
        fee: Units(1_000),
    }
}

/// As `plan`, with more fee out of the change.
fn bumped(fee: u64) -> Plan {
    Plan { attempt: 1, change: change(0, 40_000 - fee), fee: Units(fee), ..plan() }
}

#[test]
fn the_same_question_has_the_same_bytes_and_one_line_in_the_log() {
    let mut rig = rig();
    let first = rig.sign(&plan());
    assert!(matches!(first, Answer::Signed { .. }), "{first:?}");
    assert_eq!(rig.sign(&plan()), first);
    assert_eq!(rig.lines(), 1);
    // Also after another attempt, and for another account's key in the same words.
    assert_eq!(rig.code(&bumped(2_000)), "signed");
    assert_eq!(rig.sign(&plan()), first);
    assert_eq!(rig.lines(), 2);
}

/// A release that signs otherwise would give a second form of a transaction that may be on its way already.
#[test]
fn releases_give_the_same_bytes() {
    let Answer::Signed { txid, raw } = rig().sign(&plan()) else { panic!("refused") };
    assert_eq!(txid, "491e5c27cb5d6668507e43e7e61a964d9a8b6c5af9952434bbae46aa7c737c7a");
    let golden = [
        "02000000000101abababababababababababababababababababababababababababababababab0000000000fdffffff0260",
        "ea000000000000160014751e76e8199196d454941c45d1b3a323f1433bd658980000000000001600142f34aa1cf00a53b055",
        "a291a03a7d45f0a6988b5202473044022013c2d6d13045bf6c4336a1d611ea5f50575166035a6d95fd36b25e082945187c02",
        "201d397c7817c1150a815060605d649a304cce8b82c42420f4b8e4c0298e717789012102e7ab2537b5d49e970309aae06e9e",
        "49f36ce1c9febbd44ec8e0d1cca0b4f9c31900000000",
    ];
    assert_eq!(raw, golden.concat());
}

#[test]
fn every_wrong_form_has_its_own_code_and_leaves_no_line() {
    let mut rig = rig();
    let key = |ring, change, index| Key { ring, change, index };
    let wrong: Vec<(&str, Plan)> = vec![
        ("empty", Plan { inputs: vec![], ..plan() }),
        ("empty", Plan { payments: vec![], change: None, ..plan() }),
        ("too_large", Plan { inputs: (0..101).map(|n| input(n, 1_000)).collect(), ..plan() }),
        ("too_large", Plan { payments: vec![payment(SOMEBODY, 1_000); 51], ..plan() }),
        ("foreign_key", Plan { inputs: vec![Input { key: key(2, false, 0), ..input(0, 100_000) }], ..plan() }),
        ("foreign_key", Plan { inputs: vec![Input { key: key(0, false, 1 << 31), ..input(0, 100_000) }], ..plan() }),
        ("foreign_change", Plan { change: Some(Change { key: key(2, true, 0), units: Units(39_000) }), ..plan() }),
        ("foreign_change", Plan { change: Some(Change { key: key(0, false, 0), units: Units(39_000) }), ..plan() }),
        (
            "foreign_change",
            Plan { change: Some(Change { key: key(0, true, 1 << 31), units: Units(39_000) }), ..plan() },
        ),
        ("input_twice", Plan { inputs: vec![input(0, 50_000), input(0, 50_000)], ..plan() }),
        ("amount", Plan { inputs: vec![input(0, u64::MAX)], ..plan() }),
        ("amount", Plan { payments: vec![payment(SOMEBODY, 2_100_000_000_000_001)], ..plan() }),
        ("amount", Plan { fee: Units(u64::MAX), ..plan() }),
        ("address", Plan { payments: vec![payment("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 60_000)], ..plan() }),
        ("address", Plan { payments: vec![payment("somewhere", 60_000)], ..plan() }),
        ("dust", Plan { payments: vec![payment(SOMEBODY, 293)], ..plan() }),
        ("dust", Plan { change: change(0, 293), ..plan() }),
        ("wrong_sum", Plan { fee: Units(999), ..plan() }),
        ("wrong_sum", Plan { fee: Units(1_001), ..plan() }),
        ("wrong_sum", Plan { change: None, ..plan() }),
        (
            "fee_above_cap",
            Plan { inputs: vec![input(0, 150_001)], change: change(0, 40_000), fee: Units(50_001), ..plan() },
        ),
        ("fee_above_cap", bumped(30_000)),
    ];
    for (code, plan) in wrong {
        assert_eq!(rig.code(&plan), code, "{plan:?}");
    }
    assert_eq!(rig.lines(), 0);
    assert_eq!(rig.code(&plan()), "signed", "nothing of it was kept");
}

#[test]
fn a_signed_input_pays_the_same_for_ever_and_only_with_more_fee() {
    let mut rig = rig();
    assert_eq!(rig.code(&plan()), "signed");
    let other = Plan { payments: vec![payment(ELSE, 60_000)], ..bumped(2_000) };
    assert_eq!(rig.code(&other), "payees_differ");
    // An address of the same kind and length.
    let script = keys().script(Key { ring: 0, change: false, index: 5 }).unwrap();
    let alike = bitcoin::Address::from_script(&script, bitcoin::Network::Regtest).unwrap().to_string();
    let other = Plan { payments: vec![payment(&alike, 60_000)], ..bumped(2_000) };
    assert_eq!(rig.code(&other), "payees_differ");
    let more = Plan { payments: vec![payment(SOMEBODY, 60_001)], change: change(0, 37_999), ..bumped(2_000) };
    assert_eq!(rig.code(&more), "payees_differ");
    let twice = Plan { payments: vec![payment(SOMEBODY, 30_000); 2], ..bumped(2_000) };
    assert_eq!(rig.code(&twice), "payees_differ");
    let only_change = Plan { payments: vec![], change: change(0, 98_000), ..bumped(2_000) };
    assert_eq!(rig.code(&only_change), "payees_differ");
    let elsewhere = Plan { change: change(1, 39_000), ..plan() };
    assert_eq!(rig.code(&elsewhere), "fee_not_higher", "another change address is another transaction");
    assert_eq!(rig.code(&bumped(999)), "fee_not_higher");
    assert_eq!(rig.code(&bumped(5_000)), "signed");
    assert_eq!(rig.code(&bumped(4_000)), "fee_not_higher", "than the highest");
    let joined = Plan { inputs: vec![input(0, 100_000), input(1, 5_000)], ..bumped(10_000) };
    let joined = Plan { payments: vec![payment(SOMEBODY, 65_000)], ..joined };
    assert_eq!(rig.code(&joined), "payees_differ", "one signed input is enough");
    assert_eq!(rig.lines(), 2);
}

#[test]
fn an_input_whose_amount_or_key_was_told_otherwise_before_is_refused() {
    let mut rig = rig();
    // The first amount is false, and its signature void; with the true one later the parts would fit together.
    let (a, b) = (input(0, 100_000), input(1, 50_000));
    let first = Plan { inputs: vec![a, Input { units: Units(1_000), ..b }], change: change(0, 40_000), ..plan() };
    assert_eq!(rig.code(&first), "signed");
    let second = Plan { inputs: vec![a, b], fee: Units(50_000), ..first.clone() };
    assert_eq!(rig.code(&second), "input_differs");
    let key = Key { ring: 1, ..a.key };
    let third = Plan { inputs: vec![Input { key, ..a }], ..bumped(5_000) };
    assert_eq!(rig.code(&third), "input_differs");
}

#[test]
fn an_hour_pays_its_cap_and_no_more_and_cold_addresses_only_their_fee() {
    let mut rig = rig();
    let pays = |n: u32, address: &str, units: u64| Plan {
        inputs: vec![input(n, units + 1_000)],
        payments: vec![payment(address, units)],
        change: None,
        ..plan()
    };
    assert_eq!(rig.code(&pays(1, SOMEBODY, 600_000)), "signed");
    assert_eq!(rig.code(&pays(2, SOMEBODY, 398_001)), "above_hour_cap", "fees count: one satoshi too much");
    assert_eq!(rig.code(&pays(2, ELSE, 90_000_000)), "signed", "cold");
    assert_eq!(rig.code(&pays(3, SOMEBODY, 397_000)), "signed", "to the last satoshi");
    assert_eq!(rig.code(&pays(4, ELSE, 5_000)), "above_hour_cap", "fees cannot burn what the cap keeps");
    assert_eq!(rig.code(&pays(1, SOMEBODY, 600_000)), "signed", "what is signed already costs nothing");
    // A clock that is set back does not forget.
    rig.clock -= Duration::from_secs(86_400);
    assert_eq!(rig.code(&pays(5, SOMEBODY, 1_000)), "above_hour_cap");
    rig.clock += Duration::from_secs(86_400 + 3_599);
    assert_eq!(rig.code(&pays(5, SOMEBODY, 1_000)), "above_hour_cap");
    rig.clock += Duration::from_secs(1);
    assert_eq!(rig.code(&pays(5, SOMEBODY, 1_000)), "signed");
}

#[test]
fn a_replacement_counts_its_added_fee_but_other_inputs_count_the_payment_again() {
    let mut rig = rig();
    let pays = |inputs: Vec<Input>, fee: u64| {
        let held: u64 = inputs.iter().map(|input| input.units.0).sum();
        let change = change(0, held - 400_000 - fee);
        Plan { inputs, payments: vec![payment(SOMEBODY, 400_000)], change, fee: Units(fee), ..plan() }
    };
    let (a, b) = (input(1, 500_000), input(2, 500_000));
    assert_eq!(rig.code(&pays(vec![a], 1_000)), "signed");
    assert_eq!(rig.code(&pays(vec![a], 2_000)), "signed");
    assert_eq!(rig.desk.past.hour.iter().map(|(_, units)| units).sum::<u64>(), 402_000);
    // a, then a and b, then b: the first and the last do not exclude each other, so the payment is made twice.
    assert_eq!(rig.code(&pays(vec![a, b], 3_000)), "signed");
    assert_eq!(rig.code(&pays(vec![b], 4_000)), "above_hour_cap");
    assert_eq!(rig.code(&pays(vec![b, a], 4_000)), "signed", "the order of inputs does not make another set");
}

#[test]
fn what_the_log_holds_is_remembered_by_the_next_start() {
    let Rig { mut desk, folder, clock } = rig();
    let first = desk.answer(Question::Sign(plan()), clock).unwrap();
    drop(desk);
    let (log, past) = signed_log::open(&folder.path().join("log")).unwrap();
    let mut rig = Rig { desk: Desk::new(keys(), policy(), log, past).unwrap(), folder, clock };
    assert_eq!(rig.sign(&plan()), first);
    assert_eq!(rig.code(&Plan { payments: vec![payment(ELSE, 60_000)], ..bumped(2_000) }), "payees_differ");
    let rest =
        Plan { inputs: vec![input(9, 940_000)], payments: vec![payment(SOMEBODY, 939_000)], change: None, ..plan() };
    assert_eq!(rig.code(&rest), "above_hour_cap", "the hour is remembered, too");
}

#[test]
fn public_keys_of_the_exchanges_accounts_are_told_and_of_no_others() {
    let mut rig = rig();
    let Answer::Xpub(text) = rig.desk.answer(Question::Xpub(1), rig.clock).unwrap() else { panic!("no key") };
    assert_eq!(custody::Account::new(&text, custody::Network::Regtest).unwrap().ring(), 1);
    let other = rig.desk.answer(Question::Xpub(2), rig.clock).unwrap();
    assert!(matches!(other, Answer::Refused { code: "foreign_key", .. }));
}

fn as_core(plan: &Plan) -> core::CoinTransaction {
    let key = |key: Key| core::Key { ring: key.ring, change: key.change, index: key.index };
    let units = |units: Units| core::Units(units.0.into());
    let coin = |input: &Input| core::Coin {
        at: core::OutPoint { txid: core::TxId(hex::hash(&input.txid.to_string()).unwrap()), n: input.n },
        units: units(input.units),
        key: key(input.key),
    };
    let pays = |to: &Payment| core::Payment { address: to.address.clone(), units: units(to.units) };
    core::CoinTransaction {
        inputs: plan.inputs.iter().map(coin).collect(),
        payments: plan.payments.iter().map(pays).collect(),
        change: plan.change.map(|change| (key(change.key), units(change.units))),
        fee: units(plan.fee),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Exchange and signer make the transaction each with its own code.
    #[test]
    fn the_exchange_and_the_signer_mean_the_same_transaction(
        inputs in proptest::collection::vec((any::<[u8; 32]>(), 0..9_u32, 50_000..90_000_u64, 0..2_u32, any::<bool>()), 1..6),
        payments in proptest::collection::vec((0..2_usize, 1_000..5_000_u64), 0..8),
        fee in 600..2_000_u64,
    ) {
        let inputs: Vec<Input> = inputs.into_iter().map(|(txid, n, units, ring, change)| Input {
            txid: hex::encode(&txid).parse().unwrap(),
            n,
            units: Units(units),
            key: Key { ring, change, index: n * 1_000 },
        }).collect();
        let payments: Vec<Payment> =
            payments.into_iter().map(|(to, units)| payment([SOMEBODY, ELSE][to], units)).collect();
        let held: u64 = inputs.iter().map(|input| input.units.0).sum();
        let paid: u64 = payments.iter().map(|payment| payment.units.0).sum();
        let plan = Plan { plan: 1, attempt: 0, inputs, change: change(7, held - paid - fee), payments, fee: Units(fee) };
        let mut rig = rig();
        let Answer::Signed { txid, raw } = rig.sign(&plan) else { panic!("refused: {:?}", rig.sign(&plan)) };

        let accounts = [0, 1].map(|ring| {
            custody::Account::new(&rig.desk.keys.xpub(ring).unwrap(), custody::Network::Regtest).unwrap()
        });
        let network = custody::Network::Regtest;
        let theirs = as_core(&plan);
        let unsigned = custody::Unsigned::new(&theirs, &accounts, network).unwrap();
        prop_assert_eq!(unsigned.txid().to_string(), txid);
        let bytes = hex::decode(&raw).unwrap();
        prop_assert_eq!(custody::Unsigned::verify(&bytes, &theirs, &accounts, network), Ok(unsigned.txid()));

        // Its size was known before, up to a signature's odd byte.
        let signed: bitcoin::Transaction = deserialize_hex(&raw).unwrap();
        let addresses: Vec<&str> = plan.payments.iter().map(|payment| payment.address.as_str()).collect();
        let planned = custody::planned_size(plan.inputs.len(), &addresses, true, network).unwrap();
        let real = signed.vsize() as u64;
        prop_assert!(real <= planned && planned <= real + plan.inputs.len() as u64, "{} {}", real, planned);
        prop_assert_eq!(rig.desk.decide(&plan, 0).map(|(checked, _)| checked.virtual_bytes), Ok(planned));

        // Any changed byte makes it another transaction or an unsigned one.
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            prop_assert!(custody::Unsigned::verify(&changed, &theirs, &accounts, network).is_err(), "byte {}", at);
        }
        prop_assert!(custody::Unsigned::verify(&unsigned.to_bytes(), &theirs, &accounts, network).is_err());
    }
}
