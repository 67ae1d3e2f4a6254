//! Passkeys of users, through the real binary: a login, a proof, and what takes their place.

use crate::authenticator::{Authenticator, VERIFIED, WITH_KEY, client, text};
use crate::client::{Api, Server};
use serde_json::{Value, json};

pub(crate) const SITE: &str = "https://app.example";
const NAME: &str = "app.example";
const CODE_WRONG: i64 = 1008;

pub(crate) fn with_site() -> Server {
    Server::start(&[("XNG__SITE__URL", SITE)])
}

fn challenge_of(options: &Value) -> String {
    options["challenge"].as_str().unwrap_or_else(|| panic!("{options}")).to_owned()
}

/// What a browser says of a new passkey.
pub(crate) fn made(device: &Authenticator, begun: &Value) -> Vec<(String, String)> {
    let asked = challenge_of(&begun["data"]["passkey"]);
    let answer = device.register(&client("webauthn.create", &asked, SITE), NAME, WITH_KEY);
    let text = |name: &str| (name.to_owned(), answer[name].as_str().unwrap().to_owned());
    let challenge = begun["data"]["challenge_id"].as_str().unwrap().to_owned();
    vec![("challenge_id".to_owned(), challenge), text("client_data"), text("attestation")]
}

fn finish(api: &Api, fields: &[(String, String)]) -> Value {
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    api.post("/safe/passkey/finish", &fields)
}

/// A signature as a call takes it.
pub(crate) fn signed(device: &Authenticator, options: &Value, origin: &str) -> String {
    device.sign(&client("webauthn.get", &challenge_of(options), origin), NAME, VERIFIED).to_string()
}

/// The same of a device that keeps keys with their users, of this account.
pub(crate) fn signed_by(device: &Authenticator, options: &Value, account: u64) -> String {
    let mut answer: Value = serde_json::from_str(&signed(device, options, SITE)).unwrap();
    answer["user_handle"] = text(&account.to_be_bytes()).into();
    answer.to_string()
}

/// A first passkey, by the login password; its id and the recovery codes.
fn first(api: &Api, device: &Authenticator) -> (String, Vec<String>) {
    let begun = api.post("/safe/passkey/begin", &[("password", "demo1234"), ("label", "My phone")]);
    let added = finish(api, &made(device, &begun));
    let codes = added["data"]["recovery_codes"].as_array().unwrap_or_else(|| panic!("{added}"));
    (added["data"]["id"].to_string(), codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect())
}

fn asked(api: &Api, fields: &[(&str, &str)]) -> Value {
    api.post("/safe/challenge", fields)["data"].clone()
}

fn prove(api: &Api, asked: &Value, assertion: &str) -> Value {
    let name = asked["challenge_id"].as_str().unwrap();
    api.post("/safe/prove", &[("challenge_id", name), ("method", "passkey"), ("assertion", assertion)])
}

fn login(api: &Api) -> Value {
    api.post("/user/login", &[("user_string", "demo"), ("password", "demo1234")])
}

fn second(api: &Api, challenge: &Value, method: &str, answer: &str) -> Value {
    let field = if method == "passkey" { "assertion" } else { "code" };
    let challenge = challenge["challenge_id"].as_str().unwrap();
    api.post("/user/login/second", &[("challenge_id", challenge), ("method", method), (field, answer)])
}

