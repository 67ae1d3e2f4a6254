//! Bad input of every kind for programs, each with the exact code that it gives; and balances stay as they are.

use crate::bot::{Bot, Place, now_ms};
use crate::client::{Server, Told};
use crate::socket::Socket;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::Message;

/// A limit order that rests, without one of its fields.
fn order_without(name: &str) -> String {
    let fields = ["symbol=BTCUSDT", "side=BUY", "type=LIMIT", "timeInForce=GTC", "quantity=0.001", "price=56000"];
    let kept = fields.iter().filter(|field| !field.starts_with(&format!("{name}=")));
    kept.copied().collect::<Vec<&str>>().join("&")
}

/// What every number may be spoilt to, as it is sent, and what that gives.
const NUMBERS: [(&str, i64); 22] = [
    ("NaN", -1100),
    ("Infinity", -1100),
    ("null", -1100),
    ("-1", -1100),
    ("%2B1", -1100),
    ("1e3", -1100),
    ("1E-3", -1100),
    ("0x1", -1100),
    ("1,5", -1100),
    ("1_000", -1100),
    ("%201", -1100),
    ("1%20", -1100),
    ("+1", -1100),
    ("1.", -1100),
    (".5", -1100),
    ("1.2.3", -1100),
    ("%EF%BC%91", -1100),
    ("%00", -1100),
    ("1%27%3B--", -1100),
    ("123456789012345678901", -1100),
    ("0.123456789", -1111),
    ("0.000000000000000000001", -1100),
];

fn balances(bot: &Bot) -> Value {
    bot.good("GET", "account", "")["balances"].clone()
}

#[test]
fn numbers_of_every_ill_kind_are_refused_by_their_code_and_nothing_moves() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let before = balances(&bot);
    for name in ["quantity", "price", "icebergQty"] {
        for (bad, code) in NUMBERS {
            let reply = bot.call("POST", "order", &format!("{}&{name}={bad}", order_without(name)));
            assert_eq!(reply.end(), (400, code), "{name}={bad}: {}", reply.body);
        }
        let empty = bot.call("POST", "order", &format!("{}&{name}=", order_without(name)));
        assert_eq!(empty.end(), (400, -1105), "{name}: {}", empty.body);
    }
    for name in ["quantity", "price"] {
        let zero = bot.call("POST", "order", &format!("{}&{name}=0.000", order_without(name)));
        assert_eq!(zero.end(), (400, -1013), "{name}: {}", zero.body);
        let most = bot.call("POST", "order", &format!("{}&{name}=99999999999999999999", order_without(name)));
        assert_eq!(most.end(), (400, -1108), "{name}: {}", most.body);
    }
    for (name, bads) in [
        ("orderId", ["-1", "1.5", "x", "%31%20", "99999999999999999999"]),
        ("timestamp", ["-1", "1.5", "x", "1e12", "99999999999999999999"]),
        ("recvWindow", ["-1", "x", "1e3", "5000.1234", "0x10"]),
    ] {
        for bad in bads {
            let time = if name == "timestamp" { String::new() } else { format!("&timestamp={}", now_ms()) };
            let id = if name == "orderId" { "" } else { "&orderId=1" };
            let reply =
                bot.send("GET", "/api/v3/order", &format!("symbol=BTCUSDT{id}&{name}={bad}{time}"), Place::Query);
            let code = match bad {
                "5000.1234" => -1111,
                _ if bad.len() == 20 => -1108,
                _ => -1100,
            };
            assert_eq!(reply.end(), (400, code), "{name}={bad}: {}", reply.body);
        }
    }
    assert_eq!(balances(&bot), before);
    assert_eq!(bot.good("GET", "openOrders", ""), json!([]));
}

