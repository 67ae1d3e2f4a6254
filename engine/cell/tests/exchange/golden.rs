//! Golden journals: records and a snapshot of every form that was ever written, read for ever
//! (`docs/decisions.md "Facts are the truth"`). A file is never changed; a new form gets a new file:
//! `GOLDEN=<next number> cargo test -p xng-cell golden` writes that file if it is not there.

use crate::support::{BTC, Exchange, USDT, btc_usdt};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use xng_cell::{Plain, World};
use xng_core::account::facts::{AccountStatus, VipSet};
use xng_core::account::{AccountCommand, OrderName, Property, SpotCommand};
use xng_core::codec::Wire;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, ClientOrderId, EntityId, MarketId, PriceId, RequestKey, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Cause, Fact, Origin, Record, STATE_HASH_FORM};
use xng_core::registry::{AssetListed, AuditAnchored, RegistryCommand};
use xng_core::spot::{
    Leg, MarketCommand, MarketState, NewOrder, OrderGroup, QuoteLevel, Replaced, Side, Stp, Tif, Trigger, TriggerKind,
};

const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const M: MarketId = MarketId(1);

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exchange/golden"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        write!(text, "{b:02x}").expect("a string takes all");
        text
    })
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex")).collect()
}

/// A short life in which every fact happens.
fn life() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    let asset = AssetListed { asset: BTC, name: "BTC".into(), wallets: vec![Wallet::Funding, Wallet::Spot] };
    x.ok(Command::Registry((), RegistryCommand::ListAsset(asset)));
    let anchor = |rows, accepted_by: Option<&str>| {
        let anchor = AuditAnchored { rows, head: [7; 32], accepted_by: accepted_by.map(str::to_owned) };
        Command::Registry((), RegistryCommand::AnchorAudit(anchor))
    };
    x.ok(anchor(1_000, None));
    x.ok(anchor(900, Some("ann")));
    x.make_house();
    for who in [ALICE, BOB, AccountId::HOUSE] {
        x.fund(who, USDT, Amount::whole(100_000));
        x.fund(who, BTC, Amount::whole(10));
    }
    let (asset, amount) = (USDT, Amount::whole(5));
    let transfer = AccountCommand::Transfer { asset, from: Wallet::Spot, to: Wallet::Funding, amount };
    x.send(Some(RequestKey { key: 1, body: 1 }), Command::Account(ALICE, transfer));
    let said = SourcePrice { source: 1, price: Amount::whole(50_000) };
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(said)));
    let spot = |command| AccountCommand::Spot(command);
    let place = |x: &mut Exchange, who, side, ticks, lots, stp, key| {
        let order = x.limit(M, side, ticks, lots, Tif::Gtc, stp);
        let command = Command::Account(who, spot(SpotCommand::Place(order)));
        let Reply::Accepted(Accepted::Placed(ack)) = x.send(Some(RequestKey { key, body: 1 }), command) else {
            panic!("placed")
        };
        ack.order
    };
    let first = place(&mut x, ALICE, Side::Buy, 4_990_000, 1_000, Stp::ExpireTaker, 2);
    place(&mut x, BOB, Side::Sell, 4_990_000, 400, Stp::ExpireTaker, 3);
    place(&mut x, ALICE, Side::Sell, 4_990_000, 100, Stp::Decrement, 4);
    place(&mut x, BOB, Side::Sell, 5_010_000, 300, Stp::ExpireTaker, 5);
    place(&mut x, BOB, Side::Buy, 5_010_000, 20, Stp::ExpireTaker, 8);
    let cancel = spot(SpotCommand::Cancel(OrderName::Id(first)));
    x.send(Some(RequestKey { key: 6, body: 1 }), Command::Account(ALICE, cancel));
    let level = |side, ticks| QuoteLevel { side, ticks: Ticks(ticks), lots: Lots(50) };
    let levels = vec![level(Side::Buy, 5_010_000), level(Side::Sell, 5_020_000)];
    let hold = [(BTC, Amount::whole(1)), (USDT, Amount::whole(1_000))];
    let quote = spot(SpotCommand::Quote { market: M, levels, hold, version: 0 });
    x.ok(Command::Account(AccountId::HOUSE, quote));
    crate::tickets::every_fact(&mut x);
    crate::legs::every_fact(&mut x);
    place_group(&mut x);
    crate::convert::every_fact(&mut x);
    crate::seconds::every_fact(&mut x);
    crate::copying::every_fact(&mut x);
    // The request keys of the day before are forgotten; one of today is in the snapshot.
    x.advance(26 * 3_600 * 1_000_000_000);
    x.run();
    let transfer = AccountCommand::Transfer { asset, from: Wallet::Funding, to: Wallet::Spot, amount };
    x.send(Some(RequestKey { key: 8, body: 1 }), Command::Account(ALICE, transfer));
    x.ok(Command::Market(M, MarketCommand::ReserveTradeIds(3)));
    x.ok(Command::Market(M, MarketCommand::SetState(MarketState::Halt)));
    let params = xng_core::spot::MarketParams { band_ppm: 400_000, ..btc_usdt() };
    x.ok(Command::Market(M, MarketCommand::ChangeParams(Box::new(params))));
    let locked = Property::Status(AccountStatus::Locked);
    x.ok(Command::Account(AccountId(100_003), AccountCommand::Set(locked)));
    // What quotes lock is in the snapshot.
    x.ok(Command::Market(M, MarketCommand::SetState(MarketState::Trading)));
    let levels = vec![QuoteLevel { side: Side::Buy, ticks: Ticks(4_900_000), lots: Lots(50) }];
    let quote = spot(SpotCommand::Quote { market: M, levels, hold, version: x.params(M).version });
    x.ok(Command::Account(AccountId::HOUSE, quote));
    crate::stock_actions::every_fact(&mut x);
    crate::chains::every_fact(&mut x);
    crate::withdrawals::every_fact(&mut x);
    crate::account_chains::every_fact(&mut x);
    crate::coupons::every_fact(&mut x);
    crate::option_coupons::every_fact(&mut x);
    crate::regions::every_fact(&mut x);
    x
}

