//! Transfers on EVM chains: what is signed and what is not, without a sealed seed or a socket.

use super::*;
use crate::desk::Desk;
use crate::keys::{Key, Network};
use crate::protocol::Question;
use crate::seal::entropy_of;
use crate::signed_log;
use proptest::prelude::*;
use std::time::{Duration, SystemTime};
use xng_core::chain as core;
use xng_custody::evm as custody;
use xng_custody::hex;

/// Those of development nodes.
const WORDS: &str = "test test test test test test test test test test test junk";
const SOMEBODY: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const ELSE: &str = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
const COLD: &str = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB";
const TOKEN: &str = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const OTHER_TOKEN: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const CHAIN: u64 = 31_337;
const GWEI: u128 = 1_000_000_000;

struct Rig {
    desk: Desk,
    folder: tempfile::TempDir,
    clock: SystemTime,
}

fn keys() -> Keys {
    Keys::new(Network::Regtest, &entropy_of(WORDS).unwrap()).unwrap()
}

fn policy() -> Policy {
    let evm = EvmPolicy {
        chain_id: CHAIN,
        hour_units: 10_000_000 * GWEI,
        fee_units: 5_000_000 * GWEI,
        gas_price: 100 * GWEI,
        cold: [destination(COLD).unwrap()].into(),
        tokens: [(destination(TOKEN).unwrap(), 1_000_000)].into(),
    };
    Policy { rings: 2, hour_units: 0, fee_units: 0, fee_rate: 0, cold: [].into(), evm: Some(evm) }
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        signed_log::create(&folder.path().join("log")).unwrap();
        Rig::over(folder, SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000))
    }

    fn over(folder: tempfile::TempDir, clock: SystemTime) -> Self {
        let (log, past) = signed_log::open(&folder.path().join("log")).unwrap();
        Rig { desk: Desk::new(keys(), policy(), log, past).unwrap(), folder, clock }
    }

    /// As after a kill.
    fn again(self) -> Self {
        let Rig { desk, folder, clock } = self;
        drop(desk);
        Rig::over(folder, clock)
    }

    fn sign(&mut self, plan: &EvmPlan) -> Answer {
        self.desk.answer(Question::SignEvm(plan.clone()), self.clock).unwrap()
    }

    fn code(&mut self, plan: &EvmPlan) -> &'static str {
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

fn key(index: u32) -> Key {
    Key { ring: 0, change: false, index }
}

fn pays(text: &str) -> EvmPayee {
    EvmPayee::Address(text.into())
}

/// A million gwei to somebody, for 21,000 gas at 20 gwei.
fn plan() -> EvmPlan {
    EvmPlan {
        plan: 1,
        attempt: 0,
        chain_id: CHAIN,
        key: key(0),
        nonce: 0,
        token: None,
        payee: pays(SOMEBODY),
        units: Wei(1_000_000 * GWEI),
        gas_limit: 21_000,
        max_fee_per_gas: Wei(20 * GWEI),
        max_priority_fee_per_gas: Wei(2 * GWEI),
    }
}

fn bid(max_fee: u128, tip: u128) -> EvmPlan {
    EvmPlan { attempt: 1, max_fee_per_gas: Wei(max_fee), max_priority_fee_per_gas: Wei(tip), ..plan() }
}

fn token(units: u128) -> EvmPlan {
    EvmPlan { token: Some(TOKEN.into()), units: Wei(units), gas_limit: 60_000, ..plan() }
}

