//! Authenticators, recovery codes and proofs, through the real binary.

use crate::api_keys::PASSWORD;
use crate::bot::now_ms;
use crate::client::{Api, Server};
use crate::raw::ask_from;
use crate::tool::{bad as bad_output, good as good_output, tool};
use data_encoding::BASE32_NOPAD;
use ring::hmac;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::time::Duration;

const STEP_MS: u64 = 30_000;
const MAIL: &str = "demo@example.com";

pub(crate) fn step_now() -> u64 {
    now_ms() as u64 / STEP_MS
}

/// The code of a step, by the RFC and not by the exchange.
pub(crate) fn code_of(secret: &[u8], step: u64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let at = usize::from(tag.as_ref()[19] & 0xf);
    let four: [u8; 4] = tag.as_ref()[at..at + 4].try_into().unwrap();
    format!("{:06}", (u32::from_be_bytes(four) & 0x7fff_ffff) % 1_000_000)
}

/// A code of no step around now.
fn wrong_code(secret: &[u8]) -> String {
    let near: Vec<String> = (step_now() - 3..step_now() + 4).map(|step| code_of(secret, step)).collect();
    (0..).map(|n| format!("{n:06}")).find(|code| !near.contains(code)).unwrap()
}

/// A user who has an authenticator.
pub(crate) struct Secured {
    /// Logged in before the authenticator was there.
    pub(crate) api: Api,
    id: String,
    secret: Vec<u8>,
    recovery: RefCell<Vec<String>>,
    spent: Cell<u64>,
}

fn begin(api: &Api) -> (String, Vec<u8>) {
    let begun = api.post("/safe/totp/begin", &[("password", "demo1234")]);
    let secret = begun["data"]["secret"].as_str().unwrap_or_else(|| panic!("{begun}"));
    let uri = begun["data"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("otpauth://totp/") && uri.contains(secret), "{uri}");
    (begun["data"]["id"].to_string(), BASE32_NOPAD.decode(secret.as_bytes()).unwrap())
}

fn confirm(api: &Api, id: &str, first: &str, second: &str) -> Value {
    api.post("/safe/totp/confirm", &[("id", id), ("first_code", first), ("second_code", second)])
}

pub(crate) fn secured(server: &Server, name: &str) -> Secured {
    let api = server.demo(name);
    let (id, secret) = begin(&api);
    let spent = step_now();
    let done = confirm(&api, &id, &code_of(&secret, spent - 1), &code_of(&secret, spent));
    let codes = done["data"]["recovery_codes"].as_array().unwrap_or_else(|| panic!("{done}"));
    let recovery = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    Secured { api, id, secret, recovery: RefCell::new(recovery), spent: Cell::new(spent) }
}

impl Secured {
    /// A code that was not spent, once there is one.
    fn code(&self) -> String {
        let step = step_now().max(self.spent.get() + 1);
        self.spent.set(step);
        while step_now() + 1 < step {
            std::thread::sleep(Duration::from_millis(200));
        }
        code_of(&self.secret, step)
    }

    fn recovery(&self) -> String {
        self.recovery.borrow_mut().pop().unwrap()
    }

    fn prove(&self, fields: &[(&str, &str)], method: &str, code: &str) -> Value {
        prove(&self.api, &challenge(&self.api, fields), method, code)
    }

    /// A proof by a recovery code.
    pub(crate) fn proof(&self, fields: &[(&str, &str)]) -> String {
        proof_of(&self.prove(fields, "recovery", &self.recovery()))
    }
}

/// A proof of who has no authenticator.
pub(crate) fn prove_by_password(api: &Api, fields: &[(&str, &str)], password: &str) -> String {
    proof_of(&prove(api, &challenge(api, fields), "pay_password", password))
}

