//! Mails about what was done to an account, the words that they carry, and the lock of one's own account
//! (`docs/rules/authentication.md`).

use crate::back_office::{open_office, person};
use crate::client::{Api, Server};
use crate::wait::eventually;
use serde_json::{Value, json};

const MAIL: &str = "demo@example.com";
const PASSWORD: [(&str, &str); 1] = [("pay_password", "demo1234")];

fn mails(server: &Server, to: &str) -> Vec<(String, String)> {
    let all = server.ops_get(&format!("/dev/mailbox?to={to}"));
    let text = |mail: &Value, name: &str| mail[name].as_str().unwrap().to_owned();
    all.as_array().unwrap().iter().map(|mail| (text(mail, "subject"), text(mail, "text"))).collect()
}

fn has_mail(server: &Server, subject: &str, words: &[&str]) -> bool {
    mails(server, MAIL).iter().any(|(title, text)| title == subject && words.iter().all(|word| text.contains(word)))
}

fn set_phrase(api: &Api, phrase: &str, more: &[(&str, &str)]) -> Value {
    api.post("/safe/mail_phrase", &[&[("phrase", phrase)], more].concat())
}

fn login(server: &Server, lang: &str) -> Value {
    server.api().post("/user/login", &[("user_string", "demo"), ("password", "demo1234"), ("lang", lang)])
}

#[test]
fn mails_carry_the_words_of_their_reader_and_tell_what_was_done() {
    let mut server = Server::start(&[]);
    let api = server.demo("demo");
    for bad in ["abc", "two words", "<b>bold", "http://x.y", "abcdefghijklmnopqrstu"] {
        let refused = set_phrase(&api, bad, &PASSWORD);
        assert_eq!(
            (&refused["code"], refused["errors"]["phrase"].is_string()),
            (&json!(1001), true),
            "{bad}: {refused}"
        );
    }
    assert_eq!(api.post("/safe/mail_phrase", &PASSWORD)["code"], 1001);
    assert_eq!(set_phrase(&api, "cherry7", &[])["code"], 1001);
    assert_eq!(set_phrase(&api, "cherry7", &[("pay_password", "another-one")])["code"], 1010);
    assert_eq!(set_phrase(&server.api(), "cherry7", &PASSWORD)["code"], 999);
    assert_eq!(set_phrase(&api, "cherry7", &PASSWORD)["type"], "ok");
    assert_eq!(api.get("/safe/state")["message"]["mail_phrase"], "cherry7");
    eventually("the change is told", || has_mail(&server, "Security settings changed", &["cherry7", "127.0.0.1"]));
    assert_eq!(api.post("/sms_mail", &[("user_string", MAIL), ("type", "pay")])["type"], "ok");
    assert!(has_mail(&server, "Your verification code", &["\nYour anti-phishing text: cherry7"]));
    // Nobody else's mail has it, and the file does not tell it.
    let other = server.demo("demo2");
    assert_eq!(other.get("/safe/state")["message"]["mail_phrase"], Value::Null);
    assert_eq!(other.post("/sms_mail", &[("user_string", "demo2@example.com"), ("type", "pay")])["type"], "ok");
    assert!(mails(&server, "demo2@example.com").iter().all(|(_, text)| !text.contains("anti-phishing")));

    // Told once, also across a restart, in the language of the last login.
    let terms = [("label", "bot"), ("scopes", "read"), PASSWORD[0]];
    assert_eq!(api.post("/user/api_keys/create", &terms)["type"], "ok");
    eventually("the key is told", || has_mail(&server, "Security settings changed", &["API key was created"]));
    let before = mails(&server, MAIL).len();
    server.kill();
    let file = std::fs::read(server.data_dir().join("office.db")).unwrap();
    assert!(!file.windows(7).any(|part| part == b"cherry7"));
    server.launch();
    let login = login(&server, "spa");
    let mut api = server.api();
    api.token = login["message"].as_str().map(str::to_owned);
    assert_eq!(set_phrase(&api, "", &PASSWORD)["type"], "ok");
    eventually("it is told in Spanish", || has_mail(&server, "Ajustes de seguridad cambiados", &["127.0.0.1"]));
    assert_eq!(mails(&server, MAIL).len(), before + 1);
    assert!(!mails(&server, MAIL)[0].1.contains("cherry7"));
}