/// An order that brings two others when it is filled, and one whose pending order is there at the end.
fn brings(x: &mut Exchange) {
    let limit = |x: &Exchange, side, ticks, tif| x.limit(M, side, ticks, 25, tif, Stp::ExpireMaker);
    let stop = |x: &Exchange, side, ticks| {
        let trigger = Trigger { kind: TriggerKind::StopLoss, ticks: Ticks(ticks), trail_bips: 0 };
        Leg { order: limit(x, side, ticks, Tif::Gtc), trigger: Some(trigger) }
    };
    let spot = |who, command| Command::Account(who, AccountCommand::Spot(command));
    let take = Leg { order: limit(x, Side::Sell, 5_200_000, Tif::PostOnly), trigger: None };
    for (price, pending) in
        [(4_700_000, vec![stop(x, Side::Sell, 4_600_000)]), (5_041_000, vec![take, stop(x, Side::Sell, 4_650_000)])]
    {
        let first = Leg { order: limit(x, Side::Buy, price, Tif::Gtc), trigger: None };
        let list = ClientOrderId::parse(&format!("brings-{price}"));
        let wanted = OrderGroup { pending, list, ..x.group(&[first]) };
        x.ok(spot(ALICE, SpotCommand::PlaceGroup(Box::new(wanted))));
    }
    let meets = limit(x, Side::Sell, 5_041_000, Tif::Gtc);
    x.ok(spot(BOB, SpotCommand::Place(meets)));
}