#[test]
fn parameters_that_lack_are_too_many_or_do_not_fit_have_their_codes() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let before = balances(&bot);
    let good = order_without("");
    for name in ["symbol", "side", "type", "timeInForce", "quantity", "price"] {
        let reply = bot.call("POST", "order", &order_without(name));
        assert_eq!(reply.end(), (400, -1102), "without {name}: {}", reply.body);
        assert!(reply.body["msg"].as_str().unwrap().contains(&format!("'{name}'")), "{}", reply.body);
    }
    for (params, code) in [
        (format!("{good}&more=1"), -1104),
        (format!("{good}&price=56000"), -1101),
        (format!("{good}&stopPrice=1"), -1106),
        (format!("{good}&quoteOrderQty=1"), -1106),
        (good.replace("BUY", "HOLD"), -1117),
        (good.replace("LIMIT", "LIMITED"), -1116),
        (good.replace("GTC", "GTD"), -1115),
        (good.replace("BTCUSDT", "NOPE"), -1121),
        (good.replace("BTCUSDT", "btcusdt"), -1100),
        (good.replace("BTCUSDT", "BTC%00USDT"), -1100),
        (good.replace("BTCUSDT", "%F0%9F%92%A9"), -1100),
        (good.replace("BTCUSDT", &"A".repeat(300)), -1100),
        (format!("{good}&newClientOrderId=a%20b"), -1100),
        (format!("{good}&newClientOrderId={}", "x".repeat(37)), -1100),
        (format!("{good}&newOrderRespType=LOUD"), -1130),
        (format!("{good}&selfTradePreventionMode=OFTEN"), -1130),
        (format!("{good}&strategyType=1"), -1134),
        (format!("{good}&recvWindow=60001"), -1131),
        (format!("{good}&a=%zz"), -1100),
        (good.replace("0.001", "0.0000001"), -1013),
        (good.replace("0.001", "99999"), -1013),
        (good.replace("56000", "56000.001"), -1013),
        (good.replace("56000", "1"), -1013),
        (good.replace("0.001", "0.00001"), -1013),
        (good.replace("0.001", "9"), -2010),
    ] {
        let reply = bot.call("POST", "order", &params);
        assert_eq!(reply.end(), (400, code), "{params}: {}", reply.body);
    }
    let many: String = (0..70).map(|n| format!("&p{n}=1")).collect();
    assert_eq!(bot.call("POST", "order", &format!("{good}{many}")).status, 400);
    assert_eq!(balances(&bot), before);
}

#[test]
fn another_users_orders_are_as_unknown_as_none() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let (bot, other) = (Bot::of(&server, "demo", &[]), Bot::of(&server, "demo2", &[]));
    let id = other.good("POST", "order", &order_without(""))["orderId"].clone();
    let before = balances(&other);
    for id in [id.clone(), json!(1), json!(999_999_999_999_i64)] {
        let named = format!("symbol=BTCUSDT&orderId={id}");
        let new = order_without("symbol");
        for (method, path, params, end) in [
            ("GET", "order", named.clone(), (400, -2013)),
            ("DELETE", "order", named.clone(), (400, -2011)),
            ("PUT", "order/amend/keepPriority", format!("{named}&newQty=0.0005"), (400, -2013)),
            (
                "POST",
                "order/cancelReplace",
                format!("symbol=BTCUSDT&{new}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId={id}"),
                (400, -2022),
            ),
            ("GET", "orderList", format!("orderListId={id}"), (400, -2018)),
            ("DELETE", "orderList", format!("symbol=BTCUSDT&orderListId={id}"), (400, -2011)),
        ] {
            let reply = bot.call(method, path, &params);
            assert_eq!(reply.end(), end, "{method} {path} {params}: {}", reply.body);
        }
        let trades = bot.good("GET", "myTrades", &named);
        assert_eq!(trades, json!([]), "{named}");
    }
    assert_eq!(balances(&other), before);
    assert_eq!(other.good("GET", "openOrders", "").as_array().unwrap().len(), 1);
}

