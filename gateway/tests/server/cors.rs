//! Calls of programs from pages of other sites.

use crate::bot::{Bot, now_ms};
use crate::client::{Server, Told};

const PAGE: &str = "https://bot.example";
const OTHER: &str = "https://other.example";

fn allowing(origins: &[&str]) -> Server {
    let mut server = Server::prepare(&[]);
    server.change_setting("cors_origins = []", &format!("cors_origins = {origins:?}"));
    server.launch();
    server
}

/// What a browser asks before a page's signed call.
fn preflight(server: &Server, path: &str, origin: &str, method: &str) -> Told {
    let asks = [
        ("origin", origin),
        ("access-control-request-method", method),
        ("access-control-request-headers", "content-type,x-mbx-apikey"),
    ];
    server.api().raw("OPTIONS", path, &asks, "")
}

fn allows(reply: &Told) -> Option<&str> {
    reply.header("access-control-allow-origin")
}

/// A call as a page makes it, signed when it has a bot.
fn call(server: &Server, path: &str, origin: &str, bot: Option<&Bot>) -> Told {
    let time = format!("timestamp={}", now_ms());
    let path = bot.map_or(path.to_owned(), |bot| format!("{path}?{time}&signature={}", bot.sign(&time)));
    let key = bot.map(|bot| ("x-mbx-apikey", bot.key.as_str()));
    let headers: Vec<(&str, &str)> = [("origin", origin)].into_iter().chain(key).collect();
    server.api().raw("GET", &path, &headers, "")
}

#[test]
fn pages_that_the_operator_lists_may_call_and_no_others() {
    let server = allowing(&[PAGE]);
    let bot = Bot::of(&server, "demo", &[]);
    for (path, method) in [
        ("/api/v3/time", "GET"),
        ("/api/v3/order", "POST"),
        ("/api/v3/order", "DELETE"),
        ("/api/v3/userDataStream", "PUT"),
        ("/sapi/v1/capital/config/getall", "GET"),
    ] {
        let reply = preflight(&server, path, PAGE, method);
        assert_eq!((reply.status, allows(&reply)), (200, Some(PAGE)), "{method} {path}: {}", reply.body);
        let list = |name: &str| reply.header(name).unwrap_or_default().to_lowercase();
        assert!(list("access-control-allow-methods").contains(&method.to_lowercase()), "{method} {path}");
        let headers = list("access-control-allow-headers");
        assert!(headers.contains("x-mbx-apikey") && headers.contains("content-type"), "{headers}");
        assert_eq!(reply.header("access-control-max-age"), Some("3600"));
        assert_eq!(reply.header("access-control-allow-credentials"), None, "cookies never count");
        assert_eq!(allows(&preflight(&server, path, OTHER, method)), None, "{method} {path}");
    }
    assert_eq!(allows(&preflight(&server, "/api/v3/order", PAGE, "PATCH")), None, "no call has this method");
    assert_eq!(
        allows(&preflight(&server, "/api/user/login", PAGE, "POST")),
        None,
        "the app's calls are not for programs"
    );

    let account = call(&server, "/api/v3/account", PAGE, Some(&bot));
    assert_eq!((account.status, allows(&account)), (200, Some(PAGE)), "{}", account.body);
    assert!(account.header("vary").unwrap_or_default().to_lowercase().contains("origin"), "{:?}", account.headers);
    let readable = account.header("access-control-expose-headers").unwrap_or_default().to_lowercase();
    assert!(readable.contains("x-mbx-used-weight-1m") && readable.contains("retry-after"), "{readable}");
    // A page reads why it was refused, too.
    let refused = call(&server, "/api/v3/account", PAGE, None);
    assert_eq!((refused.end(), allows(&refused)), ((401, -2014), Some(PAGE)));
    let from_elsewhere = call(&server, "/api/v3/time", OTHER, None);
    assert_eq!((from_elsewhere.status, allows(&from_elsewhere)), (200, None));
    assert_eq!(allows(&call(&server, "/api/currency/deals?symbol=BTC%2FUSDT", PAGE, None)), None);
}

#[test]
fn any_page_may_call_where_the_operator_says_so() {
    let server = allowing(&["*"]);
    assert_eq!(allows(&preflight(&server, "/api/v3/order", OTHER, "POST")), Some("*"));
    let reply = call(&server, "/api/v3/time", OTHER, None);
    assert_eq!((reply.status, allows(&reply)), (200, Some("*")));
}

#[test]
fn no_page_of_another_site_may_call_unless_the_operator_says_so() {
    let server = Server::start(&[]);
    assert_eq!(allows(&preflight(&server, "/api/v3/order", PAGE, "POST")), None);
    let reply = call(&server, "/api/v3/time", PAGE, None);
    assert_eq!((reply.status, allows(&reply)), (200, None));
}