#[test]
fn a_user_locks_the_own_account_and_two_people_unlock_it() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let (api, beside) = (server.demo("demo"), server.demo("demo"));
    let account = api.get("/user/info")["message"]["id"].as_u64().unwrap();
    let terms = [("label", "bot"), ("scopes", "read,trade"), PASSWORD[0]];
    assert_eq!(api.post("/user/api_keys/create", &terms)["type"], "ok");
    assert_eq!(server.api().post("/safe/lock", &[])["code"], 999);
    assert_eq!(api.post("/safe/lock", &[])["type"], "ok");
    eventually("the session ends", || api.get("/user/info")["code"] == 999);
    assert_eq!(beside.get("/user/info")["code"], 999, "and so do all others");
    assert_eq!(login(&server, "en")["code"], 1007);
    eventually("it is told", || has_mail(&server, "Account locked", &["Contact us"]));

    let ann = person(&server, port, "ann", "support", &[]);
    let ben = person(&server, port, "ben", "compliance", &[]);
    let own = person(&server, port, "own", "owner", &["--account", &account.to_string()]);
    let (why, path) = (json!({ "reason": "the user called" }), format!("users/{account}"));
    let status = || ann.get(&path).1["status"].clone();
    assert_eq!(status(), "locked");
    assert_eq!(ann.post(&format!("{path}/lock"), &why).0, 409, "it is locked already");
    assert_eq!(own.post(&format!("{path}/propose-unlock"), &why).0, 409, "the own account");
    assert_eq!(ann.post(&format!("{path}/propose-unlock"), &json!({ "reason": "" })).0, 400);
    assert_eq!(ann.post(&format!("{path}/propose-unlock"), &why).0, 200);
    assert_eq!(ben.post(&format!("{path}/propose-unlock"), &why).0, 409, "it is proposed already");
    let told = ben.get("unlocks").1["rows"][0].clone();
    assert_eq!((&told["account"], &told["state"]), (&json!(account), &json!("proposed")));
    let decide = format!("unlocks/{}/decide", told["case"]);
    let yes = json!({ "approves": true, "reason": "I called back" });
    assert_eq!(ann.decide(&decide, &yes).0, 409, "not who proposed it");
    assert_eq!(own.decide(&decide, &yes).0, 409, "nor whose account it is");
    assert_eq!(status(), "locked");
    let (code, said) = ben.decide(&decide, &yes);
    assert_eq!(code, 200, "{said}");
    assert_eq!(status(), "active");
    assert_eq!(ben.decide(&decide, &yes).0, 409, "it is decided");
    assert_eq!(ben.post(&format!("{path}/propose-unlock"), &why).0, 409, "it is not locked");
    eventually("it is told", || has_mail(&server, "Account unlocked", &["again"]));

    // What was open before is not open again.
    assert_eq!(
        (api.get("/user/info")["code"].clone(), beside.get("/user/info")["code"].clone()),
        (json!(999), json!(999))
    );
    let signed_in = server.demo("demo");
    assert_eq!(signed_in.get("/user/sessions")["message"].as_array().unwrap().len(), 1);
    let keys = signed_in.post("/user/api_keys/list", &[])["message"].clone();
    assert_eq!(keys[0]["suspended"], true, "{keys}");

    // One person locks at once.
    let api = server.demo("demo");
    assert_eq!(own.post(&format!("{path}/lock"), &why).0, 409, "the own account");
    assert_eq!(ben.post(&format!("{path}/lock"), &why).0, 200);
    eventually("the session ends", || api.get("/user/info")["code"] == 999);
    assert_eq!(ben.post("users/7/lock", &why).0, 404);
    let rows = own.get(&format!("audit?subject=user:{account}")).1["rows"].clone();
    let actions: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect();
    for action in [
        "order account lock",
        "lock account",
        "unlock account",
        "approve to unlock account",
        "propose to unlock account",
    ] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
}
