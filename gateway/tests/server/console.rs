//! The operators' console on the real binary: who gets in, and what its socket tells.

use crate::client::Server;
use serde_json::Value;
use std::net::TcpStream;
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect};

const TOKEN: &str = "sixteen-or-more-characters";

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

/// Status and cookie of a try.
fn knock(server: &Server, token: &str) -> (u16, Option<String>) {
    let url = format!("http://127.0.0.1:{}/ops/login", server.ops);
    let body = serde_json::json!({ "token": token }).to_string();
    let answer = agent().post(url).header("content-type", "application/json").send(body).unwrap();
    let cookie = answer.headers().get("set-cookie").map(|value| value.to_str().unwrap().to_owned());
    (answer.status().as_u16(), cookie)
}

type Line = WebSocket<MaybeTlsStream<TcpStream>>;

/// A socket with these headers, or the status of the refusal.
fn socket(server: &Server, headers: &[(&'static str, &str)]) -> Result<Line, u16> {
    let mut request = format!("ws://127.0.0.1:{}/ops/socket", server.ops).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match connect(request) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

fn next(socket: &mut Line) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

#[test]
fn who_has_the_token_sees_figures_each_second_and_nobody_else_sees_any() {
    let server = Server::start(&[("XNG__OPS__TOKEN", TOKEN)]);
    server.wait_open("BTCUSDT");
    assert_eq!(socket(&server, &[]).err(), Some(401), "no session");
    assert_eq!(socket(&server, &[("cookie", "ops=00")]).err(), Some(401), "somebody else's");
    assert_eq!(knock(&server, "not the token at all"), (401, None));
    let (status, cookie) = knock(&server, TOKEN);
    let cookie = cookie.expect("a session");
    assert_eq!(status, 204);
    for word in ["HttpOnly", "SameSite=Strict", "Path=/ops"] {
        assert!(cookie.contains(word), "{word}: {cookie}");
    }
    let mine = cookie.split(';').next().unwrap();
    assert_eq!(socket(&server, &[("cookie", mine), ("origin", "http://evil.example")]).err(), Some(403));
    let mut line = socket(&server, &[("cookie", mine)]).expect("it opens");
    let first = next(&mut line);
    assert!(first["log"].as_array().is_some_and(|lines| !lines.is_empty()), "{first}");
    let (one, two) = (next(&mut line), next(&mut line));
    let at = |frame: &Value| frame["at_ms"].as_i64().unwrap_or_else(|| panic!("{frame}"));
    assert!(at(&one) < at(&two));
    let kinds: Vec<&str> = two["actors"].as_array().unwrap().iter().map(|k| k["type"].as_str().unwrap()).collect();
    let expected = [
        "registry", "account", "market", "price", "contract", "desk", "trader", "calendar", "round", "campaign",
        "chain",
    ];
    assert_eq!(kinds, expected);
    for part in ["cell", "journal", "persister", "sockets", "orders", "contracts", "process"] {
        assert!(two[part].is_object(), "{part}: {two}");
    }
    assert!(two["feeds"].as_array().is_some_and(|feeds| !feeds.is_empty()), "{two}");
    assert!(!server.log().contains(TOKEN), "the token is not in the log");

    let logout = format!("http://127.0.0.1:{}/ops/logout", server.ops);
    assert_eq!(agent().post(logout).header("cookie", mine).send_empty().unwrap().status(), 204);
    assert_eq!(socket(&server, &[("cookie", mine)]).err(), Some(401), "the session is over");
    let ended = loop {
        match line.read() {
            Ok(Message::Close(reason)) => break reason,
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert!(ended.is_some_and(|reason| reason.reason.as_str() == "logged out"));
}

#[test]
fn guessing_is_stopped_and_without_a_token_the_console_is_off() {
    let server = Server::start(&[("XNG__OPS__TOKEN", TOKEN)]);
    let guess = |n: u32| knock(&server, &format!("a guess of the token {n}")).0;
    // A slow machine gets one more each six seconds.
    let tries: Vec<u16> = (0..40).map(guess).collect();
    assert!(tries[..10].iter().all(|status| *status == 401) && tries.contains(&429), "{tries:?}");
    let waits = |n: u32| guess(n) != 204 && knock(&server, TOKEN).0 == 429;
    assert!((40..80).any(waits), "even the right one waits");

    let bare = Server::start(&[]);
    assert_eq!(knock(&bare, ""), (503, None));
    let mut page = agent().get(format!("http://127.0.0.1:{}/ops", bare.ops)).call().unwrap();
    assert_eq!(page.status(), 503);
    assert!(page.body_mut().read_to_string().unwrap().contains("XNG__OPS__TOKEN"));
    let mut short = Server::prepare(&[("XNG__OPS__TOKEN", "short")]);
    assert!(short.try_launch().is_err() && short.log().contains("shorter than 16"), "{}", short.log());
}