#[test]
fn a_passkey_is_the_second_step_of_a_login_for_one_challenge_of_our_own_site() {
    let server = with_site();
    let (api, device) = (server.demo("demo"), Authenticator::new());
    assert_eq!(api.get("/safe/state")["message"]["passkeys"], true);
    assert_eq!(api.post("/safe/passkey/begin", &[("password", "wrong")])["code"], 1009);
    let (_, recovery) = first(&api, &device);
    assert_eq!(recovery.len(), 10);
    let state = api.get("/safe/state")["message"].clone();
    let factor = &state["factors"][0];
    assert_eq!((&factor["kind"], &factor["label"]), (&json!("passkey"), &json!("My phone")), "{state}");

    let anybody = server.api();
    let challenge = login(&anybody);
    assert_eq!(
        (&challenge["code"], &challenge["methods"]),
        (&json!(1021), &json!(["passkey", "recovery"])),
        "{challenge}"
    );
    let options = &challenge["passkey"];
    assert_eq!((&options["rpId"], &options["userVerification"]), (&json!(NAME), &json!("required")));
    let stranger = Authenticator::new();
    for (answer, what) in [
        (signed(&device, options, "https://evil.example"), "another site's"),
        (signed(&stranger, options, SITE), "another key's"),
        ("{}".to_owned(), "nothing"),
    ] {
        assert_eq!(second(&anybody, &challenge, "passkey", &answer)["code"], CODE_WRONG, "{what}");
    }
    let other = login(&anybody);
    let answer = signed(&device, &other["passkey"], SITE);
    assert_eq!(second(&anybody, &challenge, "passkey", &answer)["code"], CODE_WRONG, "another challenge's");
    assert_eq!(second(&anybody, &other, "passkey", &answer)["code"], 1);
    assert_eq!(second(&anybody, &other, "passkey", &answer)["code"], CODE_WRONG, "once");
    let again = login(&anybody);
    assert_eq!(second(&anybody, &again, "recovery", &recovery[0])["code"], 1, "a recovery code as well");
}

#[test]
fn an_authenticator_that_counts_backwards_was_copied() {
    let server = with_site();
    let (api, device) = (server.demo("demo"), Authenticator::new());
    first(&api, &device);
    device.counter.set(40);
    let fields = [("action", "passkey_add")];
    let proved = |expected: i64, why: &str| {
        let asked = asked(&api, &fields);
        let answer = signed(&device, &asked["passkey"], SITE);
        assert_eq!(prove(&api, &asked, &answer)["code"], expected, "{why}");
    };
    proved(1, "41");
    device.counter.set(40);
    proved(CODE_WRONG, "41 again");
    proved(1, "42");
}

#[test]
fn another_passkey_needs_a_proof_and_the_last_one_takes_the_codes_along() {
    let server = with_site();
    let (api, device) = (server.demo("demo"), Authenticator::new());
    let (id, _) = first(&api, &device);
    let proof = |fields: &[(&str, &str)]| {
        let asked = asked(&api, fields);
        let proved = prove(&api, &asked, &signed(&device, &asked["passkey"], SITE));
        proved["data"]["proof"].as_str().unwrap_or_else(|| panic!("{proved}")).to_owned()
    };
    let refused = api.post("/safe/passkey/begin", &[("password", "demo1234")]);
    assert_eq!((&refused["code"], &refused["methods"]), (&json!(1022), &json!(["passkey", "recovery"])), "{refused}");
    let begin = |proof: &str| api.post("/safe/passkey/begin", &[("proof", proof)]);
    let begun = begin(&proof(&[("action", "passkey_add")]));
    let excluded = &begun["data"]["passkey"]["excludeCredentials"];
    assert_eq!(excluded.as_array().map(Vec::len), Some(1), "{begun}");
    assert_eq!(finish(&api, &made(&device, &begun))["code"], 1016, "it is there");
    let next = Authenticator::new();
    let added = finish(&api, &made(&next, &begin(&proof(&[("action", "passkey_add")]))));
    assert_eq!(added["data"]["recovery_codes"], json!([]), "the codes stay");

    let other = added["data"]["id"].to_string();
    let remove = |id: &str, proof: &str| api.post("/safe/passkey/remove", &[("id", id), ("proof", proof)]);
    let wrong = proof(&[("action", "passkey_remove"), ("id", &other)]);
    assert_eq!(remove(&id, &wrong)["code"], 1022, "of another passkey");
    assert_eq!(remove("999", "none")["code"], 1003);
    let own = proof(&[("action", "passkey_remove"), ("id", &other)]);
    assert_eq!(remove(&other, &own)["code"], 1);
    assert_eq!(api.get("/safe/state")["message"]["recovery_left"], 10);
    let last = proof(&[("action", "passkey_remove"), ("id", &id)]);
    assert_eq!(remove(&id, &last)["code"], 1);
    assert_eq!(api.get("/safe/state")["message"]["recovery_left"], 0);
    let entered = login(&server.api());
    assert_eq!(entered["code"], 1, "the password is enough again");
}