/// Sends bytes and reads what comes until the end of the head.
fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut line = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    line.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    // It may be refused before all of it is sent.
    drop(line.write_all(bytes));
    let mut reply = Vec::new();
    let mut part = [0; 4_096];
    while let Ok(read) = line.read(&mut part)
        && read > 0
    {
        reply.extend_from_slice(&part[..read]);
        if reply.windows(4).any(|four| four == b"\r\n\r\n") {
            break;
        }
    }
    String::from_utf8_lossy(&reply).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn bodies_and_heads_of_every_ill_kind_are_answered_or_cut_and_the_server_lives() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let before = balances(&bot);
    let form = ("content-type", "application/x-www-form-urlencoded");
    let key = ("x-mbx-apikey", bot.key.as_str());
    let post = |body: &str| -> Told { bot.api.raw("POST", "/api/v3/order", &[key, form], body) };
    for (body, code) in [
        ("", -1102),
        ("%", -1102),
        ("symbol=%zz", -1100),
        ("symbol=%ff%fe", -1100),
        ("=====&&&&==", -1101),
        ("{\"symbol\":\"BTCUSDT\"}", -1102),
        ("[]", -1102),
        ("symbol=BTCUSDT&symbol=BTCUSDT", -1101),
    ] {
        assert_eq!(post(body).end(), (400, code), "{body}: {}", post(body).body);
    }
    assert_eq!(post(&"a".repeat(10 << 20)).end(), (413, -1101));
    let host = "host: 127.0.0.1\r\n";
    let headers: String = (0..2_000).map(|n| format!("x-flood-{n}: 1\r\n")).collect();
    let long = format!("x-long: {}\r\n", "y".repeat(1 << 20));
    for (bytes, statuses) in [
        (format!("GET /api/v3/ping HTTP/1.1\r\n{host}{headers}\r\n"), ["400", "431"]),
        (format!("GET /api/v3/ping HTTP/1.1\r\n{host}{long}\r\n"), ["400", "431"]),
        (format!("GET /api/v3/ping?{} HTTP/1.1\r\n{host}\r\n", "a".repeat(1 << 20)), ["414", "431"]),
        (format!("BREW /api/v3/ping HTTP/1.1\r\n{host}\r\n"), ["405", "400"]),
        (format!("POST /api/v3/order HTTP/1.1\r\n{host}content-length: -1\r\n\r\n"), ["400", "411"]),
        (
            format!("POST /api/v3/order HTTP/1.1\r\n{host}content-length: 1\r\ncontent-length: 2\r\n\r\n"),
            ["400", "400"],
        ),
        ("GET /api/v3/ping HTTP/9.9\r\n\r\n".to_owned(), ["400", "505"]),
        ("\u{0}\u{1}\u{2}\r\n\r\n".to_owned(), ["400", "400"]),
    ] {
        let reply = raw(&server, bytes.as_bytes());
        let status = reply.split(' ').nth(1).unwrap_or_default();
        assert!(statuses.contains(&status), "{:.60}: {reply:?}", bytes);
    }
    assert_eq!(balances(&bot), before);
}

#[test]
fn frames_of_every_ill_kind_are_answered_or_end_their_connection_alone() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let mut bystander = Socket::open(&server, "/ws-api/v3");
    let ends = |path: &str, frame: Message| {
        let mut socket = Socket::open(&server, path);
        // The peer may have closed before all of it is sent.
        drop(socket.0.send(frame));
        loop {
            match socket.0.read() {
                Ok(Message::Close(_)) | Err(_) => return,
                Ok(_) => {}
            }
        }
    };
    for path in ["/ws", "/ws-api/v3"] {
        ends(path, Message::binary(vec![0xff; 16]));
        ends(path, Message::text("x".repeat(1 << 20)));
    }
    let mut streams = Socket::open(&server, "/ws");
    for (frame, code) in [
        ("{", 3),
        ("[]", 2),
        (r#"{"id":1}"#, 2),
        (r#"{"method":"SUBSCRIBE","params":"x","id":1}"#, 2),
        (r#"{"method":"SHOUT","params":[],"id":1}"#, 2),
    ] {
        streams.0.send(Message::text(frame)).unwrap();
        let reply = streams.next();
        let found = reply["error"]["code"].as_i64().or_else(|| reply["code"].as_i64());
        assert_eq!(found, Some(code), "{frame}: {reply}");
    }
    bystander.send(&json!({ "id": 1, "method": "ping" }));
    assert_eq!(bystander.until(|frame| frame["id"] == 1)["status"], 200);
}

#[test]
fn paths_and_methods_that_no_call_has_are_refused_with_a_code_and_signed_answers_are_not_kept() {
    let server = Server::start(&[]);
    let api = server.api();
    for path in ["/api/v3", "/api/v3/", "/api/v3/unknown", "/api/v3/depth/more", "/sapi/v1/unknown", "/fapi/v1/unknown"]
    {
        let reply = api.raw("GET", path, &[], "");
        assert_eq!(
            (reply.end(), &reply.body["msg"]),
            ((404, -1020), &"This operation is not supported.".into()),
            "{path}"
        );
    }
    let reply = api.raw("POST", "/api/v3/depth", &[], "");
    assert_eq!((reply.end(), reply.header("allow")), ((405, -1020), Some("GET")));
    let bot = Bot::of(&server, "demo", &[]);
    for (path, params) in [("account", ""), ("openOrders", ""), ("order", "symbol=NONE&orderId=1")] {
        assert_eq!(bot.call("GET", path, params).header("cache-control"), Some("no-store"), "{path}");
    }
    assert_eq!(api.raw("GET", "/api/v3/account", &[], "").header("cache-control"), Some("no-store"), "a refusal too");
    assert_eq!(api.raw("GET", "/api/v3/depth?symbol=BTCUSDT", &[], "").header("cache-control"), None);
}
