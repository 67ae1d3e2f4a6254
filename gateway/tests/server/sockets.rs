//! Sockets: streams join their snapshots, private events follow the account, ill frames are answered.

use crate::client::{Api, Server};
use crate::socket::{Socket, stalled, stalled_after};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tungstenite::Message;

type Levels = BTreeMap<String, String>;

fn apply(levels: &mut Levels, changes: &Value) {
    for level in changes.as_array().unwrap() {
        let (price, quantity) = (level[0].as_str().unwrap(), level[1].as_str().unwrap());
        if quantity.parse::<f64>().unwrap() == 0.0 {
            levels.remove(price);
        } else {
            levels.insert(price.into(), quantity.into());
        }
    }
}

/// A local book kept from diffs; its levels at each update id.
struct LocalBook {
    bids: Levels,
    asks: Levels,
    update: u64,
}

impl LocalBook {
    fn from(snapshot: &Value) -> LocalBook {
        let mut book = LocalBook { bids: Levels::new(), asks: Levels::new(), update: 0 };
        apply(&mut book.bids, &snapshot["bids"]);
        apply(&mut book.asks, &snapshot["asks"]);
        book.update = snapshot["lastUpdateId"].as_u64().unwrap();
        book
    }

    fn follow(&mut self, diff: &Value) {
        let (first, last) = (diff["U"].as_u64().unwrap(), diff["u"].as_u64().unwrap());
        assert!(first <= self.update + 1, "a gap: {first} after {}", self.update);
        if last > self.update {
            apply(&mut self.bids, &diff["b"]);
            apply(&mut self.asks, &diff["a"]);
            self.update = last;
        }
    }
}

fn churn(api: &Api, rounds: usize) {
    for n in 0..rounds {
        let price = format!("{}", 56_000 + n % 17);
        let form = [
            ("currency_id", "1"),
            ("legal_id", "3"),
            ("type", "1"),
            ("target_price", price.as_str()),
            ("amount", "0.001"),
        ];
        let placed = api.post("/coin/trade", &form);
        if n % 2 == 0 {
            let id = placed["data"]["id"].to_string();
            api.post("/coin/cancel", &[("id", &id)]);
        }
        std::thread::sleep(Duration::from_millis(25));
    }
}

#[test]
fn both_depth_streams_and_rest_tell_one_book() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let mut streams = [Socket::open(&server, "/ws/btcusdt@depth@100ms"), Socket::open(&server, "/ws/btcusdt@depth")];
    // Buffer first, then the snapshot, as the rules say.
    let firsts: Vec<Value> = streams.iter_mut().map(Socket::next).collect();
    let snapshot = api.raw_get("/api/v3/depth?symbol=BTCUSDT&limit=5000");
    let mut books = [LocalBook::from(&snapshot), LocalBook::from(&snapshot)];
    for (book, first) in books.iter_mut().zip(&firsts) {
        if first["u"].as_u64().unwrap() > book.update {
            book.follow(first);
        }
    }
    churn(&api, 60);
    let target = api.raw_get("/api/v3/depth?symbol=BTCUSDT&limit=5000");
    let wanted = LocalBook::from(&target);
    for (book, stream) in books.iter_mut().zip(&mut streams) {
        while book.update < wanted.update {
            book.follow(&stream.next());
        }
    }
    // A diff may reach beyond the snapshot: follow REST until both stand at the same id.
    for (book, stream) in books.iter_mut().zip(&mut streams) {
        let same = (0..100).any(|_| {
            let now = LocalBook::from(&api.raw_get("/api/v3/depth?symbol=BTCUSDT&limit=5000"));
            while book.update < now.update {
                book.follow(&stream.next());
            }
            book.update == now.update && {
                assert_eq!((&book.bids, &book.asks), (&now.bids, &now.asks), "at update {}", now.update);
                true
            }
        });
        assert!(same, "stream and snapshot met at one id");
    }
}

#[test]
fn the_apps_depth_begins_with_a_snapshot_and_goes_on_without_a_gap() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let mut socket = Socket::open(&server, "/realtime");
    let stream = "btcusdt@depth@100ms";
    socket.send(&json!({ "method": "SUBSCRIBE", "params": [stream], "id": 1 }));
    assert_eq!(socket.next(), json!({ "result": null, "id": 1 }));
    let first = socket.next();
    assert_eq!((&first["snapshot"], &first["stream"]), (&true.into(), &stream.into()));
    let mut book = LocalBook::from(&first["data"]);
    let mut seq = first["seq"].as_u64().unwrap();
    let worker = std::thread::spawn(move || churn(&api, 80));
    for _ in 0..12 {
        let frame = socket.until(|f| f["stream"] == stream);
        assert_eq!(frame["from"].as_u64().unwrap(), seq + 1, "{frame}");
        seq = frame["seq"].as_u64().unwrap();
        assert_eq!(frame["data"]["U"].as_u64().unwrap(), book.update + 1, "diffs join the snapshot");
        book.follow(&frame["data"]);
    }
    worker.join().unwrap();
}

