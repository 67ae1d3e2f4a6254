//! Proofs of each outcome hold; whatever is changed in one is noticed.

use super::super::proof::{Rooted, file};
use super::*;
use proptest::prelude::*;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use xng_core::coupon::CouponId;
use xng_core::ids::{AccountId, AssetId, MarketId};
use xng_core::price::SourcePrice;
use xng_core::seconds::{Bonus, OptionId, SecondsOption};
use xng_persistence::store::{OptionEnd, StoredOption};
use xng_persistence::ticks::{SignedRoot, Slice, path, root};

const PRICE: PriceId = PriceId(1);
const START: TimeNs = 1_700_000_000 * SECOND_NS;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// Ticks from number 21 on at these milliseconds after [`START`] and prices.
fn slice(ticks: &[(u64, &str)]) -> Slice {
    let previous = [7; 32];
    let (mut hash, mut chained) = (previous, Vec::new());
    for (n, (ms, index)) in ticks.iter().enumerate() {
        let sources =
            vec![SourcePrice { source: 2, price: amount(index) }, SourcePrice { source: 3, price: amount("50001") }];
        let (seq, time) = (21 + n as u64, START + ms * MS_NS);
        let mut tick = ArchivedTick { seq, time, index: amount(index), sources, hash };
        tick.hash = tick.hash_after(&hash, PRICE);
        hash = tick.hash;
        chained.push(tick);
    }
    Slice { previous, ticks: chained }
}

fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap()
}

/// The root of an hour that has three more ticks before and after those of a slice.
fn under_a_root(slice: &Slice) -> Rooted {
    let mut hashes: Vec<Hash> = vec![[1; 32], [2; 32], [3; 32]];
    hashes.extend(slice.ticks.iter().map(|tick| tick.hash));
    let place = hashes.len() - 1;
    hashes.extend([[4; 32], [5; 32], [6; 32]]);
    let (first, last) = (18, 18 + hashes.len() as u64 - 1);
    let hour = hour_of(slice.ticks.last().unwrap().time);
    let statement = Statement { price: PRICE, hour, first, last, hash: [6; 32], root: root(&hashes) }.to_bytes();
    let (signature, key) = (pair().sign(&statement).as_ref().to_vec(), pair().public_key().as_ref().to_vec());
    Rooted { root: SignedRoot { statement, signature, key }, place: place as u64, path: path(&hashes, place) }
}

/// The proof of an option of 100 at 75 % with a fee of 1, opened 150 ms after [`START`] for 60 s.
fn proof(side: OptionSide, ticks: &[(u64, &str)], silent: Option<u64>, signed: bool) -> Value {
    proof_of(side, ticks, (silent, signed), None)
}

/// The same by a coupon, without a fee.
fn proof_of(
    side: OptionSide,
    ticks: &[(u64, &str)],
    (silent, signed): (Option<u64>, bool),
    bonus: Option<Bonus>,
) -> Value {
    let slice = slice(ticks);
    let opened = START + 150 * MS_NS + 77;
    let (ratio_ppm, stake) = (750_000, amount("100"));
    let fee = if bonus.is_some() { Amount::ZERO } else { amount("1") };
    let option = SecondsOption {
        option: OptionId(4_104),
        account: AccountId(1),
        asset: AssetId(3),
        side,
        stake,
        fee,
        ratio_ppm,
        open_seq: 21,
        open_price: slice.ticks[0].index,
        opened,
        expires: START + 60_150 * MS_NS,
        bonus,
    };
    let all: Vec<Tick> = slice.ticks.iter().map(|t| Tick { seq: t.seq, index: t.index, time: t.time }).collect();
    let close = deciding(&all, option.expires);
    let outcome = result(side, option.open_price, close.map(|tick| tick.index));
    let end = OptionEnd {
        time: START + 61_000 * MS_NS,
        result: outcome,
        close_seq: close.map_or(0, |tick| tick.seq),
        close_price: close.map_or(Amount::ZERO, |tick| tick.index),
        paid: option.paid(outcome),
    };
    let root = signed.then(|| under_a_root(&slice));
    assert_eq!(OptionId(4_104).desk().pair(), MarketId(1));
    let row = StoredOption { option, end: Some(end) };
    file((&row, &end), (PRICE, "BTCUSDT"), &slice, silent.map(|ms| START + ms * MS_NS), root.as_ref())
}

