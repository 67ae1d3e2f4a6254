//! Wrong passwords, resets, and what they do to others.

use crate::bot::Bot;
use crate::client::{Api, Server};
use crate::raw::ask_from;
use serde_json::Value;
use std::net::IpAddr;

const HOME: [u8; 4] = [127, 0, 0, 1];
/// In the same network.
const BESIDE_HOME: [u8; 4] = [127, 0, 0, 9];
const ELSEWHERE: [u8; 4] = [127, 9, 1, 7];

/// The code of a call's answer.
fn post(server: &Server, from: [u8; 4], path: &str, form: &str) -> i64 {
    let request = format!(
        "POST /api{path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {}\r\n\r\n{form}",
        form.len()
    );
    let (_, body) = ask_from(IpAddr::from(from), server, &request);
    serde_json::from_slice::<Value>(&body).unwrap()["code"].as_i64().unwrap()
}

/// The code of a login's answer.
fn login(server: &Server, from: [u8; 4], user: &str, password: &str) -> i64 {
    post(server, from, "/user/login", &format!("user_string={user}&password={password}"))
}

#[test]
fn wrong_passwords_delay_who_sends_them_and_nobody_else() {
    let mut server = Server::start(&[]);
    let codes: Vec<i64> = (0..9).map(|_| login(&server, ELSEWHERE, "demo2", "wrong-password")).collect();
    assert_eq!(codes, [1009, 1009, 1009, 1009, 1009, 1018, 1018, 1018, 1018]);
    assert_eq!(login(&server, ELSEWHERE, "demo2", "demo1234"), 1018, "the right one neither, from there");
    assert_eq!(login(&server, [127, 9, 1, 200], "demo2", "demo1234"), 1018, "nor from beside it");
    assert_eq!(login(&server, ELSEWHERE, "demo", "demo1234"), 1, "another account");
    assert_eq!(login(&server, HOME, "demo2", "demo1234"), 1, "the user, from elsewhere");
    // Where somebody logged in of late, wrong passwords are answered as everywhere, and the right one opens.
    let wrong = |from, user, count: usize| -> Vec<i64> {
        (0..count).map(|_| login(&server, from, user, "wrong-password")).collect()
    };
    let five_then_none = |codes: &[i64]| codes[..5].iter().all(|c| *c == 1009) && codes[5..].iter().all(|c| *c == 1018);
    let (known, unknown) = (wrong(HOME, "demo2", 12), wrong(HOME, "nobody", 12));
    assert!(five_then_none(&known), "{known:?}");
    assert_eq!(known, unknown, "who is not there is answered alike");
    assert_eq!(login(&server, HOME, "demo2", "demo1234"), 1, "the user, from where they were");
    assert_eq!(wrong(HOME, "demo2", 1), [1018], "and the delay goes on");
    assert_eq!(login(&server, BESIDE_HOME, "demo2", "demo1234"), 1018, "a neighbour is a stranger");
    server.kill();
    server.launch();
    let theirs: Vec<i64> = (0..12).map(|_| login(&server, BESIDE_HOME, "demo2", "wrong-password")).collect();
    assert!(five_then_none(&theirs), "{theirs:?}");
    assert_eq!(login(&server, HOME, "demo2", "demo1234"), 1, "known after a restart, and no neighbour keeps them out");
}

#[test]
fn a_login_from_a_new_place_is_told_by_mail_in_its_language() {
    let server = Server::start(&[]);
    let told = || {
        let mails = server.ops_get("/dev/mailbox?to=demo@example.com");
        let texts = mails.as_array().unwrap().iter().map(|mail| mail["text"].as_str().unwrap().to_owned());
        texts.collect::<Vec<String>>()
    };
    assert_eq!(login(&server, HOME, "demo", "demo1234"), 1);
    assert_eq!(login(&server, HOME, "demo", "demo1234"), 1);
    assert_eq!(told(), Vec::<String>::new(), "the first place is as good as any");
    let form = "user_string=demo&password=demo1234&lang=spa";
    assert_eq!(post(&server, ELSEWHERE, "/user/login", form), 1);
    let one = told();
    assert!(one.len() == 1 && one[0].contains("desde 127.9.1.7"), "{one:?}");
    assert_eq!(login(&server, ELSEWHERE, "demo", "demo1234"), 1);
    assert_eq!(login(&server, ELSEWHERE, "demo", "wrong-password"), 1009);
    assert_eq!(told(), one, "it is known now");
}

fn reset(server: &Server, api: &Api, address: &str, password: &str) {
    assert_eq!(api.post("/sms_mail", &[("user_string", address), ("type", "forget")])["type"], "ok");
    let code = server.code(address).expect("a code was mailed");
    let form = [("account", address), ("code", &*code), ("password", password), ("repassword", password)];
    let done = api.post("/user/forget", &form);
    assert_eq!(done["type"], "ok", "{done}");
}