/// Orders that wait, lists of both kinds, an iceberg, a replacement, an amendment and a trigger; some are still open at the
/// end.
fn place_group(x: &mut Exchange) {
    let name = |text: &str| ClientOrderId::parse(text);
    let limit = |x: &Exchange, side, ticks, lots| x.limit(M, side, ticks, lots, Tif::Gtc, Stp::ExpireMaker);
    let spot = |who, command| Command::Account(who, AccountCommand::Spot(command));
    let iceberg = NewOrder { iceberg: Lots(40), client_id: name("ice"), ..limit(x, Side::Sell, 5_015_000, 100) };
    x.ok(spot(ALICE, SpotCommand::Place(iceberg)));
    let meets = limit(x, Side::Buy, 5_015_000, 60);
    x.ok(spot(BOB, SpotCommand::Place(meets)));
    let prevented = limit(x, Side::Buy, 5_015_000, 10);
    x.ok(spot(ALICE, SpotCommand::Place(prevented)));
    let trigger = |kind, ticks, trail_bips| Some(Trigger { kind, ticks: Ticks(ticks), trail_bips });
    let stop =
        Leg { order: limit(x, Side::Sell, 4_900_000, 20), trigger: trigger(TriggerKind::StopLoss, 4_950_000, 0) };
    let post_only = NewOrder { tif: Tif::PostOnly, ..limit(x, Side::Sell, 5_030_000, 20) };
    let take = Leg { order: NewOrder { client_id: name("take"), ..post_only }, trigger: None };
    let list = OrderGroup { list: name("list"), ..x.group(&[take, stop]) };
    let command = spot(BOB, SpotCommand::PlaceGroup(Box::new(list)));
    let Reply::Accepted(Accepted::GroupPlaced(_)) = x.send(Some(RequestKey { key: 7, body: 1 }), command) else {
        panic!("an order group was placed")
    };
    let order = limit(x, Side::Sell, 5_000_000, 30);
    let trails = Leg { order, trigger: trigger(TriggerKind::TakeProfit, 5_100_000, 100) };
    let waits = x.group(&[trails]);
    x.ok(spot(ALICE, SpotCommand::PlaceGroup(Box::new(waits))));
    let triggered =
        Leg { order: limit(x, Side::Buy, 5_040_000, 10), trigger: trigger(TriggerKind::StopLoss, 5_035_000, 0) };
    let waits = x.group(&[triggered]);
    x.ok(spot(ALICE, SpotCommand::PlaceGroup(Box::new(waits))));
    let said = SourcePrice { source: 1, price: Amount::whole(50_350) };
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(said)));
    brings(x);
    let resting = limit(x, Side::Buy, 4_800_000, 100);
    let Reply::Accepted(Accepted::Placed(first)) = x.place(BOB, resting) else { panic!("placed") };
    let amend = SpotCommand::Amend { order: OrderName::Id(first.order), lots: Lots(70), client_id: name("less") };
    x.ok(spot(BOB, amend));
    let dearer = Leg { order: limit(x, Side::Buy, 4_810_000, 80), trigger: None };
    let replaces = Some(Replaced { order: first.order, must: true });
    let replacement = OrderGroup { replaces, ..x.group(&[dearer]) };
    x.ok(spot(BOB, SpotCommand::PlaceGroup(Box::new(replacement))));
}

/// The lines of a golden file: records, entries of the snapshot behind them, the hash of the state.
fn lines() -> String {
    let mut records = life().journal.records();
    let mut world: World<Plain> = World::default();
    records.iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).expect("folds")));
    // A digest stands after 10,000 facts only; here it is added by hand, in both forms that were written.
    let add = |world: &mut World<Plain>, records: &mut Vec<(Lsn, Vec<u8>)>, bytes: Vec<u8>| {
        let lsn = world.lsn().next();
        world.fold(lsn, &bytes).expect("folds");
        records.push((lsn, bytes));
    };
    let head = |kind: u8, version: u8, time: u64| {
        let mut bytes = vec![kind, version];
        time.put(&mut bytes);
        EntityId::REGISTRY.put(&mut bytes);
        Cause::Cell.put(&mut bytes);
        Origin::System.put(&mut bytes);
        bytes
    };
    // Nothing writes these causes and origins yet.
    let mut bytes = Vec::new();
    let cause = Cause::Derived { cell: 1, lsn: Lsn(7), ordinal: 2 };
    let origin = Origin::Staff { maker: 11, checker: 12, case: 1_000 };
    let (decider, fact) = (EntityId::Account(BOB), VipSet { account: BOB, level: 1 }.into());
    Record { time: world.time() + 1, decider, cause, origin, fact }.encode(&mut bytes);
    add(&mut world, &mut records, bytes);
    for version in [1, 2] {
        let digest = world.digest();
        let mut bytes = head(40, version, world.time() + 1);
        if version == 2 {
            digest.form.put(&mut bytes);
        }
        digest.state.put(&mut bytes);
        digest.entities.put(&mut bytes);
        add(&mut world, &mut records, bytes);
    }
    let mut text = String::new();
    for (lsn, bytes) in &records {
        writeln!(text, "record\t{lsn}\t{}", hex(bytes)).expect("a string takes all");
    }
    for (key, value) in world.save() {
        writeln!(text, "entry\t{}\t{}", hex(&key), hex(&value)).expect("a string takes all");
    }
    writeln!(text, "hash\t{STATE_HASH_FORM}\t{:016x}", world.state_hash()).expect("a string takes all");
    text
}

