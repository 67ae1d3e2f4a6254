//! Market streams as programs use them: every name, both units of time, properties, and the end of a connection.

use crate::client::{Api, Server};
use crate::raw::ask;
use crate::socket::Socket;
use crate::wait::found;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tungstenite::Message;

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().map(|o| o.keys().map(String::as_str).collect()).unwrap_or_default()
}

fn sorted(names: &str) -> Vec<&str> {
    let mut names: Vec<&str> = names.split(' ').collect();
    names.sort_unstable();
    names
}

/// That a value is what the document says: its fields, no more and no less, and their types.
pub(crate) fn fits(value: &Value, schema: &Value, place: &str) {
    let is = match schema["type"].as_str().unwrap() {
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => {
            let items = value.as_array().unwrap_or_else(|| panic!("{place}: {value}"));
            items.iter().for_each(|item| fits(item, &schema["items"], place));
            true
        }
        "object" => {
            assert_eq!(fields(value), fields(&schema["properties"]), "{place}");
            for (name, property) in schema["properties"].as_object().unwrap() {
                fits(&value[name], property, &format!("{place}.{name}"));
            }
            true
        }
        other => panic!("no type {other}"),
    };
    assert!(is, "{place}: {value} is no {}", schema["type"]);
}

/// Whether a name is made of a channel's address with values of its parameters.
pub(crate) fn fills(channel: &Value, pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('{') else { return pattern == name };
    let (parameter, after) = rest.split_once('}').unwrap();
    let values = channel["parameters"][parameter]["enum"].as_array().unwrap();
    let Some(name) = name.strip_prefix(before) else { return false };
    let rests = values.iter().filter_map(|value| name.strip_prefix(value.as_str().unwrap()));
    rests.into_iter().any(|rest| fills(channel, after, rest))
}

/// The first frame of each stream.
pub(crate) fn firsts(socket: &mut Socket, names: &[&str]) -> BTreeMap<String, Value> {
    let mut seen = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(30);
    while !names.iter().all(|n| seen.contains_key(*n)) {
        let mut frame = socket.next();
        if let Some(name) = frame["stream"].as_str().map(str::to_owned) {
            seen.entry(name).or_insert_with(|| frame["data"].take());
        }
        assert!(Instant::now() < end, "only {:?}", seen.keys());
    }
    seen
}