#[test]
fn a_reset_password_suspends_keys_that_may_trade_until_they_are_confirmed() {
    let mut server = Server::start(&[]);
    let trades = Bot::of(&server, "demo", &[]);
    let reads = Bot::of(&server, "demo", &[("scopes", "read")]);
    let others = Bot::of(&server, "demo2", &[]);
    let ends = || [&trades, &reads, &others].map(|bot| bot.call("GET", "account", "").end());
    assert_eq!(ends(), [(200, 0), (200, 0), (200, 0)]);
    reset(&server, &server.api(), "demo@example.com", "another-one-1");
    let refused = (401, -2015);
    assert_eq!(ends(), [refused, (200, 0), (200, 0)]);
    server.kill();
    server.launch();
    assert_eq!(ends(), [refused, (200, 0), (200, 0)], "after a restart too");
    let mut api = server.api();
    let reply = api.post("/user/login", &[("user_string", "demo"), ("password", "another-one-1")]);
    api.token = Some(reply["message"].as_str().unwrap().to_owned());
    let list = || api.post("/user/api_keys/list", &[])["message"].clone();
    assert_eq!((&list()[0]["suspended"], &list()[1]["suspended"]), (&true.into(), &false.into()));
    let id = list()[0]["id"].to_string();
    let confirm = |api: &Api, password: &str| {
        api.post("/user/api_keys/confirm", &[("id", &id), ("pay_password", password)])["code"].clone()
    };
    let update = [("id", &*id), ("pay_password", "another-one-1"), ("label", "mine")];
    assert_eq!(api.post("/user/api_keys/update", &update)["type"], "ok");
    assert_eq!(ends()[0], refused, "a change is no confirmation");
    assert_eq!(confirm(&api, "demo1234"), 1010);
    assert_eq!(confirm(&server.demo("demo2"), "demo1234"), 1003, "another's");
    assert_eq!(confirm(&api, "another-one-1"), 1);
    assert_eq!((ends(), &list()[0]["suspended"]), ([(200, 0), (200, 0), (200, 0)], &false.into()));
}

#[test]
fn a_stranger_neither_voids_nor_burns_the_code_of_another() {
    let server = Server::start(&[]);
    let ask = |from| post(&server, from, "/sms_mail", "user_string=demo@example.com&type=forget");
    assert_eq!(ask(HOME), 1);
    let code = server.code("demo@example.com").expect("a code was mailed");
    let wrong = if code == "111111" { "222222" } else { "111111" };
    let check = |from, code: &str| {
        post(&server, from, "/user/check_email", &format!("user_string=demo@example.com&email_code={code}"))
    };
    assert_eq!(ask(ELSEWHERE), 1, "a code of the stranger's own");
    for _ in 0..6 {
        assert_eq!(check(ELSEWHERE, wrong), 1008);
        assert_eq!(check([127, 8, 0, 1], wrong), 1008);
    }
    assert_eq!(check([127, 8, 0, 1], &code), 1008, "strangers have no attempts left");
    assert_eq!(check(HOME, &code), 1, "its owner has");
}

#[test]
fn a_code_counts_from_another_address_than_the_one_that_asked() {
    let server = Server::start(&[]);
    assert_eq!(post(&server, HOME, "/sms_mail", "user_string=demo@example.com&type=forget"), 1);
    let code = server.code("demo@example.com").expect("a code was mailed");
    let form = format!("account=demo@example.com&code={code}&password=another-1&repassword=another-1");
    assert_eq!(post(&server, ELSEWHERE, "/user/forget", &form), 1);
    assert_eq!(login(&server, ELSEWHERE, "demo", "another-1"), 1);
}

#[test]
fn a_code_for_a_user_is_sent_within_a_login_and_to_the_user_alone() {
    let server = Server::start(&[]);
    let demo = server.demo("demo");
    for purpose in ["pay", "bind", "withdraw"] {
        let ask = |api: &Api, to: &str| api.post("/sms_mail", &[("user_string", to), ("type", purpose)]);
        assert_eq!(ask(&server.api(), "demo@example.com")["type"], "999", "{purpose}");
        let foreign = ask(&demo, "demo2@example.com");
        assert_eq!((&foreign["code"], foreign["errors"]["user_string"].is_string()), (&1001.into(), true), "{foreign}");
    }
    let form = [("user_string", "demo@example.com"), ("type", "withdraw")];
    assert_eq!(demo.post("/sms_mail", &form)["type"], "ok");
    let code = server.code("demo@example.com").expect("a code was mailed");
    let check = |api: &Api| api.post("/user/check_email", &[&form[..], &[("email_code", &*code)]].concat());
    assert_eq!(check(&server.api())["type"], "999");
    assert_eq!(check(&server.demo("demo"))["code"], 1008, "another session of the same user");
    assert_eq!(check(&demo)["type"], "ok");
}
