//! Redis beside the exchange: there, flushed, away, frozen, shared by two gateways.

use crate::client::Server;
use crate::wait::{eventually, found};
use redis::{Commands, Connection};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use xng_persistence::services::Redis;

const SOON: Duration = Duration::from_secs(60);

fn connect(redis: &Redis) -> Connection {
    redis::Client::open(redis.url()).unwrap().get_connection().unwrap()
}

fn sessions(connection: &mut Connection) -> Vec<String> {
    connection.keys("xng:session:*").unwrap()
}

/// Everything that must be there while the exchange runs.
fn wait_for_views(connection: &mut Connection) {
    found("the views", || {
        let depth: Option<String> = connection.get("xng:depth:BTCUSDT").unwrap();
        let ticker: Option<String> = connection.get("xng:ticker:ETHUSDT").unwrap();
        let candles: Vec<String> = connection.zrange("xng:candles:BTCUSDT:1m", -2, -1).unwrap();
        let (Some(depth), Some(ticker), [before, last]) = (depth, ticker, candles.as_slice()) else { return None };
        let depth: Value = serde_json::from_str(&depth).unwrap();
        let ticker: Value = serde_json::from_str(&ticker).unwrap();
        let [before, last] = [before, last].map(|text| serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(ticker["s"], "ETHUSDT");
        assert_eq!(before["k"]["T"].as_i64().unwrap() + 1, last["k"]["t"].as_i64().unwrap());
        let has_levels = !depth["bids"].as_array()?.is_empty() && depth["lastUpdateId"].as_u64()? > 0;
        (has_levels && !sessions(connection).is_empty()).then_some(())
    });
}

fn buy(api: &crate::client::Api) -> Value {
    let pair = [("currency_id", "1"), ("legal_id", "3"), ("type", "1")];
    let [base, quote, side] = pair;
    api.post("/coin/trade", &[base, quote, side, ("target_price", "56000"), ("amount", "0.001")])
}

#[test]
fn what_redis_holds_comes_back_after_a_flush_and_a_dead_session_goes() {
    let redis = Redis::start().unwrap();
    let server = Server::start(&[("XNG__REDIS__URL", &redis.url())]);
    server.wait_open("BTCUSDT");
    let demo = server.demo("demo");
    demo.balance(3);
    let mut connection = connect(&redis);
    wait_for_views(&mut connection);
    let account: Value = {
        let key = sessions(&mut connection).pop().unwrap();
        serde_json::from_str(&connection.get::<_, String>(key).unwrap()).unwrap()
    };
    assert!(account["account"].as_u64().unwrap() > 100_000, "{account}");

    let rewritten = || server.ops_get("/status")["redis"]["rewritten"].as_u64().unwrap();
    let before = rewritten();
    redis::cmd("FLUSHALL").query::<()>(&mut connection).unwrap();
    wait_for_views(&mut connection);
    assert!(rewritten() > before);

    demo.get("/user/logout");
    eventually("the dead session goes", || sessions(&mut connection).is_empty());
}

/// How many candles each key holds.
fn candles(connection: &mut Connection) -> BTreeMap<String, u64> {
    let keys: Vec<String> = connection.keys("xng:candles:*").unwrap();
    keys.into_iter().map(|key| (key.clone(), connection.zcard(&key).unwrap())).collect()
}

#[test]
fn a_flush_in_the_middle_of_the_rewriting_leaves_nothing_out() {
    let redis = Redis::start().unwrap();
    let server = Server::start(&[("XNG__REDIS__URL", &redis.url())]);
    server.wait_open("BTCUSDT");
    server.demo("demo").balance(3);
    let mut connection = connect(&redis);
    wait_for_views(&mut connection);
    // What a whole writing leaves; it is over when nothing is added any more.
    let mut whole = candles(&mut connection);
    eventually("the writing ends", || {
        std::thread::sleep(Duration::from_millis(500));
        let now = candles(&mut connection);
        let over = now == whole && !now.is_empty();
        whole = now;
        over
    });
    for n in 0..60 {
        redis::cmd("FLUSHALL").query::<()>(&mut connection).unwrap();
        std::thread::sleep(Duration::from_millis(n % 40));
    }
    eventually("all candles are there", || {
        let now = candles(&mut connection);
        whole.iter().all(|(key, count)| now.get(key) >= Some(count))
    });
}

#[test]
fn streams_are_published_without_a_gap() {
    let redis = Redis::start().unwrap();
    let server = Server::start(&[("XNG__REDIS__URL", &redis.url())]);
    server.wait_open("BTCUSDT");
    let mut connection = connect(&redis);
    connection.set_read_timeout(Some(SOON)).unwrap();
    let mut channel = connection.as_pubsub();
    channel.psubscribe("xng:stream:*").unwrap();
    let mut last: BTreeMap<String, Value> = BTreeMap::new();
    let mut joined = 0;
    while joined < 10 {
        let message = channel.get_message().unwrap();
        let frame: Value = serde_json::from_str(&message.get_payload::<String>().unwrap()).unwrap();
        let stream = frame["stream"].as_str().unwrap().to_owned();
        assert_eq!(message.get_channel_name(), format!("xng:stream:{stream}"));
        let Some(before) = last.insert(stream.clone(), frame.clone()) else { continue };
        assert_eq!(frame["from"].as_u64().unwrap(), before["seq"].as_u64().unwrap() + 1, "{frame}");
        assert!(frame["seq"].as_u64() >= frame["from"].as_u64());
        if stream.ends_with("@depth@100ms") && before.get("snapshot").is_none() {
            assert_eq!(frame["data"]["U"].as_u64().unwrap(), before["data"]["u"].as_u64().unwrap() + 1);
            joined += 1;
        }
    }
}

#[test]
fn trading_does_not_notice_that_redis_is_away_frozen_or_new() {
    let redis = Redis::start().unwrap();
    redis.kill();
    let server = Server::start(&[("XNG__REDIS__URL", &redis.url())]);
    server.wait_open("BTCUSDT");
    let demo = server.demo("demo");
    let up = || server.ops_get("/status")["redis"]["up"].as_bool().unwrap();
    assert!(!up());
    assert_eq!(buy(&demo)["type"], "ok");

    redis.restart().unwrap();
    eventually("Redis is found", up);
    wait_for_views(&mut connect(&redis));

    redis.freeze();
    eventually("a frozen Redis is noticed", || {
        assert_eq!(buy(&demo)["type"], "ok");
        !up()
    });
    redis.thaw();
    eventually("a thawed Redis is found", up);

    redis.kill();
    eventually("a dead Redis is noticed", || !up());
    assert_eq!(buy(&demo)["type"], "ok");
    redis.restart().unwrap();
    wait_for_views(&mut connect(&redis));
}

#[test]
fn two_gateways_share_their_limits() {
    let minute = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 60;
    for _ in 0..3 {
        let redis = Redis::start().unwrap();
        let settings = [("XNG__REDIS__URL", &*redis.url()), ("XNG__LIMITS__CALLS_PER_MINUTE_IP", "300")];
        let (one, other) = (Server::start(&settings), Server::start(&settings));
        let begun = minute();
        let refused = |server: &Server| server.api().get("/getSiteConfig")["code"] == 1018;
        assert!((0..400).any(|_| refused(&one)), "300 calls a minute are the limit");
        // The other one has hardly been asked.
        let mut calls = 0;
        let limited = (0..150).any(|_| {
            calls += 1;
            std::thread::sleep(Duration::from_millis(50));
            refused(&other)
        });
        // A minute that ended in between gave everybody new calls.
        if minute() == begun {
            assert!(limited, "{calls} calls went through");
            return;
        }
    }
    panic!("no minute was long enough");
}