#[test]
fn addresses_are_those_of_the_standards() {
    let address = |key| custody::Address(keys().evm_address(key).unwrap()).to_string();
    assert_eq!(address(key(0)), "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    assert_eq!(address(key(1)), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    assert_eq!(Keys::evm_path(3), "m/44'/60'/3'");
    let xpub = keys().evm_xpub(1).unwrap();
    let account = custody::Account::new(&xpub).unwrap();
    assert_eq!(account.ring(), 1);
    let theirs = account.address(core::Key { ring: 1, change: true, index: 7 }).unwrap();
    assert_eq!(theirs.0, keys().evm_address(Key { ring: 1, change: true, index: 7 }).unwrap());
    assert!(destination(&format!("0x{}", "0".repeat(40))).is_none());
    assert!(destination(&SOMEBODY.replace("aA", "AA")).is_none(), "a wrong checksum");
    assert_eq!(destination(&SOMEBODY.to_lowercase()), destination(SOMEBODY));
}

/// A release that signs otherwise would give a second form of a transaction that may be on its way already.
#[test]
fn releases_give_the_same_bytes() {
    let mut rig = Rig::new();
    let mut raw = |plan: &EvmPlan| match rig.sign(plan) {
        Answer::Signed { txid, raw } => {
            assert_eq!(txid, keccak(&hex::decode(&raw).unwrap()).to_lower_hex_string());
            raw
        }
        other @ (Answer::Xpub(_) | Answer::Attested { .. } | Answer::Refused { .. }) => panic!("{other:?}"),
    };
    let ether = [
        "02f874827a698084773594008504a817c800825208945aaeb6053f3e94c9b9a09f33669435e7ef1beaed87038d7ea4c6800080c0",
        "01a0c8c080284b0a1814d4e3d22bd00a50aa8ec06ed74fb2e381147ce3c0084ecabfa00f394ba1cfa5296055a98d22b6135acd26",
        "988b9d22b1b70106385f7a317811f3",
    ];
    assert_eq!(raw(&plan()), ether.concat());
    let token_paid = [
        "02f8b2827a690184773594008504a817c80082ea6094dac17f958d2ee523a2206206994597c13d831ec780b844a9059cbb000000",
        "0000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed0000000000000000000000000000000000000000000000",
        "0000000000000001f4c080a0e675829ee81378ff235e0e6496f25b0fc06b8ccfa600753cac9f15e199ab0ca8a025ca86434f6999",
        "ea45cd6af1a771291c267cb6a7aaf45f4b5c4ab2a6c95738c4",
    ];
    assert_eq!(raw(&EvmPlan { nonce: 1, ..token(500) }), token_paid.concat());
}

#[test]
fn the_same_question_has_the_same_bytes_and_one_line_in_the_log() {
    let mut rig = Rig::new();
    let first = rig.sign(&plan());
    assert!(matches!(first, Answer::Signed { .. }), "{first:?}");
    assert_eq!(rig.sign(&plan()), first);
    assert_eq!(rig.code(&bid(40 * GWEI, 4 * GWEI)), "signed");
    assert_eq!(rig.sign(&plan()), first, "also after another attempt");
    let mut rig = rig.again();
    assert_eq!(rig.sign(&plan()), first, "and after a kill");
    assert_eq!(rig.lines(), 2);
}

#[test]
fn every_wrong_form_has_its_own_code_and_leaves_no_line() {
    let mut rig = Rig::new();
    let foreign = Key { ring: 2, ..key(0) };
    let wrong: Vec<(&str, EvmPlan)> = vec![
        ("wrong_chain", EvmPlan { chain_id: 1, ..plan() }),
        ("foreign_key", EvmPlan { key: foreign, ..plan() }),
        ("foreign_key", EvmPlan { key: key(1 << 31), ..plan() }),
        ("foreign_key", EvmPlan { payee: EvmPayee::Key(foreign), ..plan() }),
        ("address", EvmPlan { payee: pays("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), ..plan() }),
        ("address", EvmPlan { payee: pays("0x0000000000000000000000000000000000000000"), ..plan() }),
        ("address", EvmPlan { payee: pays("somewhere"), ..plan() }),
        ("address", EvmPlan { payee: pays(TOKEN), ..token(1) }),
        ("token_not_listed", EvmPlan { token: Some(OTHER_TOKEN.into()), ..token(1) }),
        ("token_not_listed", EvmPlan { token: Some("USDT".into()), ..token(1) }),
        ("empty", EvmPlan { units: Wei(0), ..plan() }),
        ("amount", EvmPlan { gas_limit: 20_999, ..plan() }),
        ("amount", EvmPlan { nonce: u64::MAX, ..plan() }),
        ("amount", bid(2 * GWEI, 3 * GWEI)),
        ("amount", bid(u128::MAX, 1)),
        ("amount", EvmPlan { units: Wei(u128::MAX), ..plan() }),
        ("fee_above_cap", bid(101 * GWEI, GWEI)),
        ("fee_above_cap", EvmPlan { gas_limit: 250_001, ..plan() }),
        ("above_hour_cap", EvmPlan { units: Wei(9_580_001 * GWEI), ..plan() }),
        ("above_hour_cap", token(1_000_001)),
    ];
    for (code, plan) in wrong {
        assert_eq!(rig.code(&plan), code, "{plan:?}");
    }
    assert_eq!(rig.lines(), 0);
    assert_eq!(rig.code(&plan()), "signed", "nothing of it was kept");
}

#[test]
fn a_nonce_pays_the_same_for_ever_and_only_with_both_fees_an_eighth_higher() {
    let mut rig = Rig::new();
    assert_eq!(rig.code(&plan()), "signed");
    let others = [
        EvmPlan { payee: pays(ELSE), ..bid(40 * GWEI, 4 * GWEI) },
        EvmPlan { payee: EvmPayee::Key(key(3)), ..bid(40 * GWEI, 4 * GWEI) },
        EvmPlan { units: Wei(1_000_000 * GWEI + 1), ..bid(40 * GWEI, 4 * GWEI) },
        EvmPlan { units: Wei(1), ..plan() },
        EvmPlan { token: Some(TOKEN.into()), ..bid(40 * GWEI, 4 * GWEI) },
    ];
    let low = [
        bid(20 * GWEI, 4 * GWEI),
        bid(22 * GWEI + GWEI / 2 - 1, 4 * GWEI),
        bid(40 * GWEI, 2 * GWEI + GWEI / 4 - 1),
        EvmPlan { gas_limit: 22_000, ..plan() },
    ];
    for again in [false, true] {
        for plan in &others {
            assert_eq!(rig.code(plan), "payees_differ", "{plan:?}");
        }
        for plan in &low {
            assert_eq!(rig.code(plan), "fee_not_higher", "{plan:?}");
        }
        if !again {
            rig = rig.again();
        }
    }
    assert_eq!(rig.code(&bid(22 * GWEI + GWEI / 2, 2 * GWEI + GWEI / 4)), "signed", "exactly an eighth");
    assert_eq!(rig.code(&bid(23 * GWEI, 3 * GWEI)), "fee_not_higher", "than the highest");
    let free = |tip| EvmPlan { nonce: 9, units: Wei(1), ..bid(40 * GWEI * (tip + 1), tip) };
    assert_eq!(rig.code(&free(0)), "signed");
    assert_eq!(
        rig.code(&EvmPlan { max_priority_fee_per_gas: Wei(0), ..free(1) }),
        "fee_not_higher",
        "no tip is raised, too"
    );
    assert_eq!(rig.code(&free(1)), "signed");
    // The same place of another key, or of another nonce, is free.
    assert_eq!(rig.code(&EvmPlan { key: key(1), payee: pays(ELSE), ..plan() }), "signed");
    assert_eq!(rig.code(&EvmPlan { nonce: 1, payee: pays(ELSE), ..plan() }), "signed");
    // What binds one key's nonce binds no other one's, though both have one hash.
    assert_eq!(rig.code(&EvmPlan { key: key(2), ..bid(22 * GWEI, 2 * GWEI) }), "signed");
    assert_eq!(rig.code(&EvmPlan { key: key(2), payee: pays(ELSE), ..plan() }), "payees_differ");
}

#[test]
fn an_hour_pays_its_caps_and_no_more() {
    let mut rig = Rig::new();
    let fee = 21_000 * 20 * GWEI;
    let native = |nonce, units, payee| EvmPlan { nonce, units: Wei(units), payee, ..plan() };
    assert_eq!(rig.code(&native(0, 5_000_000 * GWEI, pays(SOMEBODY))), "signed");
    assert_eq!(rig.code(&native(1, 900_000_000 * GWEI, pays(COLD))), "signed", "cold: its fee alone");
    assert_eq!(rig.code(&native(2, 900_000_000 * GWEI, EvmPayee::Key(key(7)))), "signed", "ours: its fee alone");
    let rest = 10_000_000 * GWEI - 5_000_000 * GWEI - 4 * fee;
    assert_eq!(rig.code(&native(3, rest + 1, pays(SOMEBODY))), "above_hour_cap");
    assert_eq!(rig.code(&native(3, rest, pays(SOMEBODY))), "signed", "to the last wei");
    assert_eq!(rig.code(&native(4, 1, EvmPayee::Key(key(7)))), "above_hour_cap", "fees cannot burn what the cap keeps");
    assert_eq!(rig.code(&native(3, rest, pays(SOMEBODY))), "signed", "what is signed already costs nothing");
    let same_of_other = EvmPlan { key: key(1), ..native(3, rest, pays(SOMEBODY)) };
    assert_eq!(
        rig.code(&same_of_other),
        "above_hour_cap",
        "the same of another key is another one, with the same hash"
    );
    rig = rig.again();
    assert_eq!(rig.code(&same_of_other), "above_hour_cap");
    rig.clock -= Duration::from_secs(86_400);
    assert_eq!(rig.code(&native(4, 1, pays(COLD))), "above_hour_cap", "a clock that is set back forgets nothing");
    rig.clock += Duration::from_secs(86_400 + 3_599);
    assert_eq!(rig.code(&native(4, 1, pays(COLD))), "above_hour_cap");
    rig.clock += Duration::from_secs(1);
    assert_eq!(rig.code(&native(4, 1, pays(COLD))), "signed");
}

#[test]
fn a_token_has_a_cap_of_its_own_and_its_fee_is_the_coins() {
    let mut rig = Rig::new();
    let pay = |nonce, units, payee| EvmPlan { nonce, payee, ..token(units) };
    assert_eq!(rig.code(&pay(0, 600_000, pays(SOMEBODY))), "signed");
    assert_eq!(rig.code(&pay(1, 400_001, pays(SOMEBODY))), "above_hour_cap");
    assert_eq!(rig.code(&pay(1, 400_000, pays(SOMEBODY))), "signed");
    assert_eq!(rig.code(&pay(2, 1, pays(SOMEBODY))), "above_hour_cap");
    assert_eq!(rig.code(&pay(2, 77_000_000, pays(COLD))), "signed");
    assert_eq!(rig.code(&pay(3, 77_000_000, EvmPayee::Key(key(5)))), "signed");
    // Four fees of 60,000 gas at 20 gwei are 4,800,000 gwei of the coin's 10,000,000.
    let rest = 10_000_000 * GWEI - 4_800_000 * GWEI - 420_000 * GWEI;
    assert_eq!(rig.code(&EvmPlan { nonce: 4, units: Wei(rest + 1), ..plan() }), "above_hour_cap");
    assert_eq!(rig.code(&EvmPlan { nonce: 4, units: Wei(rest), ..plan() }), "signed");
}

#[test]
fn a_replacement_counts_what_it_adds() {
    let mut rig = Rig::new();
    let pay = |units, gwei: u128| EvmPlan { units: Wei(units), ..bid(gwei * GWEI, gwei * GWEI) };
    let units = 10_000_000 * GWEI - 21_000 * 40 * GWEI;
    assert_eq!(rig.code(&pay(units, 20)), "signed");
    assert_eq!(rig.code(&pay(units, 41)), "above_hour_cap");
    assert_eq!(rig.code(&pay(units, 40)), "signed", "the payment once, and the higher fee");
    rig = rig.again();
    assert_eq!(rig.code(&EvmPlan { nonce: 1, payee: pays(COLD), ..plan() }), "above_hour_cap");
}

#[test]
fn lines_of_both_chains_and_of_older_releases_are_read_and_a_contradiction_stops_the_start() {
    // What a release wrote that knew Bitcoin alone.
    let old = [
        r#"{"at":10,"plan":1,"attempt":0,"txid":"abababababababababababababababababababababababababababababababab","#,
        r#""digest":"00","inputs":[{"txid":"abababababababababababababababababababababababababababababababab","n":1,"#,
        r#""units":"5","key":{"ring":0,"change":false,"index":3}}],"fee":"1","counted":"2"}"#,
    ];
    let text = old.concat();
    let line = |text: &str| {
        let sum = sha256::Hash::hash(text.as_bytes()).to_byte_array().to_lower_hex_string();
        format!("{} {text}\n", &sum[..16])
    };
    let mut rig = Rig::new();
    assert_eq!(rig.code(&plan()), "signed");
    let Rig { desk, folder, .. } = rig;
    drop(desk);
    let path = folder.path().join("log");
    let ours = std::fs::read_to_string(&path).unwrap();
    assert!(ours.contains(r#"{"evm":{"at":1800000000,"plan":1"#), "{ours}");
    std::fs::write(&path, line(&text) + &ours).unwrap();
    let (log, past) = signed_log::open(&path).unwrap();
    assert_eq!(past.len(), 2);
    drop(Desk::new(keys(), policy(), log, past).unwrap());

    let (_, json) = ours.trim_end().split_once(' ').unwrap();
    let start = json.find(r#""digest":""#).unwrap() + 10;
    let other = format!("{}{}{}", &json[..start], "0".repeat(64), &json[start + 64..]);
    std::fs::write(&path, line(&text) + &ours + &line(&other)).unwrap();
    let (log, past) = signed_log::open(&path).unwrap();
    let error = Desk::new(keys(), policy(), log, past).err().unwrap().to_string();
    assert!(error.contains("contradicts itself at nonce 0"), "{error}");
    std::fs::write(&path, line(&json.replacen("\"nonce\"", "\"nonces\"", 1))).unwrap();
    assert!(signed_log::open(&path).is_err(), "a newer release's line is not half understood");
}

#[test]
fn without_a_part_of_the_policy_nothing_is_signed_but_public_keys_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    signed_log::create(&path).unwrap();
    let (log, past) = signed_log::open(&path).unwrap();
    let policy = Policy { evm: None, ..policy() };
    let mut rig = Rig { desk: Desk::new(keys(), policy, log, past).unwrap(), folder, clock: SystemTime::now() };
    assert_eq!(rig.code(&plan()), "wrong_chain");
    let mut xpub = |ring| rig.desk.answer(Question::XpubEvm(ring), rig.clock).unwrap();
    assert!(matches!(xpub(1), Answer::Xpub(text) if text.starts_with("xpub")));
    assert!(matches!(xpub(2), Answer::Refused { code: "foreign_key", .. }));
}

fn as_custody(plan: &EvmPlan) -> core::AccountTransaction {
    let key = |key: Key| core::Key { ring: key.ring, change: key.change, index: key.index };
    core::AccountTransaction {
        from: key(plan.key),
        nonce: plan.nonce,
        to: match &plan.payee {
            EvmPayee::Address(text) => core::Recipient::Address(text.clone()),
            EvmPayee::Key(own) => core::Recipient::Own(key(*own)),
        },
        token: plan.token.as_deref().map(|text| text.parse::<custody::Address>().unwrap().0),
        units: core::Units(plan.units.0),
        gas_limit: plan.gas_limit,
        max_fee_per_gas: plan.max_fee_per_gas.0,
        max_priority_fee_per_gas: plan.max_priority_fee_per_gas.0,
    }
}

/// The other signature of the same point: what nodes refuse.
fn high(raw: &[u8]) -> Vec<u8> {
    const ORDER: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae,
        0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
    ];
    let mut raw = raw.to_vec();
    let at = raw.len() - 32;
    let mut borrow = 0;
    for n in (0..32).rev() {
        let difference = i32::from(ORDER[n]) - i32::from(raw[at + n]) - borrow;
        borrow = i32::from(difference < 0);
        raw[at + n] = u8::try_from(difference + 256 * borrow).unwrap();
    }
    // The parity before both numbers, each with a byte of length.
    let parity = at - 1 - 33 - 1;
    raw[parity] = if raw[parity] == 1 { 0x80 } else { 1 };
    raw
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Exchange and signer make the transaction each with its own code.
    #[test]
    fn the_exchange_and_the_signer_mean_the_same_transaction(
        (ring, change, index, nonce) in (0..2_u32, any::<bool>(), 0..1_000_u32, 0..1_u64 << 40),
        (of_token, own, units) in (any::<bool>(), any::<bool>(), 1..1_000_000_u128),
        (gas_limit, max_fee, tip) in (21_000..50_000_u64, 1..100_u128, 0..100_u128),
    ) {
        let plan = EvmPlan {
            key: Key { ring, change, index },
            nonce,
            token: of_token.then(|| TOKEN.to_lowercase()),
            payee: if own { EvmPayee::Key(key(index + 1)) } else { pays(SOMEBODY) },
            units: Wei(units),
            gas_limit,
            max_fee_per_gas: Wei(max_fee * GWEI),
            max_priority_fee_per_gas: Wei(tip.min(max_fee) * GWEI),
            ..plan()
        };
        let mut rig = Rig::new();
        let Answer::Signed { txid, raw } = rig.sign(&plan) else { panic!("refused: {:?}", rig.sign(&plan)) };
        let accounts = [0, 1].map(|ring| custody::Account::new(&keys().evm_xpub(ring).unwrap()).unwrap());
        let (theirs, bytes) = (as_custody(&plan), hex::decode(&raw).unwrap());
        let verify = |raw: &[u8]| custody::Unsigned::verify(raw, &theirs, &accounts, CHAIN);
        prop_assert_eq!(verify(&bytes).map(|id| id.to_string()), Ok(txid));
        for other in [CHAIN + 1, 1] {
            prop_assert!(custody::Unsigned::verify(&bytes, &theirs, &accounts, other).is_err());
        }
        let other = core::AccountTransaction { units: core::Units(units + 1), ..theirs.clone() };
        prop_assert!(custody::Unsigned::verify(&bytes, &other, &accounts, CHAIN).is_err());
        // Any changed byte makes it another transaction or an unsigned one; so does the signature's other form.
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            prop_assert!(verify(&changed).is_err(), "byte {}", at);
        }
        if bytes[bytes.len() - 33] == 0xa0 && bytes[bytes.len() - 66] == 0xa0 {
            prop_assert_eq!(verify(&high(&bytes)), Err(custody::TransactionError::NotSigned));
        }
        prop_assert!(verify(&bytes[..bytes.len() - 1]).is_err());
        prop_assert!(verify(&[&bytes[..], &[0]].concat()).is_err());
    }

    /// No line makes it panic, and none but a whole question is one.
    #[test]
    fn any_question_is_understood_or_refused(text in r#"\{"sign_evm":\{("[a-z_]{1,12}":("-?[0-9]{0,45}"|null|[0-9]{1,25}),?){0,12}\}\}|.*"#) {
        if let Ok(Question::SignEvm(plan)) = serde_json::from_str(&text) {
            Rig::new().sign(&plan);
        }
    }
}
