//! Websockets of programs at their edges: frames in parts, refused handshakes, bans, names of cancels, much at once.

use crate::binance_order_groups::signed;
use crate::bot::Bot;
use crate::client::Server;
use crate::socket::Socket;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::Message;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};

/// Sends a text in so many frames.
fn send_in_parts(socket: &mut Socket, text: &str, parts: usize) {
    let size = text.len().div_ceil(parts);
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
    for (n, piece) in pieces.iter().enumerate() {
        let code = OpCode::Data(if n == 0 { Data::Text } else { Data::Continue });
        let frame = Frame::message(piece.to_vec(), code, n + 1 == pieces.len());
        socket.0.send(Message::Frame(frame)).unwrap();
    }
}

#[test]
fn a_text_in_parts_is_one_text_and_what_is_none_ends_the_connection() {
    let server = Server::start(&[]);
    let ping = json!({ "id": 1, "method": "ping" }).to_string();
    let mut program = Socket::open(&server, "/ws-api/v3");
    for parts in [2, 7, ping.len()] {
        send_in_parts(&mut program, &ping, parts);
        assert_eq!(program.next()["result"], json!({}), "in {parts} parts");
    }
    // A ping in the midst is answered in the midst.
    let (begin, end) = ping.split_at(9);
    let frame = |text: &str, code, last| Message::Frame(Frame::message(text.as_bytes().to_vec(), code, last));
    program.0.send(frame(begin, OpCode::Data(Data::Text), false)).unwrap();
    program.0.send(Message::Ping(b"in between".to_vec().into())).unwrap();
    assert!(matches!(program.0.read(), Ok(Message::Pong(bytes)) if &bytes[..] == b"in between"));
    program.0.send(frame(end, OpCode::Data(Data::Continue), true)).unwrap();
    assert_eq!(program.next()["result"], json!({}));

    let names: Vec<String> = (0..200).map(|n| format!("btcusdt@trade{n}")).collect();
    let subscribe = json!({ "method": "SUBSCRIBE", "params": names, "id": 2 }).to_string();
    let mut streams = Socket::open(&server, "/ws");
    // More frames than messages a second may come.
    send_in_parts(&mut streams, &subscribe, 50);
    assert_eq!(streams.until(|frame| frame["id"] == 2)["result"], Value::Null);

    let text = OpCode::Data(Data::Text);
    for (frames, code) in [
        (vec![frame("a", OpCode::Data(Data::Continue), true)], 1_002),
        (vec![frame("a", text, false), frame("b", text, true)], 1_002),
        (vec![frame("a", OpCode::Data(Data::Binary), false)], 1_003),
        (
            vec![
                frame(&"a".repeat(60_000), text, false),
                frame(&"a".repeat(60_000), OpCode::Data(Data::Continue), true),
            ],
            1_009,
        ),
    ] {
        let mut socket = Socket::open(&server, "/ws");
        frames.into_iter().for_each(|frame| socket.0.send(frame).unwrap());
        let end = std::iter::repeat_with(|| socket.0.read().unwrap()).find(Message::is_close);
        assert!(matches!(end, Some(Message::Close(Some(frame))) if u16::from(frame.code) == code), "{code}");
    }
}

/// The head of an answer to a handshake.
fn handshake(server: &Server, path: &str, fields: &[(&str, &str)]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let common = "Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    write!(stream, "GET {path} HTTP/1.1\r\n{common}{fields}\r\n").unwrap();
    let lines = BufReader::new(stream).lines().map(Result::unwrap).take_while(|line| !line.is_empty());
    lines.collect::<Vec<String>>().join("\n").to_lowercase()
}

#[test]
fn a_handshake_of_another_version_is_told_which_one_is_spoken() {
    let server = Server::start(&[]);
    let key = ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    for path in ["/ws", "/stream?streams=btcusdt@trade", "/ws-api/v3", "/realtime"] {
        for version in ["0", "7", "8", "12", "14", "13, 8"] {
            let told = handshake(&server, path, &[key, ("Sec-WebSocket-Version", version)]);
            assert!(told.starts_with("http/1.1 426 "), "{path} {version}: {told}");
            assert!(told.contains("\nsec-websocket-version: 13"), "{path} {version}: {told}");
        }
        let version = ("Sec-WebSocket-Version", "13");
        for fields in [vec![key], vec![version], vec![version, ("Sec-WebSocket-Key", "short")]] {
            assert!(handshake(&server, path, &fields).starts_with("http/1.1 400 "), "{path} {fields:?}");
        }
        assert!(handshake(&server, path, &[key, version]).starts_with("http/1.1 101 "), "{path}");
    }
    // None of those that were refused counts as open.
    crate::wait::eventually("all are gone", || server.ops_get("/status")["sockets"] == 0);
}