const WON: &[(u64, &str)] = &[(100, "50000"), (700, "49990"), (60_150, "50001"), (60_151, "49990")];
const TIED: &[(u64, &str)] = &[(100, "50000"), (58_000, "50000"), (60_400, "50000.5")];
const OLD: &[(u64, &str)] = &[(100, "50000"), (55_149, "50001"), (60_400, "50002")];

fn holds(value: &Value) -> Vec<String> {
    let found = verify(value, None).unwrap();
    assert_eq!(found.wrong, None, "{:?}", found.steps);
    found.steps
}

fn wrong(value: &Value) -> String {
    verify(value, None).unwrap().wrong.expect("something is wrong")
}

#[test]
fn proofs_of_a_win_a_loss_a_tie_and_a_void_option_hold() {
    let ends = [
        (OptionSide::Rise, WON, "win", "175"),
        (OptionSide::Fall, WON, "loss", "0"),
        (OptionSide::Rise, TIED, "tie", "100"),
        (OptionSide::Fall, OLD, "void", "101"),
    ];
    for (side, ticks, outcome, amount) in ends {
        for signed in [false, true] {
            let value = proof(side, ticks, None, signed);
            assert_eq!((&value["result"]["outcome"], &value["result"]["paid"]), (&outcome.into(), &amount.into()));
            let steps = holds(&value).join("\n");
            assert!(steps.contains(outcome) && steps.contains("first one after the expiry"), "{steps}");
            assert_eq!(steps.contains("under the root of hour"), signed, "{steps}");
        }
    }
}

#[test]
fn of_an_option_by_a_coupon_only_profit_is_paid() {
    let bonus = Some(Bonus { coupon: CouponId(65_543), issued: START, expires: START + 90_000 * MS_NS });
    let ends = [
        (OptionSide::Rise, WON, "win", "75"),
        (OptionSide::Fall, WON, "loss", "0"),
        (OptionSide::Rise, TIED, "tie", "0"),
        (OptionSide::Fall, OLD, "void", "0"),
    ];
    for (side, ticks, outcome, amount) in ends {
        let value = proof_of(side, ticks, (None, true), bonus);
        assert_eq!((&value["result"]["outcome"], &value["result"]["paid"]), (&outcome.into(), &amount.into()));
        assert_eq!((&value["proof"], &value["order"]["coupon"]), (&"seconds/2".into(), &true.into()));
        holds(&value);
    }
    // Neither form passes as the other.
    let mut as_first = proof_of(OptionSide::Rise, WON, (None, true), bonus);
    as_first["proof"] = "seconds/1".into();
    assert!(verify(&as_first, None).is_err());
    let mut as_second = proof(OptionSide::Rise, WON, None, true);
    as_second["order"]["coupon"] = true.into();
    assert!(verify(&as_second, None).is_err());
    as_second["proof"] = "seconds/2".into();
    assert!(wrong(&as_second).contains("75 is to be paid"));
    as_second["order"]["coupon"] = false.into();
    assert!(verify(&as_second, None).is_err());
}

#[test]
fn a_tick_exactly_five_seconds_before_the_expiry_decides() {
    let value = proof(OptionSide::Rise, &[(100, "50000"), (55_150, "50001"), (60_151, "1")], None, false);
    assert_eq!(value["result"]["outcome"], "win");
    holds(&value);
}