#[test]
fn trades_candles_and_tickers_stream_in_binances_form() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let path = "/stream?streams=btcusdt@trade/btcusdt@aggTrade/btcusdt@kline_1m/btcusdt@miniTicker/btcusdt@bookTicker/!miniTicker@arr";
    let mut socket = Socket::open(&server, path);
    let api = server.demo("demo");
    let buy = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.001")];
    let bought = api.post("/coin/trade", &buy);
    assert_eq!(bought["type"], "ok", "{bought}");
    let fills = api.get("/coin/trades");
    let id = fills["message"][0]["id"].clone();
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    let names = ["btcusdt@aggTrade", "btcusdt@kline_1m", "btcusdt@miniTicker", "btcusdt@bookTicker", "!miniTicker@arr"];
    let end = Instant::now() + Duration::from_secs(30);
    while !(names.iter().all(|n| seen.contains_key(*n)) && seen.contains_key("own")) {
        let frame = socket.next();
        if frame["stream"] == "btcusdt@trade" && frame["data"]["t"] == id {
            seen.insert("own".into(), frame["data"].clone());
        }
        seen.insert(frame["stream"].as_str().unwrap().to_owned(), frame["data"].clone());
        assert!(Instant::now() < end, "missing: {:?}", seen.keys());
    }
    let own = &seen["own"];
    assert_eq!((&own["m"], own["q"].as_str()), (&false.into(), Some("0.00100")), "the buyer took: {own}");
    assert_eq!(seen["btcusdt@kline_1m"]["k"]["i"], "1m");
    assert!(seen["!miniTicker@arr"].as_array().unwrap().iter().any(|t| t["s"] == "BTCUSDT"));
    assert!(seen["btcusdt@bookTicker"].get("e").is_none());
}

#[test]
fn private_events_follow_the_account_from_a_snapshot_on() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "event": "login", "data": { "token": "nonsense" } }));
    assert_eq!(socket.next()["data"]["ok"], false);
    let token = api.token.clone().unwrap();
    socket.send(&json!({ "event": "login", "data": { "token": token } }));
    assert_eq!(socket.next(), json!({ "event": "login", "data": { "ok": true } }));
    let snapshot = socket.next();
    assert_eq!(snapshot["event"], "snapshot");
    let mut seq = snapshot["seq"].as_u64().unwrap();
    let form = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
    let placed = api.post("/coin/trade", &form);
    let order = socket.until(|f| f["event"] == "coin_order");
    assert_eq!((&order["data"]["id"], order["seq"].as_u64()), (&placed["data"]["id"], Some(seq + 1)));
    let wallet = socket.until(|f| f["event"] == "wallet");
    assert_eq!(wallet["data"][0]["locked"], "560");
    seq += 1;
    api.post(
        "/wallet/change",
        &[("currency_id", "3"), ("number", "5"), ("from_field", "change"), ("to_field", "legal")],
    );
    let moved = socket.until(|f| f["event"] == "wallet");
    assert_eq!(moved["seq"].as_u64(), Some(seq + 1), "no gap in the account's own sequence");
    assert_eq!(moved["data"].as_array().unwrap().len(), 2);
    api.get("/user/logout");
    assert_eq!(socket.until(|f| f["event"] == "kicked")["data"]["reason"], "logout");
}

#[test]
fn a_logout_right_behind_a_login_has_the_last_word() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "event": "login", "data": { "token": api.token.clone().unwrap() } }));
    socket.send(&json!({ "event": "logout" }));
    let form = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
    assert_eq!(api.post("/coin/trade", &form)["type"], "ok");
    socket.send(&json!({ "event": "ping", "data": { "t": 1 } }));
    let private = ["coin_order", "wallet"];
    let mut seen = Vec::new();
    socket.until(|f| {
        seen.push(f["event"].clone());
        f["event"] == "pong"
    });
    assert!(!seen.iter().any(|e| private.iter().any(|p| e == p)), "{seen:?}");
}

#[test]
fn a_reader_that_stalls_is_cut_off_and_the_others_notice_nothing() {
    let server = Server::start(&[("XNG__LIMITS__SEND_BUFFER_KIB", "2")]);
    server.wait_open("BTCUSDT");
    let mut reader = Socket::open(&server, "/ws/btcusdt@trade");
    let names = ["btcusdt@depth20@100ms", "btcusdt@depth10@100ms", "btcusdt@depth5@100ms", "btcusdt@depth@100ms"];
    let _stalled = stalled(&server, &names);
    let api = server.demo("demo");
    // Sooner than a missing pong would end it.
    let end = Instant::now() + Duration::from_secs(70);
    let mut open = 2;
    while open > 1 {
        assert!(Instant::now() < end, "the stalled reader is still there");
        churn(&api, 20);
        api.post("/coin/cancel_all", &[]);
        reader.until(|f| f["e"] == "trade");
        open = server.ops_get("/status")["sockets"].as_u64().unwrap();
    }
    let bought = api.post(
        "/coin/trade",
        &[("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.001")],
    );
    assert_eq!(bought["type"], "ok", "{bought}");
    reader.until(|f| f["e"] == "trade" && f["q"].as_str().and_then(|q| q.parse().ok()) == Some(0.001));
    assert_eq!(server.ops_get("/status")["sockets"], 1);
}