#[test]
fn every_stream_has_the_conventions_fields() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let (rolling, kline) = ("e E s p P o h l c w v q O C F L n", "t T s i f L o c h l v n x q V Q B");
    let day = "e E s p P w x c Q b B a A o h l v q O C F L n";
    let partial = "lastUpdateId bids asks";
    let wanted = [
        ("btcusdt@trade", "e E s t p q T m M"),
        ("btcusdt@aggTrade", "e E s a p q f l T m M"),
        ("btcusdt@kline_1s", "e E s k"),
        ("btcusdt@kline_1M", "e E s k"),
        ("btcusdt@kline_1d@+08:00", "e E s k"),
        ("btcusdt@miniTicker", "e E s c o h l v q"),
        ("btcusdt@ticker", day),
        ("btcusdt@ticker_1h", rolling),
        ("btcusdt@ticker_4h", rolling),
        ("btcusdt@ticker_1d", rolling),
        ("btcusdt@bookTicker", "u s b B a A"),
        ("btcusdt@avgPrice", "e E s i w T"),
        ("btcusdt@depth", "e E s U u b a"),
        ("btcusdt@depth@100ms", "e E s U u b a"),
        ("btcusdt@depth@1000ms", "e E s U u b a"),
        ("btcusdt@depth5", partial),
        ("btcusdt@depth10@100ms", partial),
        ("btcusdt@depth20@1000ms", partial),
    ];
    let arrays = [
        ("!miniTicker@arr", "e E s c o h l v q"),
        ("!ticker@arr", day),
        ("!ticker_1h@arr", rolling),
        ("!ticker_4h@arr", rolling),
    ];
    let names: Vec<&str> = wanted.iter().chain(&arrays).map(|(name, _)| *name).collect();
    let mut socket = Socket::open(&server, "/stream");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": names, "id": "all" }));
    let seen = firsts(&mut socket, &names);
    let document = server.api().raw_get("/asyncapi.json");
    for (id, channel) in document["channels"].as_object().unwrap() {
        // Those of contracts: `fapi_streams.rs`. One of its names was read above.
        let Some(pattern) = channel["address"].as_str().unwrap().strip_prefix("/ws/") else { continue };
        let matching = seen.iter().filter(|(name, _)| fills(channel, pattern, name)).collect::<Vec<_>>();
        assert!(!matching.is_empty(), "{id}");
        for (name, data) in matching {
            fits(data, &channel["messages"]["event"]["payload"], name);
        }
    }
    for (name, form) in wanted {
        assert_eq!(fields(&seen[name]), sorted(form), "{name}");
    }
    for (name, form) in arrays {
        assert_eq!(fields(&seen[name][0]), sorted(form), "{name}");
    }
    for (name, length) in [("btcusdt@kline_1s", 1_000), ("btcusdt@kline_1d@+08:00", 86_400_000)] {
        let k = &seen[name]["k"];
        assert_eq!(fields(k), sorted(kline));
        assert_eq!(k["T"].as_i64().unwrap() - k["t"].as_i64().unwrap(), length - 1, "{name}");
    }
    assert_eq!(seen["btcusdt@kline_1d@+08:00"]["k"]["t"].as_i64().unwrap() % 86_400_000, 16 * 3_600_000);
    assert_eq!(seen["btcusdt@ticker_1h"]["e"], "1hTicker");
    assert_eq!(seen["btcusdt@ticker_4h"]["O"].as_i64().unwrap() % 60_000, 0);
    assert_eq!(seen["btcusdt@depth5"]["bids"].as_array().unwrap().len(), 5);
}

