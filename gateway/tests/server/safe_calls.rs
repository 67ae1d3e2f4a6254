//! The pay password through the real binary: which code sets it, and what it is good for.

use crate::client::{Api, Server};
use serde_json::{Value, json};

const MAIL: &str = "demo@example.com";
const NEW: &str = "payment-9";

fn set(api: &Api, password: &str, code: &str) -> Value {
    api.post("/safe/update_password", &[("password", password), ("re_password", password), ("code", code)])
}

fn mailed(server: &Server, api: &Api, purpose: &str) -> String {
    assert_eq!(api.post("/sms_mail", &[("user_string", MAIL), ("type", purpose)])["type"], "ok");
    server.code(MAIL).expect("a code was mailed")
}

fn makes_key(api: &Api, password: &str) -> Value {
    api.post("/user/api_keys/create", &[("label", "bot"), ("pay_password", password)])["code"].clone()
}

#[test]
fn a_pay_password_is_set_by_a_code_of_its_purpose_and_session() {
    let server = Server::start(&[]);
    let (api, beside) = (server.demo("demo"), server.demo("demo"));
    assert_eq!(server.api().post("/safe/update_password", &[])["code"], 999);
    let code = mailed(&server, &api, "pay");
    let wrong = if code == "123456" { "123457" } else { "123456" };
    for (password, again, field) in [("short", "short", "password"), (NEW, "payment-8", "re_password")] {
        let fields = [("password", password), ("re_password", again), ("code", &*code)];
        let refused = api.post("/safe/update_password", &fields);
        assert_eq!((&refused["code"], refused["errors"][field].is_string()), (&1001.into(), true), "{refused}");
    }
    let refused = set(&api, NEW, wrong);
    assert_eq!((&refused["code"], refused["errors"]["code"].is_string()), (&1008.into(), true), "{refused}");
    assert_eq!(set(&beside, NEW, &code)["code"], 1008, "another session of the same user");
    assert_eq!(set(&server.demo("demo2"), NEW, &code)["code"], 1008, "another user");
    let refused = set(&api, "demo1234", &code);
    assert_eq!((&refused["code"], refused["errors"]["password"].is_string()), (&1001.into(), true), "{refused}");
    assert_eq!(api.get("/safe/state")["message"]["has_pay_password"], false);
    assert_eq!(makes_key(&api, "demo1234"), 1, "until then the login password stands for it");
    assert_eq!(set(&api, NEW, &code)["type"], "ok", "nothing used the code up");
    assert_eq!(set(&api, "payment-8", &code)["code"], 1008, "once");
    assert_eq!(api.get("/safe/state")["message"]["has_pay_password"], true);
    assert_eq!((makes_key(&api, "demo1234"), makes_key(&api, NEW)), (json!(1010), json!(1)));
}

#[test]
fn a_code_of_another_purpose_sets_no_pay_password() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    for purpose in ["withdraw", "forget"] {
        // One mail a minute, but for purposes that need a login apart.
        let code = mailed(&server, &api, purpose);
        assert_eq!(set(&api, NEW, &code)["code"], 1008, "{purpose}");
    }
    assert_eq!(api.get("/safe/state")["message"]["has_pay_password"], false);
}