#[test]
fn who_is_banned_is_told_so_before_the_connection_ends() {
    let server = Server::start(&[("XNG__API__WEIGHT_PER_MINUTE", "100")]);
    let mut socket = Socket::open(&server, "/ws-api/v3");
    let (mut statuses, mut id) = (BTreeSet::new(), 0);
    let end = loop {
        id += 1;
        socket.0.send(Message::text(json!({ "id": id, "method": "exchangeInfo" }).to_string())).unwrap();
        match socket.0.read().unwrap() {
            Message::Text(text) => {
                let told: Value = serde_json::from_str(&text).unwrap();
                statuses.insert(told["status"].as_u64().unwrap());
                if told["status"] == 418 {
                    assert_eq!(told["error"]["code"], -1003, "{told}");
                }
            }
            Message::Close(frame) => break frame,
            Message::Ping(_) | Message::Pong(_) => {}
            other => panic!("{other:?}"),
        }
        assert!(id < 1_000, "never banned: {statuses:?}");
    };
    assert_eq!(statuses, BTreeSet::from([200, 429, 418]));
    assert_eq!(end.map(|frame| u16::from(frame.code)), Some(1_008));
}

#[test]
fn an_end_is_told_by_the_name_of_the_cancel_that_did_it_however_many_were_sent() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let mut socket = Socket::open(&server, "/ws-api/v3");
    let ask = |socket: &mut Socket, id: u64, method: &str, params: &Value| {
        socket.send(&json!({ "id": id, "method": method, "params": signed(&bot, params) }));
    };
    ask(&mut socket, 0, "userDataStream.subscribe.signature", &json!({}));
    socket.until(|frame| frame["id"] == 0);
    for round in 1..=5_u64 {
        let rests = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001&price=56000";
        let order = bot.good("POST", "order", rests)["orderId"].clone();
        for n in 0..8 {
            let name = format!("cancel-{round}-{n}");
            let params = json!({ "symbol": "BTCUSDT", "orderId": order, "newClientOrderId": name });
            ask(&mut socket, round * 100 + n, "order.cancel", &params);
        }
        let (mut did, mut told, mut answers) = (None, None, 0);
        while answers < 8 || told.is_none() {
            let frame = socket.next();
            if frame["id"].is_u64() {
                answers += 1;
                if frame["status"] == 200 {
                    assert_eq!(did.replace(frame["result"]["clientOrderId"].clone()), None, "one of them did it");
                }
            } else if frame["event"]["x"] == "CANCELED" {
                assert_eq!(frame["event"]["i"], order);
                told = Some(frame["event"]["c"].clone());
            }
        }
        assert_eq!(told, did, "round {round}");
    }
}

/// Answers that come, up to so many.
fn answers(stream: &mut TcpStream, wanted: usize) -> usize {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let (mut found, mut read, mut bytes) = (0, Vec::new(), [0; 65_536]);
    while found < wanted {
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(n) => read.extend_from_slice(&bytes[..n]),
        }
        found = read.windows(9).filter(|w| w == b"HTTP/1.1 ").count();
    }
    found
}

#[test]
fn much_that_is_asked_at_once_is_answered_to_the_end() {
    let server = Server::start(&[("XNG__AUTH__ARGON_MEMORY_KIB", "65536")]);
    // Behind a request that takes its time: some that are kept, and later some that are only read.
    let form = "user_string=demo&password=demo1234";
    let login = format!(
        "POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: \
         {}\r\n\r\n{form}",
        form.len()
    );
    let ping = "GET /api/v3/ping HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.write_all(format!("{login}{}", ping.repeat(20)).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(10));
    stream.write_all(ping.repeat(20).as_bytes()).unwrap();
    assert_eq!(answers(&mut stream, 41), 41);
    // In one piece, before anything is read.
    let count = 4_000;
    let request =
        "GET /api/v3/ping HTTP/1.1\r\nHost: x\r\nUser-Agent: a bot that does not wait for its answers\r\n\r\n";
    let sent = request.repeat(count);
    assert!(sent.len() > 2 * 131_072);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let writing = std::thread::spawn(move || writer.write_all(sent.as_bytes()).unwrap());
    assert_eq!(answers(&mut stream, count), count);
    writing.join().unwrap();
    // And in frames.
    let mut socket = Socket::open(&server, "/ws-api/v3");
    let filler = "x".repeat(700);
    let count = 600;
    for id in 0..count {
        let frame = json!({ "id": format!("{id}"), "method": "depth", "params": { "symbol": filler } });
        socket.0.write(Message::text(frame.to_string())).unwrap();
    }
    socket.0.flush().unwrap();
    let told: BTreeSet<String> = (0..count).map(|_| socket.next()["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told.len(), count);
}