#[test]
fn documents_hold_nothing_of_the_client_who_asked_first() {
    let server = Server::start(&[]);
    for path in ["/asyncapi.json", "/openapi.json"] {
        let asked = |host: &str| ask(&server, &format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n")).1;
        let forged = asked("forged.example");
        assert!(serde_json::from_slice::<Value>(&forged).is_ok(), "{path}");
        assert!(!String::from_utf8_lossy(&forged).contains("forged.example"), "{path}");
        assert_eq!(forged, asked("127.0.0.1"), "{path}");
    }
}

#[test]
fn an_order_that_takes_much_at_one_price_is_one_aggregate() {
    let server = Server::start(&[("XNG__DEMO__SPOT_USDT", "10000000")]);
    server.wait_open("BTCUSDT");
    let mut socket = Socket::open(&server, "/stream?streams=btcusdt@trade/btcusdt@aggTrade");
    let (api, maker) = (server.demo("demo"), server.demo("demo2"));
    let send = |api: &Api, form: &[(&str, &str)]| {
        let common = [("currency_id", "1"), ("legal_id", "3")];
        let form: Vec<_> = common.into_iter().chain(form.iter().copied()).collect();
        api.post("/coin/trade", &form)
    };
    let order = |api: &Api, form: &[(&str, &str)]| {
        let answer = send(api, form);
        assert_eq!(answer["type"], "ok", "{answer}");
    };
    order(&maker, &[("type", "1"), ("order_type", "market"), ("amount", "1")]);
    let mut trades: Vec<Value> = Vec::new();
    // The house may quote another price meanwhile, and then its order does not lie beside ours: once more.
    let together = (0..20).find_map(|_| {
        // The order before may have taken all that the house quoted.
        let ask = found("somebody sells", || {
            let best = api.raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT")["askPrice"].as_str().unwrap().to_owned();
            (best.parse::<f64>().unwrap() > 0.0).then_some(best)
        });
        order(&maker, &[("type", "2"), ("target_price", &*ask), ("amount", "0.01")]);
        let taken = send(&api, &[("type", "1"), ("order_type", "market"), ("amount", "5")]);
        maker.post("/coin/cancel_all", &[]);
        if taken["code"] == 1012 {
            return None;
        }
        assert_eq!(taken["type"], "ok", "{taken}");
        let last = api.get("/coin/trades")["message"][0]["id"].as_u64().unwrap();
        let mut found = None;
        socket.until(|frame| {
            let data = &frame["data"];
            match data["e"].as_str() {
                Some("trade") => trades.push(data.clone()),
                _ if data["f"] != data["l"] => found = Some(frame.clone()),
                _ => {}
            }
            data["e"] == "aggTrade" && data["l"].as_u64().unwrap() >= last
        });
        found
    });
    let together = together.expect("one order took two");
    let (first, last) = (together["data"]["f"].as_u64().unwrap(), together["data"]["l"].as_u64().unwrap());
    let inside: Vec<&Value> = trades.iter().filter(|t| (first..=last).contains(&t["t"].as_u64().unwrap())).collect();
    assert_eq!(inside.len() as u64, last - first + 1, "ids are counts: {inside:?} {together}");
    assert!(inside.len() >= 2 && inside.iter().all(|t| t["p"] == together["data"]["p"]), "{inside:?} {together}");
    let lots = |text: &Value| text.as_str().unwrap().replace('.', "").parse::<u64>().unwrap();
    assert_eq!(inside.iter().map(|t| lots(&t["q"])).sum::<u64>(), lots(&together["data"]["q"]));
    assert_eq!(together["data"]["a"], first, "named by its first trade");
    let called = api.raw_get(&format!("/api/v3/aggTrades?symbol=BTCUSDT&fromId={first}&limit=1"));
    let streamed = together["data"].as_object().unwrap();
    for (name, value) in called[0].as_object().unwrap() {
        assert_eq!(Some(value), streamed.get(name), "{name}: the call tells what the stream told");
    }
}

#[test]
fn times_are_told_in_microseconds_to_who_asks() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let names = "btcusdt%40kline_1m/btcusdt@miniTicker/btcusdt@depth@100ms";
    let mut micros = Socket::open(&server, &format!("/stream?streams={names}&timeUnit=MICROSECOND"));
    let mut millis = Socket::open(&server, "/ws/btcusdt%40kline_1m");
    let now = |unit: u128| i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() / unit).unwrap();
    let seen = firsts(&mut micros, &["btcusdt@kline_1m", "btcusdt@miniTicker", "btcusdt@depth@100ms"]);
    for data in seen.values() {
        assert!((now(1_000) - data["E"].as_i64().unwrap()).abs() < 60_000_000, "{data}");
    }
    let k = &seen["btcusdt@kline_1m"]["k"];
    assert_eq!(k["T"].as_i64().unwrap() - k["t"].as_i64().unwrap(), 59_999_999);
    let k = &millis.next()["k"];
    assert_eq!(k["T"].as_i64().unwrap() - k["t"].as_i64().unwrap(), 59_999);
    assert!((now(1_000_000) - k["t"].as_i64().unwrap()).abs() < 120_000);
}