fn challenge(api: &Api, fields: &[(&str, &str)]) -> String {
    let asked = api.post("/safe/challenge", fields);
    asked["data"]["challenge_id"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned()
}

fn prove(api: &Api, challenge: &str, method: &str, code: &str) -> Value {
    let answer = if method == "pay_password" { ("pay_password", code) } else { ("code", code) };
    api.post("/safe/prove", &[("challenge_id", challenge), ("method", method), answer])
}

fn proof_of(answer: &Value) -> String {
    answer["data"]["proof"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn login(api: &Api, name: &str, password: &str) -> Value {
    api.post("/user/login", &[("user_string", name), ("password", password)])
}

fn second(api: &Api, challenge: &str, method: &str, code: &str) -> Value {
    api.post("/user/login/second", &[("challenge_id", challenge), ("method", method), ("code", code)])
}

fn second_of(answer: &Value) -> String {
    assert_eq!((&answer["code"], &answer["type"]), (&1021.into(), &"error".into()), "{answer}");
    answer["challenge_id"].as_str().unwrap().to_owned()
}

/// The answer to a form from an address of 127.0.0.0/8.
fn post_from(server: &Server, from: [u8; 4], path: &str, form: &str) -> Value {
    let request = format!(
        "POST /api{path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {}\r\n\r\n{form}",
        form.len()
    );
    let (_, body) = ask_from(IpAddr::from(from), server, &request);
    serde_json::from_slice(&body).unwrap()
}

/// Where nobody ever logged in.
const ELSEWHERE: [u8; 4] = [127, 9, 1, 7];

/// What so many answers at once are.
pub(crate) fn at_once(count: usize, ask: impl Fn(usize) -> Value + Sync) -> Vec<Value> {
    std::thread::scope(|scope| {
        let ask = &ask;
        let asked: Vec<_> = (0..count).map(|n| scope.spawn(move || ask(n))).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn good(answers: &[Value]) -> usize {
    answers.iter().filter(|answer| answer["type"] == "ok").count()
}

const CREATE: &[(&str, &str)] = &[("action", "api_key_create"), ("label", "bot")];

#[test]
fn an_authenticator_is_nothing_until_two_codes_in_a_row_confirm_it() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    assert_eq!(api.post("/safe/totp/begin", &[("password", "wrong-one")])["code"], 1009);
    assert_eq!(api.post("/safe/totp/begin", &[])["code"], 1001);
    let (id, secret) = begin(&api);
    let state = || api.get("/safe/state")["message"].clone();
    let before = json!({
        "factors": [], "recovery_left": 0, "passkeys": true, "has_pay_password": false, "has_email": true, "has_phone": false,
        "mail_phrase": null,
    });
    assert_eq!(state(), before);
    assert_eq!(api.post("/user/api_keys/create", &[("label", "bot"), PASSWORD])["type"], "ok", "as before");
    let now = step_now();
    let of = |step: u64| code_of(&secret, step);
    for (first, second) in [(of(now), of(now)), (of(now), of(now - 1)), (of(now - 1), wrong_code(&secret))] {
        assert_eq!(confirm(&api, &id, &first, &second)["code"], 1008);
    }
    let thief = server.demo("demo2");
    assert_eq!(confirm(&thief, &id, &of(now - 1), &of(now))["code"], 1003, "another's");
    let now = step_now();
    let done = confirm(&api, &id, &of(now - 1), &of(now));
    let recovery = done["data"]["recovery_codes"].as_array().unwrap();
    assert_eq!(recovery.len(), 10);
    assert_eq!(confirm(&api, &id, &of(now - 1), &of(now))["code"], 1003, "once");
    let after = state();
    assert_eq!((&after["factors"][0]["kind"], &after["recovery_left"]), (&"totp".into(), &10.into()));
    let kept: Vec<u8> = ["office.db", "office.db-wal"]
        .iter()
        .flat_map(|name| std::fs::read(server.data_dir().join(name)).unwrap_or_default())
        .collect();
    let text = BASE32_NOPAD.encode(&secret);
    for planted in [&secret[..], text.as_bytes(), recovery[0].as_str().unwrap().as_bytes()] {
        assert!(!kept.windows(planted.len()).any(|window| window == planted), "a secret lies open");
    }
}

#[test]
fn a_login_takes_two_steps_and_the_first_opens_nothing() {
    let server = Server::start(&[]);
    let user = secured(&server, "demo");
    let api = server.api();
    let wrong = login(&api, "demo", "wrong-password");
    assert_eq!(wrong, login(&api, "nobody", "wrong-password"), "a wrong password tells nothing");
    let first = login(&api, "demo", "demo1234");
    let challenge = second_of(&first);
    assert_eq!(first["methods"], json!(["totp", "recovery"]));
    assert!(first["data"].is_null(), "{first}");
    assert_eq!(api.with_token(&challenge).get("/user/info")["code"], 999, "it is no token");
    assert_eq!(second(&api, "unknown", "totp", &user.code())["code"], 1008);
    assert_eq!(second(&api, &challenge, "totp", &wrong_code(&user.secret))["code"], 1008);
    assert_eq!(second(&api, &challenge, "pay_password", "demo1234")["code"], 1001);
    let elsewhere = |code: &str| {
        let form = format!("challenge_id={challenge}&method=recovery&code={code}");
        post_from(&server, ELSEWHERE, "/user/login/second", &form)["code"].clone()
    };
    let recovery = user.recovery();
    assert_eq!(elsewhere(&recovery), 1008, "from another address");
    let opened = second(&api, &challenge, "recovery", &recovery);
    let session = api.with_token(opened["message"].as_str().unwrap_or_else(|| panic!("{opened}")));
    assert_eq!(session.get("/user/info")["type"], "ok");
    assert_eq!(second(&api, &challenge, "recovery", &user.recovery())["code"], 1008, "once");
    let typed = format!(" {} ", user.recovery().to_uppercase().replace('-', " "));
    let again = second_of(&login(&api, "demo", "demo1234"));
    assert_eq!(second(&api, &again, "recovery", &typed)["type"], "ok", "however it is typed");
    assert_eq!(second(&api, &challenge, "totp", &user.code())["code"], 1008);
}

#[test]
fn two_hundred_answers_at_once_open_one_session_and_make_one_proof() {
    let server = Server::start(&[]);
    let user = secured(&server, "demo");
    let api = server.api();
    let sessions = || user.api.get("/user/sessions")["message"].as_array().unwrap().len();
    let before = sessions();
    let challenges: Vec<String> = (0..40).map(|_| second_of(&login(&api, "demo", "demo1234"))).collect();
    // The last of all, for it is good for a while only.
    let code = user.code();
    let answers = at_once(200, |n| second(&api, &challenges[n % 40], "totp", &code));
    assert_eq!((good(&answers), sessions()), (1, before + 1), "one step");
    let used = second_of(&login(&api, "demo", "demo1234"));
    assert_eq!(good(&[second(&api, &used, "totp", &code)]), 0, "it stays spent");

    let other = secured(&server, "demo2");
    let challenges: Vec<String> = (0..40).map(|_| challenge(&other.api, CREATE)).collect();
    let (recovery, code) = (other.recovery(), other.code());
    let answers = at_once(200, |n| match n % 2 {
        0 => prove(&other.api, &challenges[n % 40], "totp", &code),
        _ => prove(&other.api, &challenges[n % 40], "recovery", &recovery),
    });
    assert!((1..=2).contains(&good(&answers)), "a step and a recovery code, each once");
    let proofs: Vec<String> = answers.iter().filter(|answer| answer["type"] == "ok").map(proof_of).collect();
    let made = at_once(200, |n| {
        let proof = &proofs[n % proofs.len()];
        other.api.post("/user/api_keys/create", &[("label", "bot"), ("proof", proof)])
    });
    assert_eq!(good(&made), proofs.len(), "a proof once");
    assert_eq!(other.api.post("/user/api_keys/list", &[])["message"].as_array().unwrap().len(), proofs.len());
}

#[test]
fn a_proof_is_of_one_session_one_action_and_one_subject() {
    let server = Server::start(&[]);
    let user = secured(&server, "demo");
    let create = |api: &Api, label: &str, proof: &str| {
        api.post("/user/api_keys/create", &[("label", label), ("proof", proof)])["code"].clone()
    };
    let proof = proof_of(&user.prove(CREATE, "totp", &user.code()));
    assert_eq!(create(&user.api, "bot", &proof), 1);
    assert_eq!(create(&user.api, "bot", &proof), 1022, "twice");
    let id = user.api.post("/user/api_keys/list", &[])["message"][0]["id"].to_string();

    let opened = {
        let challenge = second_of(&login(&server.api(), "demo", "demo1234"));
        second(&server.api(), &challenge, "recovery", &user.recovery())
    };
    let beside = server.api().with_token(opened["message"].as_str().unwrap());
    for (api, label) in [(&user.api, "other"), (&beside, "bot"), (&server.demo("demo2"), "bot")] {
        let proof = proof_of(&user.prove(CREATE, "recovery", &user.recovery()));
        assert_eq!(create(api, label, &proof), 1022, "{label}");
        assert_eq!(create(&user.api, "bot", &proof), 1022, "what was misused is used up");
    }
    let proof = proof_of(&user.prove(&[("action", "api_key_confirm"), ("id", &id)], "recovery", &user.recovery()));
    let delete = |proof: &str| user.api.post("/user/api_keys/delete", &[("id", &id), ("proof", proof)])["code"].clone();
    assert_eq!(delete(&proof), 1022, "of another action");
    let foreign = challenge(&server.demo("demo2"), CREATE);
    assert_eq!(prove(&user.api, &foreign, "recovery", &user.recovery())["code"], 1008, "another's challenge");
    let proof = proof_of(&user.prove(&[("action", "api_key_delete"), ("id", &id)], "recovery", &user.recovery()));
    assert_eq!(delete(&proof), 1);
    let plain = server.demo("demo2");
    let asked = challenge(&plain, CREATE);
    assert_eq!(prove(&plain, &asked, "totp", "123456")["code"], 1008, "there is none");
    assert_eq!(prove(&plain, &asked, "pay_password", "wrong-one")["code"], 1010);
    assert_eq!(create(&plain, "bot", &proof_of(&prove(&plain, &asked, "pay_password", "demo1234"))), 1);
}

#[test]
fn guesses_are_few_for_a_challenge_and_for_an_account() {
    let server = Server::start(&[]);
    let user = secured(&server, "demo");
    let wrong = wrong_code(&user.secret);
    let codes: Vec<Value> = {
        let asked = challenge(&user.api, CREATE);
        let mut codes: Vec<Value> = (0..5).map(|_| prove(&user.api, &asked, "totp", &wrong)["code"].clone()).collect();
        codes.push(prove(&user.api, &asked, "totp", &user.code())["code"].clone());
        codes
    };
    assert!(codes.iter().all(|code| *code == 1008), "five tries, and the right one comes too late: {codes:?}");
    let rest: Vec<Value> = (0..6).map(|_| user.prove(CREATE, "recovery", "aaaaa-aaaaa")["code"].clone()).collect();
    assert!(rest[..5].iter().all(|code| *code == 1008) && rest[5] == 1018, "ten of an account: {rest:?}");
    let challenge = second_of(&login(&server.api(), "demo", "demo1234"));
    assert_eq!(
        second(&server.api(), &challenge, "recovery", &user.recovery())["code"],
        1018,
        "a login is no way round"
    );
    let there = |path: &str, form: &str| post_from(&server, ELSEWHERE, path, form);
    let asked = second_of(&there("/user/login", "user_string=demo&password=demo1234"));
    let answer = |code: &str| format!("challenge_id={asked}&method=recovery&code={code}");
    let wrong: Vec<Value> =
        (0..3).map(|_| there("/user/login/second", &answer("aaaaa-aaaaa"))["code"].clone()).collect();
    assert_eq!(wrong, [1008, 1008, 1008], "tries from elsewhere are others");
    assert_eq!(there("/user/login/second", &answer(&user.recovery()))["code"], 1);
}

#[test]
fn an_authenticator_outlives_a_restart_and_a_challenge_does_not() {
    let mut server = Server::start(&[]);
    let user = secured(&server, "demo");
    let before = second_of(&login(&server.api(), "demo", "demo1234"));
    server.kill();
    server.launch();
    assert_eq!(second(&server.api(), &before, "recovery", &user.recovery())["code"], 1008);
    let code = code_of(&user.secret, user.spent.get());
    let challenge = second_of(&login(&server.api(), "demo", "demo1234"));
    assert_eq!(second(&server.api(), &challenge, "totp", &code)["code"], 1008, "it stays spent");
    assert_eq!(second(&server.api(), &challenge, "totp", &user.code())["type"], "ok");
}

#[test]
fn a_password_alone_is_not_enough_any_more() {
    let server = Server::start(&[]);
    let mut user = secured(&server, "demo");
    let key = {
        let proof = proof_of(&user.prove(CREATE, "recovery", &user.recovery()));
        user.api.post("/user/api_keys/create", &[("label", "bot"), ("proof", &proof)])["data"]["id"].to_string()
    };
    let calls: [(&str, &[(&str, &str)]); 6] = [
        ("/user/api_keys/create", &[("label", "bot"), PASSWORD]),
        ("/user/api_keys/update", &[("id", &key), ("label", "new"), PASSWORD]),
        ("/user/api_keys/confirm", &[("id", &key), PASSWORD]),
        ("/user/api_keys/delete", &[("id", &key), PASSWORD]),
        ("/safe/totp/begin", &[("password", "demo1234"), PASSWORD]),
        ("/safe/totp/remove", &[("id", &user.id), PASSWORD]),
    ];
    for (path, fields) in calls {
        let refused = user.api.post(path, fields);
        assert_eq!((&refused["code"], &refused["methods"]), (&1022.into(), &json!(["totp", "recovery"])), "{path}");
    }
    let asked = challenge(&user.api, CREATE);
    assert_eq!(prove(&user.api, &asked, "pay_password", "demo1234")["code"], 1010, "nor for a proof");

    assert_eq!(server.api().post("/sms_mail", &[("user_string", MAIL), ("type", "forget")])["type"], "ok");
    let mailed = server.code(MAIL).expect("a code was mailed");
    let reset = |second: &[(&str, &str)]| {
        let form = [("account", MAIL), ("code", &*mailed), ("password", "another-1"), ("repassword", "another-1")];
        server.api().post("/user/forget", &[&form[..], second].concat())
    };
    let refused = reset(&[]);
    assert_eq!((&refused["code"], &refused["methods"]), (&1022.into(), &json!(["totp", "recovery"])));
    assert_eq!(reset(&[("method", "totp"), ("second_code", &wrong_code(&user.secret))])["code"], 1008);
    assert_eq!(reset(&[("method", "recovery"), ("second_code", &user.recovery())])["type"], "ok");
    assert_eq!(user.api.get("/user/info")["code"], 999);

    let challenge = second_of(&login(&server.api(), "demo", "another-1"));
    let opened = second(&server.api(), &challenge, "recovery", &user.recovery());
    user.api.token = Some(opened["message"].as_str().unwrap().to_owned());
    let removal = [("action", "totp_remove"), ("id", &*user.id)];
    let proof = proof_of(&user.prove(&removal, "totp", &user.code()));
    let removed = user.api.post("/safe/totp/remove", &[("id", &user.id), ("proof", &proof)]);
    assert_eq!(removed["type"], "ok", "{removed}");
    assert_eq!(user.api.get("/safe/state")["message"]["recovery_left"], 0);
    assert_eq!(login(&server.api(), "demo", "another-1")["type"], "ok", "one step again");
}

#[test]
fn a_new_authenticator_takes_the_place_of_the_old_one_by_its_proof() {
    let server = Server::start(&[]);
    let user = secured(&server, "demo");
    let proof = proof_of(&user.prove(&[("action", "totp_begin")], "recovery", &user.recovery()));
    let begun = user.api.post("/safe/totp/begin", &[("proof", &proof), ("label", "new phone")]);
    let secret = BASE32_NOPAD.decode(begun["data"]["secret"].as_str().unwrap().as_bytes()).unwrap();
    let now = step_now();
    let (id, codes) = (begun["data"]["id"].to_string(), [code_of(&secret, now - 1), code_of(&secret, now)]);
    let done = confirm(&user.api, &id, &codes[0], &codes[1]);
    assert_eq!(done["type"], "ok", "{done}");
    let state = user.api.get("/safe/state")["message"].clone();
    assert_eq!((state["factors"].as_array().unwrap().len(), &state["recovery_left"]), (1, &10.into()));
    assert_eq!(state["factors"][0]["label"], "new phone");
    let old = user.code();
    assert_eq!(user.prove(CREATE, "totp", &old)["code"], 1008);
    assert_eq!(user.prove(CREATE, "recovery", &user.recovery())["code"], 1008);
    assert_eq!(user.prove(CREATE, "totp", &code_of(&secret, now + 1))["type"], "ok");
}

#[test]
fn an_operator_takes_away_what_somebody_lost() {
    let mut server = Server::prepare(&[]);
    // The tools ask the running server.
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    server.launch();
    let user = secured(&server, "demo");
    let account = user.api.get("/user/info")["message"]["id"].to_string();
    let remove =
        ["admin", "user", "remove-factors", &account, "--by", "anna", "--reason", "lost phone, seen in person"];
    good_output(&tool(&server, &remove));
    assert_eq!(user.api.get("/user/info")["code"], 999, "all sessions end");
    let opened = login(&server.api(), "demo", "demo1234");
    assert_eq!(opened["type"], "ok", "{opened}");
    bad_output(&tool(&server, &remove), 2);
}