#[test]
fn a_slice_without_a_tick_after_the_expiry_is_not_certain_unless_the_price_was_silent() {
    let cut = &WON[..3];
    assert!(wrong(&proof(OptionSide::Rise, cut, None, false)).starts_with("not certain yet"));
    assert!(wrong(&proof(OptionSide::Rise, cut, Some(60_150), false)).starts_with("not certain yet"));
    let steps = holds(&proof(OptionSide::Rise, cut, Some(120_000), false)).join("\n");
    assert!(steps.contains("on the exchange's word alone"), "{steps}");
    assert!(wrong(&proof(OptionSide::Rise, WON, Some(120_000), false)).contains("says that no tick came"));
    let more = [WON, &[(60_152, "5")]].concat();
    assert!(wrong(&proof(OptionSide::Rise, &more, None, false)).contains("goes on after"));
}

#[test]
fn an_option_opened_at_a_tick_that_was_not_the_newest_or_too_old_is_noticed() {
    let late = &[(100, "50000"), (149, "49990"), (60_150, "50001"), (60_151, "49990")];
    assert!(wrong(&proof(OptionSide::Rise, late, None, false)).contains("newer tick"));
    let mut value = proof(OptionSide::Rise, WON, None, false);
    let opened = START + 2_101 * MS_NS;
    value["order"]["opened_ns"] = opened.to_string().into();
    assert!(wrong(&value).contains("more than 2 s old"));
}

#[test]
fn a_root_of_another_key_price_hour_or_place_is_noticed() {
    let value = proof(OptionSide::Rise, WON, None, true);
    let key = pair().public_key().as_ref().to_vec();
    assert_eq!(verify(&value, Some(&key)).unwrap().wrong, None);
    assert!(verify(&value, Some(&[1; 32])).unwrap().wrong.unwrap().contains("another key"));
    assert!(verify(&proof(OptionSide::Rise, WON, None, false), Some(&key)).unwrap().wrong.is_some());
    for (name, other) in [("place", 5.into()), ("signature", "00".into()), ("path", Value::Array(Vec::new()))] {
        let mut value = value.clone();
        value["root"][name] = other;
        wrong(&value);
    }
}

#[test]
fn what_is_no_proof_is_not_read() {
    for text in ["{}", "[]", "null", r#"{"proof":"seconds/2"}"#, r#"{"proof":"seconds/1"}"#] {
        assert!(verify(&serde_json::from_str(text).unwrap(), None).is_err(), "{text}");
    }
}

/// What the outcome of a proof rests on: ticks, the hash before them, the result, and of the order side, opening tick, opening
/// price, expiry, and stake, ratio and fee where they are paid.
fn rests_on(value: &Value) -> String {
    let (order, paid) = (&value["order"], value["result"]["outcome"].as_str().unwrap_or_default());
    let names: &[&str] = match paid {
        "win" => &["side", "stake", "ratio_pct", "expires_ns", "open_tick", "open_price"],
        "tie" => &["stake", "expires_ns", "open_tick", "open_price"],
        "void" => &["stake", "fee", "expires_ns", "open_tick", "open_price"],
        _ => &["side", "expires_ns", "open_tick", "open_price"],
    };
    let order: Vec<String> = names.iter().map(|name| order[name].to_string()).collect();
    format!("{}{}{}{}{}", value["price"]["id"], value["ticks"], value["result"], value["previous"], order.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_changed_byte_of_ticks_result_and_what_it_rests_on_is_noticed(
        which in 0..4_usize, signed in any::<bool>(), at in any::<proptest::sample::Index>(), bit in 0..7_u8
    ) {
        let (side, ticks) =
            [(OptionSide::Rise, WON), (OptionSide::Fall, WON), (OptionSide::Rise, TIED), (OptionSide::Fall, OLD)][which];
        let good = proof(side, ticks, None, signed);
        let mut bytes = good.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let read = std::str::from_utf8(&bytes).ok().and_then(|text| serde_json::from_str::<Value>(text).ok());
        // What is no JSON any more cannot be read; what says the same is the same proof.
        if let Some(changed) = read.filter(|changed| rests_on(changed) != rests_on(&good)) {
            let found = verify(&changed, None);
            prop_assert!(found.is_err() || found.is_ok_and(|found| found.wrong.is_some()), "byte {}", at);
        }
    }
}