#[test]
fn frames_are_wrapped_as_the_property_says_and_names_are_listed_as_they_were_given() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let mut socket = Socket::open(&server, "/ws/0");
    let key = "pqia91ma19a5s61cv6a81va65sdf19v8a65a1a5s61cv6a81va65sdf19v8a";
    // Told every second, whatever the market does.
    let names = ["btcusdt@avgPrice", "btcusdt@kline_1d@+08:00", key];
    let ask = |socket: &mut Socket, frame: Value| {
        socket.send(&frame);
        socket.until(|f| f.get("id") == frame.get("id"))
    };
    assert_eq!(ask(&mut socket, json!({ "method": "SUBSCRIBE", "params": names, "id": -1 }))["result"], Value::Null);
    let listed = ask(&mut socket, json!({ "method": "LIST_SUBSCRIPTIONS", "id": "ab-1" }));
    assert_eq!(listed["result"], json!(["0", names[0], names[1], key]));
    let combined = json!({ "method": "SET_PROPERTY", "params": ["combined", true], "id": 2 });
    assert_eq!(ask(&mut socket, combined), json!({ "result": null, "id": 2 }));
    let wrapped = socket.until(|f| f["stream"] == names[1]);
    assert_eq!(wrapped["data"]["e"], "kline", "{wrapped}");
    std::thread::sleep(Duration::from_secs(1));
    let property = json!({ "method": "GET_PROPERTY", "params": ["combined"], "id": null });
    assert_eq!(ask(&mut socket, property), json!({ "result": true, "id": null }));
    ask(&mut socket, json!({ "method": "SET_PROPERTY", "params": ["combined", false], "id": 4 }));
    assert!(socket.next().get("stream").is_none());
}

#[test]
fn a_connection_ends_when_its_time_is_over_and_an_address_opens_so_many() {
    let limits = [("XNG__LIMITS__SOCKET_LIFE_SECONDS", "2"), ("XNG__LIMITS__SOCKET_OPENS_PER_IP", "3")];
    let server = Server::start(&limits);
    let (mut app, began) = (Socket::open(&server, "/realtime"), Instant::now());
    let mut sockets: Vec<Socket> = ["/ws", "/stream", "/ws/x"].map(|path| Socket::open(&server, path)).into();
    let refused = tungstenite::connect(format!("ws://127.0.0.1:{}/ws", server.port));
    assert!(matches!(refused, Err(tungstenite::Error::Http(answer)) if answer.status() == 429));
    for socket in &mut sockets {
        let end = std::iter::repeat_with(|| socket.0.read().unwrap()).find(Message::is_close);
        assert!(end.is_some_and(|end| matches!(end, Message::Close(Some(frame)) if u16::from(frame.code) == 1_001)));
    }
    assert!(began.elapsed() >= Duration::from_secs(1));
    app.send(&json!({ "event": "ping", "data": { "t": 1 } }));
    assert_eq!(app.next()["event"], "pong", "the app's stay open");
}

#[test]
fn before_a_restart_programs_are_told() {
    let mut server = Server::start(&[]);
    let (mut raw, mut combined) = (Socket::open(&server, "/ws"), Socket::open(&server, "/stream"));
    assert!(server.terminate().success());
    let reply = raw.until(|f| f["e"] == "serverShutdown");
    assert!(reply["E"].is_i64(), "{reply}");
    let reply = combined.until(|f| f["stream"] == "!serverShutdown");
    assert_eq!(reply["data"]["e"], "serverShutdown");
}

#[test]
fn who_answers_no_ping_for_a_minute_is_disconnected_and_who_does_is_not() {
    let server = Server::start(&[]);
    let (mut reader, mut deaf, began) = (Socket::open(&server, "/ws"), Socket::open(&server, "/ws"), Instant::now());
    let mut pings = 0;
    // A pong that nobody asked for is no answer.
    deaf.0.send(Message::Pong(Vec::new().into())).unwrap();
    while server.ops_get("/status")["sockets"] == 2 {
        // Reading answers pings.
        match reader.0.read() {
            Ok(Message::Ping(_)) => pings += 1,
            Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            other => panic!("{other:?}"),
        }
        assert!(began.elapsed() < Duration::from_secs(120), "it is still there");
    }
    assert_eq!(server.ops_get("/status")["sockets"], 1);
    assert!(began.elapsed() >= Duration::from_secs(70), "after a minute without an answer to the first ping");
    assert!((3..=5).contains(&pings), "every twenty seconds: {pings}");
    let closed = std::iter::repeat_with(|| deaf.0.read()).take(10).find(|read| matches!(read, Ok(Message::Close(_))));
    assert!(matches!(closed, Some(Ok(Message::Close(Some(frame)))) if u16::from(frame.code) == 1_001));
}
