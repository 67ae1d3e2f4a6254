//! What the histories of accounts have of what was done, and what they say when they lack some.

use crate::support::{BTC, Exchange, USDT, btc_usdt};
use xng_core::account::Order;
use xng_core::account::histories::Histories;
use xng_core::account::recent::{Place, RECENT};
use xng_core::ids::{AccountId, MarketId};
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_core::record::Record;
use xng_core::spot::{Side, Stp, Tif};

const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const M: MarketId = MarketId(1);

/// Alice's orders are filled by Bob's, one after the other; some rest before.
fn traded(pairs: i64) -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    for who in [ALICE, BOB] {
        x.fund(who, USDT, Amount::whole(10_000_000));
        x.fund(who, BTC, Amount::whole(1_000));
    }
    for n in 0..pairs {
        let order = x.limit(M, Side::Buy, 5_000_000 + n % 7, 10, Tif::Gtc, Stp::ExpireTaker);
        x.place(ALICE, order);
        let order = x.limit(M, Side::Sell, 5_000_000, 10, Tif::Ioc, Stp::ExpireTaker);
        x.place(BOB, order);
    }
    x
}

fn records(x: &Exchange) -> Vec<(Lsn, Record)> {
    let decode = |(lsn, bytes): (Lsn, Vec<u8>)| (lsn, Record::decode(&bytes).expect("a record"));
    x.journal.records().into_iter().map(decode).collect()
}

fn followed(mut histories: Histories, records: &[(Lsn, Record)]) -> Histories {
    records.iter().for_each(|(lsn, record)| histories.follow(*lsn, record));
    histories
}

#[test]
fn histories_that_began_later_have_all_that_happened_since() {
    let x = traded(40);
    let records = records(&x);
    let all = followed(Histories::since(Place::default(), []), &records);
    for from in [1, records.len() / 2, records.len() - 1] {
        let before = followed(Histories::since(Place::default(), []), &records[..from]);
        let open: Vec<(AccountId, Order)> = before.open().map(|order| (ALICE, *order)).collect();
        let since = Place { lsn: records[from - 1].0, time: records[from - 1].1.time };
        let later = followed(Histories::since(since, open), &records[from..]);
        let upto = later.position();
        for who in [ALICE, BOB] {
            let known = all.of(who).expect("traded").done(upto).entries;
            let Some(history) = later.of(who) else { continue };
            let page = history.done(upto);
            assert_eq!(page.reach, since);
            assert_eq!(page.entries, known[known.len() - page.entries.len()..]);
            assert_eq!(page.entries.len(), known.iter().filter(|o| o.updated > since.time).count());
        }
    }
}

#[test]
fn what_was_up_to_a_position_is_told_without_what_came_after_it() {
    let x = traded(20);
    let records = records(&x);
    let all = followed(Histories::since(Place::default(), []), &records);
    for upto in 0..records.len() {
        let then = followed(Histories::since(Place::default(), []), &records[..upto]);
        for who in [ALICE, BOB] {
            let (then, now) = (then.of(who), all.of(who).expect("traded"));
            let lsn = Lsn(upto as u64);
            assert_eq!(then.map_or_else(Vec::new, |h| h.done(lsn).entries), now.done(lsn).entries);
            assert_eq!(then.map_or_else(Vec::new, |h| h.fills(lsn).entries), now.fills(lsn).entries);
        }
    }
}

#[test]
fn beyond_their_memory_the_oldest_go_and_what_is_lacking_is_said() {
    let x = traded(1_200);
    let records = records(&x);
    let whole = followed(Histories::since(Place::default(), []).with_bytes(usize::MAX), &records);
    for most in [0, 3_000, 40_000] {
        let some = followed(Histories::since(Place::default(), []).with_bytes(most), &records);
        // The chunk that is being written is not taken back at once.
        assert!(some.bytes() <= most + 4 * 4_096, "{} bytes of {most}", some.bytes());
        let upto = some.position();
        for who in [ALICE, BOB] {
            let (all, page) = (whole.of(who).expect("traded").done(upto), some.of(who).expect("traded").done(upto));
            let fills = some.of(who).expect("traded").fills(upto);
            assert!(page.reach > all.reach && fills.reach.lsn > Lsn::ZERO);
            let kept: Vec<Order> = all.entries.iter().filter(|o| o.updated > page.reach.time).copied().collect();
            assert_eq!(page.entries, kept, "all after the reach, and nothing before it");
        }
    }
    assert!(whole.of(ALICE).expect("traded").done(whole.position()).entries.len() >= RECENT);
}
