//! What a call costs its address, and how answers come.

use crate::bot::{Bot, now_ms};
use crate::client::{Server, WHOLE_DEMO};
use crate::raw::{ask, header};
use serde_json::Value;
use std::io::Read;

/// How many of a call's answers an address gets before the first refusal, of so many at most.
fn before_refusal(server: &Server, path: &str, most: usize) -> usize {
    let is_refused = |answer: &Value, status: u16| status == 429 || answer["code"] == 1018;
    let reply = |_: &usize| {
        let answer = server.api().raw("GET", path, &[], "");
        is_refused(&answer.body, answer.status)
    };
    (0..most).position(|n| reply(&n)).unwrap_or(most)
}

#[test]
fn a_call_costs_what_it_takes() {
    // A minute refills two in a second, so a slow machine gets a few more.
    let calls = [
        ("/api/currency/kline_market_Daily?symbol=BTC/USDT&period=1min&limit=1500", 3..=8),
        ("/api/currency/deals?symbol=BTC/USDT&limit=1000", 4..=12),
        ("/api/currency/quotation_new", 12..=30),
        ("/udf/history?symbol=BTCUSDT&resolution=1&from=0&to=99999999999&countback=1500", 3..=8),
        ("/api/fair/ticks?symbol=BTC/USDT&from=1&to=1", 9..=20),
        ("/api/microtrade/proof?id=1", 9..=20),
        ("/openapi.json", 6..=15),
        ("/asyncapi.json", 6..=15),
        ("/api/getSiteConfig", 60..=60),
        ("/udf/time", 60..=60),
    ];
    for (path, fits) in calls {
        // The start itself asks a little; each call has an address that used nothing.
        let server = Server::start(&[("XNG__LIMITS__CALLS_PER_MINUTE_IP", "125"), WHOLE_DEMO]);
        let got = before_refusal(&server, path, 60);
        assert!(fits.contains(&got), "{path}: {got} answers");
    }
}

#[test]
fn own_records_that_lie_deep_cost_what_is_read() {
    let server = Server::start(&[("XNG__LIMITS__CALLS_PER_MINUTE_IP", "250")]);
    let api = server.demo("demo");
    let deep = [("by", "order"), ("page", "10"), ("limit", "100")];
    let got = (0..60).position(|_| api.post("/wallet/legal_log", &deep)["code"] == 1018);
    assert!(got.is_some_and(|got| (3..=16).contains(&got)), "{got:?} answers");
}

#[test]
fn large_answers_are_compressed_with_their_length_and_small_ones_are_left_alone() {
    let server = Server::start(&[WHOLE_DEMO]);
    let compressed =
        |path: &str| ask(&server, &format!("GET {path} HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n"));
    for path in [
        "/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=1000",
        "/openapi.json",
        "/asyncapi.json",
        "/api/currency/quotation_new",
    ] {
        let (head, body) = compressed(path);
        assert_eq!(
            (header(&head, "content-encoding"), header(&head, "vary")),
            (Some("gzip"), Some("accept-encoding")),
            "{path}: {head}"
        );
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*body).read_to_string(&mut text).unwrap();
        assert!(text.len() > body.len() && serde_json::from_str::<Value>(&text).is_ok(), "{path}");
        let plain = ask(&server, &format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n"));
        assert_eq!(header(&plain.0, "content-encoding"), None, "{path}");
        assert!(serde_json::from_slice::<Value>(&plain.1).is_ok(), "{path}");
    }
    let (head, body) = compressed("/api/v3/time");
    assert_eq!(header(&head, "content-encoding"), None, "{head}");
    assert!(serde_json::from_slice::<Value>(&body).is_ok());
}

#[test]
fn an_answer_to_orders_does_not_wait_for_compression_and_one_to_a_read_does() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let bot = Bot::of(&server, "demo", &[]);
    let best = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    let price = |share: f64| (best["bidPrice"].as_str().unwrap().parse::<f64>().unwrap() * share) as u64;
    let sent = format!(
        "symbol=BTCUSDT&workingType=LIMIT&workingTimeInForce=GTC&workingSide=BUY&workingQuantity=0.02&workingPrice={}\
         &pendingSide=SELL&pendingQuantity=0.019&pendingAboveType=LIMIT_MAKER&pendingAbovePrice={}\
         &pendingBelowType=STOP_LOSS&pendingBelowStopPrice={}&timestamp={}",
        price(0.96),
        price(1.03),
        price(0.95),
        now_ms()
    );
    let signed = format!("{sent}&signature={}", bot.sign(&sent));
    let (head, body) = ask(
        &server,
        &format!(
            "POST /api/v3/orderList/otoco?{signed} HTTP/1.1\r\nhost: x\r\nx-mbx-apikey: {}\r\n\
             accept-encoding: gzip\r\ncontent-length: 0\r\n\r\n",
            bot.key
        ),
    );
    assert_eq!(header(&head, "content-encoding"), None, "{head}");
    let reply: Value = serde_json::from_slice(&body).unwrap();
    assert!(body.len() > 1_024 && reply["listOrderStatus"] == "EXECUTING", "{reply}");
    // What only reads is compressed, although it is a POST.
    let token = bot.api.token.as_ref().unwrap();
    let (head, _) = ask(
        &server,
        &format!(
            "POST /api/wallet/list HTTP/1.1\r\nhost: x\r\nauthorization: {token}\r\n\
             accept-encoding: gzip\r\ncontent-length: 0\r\n\r\n"
        ),
    );
    assert_eq!(header(&head, "content-encoding"), Some("gzip"), "{head}");
}

#[test]
fn a_handshake_that_is_refused_is_answered_in_http() {
    let server = Server::start(&[]);
    let upgrade = "host: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\naccept-encoding: gzip\r\n";
    for (path, more, status) in [
        ("/ws", "origin: http://elsewhere.example\r\n", "403"),
        ("/ws-api/v3", "origin: http://elsewhere.example\r\n", "403"),
        ("/ws/btcusdt@trade?timeUnit=fortnights", "", "400"),
    ] {
        let (head, body) = ask(&server, &format!("GET {path} HTTP/1.1\r\n{upgrade}{more}\r\n"));
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{head}");
        assert!(String::from_utf8(body).is_ok_and(|text| !text.is_empty()), "{path}: a body that can be read");
    }
}