/// Reads one file; gives the forms of facts in it.
fn check(name: &str, text: &str) -> BTreeSet<(u8, u8)> {
    let (mut world, mut entries, mut forms) = (World::<Plain>::default(), Vec::new(), BTreeSet::new());
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match *fields.as_slice() {
            ["record", lsn, bytes] => {
                let bytes = unhex(bytes);
                let lsn = Lsn(lsn.parse().expect("a number"));
                let record = world.fold(lsn, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
                forms.insert((bytes[0], bytes[1]));
                if record.fact.kind() == (bytes[0], bytes[1]) {
                    let mut again = Vec::new();
                    record.encode(&mut again);
                    assert_eq!(again, bytes, "{name}: record {lsn} is written as it was read");
                }
            }
            ["entry", key, value] => entries.push((unhex(key), unhex(value))),
            ["hash", form, hash] => {
                let hash = u64::from_str_radix(hash, 16).expect("hex");
                if form.parse() == Ok(STATE_HASH_FORM) {
                    assert_eq!(world.state_hash(), hash, "{name}: the records give the state that they gave");
                }
                let loaded: World<Plain> = World::load(std::mem::take(&mut entries).into_iter(), world.lsn(), hash)
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                let (a, b): (Vec<_>, Vec<_>) = (loaded.save().collect(), world.save().collect());
                assert_eq!(a, b, "{name}: the snapshot is the state of the records");
            }
            _ => panic!("{name}: {line} does not read"),
        }
    }
    forms
}

#[test]
fn golden_journals_read_for_ever() {
    if let Ok(name) = std::env::var("GOLDEN") {
        let path = folder().join(format!("{name}.tsv"));
        assert!(!path.exists(), "{} is there, and stays as it is", path.display());
        fs::create_dir_all(folder()).expect("a folder");
        fs::write(path, lines()).expect("written");
    }
    let mut forms = BTreeSet::new();
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).expect("readable").map(|e| e.expect("entry").path()).collect();
    files.sort();
    for path in &files {
        let text = fs::read_to_string(path).expect("readable");
        forms.extend(check(&path.display().to_string(), &text));
    }
    let missing: Vec<_> = Fact::forms().filter(|form| !forms.contains(form)).collect();
    assert!(missing.is_empty(), "no golden file holds {missing:?}: write one with GOLDEN=<number>");
}

#[test]
fn a_newer_form_is_refused_with_a_clear_message() {
    let mut bytes = Vec::new();
    let fact = Fact::from(World::<Plain>::default().digest());
    let (decider, cause, origin) = (EntityId::REGISTRY, Cause::Cell, Origin::System);
    Record { time: 1, decider, cause, origin, fact }.encode(&mut bytes);
    bytes[1] = 9;
    let error = World::<Plain>::default().fold(Lsn(1), &bytes).expect_err("newer");
    let text = "record 1 cannot be read: fact 40 version 9 is unknown to this build: a newer one wrote it";
    assert_eq!(error.to_string(), text);
}