#[test]
fn a_password_is_not_reset_by_a_passkey() {
    let server = with_site();
    let (api, device) = (server.demo("demo"), Authenticator::new());
    first(&api, &device);
    let anybody = server.api();
    anybody.post("/sms_mail", &[("user_string", "demo@example.com"), ("type", "forget")]);
    let code = server.code("demo@example.com").unwrap();
    let new = "another-horse-1";
    let form = |more: &[(&str, &str)]| {
        let mut form = vec![("account", "demo@example.com"), ("password", new), ("repassword", new), ("code", &code)];
        form.extend_from_slice(more);
        anybody.post("/user/forget", &form)
    };
    let refused = form(&[]);
    assert_eq!((&refused["code"], &refused["methods"]), (&json!(1022), &json!(["recovery"])), "{refused}");
    assert_eq!(form(&[("method", "passkey"), ("second_code", "{}")])["code"], 1001);
}

#[test]
fn the_demo_has_passkeys_at_localhost_and_other_sites_need_tls() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    assert_eq!(api.get("/safe/state")["message"]["passkeys"], true);
    let mut wrong = Server::prepare(&[("XNG__SITE__URL", "http://app.example")]);
    wrong.try_launch().unwrap_err();
    assert!(wrong.log().contains("site.url: browsers have no passkeys for http://app.example"), "{}", wrong.log());
}

#[test]
fn a_passkey_alone_logs_in_whom_it_was_made_for_once_and_from_where_it_was_asked() {
    let server = with_site();
    let (api, device) = (server.demo("demo"), Authenticator::new());
    let account = api.get("/user/info")["message"]["id"].as_u64().unwrap();
    first(&api, &device);
    let anybody = server.api();
    let begin = || {
        let begun = anybody.post("/user/login/passkey/begin", &[]);
        assert_eq!(begun["data"]["passkey"]["allowCredentials"], json!([]), "{begun}");
        begun["data"].clone()
    };
    let go_on = |begun: &Value, assertion: &str| {
        let name = begun["challenge_id"].as_str().unwrap();
        anybody.post("/user/login/passkey", &[("challenge_id", name), ("assertion", assertion)])
    };

    let begun = begin();
    let options = &begun["passkey"];
    let other = server.demo("demo2").get("/user/info")["message"]["id"].as_u64().unwrap();
    for (answer, what) in [
        (signed(&device, options, SITE), "of nobody"),
        (signed_by(&device, options, other), "of somebody else"),
        (signed_by(&device, options, u64::MAX), "of an account that is not there"),
        (signed_by(&Authenticator::new(), options, account), "another key's"),
    ] {
        assert_eq!(go_on(&begun, &answer)["code"], CODE_WRONG, "{what}");
    }
    let begun = begin();
    let foreign = signed_by(&device, &login(&anybody)["passkey"], account);
    assert_eq!(go_on(&begun, &foreign)["code"], CODE_WRONG, "a second step's signature");
    let answer = signed_by(&device, &begun["passkey"], account);
    let second_step = second(&anybody, &begun, "passkey", &answer);
    assert_eq!(second_step["code"], CODE_WRONG, "nor is it a second step");
    let begun = begin();
    let answer = signed_by(&device, &begun["passkey"], account);
    let opened = go_on(&begun, &answer);
    assert_eq!(opened["code"], 1, "{opened}");
    let me = server.api().with_token(opened["message"].as_str().unwrap()).get("/user/info");
    assert_eq!(me["message"]["id"], account);
    assert_eq!(go_on(&begun, &answer)["code"], CODE_WRONG, "once");

    // A locked account is locked for its passkeys, too.
    assert_eq!(api.post("/safe/lock", &[])["code"], 1);
    let begun = begin();
    assert_eq!(go_on(&begun, &signed_by(&device, &begun["passkey"], account))["code"], 1007);
}