#[test]
fn who_only_logged_in_and_stalls_is_cut_off_too() {
    let server = Server::start(&[("XNG__LIMITS__SEND_BUFFER_KIB", "2")]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let login = json!({ "event": "login", "data": { "token": api.token.clone().unwrap() } });
    let _stalled = stalled_after(&server, "/realtime", &login);
    // Sooner than a missing pong would end it.
    let end = Instant::now() + Duration::from_secs(70);
    while server.ops_get("/status")["sockets"] != 0 {
        assert!(Instant::now() < end, "the stalled reader is still there");
        churn(&api, 20);
        api.post("/coin/cancel_all", &[]);
    }
}

/// Files that the server's process has open.
fn open_files(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count()
}

#[test]
fn stalled_readers_leave_no_open_files_behind() {
    const STALLED: usize = 20;
    /// Connections of calls and the journal's files come and go meanwhile.
    const OTHERS: usize = 12;
    let server = Server::start(&[("XNG__LIMITS__SEND_BUFFER_KIB", "2")]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    churn(&api, 2);
    let before = open_files(&server);
    let names = ["btcusdt@depth20@100ms", "btcusdt@depth10@100ms", "btcusdt@depth5@100ms", "btcusdt@depth@100ms"];
    let held: Vec<_> = (0..STALLED).map(|_| stalled(&server, &names)).collect();
    assert!(open_files(&server) + OTHERS >= before + STALLED, "each has its connection");
    // Sooner than a missing pong would end them.
    let end = Instant::now() + Duration::from_secs(70);
    while open_files(&server) > before + OTHERS || server.ops_get("/status")["sockets"] != 0 {
        assert!(Instant::now() < end, "{} files, {before} before", open_files(&server));
        churn(&api, 20);
        api.post("/coin/cancel_all", &[]);
    }
    drop(held);
}

#[test]
fn ill_frames_are_answered_and_floods_disconnected() {
    let server = Server::start(&[]);
    let mut socket = Socket::open(&server, "/ws/0");
    for (frame, code) in [("{", 3), ("[]", 2), (r#"{"method":"NOPE","id":1}"#, 2)] {
        socket.0.send(Message::text(frame)).unwrap();
        assert_eq!(socket.next()["error"]["code"], code, "{frame}");
    }
    socket.send(&json!({ "method": "SUBSCRIBE", "params": ["btcusdt@trade", "no-such-stream"], "id": "a" }));
    assert_eq!(socket.until(|f| f.get("id").is_some()), json!({ "result": null, "id": "a" }));
    let mut flood = Socket::open(&server, "/ws");
    for _ in 0..50 {
        if flood.0.send(Message::text(r#"{"method":"LIST_SUBSCRIPTIONS","id":1}"#)).is_err() {
            break;
        }
    }
    let closed = (0..60).any(|_| matches!(flood.0.read(), Ok(Message::Close(_)) | Err(_)));
    assert!(closed, "too many messages a second");
}

/// Status of a try to open a socket.
fn opened(server: &Server, path: &str) -> Result<Socket, u16> {
    match tungstenite::connect(format!("ws://127.0.0.1:{}{path}", server.port)) {
        Ok((socket, _)) => Ok(Socket(socket)),
        Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_named_stream_costs_a_call_wherever_it_is_named() {
    // Most of an address's calls of a minute go with the first names; they would be there again after fifty seconds.
    let server = Server::start(&[("XNG__LIMITS__CALLS_PER_MINUTE_IP", "200")]);
    let names: Vec<String> = (0..190).map(|n| format!("s{n}@trade")).collect();
    let path = format!("/stream?streams={}", names.join("/"));
    let mut first = opened(&server, &path).expect("there are calls enough");
    assert_eq!(opened(&server, &path).err(), Some(429), "an address that names as many again");
    for method in ["SUBSCRIBE", "UNSUBSCRIBE"] {
        first.send(&json!({ "method": method, "params": names, "id": method }));
        let answer = first.until(|f| f["id"] == method);
        assert!(answer["error"]["msg"].as_str().is_some_and(|m| m.contains("too many requests")), "{answer}");
    }
    first.send(&json!({ "method": "UNSUBSCRIBE", "params": names[..1], "id": 1 }));
    assert_eq!(first.until(|f| f["id"] == 1), json!({ "result": null, "id": 1 }), "one is cheap");
}

#[test]
fn before_a_restart_sockets_are_told() {
    let mut server = Server::start(&[]);
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": ["btcusdt@depth"], "id": 1 }));
    socket.until(|f| f["snapshot"] == true);
    assert!(server.terminate().success());
    let reply = socket.until(|f| f["event"] == "reconnect");
    assert!(reply["data"]["after_ms"].as_u64().is_some_and(|ms| ms > 0), "{reply}");
}
