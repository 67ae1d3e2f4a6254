//! The back office on the real binary: who gets in, what each role may, votes of two people, the audit.

use crate::authenticator::{Authenticator, VERIFIED, WITH_KEY, client};
use crate::chain_settings::{pay_at, pay_by};
use crate::client::{Api, Server, free_port};
use crate::signer_process::SignerProcess;
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::path::Path;
use xng_custody::private_node::PrivateNode;
use xng_gateway::backoffice::roles::Role;
use xng_gateway::backoffice::table::table;

const PASSWORD: &str = "a long word of one's own";
/// What opens the operators' console.
const CONSOLE: &str = "a token of the console";
/// What a tool ends with that the server refused.
const REFUSED: i32 = 2;

/// The back office of a server that is not started yet: its port.
pub(crate) fn open_office(server: &mut Server) -> u16 {
    let port = free_port();
    server.set("XNG__SERVER__ADMIN_LISTEN", &format!("127.0.0.1:{port}"));
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    port
}

/// A browser of somebody.
pub(crate) struct Browser {
    port: u16,
    cookie: String,
    word: String,
    key: Authenticator,
}

fn answer(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> (u16, Value, String) {
    let mut answer = answer.unwrap();
    let cookie = answer.headers().get("set-cookie").map_or("", |cookie| cookie.to_str().unwrap()).to_owned();
    let text = answer.body_mut().read_to_string().unwrap();
    (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)), cookie)
}

impl Browser {
    pub(crate) fn new(port: u16) -> Browser {
        Browser { port, cookie: String::new(), word: String::new(), key: Authenticator::new() }
    }

    fn origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/admin/api/{path}", self.port)
    }

    fn agent() -> ureq::Agent {
        ureq::Agent::config_builder().http_status_as_error(false).build().into()
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        let (status, said, _) = answer(Self::agent().get(self.url(path)).header("cookie", &self.cookie).call());
        (status, said)
    }

    /// The status of a call that answers a picture.
    pub(crate) fn picture(&self, path: &str) -> u16 {
        let answer = Self::agent().get(self.url(path)).header("cookie", &self.cookie).call().unwrap();
        assert_eq!(answer.headers()["content-type"], "image/png");
        answer.status().as_u16()
    }

    /// What a file that is taken away is called, and its bytes.
    pub(crate) fn file(&self, path: &str) -> (String, Vec<u8>) {
        let mut answer = Self::agent().get(self.url(path)).header("cookie", &self.cookie).call().unwrap();
        assert_eq!(answer.status(), 200);
        let name = answer.headers()["content-disposition"].to_str().unwrap().to_owned();
        (name, answer.body_mut().read_to_vec().unwrap())
    }

    fn whole_post(&self, path: &str, body: &Value, word: &str) -> (u16, Value, String) {
        let request = Self::agent().post(self.url(path)).header("content-type", "application/json");
        let request = request.header("cookie", &self.cookie).header("x-staff-word", word);
        answer(request.send(body.to_string()))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, said, _) = self.whole_post(path, body, &self.word);
        (status, said)
    }

    fn signed(&self, options: &Value) -> Value {
        let challenge = options["challenge"].as_str().unwrap();
        self.key.sign(&client("webauthn.get", challenge, &self.origin()), "localhost", VERIFIED)
    }

    pub(crate) fn enrol(&self, code: &str) -> (u16, Value) {
        let (status, begun) = self.post("enrol/begin", &json!({ "code": code }));
        if status != 200 {
            return (status, begun);
        }
        let made = client("webauthn.create", begun["options"]["challenge"].as_str().unwrap(), &self.origin());
        let registration = self.key.register(&made, "localhost", WITH_KEY);
        let body = json!({ "code": code, "challenge": begun["challenge"], "password": PASSWORD,
            "registration": registration });
        self.post("enrol/finish", &body)
    }

    pub(crate) fn login(&mut self, name: &str) -> u16 {
        let (status, begun) = self.post("login/begin", &json!({ "name": name, "password": PASSWORD }));
        if status != 200 {
            return status;
        }
        let body = json!({ "challenge": begun["challenge"], "assertion": self.signed(&begun["options"]) });
        let (status, _, cookie) = self.whole_post("login/finish", &body, "");
        if status == 204 {
            for word in ["HttpOnly", "SameSite=Strict", "Path=/admin"] {
                assert!(cookie.contains(word), "{word}: {cookie}");
            }
            self.cookie = cookie.split(';').next().unwrap().to_owned();
            self.word = self.get("session").1["open"]["word"].as_str().unwrap().to_owned();
        }
        status
    }

    /// Signs and sends what a path begins.
    pub(crate) fn decide(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, begun) = self.post(&format!("{path}/begin"), body);
        if status != 200 {
            return (status, begun);
        }
        self.post(path, &json!({ "challenge": begun["challenge"], "assertion": self.signed(&begun["options"]) }))
    }
}

fn added(server: &Server, name: &str, role: &str, more: &[&str]) -> String {
    let words = ["admin", "staff", "add", name, "--role", role, "--by", "owner", "--reason", "a test"];
    let said: Value = serde_json::from_str(&good(&tool(server, &[&words[..], more].concat()))).unwrap();
    code_of(&said)
}

/// The code of a link to enrol by.
pub(crate) fn code_of(said: &Value) -> String {
    let (_, code) = said["link"].as_str().unwrap().rsplit_once('/').unwrap();
    code.to_owned()
}

/// Somebody who is logged in.
pub(crate) fn person(server: &Server, port: u16, name: &str, role: &str, more: &[&str]) -> Browser {
    let mut browser = Browser::new(port);
    let enrolled = browser.enrol(&added(server, name, role, more));
    assert_eq!(enrolled.0, 200, "{enrolled:?}");
    assert_eq!(browser.login(name), 204);
    browser
}

/// Changes rows of the office as nobody is able to over the network.
pub(crate) fn change(server: &Server, statements: &[&str]) {
    let url = format!("sqlite://{}", server.data_dir().join("office.db").display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sqlx::Connection as _;
        let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
        for statement in statements {
            sqlx::query(sqlx::AssertSqlSafe(*statement)).execute(&mut connection).await.unwrap();
        }
        connection.close().await.unwrap();
    });
}

#[test]
fn people_enrol_once_log_in_with_both_factors_and_may_what_their_role_may() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.set("XNG__OPS__TOKEN", CONSOLE);
    pay_at(
        &mut server,
        ("http://127.0.0.1:1", Path::new("/nowhere")),
        crate::chain_settings::ACCOUNT,
        Path::new("/no"),
    );
    server.launch();

    // A code is good once; a name is one person's for ever.
    let code = added(&server, "anna", "finance", &[]);
    let mut anna = Browser::new(port);
    assert_eq!(anna.login("anna"), 401, "not enrolled yet");
    assert_eq!(Browser::new(port).enrol("of somebody else").0, 403);
    assert_eq!(anna.enrol(&code).0, 200);
    assert_eq!(Browser::new(port).enrol(&code).0, 403, "used");
    let words = ["admin", "staff", "add", "anna", "--role", "risk", "--by", "owner", "--reason", "a test"];
    assert!(bad(&tool(&server, &words), REFUSED).contains("taken"));
    let old = added(&server, "late", "risk", &[]);
    change(&server, &["UPDATE staff_enrolments SET expires_ms = 1"]);
    assert_eq!(Browser::new(port).enrol(&old).0, 403, "too old");

    // Both factors; neither another's passkey, nor another page's signature, nor one that counts backwards.
    let begin = |name: &str, password: &str| anna.post("login/begin", &json!({ "name": name, "password": password }));
    assert_eq!(begin("anna", "wrong").0, 401);
    assert_eq!(begin("nobody", PASSWORD), begin("anna", "wrong"), "one answer");
    let begun = begin("anna", PASSWORD).1;
    let challenge = begun["options"]["challenge"].as_str().unwrap();
    let finish = |challenge: &Value, assertion: Value| {
        anna.post("login/finish", &json!({ "challenge": challenge, "assertion": assertion })).0
    };
    let elsewhere = anna.key.sign(&client("webauthn.get", challenge, "http://evil.example"), "localhost", VERIFIED);
    assert_eq!(finish(&begun["challenge"], elsewhere), 403);
    assert_eq!(finish(&begun["challenge"], anna.signed(&begun["options"])), 409, "a challenge is answered once");
    let begun = begin("anna", PASSWORD).1;
    assert_eq!(finish(&begun["challenge"], Browser::new(port).signed(&begun["options"])), 403, "another's passkey");
    assert_eq!(anna.login("anna"), 204);
    anna.key.counter.set(0);
    assert_eq!(anna.login("anna"), 403, "a copy of the passkey");
    anna.key.counter.set(100);
    assert_eq!(anna.login("anna"), 204);

    // The session's own word, pages of other sites, foreign names.
    let halt = |word: &str| anna.whole_post("chains/1/halt", &json!({ "reason": "a test" }), word).0;
    assert_eq!((halt(""), halt("wrong")), (403, 403));
    let foreign = Browser::agent().get(anna.url("session")).header("origin", "http://evil.example").call();
    assert_eq!(answer(foreign).0, 403);
    let rebound = Browser::agent().get(anna.url("session")).header("host", "evil.example").call();
    assert_eq!(answer(rebound).0, 421);

    // Every route as every role and as nobody.
    let people: Vec<(Role, Browser)> = Role::ALL
        .into_iter()
        .map(|role| (role, person(&server, port, &format!("one.{}", role.name()), role.name(), &[])))
        .collect();
    let nobody = Browser::new(port);
    let call = |browser: &Browser, method: &str, path: &str| {
        let path = path.strip_prefix("/admin/api/").unwrap().replace("{id}", "70");
        let body = json!({ "reason": "a test", "agrees": true, "approves": true, "challenge": "", "assertion":
            { "credential": "", "client_data": "", "authenticator_data": "", "signature": "" } });
        if method == "GET" { browser.get(&path).0 } else { browser.post(&path, &body).0 }
    };
    for route in table().into_iter().filter(|route| route.path != "/admin/api/logout") {
        assert_eq!(call(&nobody, route.method, route.path), 401, "{route:?}");
        for (role, browser) in &people {
            let status = call(browser, route.method, route.path);
            if role.may(route.permission) {
                assert!(matches!(status, 200 | 400 | 404 | 409), "{role:?} {route:?}: {status}");
            } else {
                assert_eq!(status, 403, "{role:?} {route:?}");
            }
        }
    }
    let by = |role| &people.iter().find(|(one, _)| *one == role).unwrap().1;

    // One person halts; it takes another one to let it go on, who signs.
    let (finance, risk, owner) = (by(Role::Finance), by(Role::Risk), by(Role::Owner));
    let why = json!({ "reason": "looked at it" });
    assert_eq!(finance.post("chains/1/propose-resume", &why).0, 409, "it is not halted");
    assert_eq!(finance.post("chains/1/halt", &why).0, 200);
    let halted = || !risk.get("chains").1["chains"][0]["halted"].is_null();
    eventually("it is halted", halted);
    let words = ["admin", "chain", "resume", "bitcoin", "--by", "owner", "--reason", "alone"];
    assert!(bad(&tool(&server, &words), REFUSED).contains("two people"));
    assert_eq!(finance.post("chains/1/propose-resume", &why).0, 200);
    assert_eq!(risk.post("chains/1/propose-resume", &why).0, 409, "it is proposed already");
    let case = risk.get("chains").1["cases"][0]["case"].as_u64().unwrap();
    let (path, decision) = (format!("cases/{case}/decide"), json!({ "approves": true, "reason": "so do I" }));
    assert_eq!(finance.decide(&path, &decision).0, 409, "not who proposed it");
    assert_eq!(risk.decide(&path, &decision).0, 200);
    eventually("it goes on", || !halted());
    assert_eq!(owner.decide(&path, &decision).0, 409, "it is decided");

    // Nothing goes on by the word of somebody who left.
    assert_eq!(anna.post("chains/1/halt", &why).0, 200);
    eventually("it is halted again", halted);
    assert_eq!(anna.post("chains/1/propose-resume", &why).0, 200);
    good(&tool(&server, &["admin", "staff", "disable", "anna", "--by", "owner", "--reason", "left"]));
    let case = risk.get("chains").1["cases"][0]["case"].as_u64().unwrap();
    let (status, said) = risk.decide(&format!("cases/{case}/decide"), &decision);
    assert!(status == 409 && said["error"].as_str().unwrap().contains("does not work here"), "{said}");
    assert!(bad(&tool(&server, &words), REFUSED).contains("two people"), "others enrolled");

    // The console's token adds nobody, and nobody decides by the name of somebody with a passkey.
    let of_console = |method: &str, path: &str| {
        let (url, key) = (format!("http://127.0.0.1:{}{path}", server.ops), format!("Bearer {CONSOLE}"));
        match method {
            "GET" => answer(Browser::agent().get(url).header("authorization", key).call()).0,
            _ => {
                let person = json!({ "role": "finance", "by": "eve", "reason": "a test" }).to_string();
                let request = Browser::agent().post(url).header("content-type", "application/json");
                answer(request.header("authorization", key).send(person)).0
            }
        }
    };
    assert_eq!((of_console("GET", "/admin/chains"), of_console("GET", "/admin/staff")), (200, 401));
    assert_eq!(of_console("POST", "/admin/staff/eve"), 401);
    let words = ["admin", "chain", "halt", "bitcoin", "--by", "ben@staff-2", "--reason", "as another"];
    assert!(bad(&tool(&server, &words), REFUSED).contains("not yours"));

    // Users are masked until somebody says why they look; that is in the audit.
    let support = by(Role::Support);
    let found = support.get("users?q=demo@example.com").1["rows"][0].clone();
    assert_eq!(support.get(&format!("users/{}", found["account"])).0, 200);
    let looked = owner.get("audit?action=look%20at%20user").1["rows"][0].clone();
    assert_eq!(looked["subject"], format!("user:{}", found["account"]));
    assert_eq!(found["email"], "***@e***m");
    let shown = support.post(&format!("users/{}/contacts", found["account"]), &why).1;
    assert_eq!(shown["email"], "demo@example.com");
    let rows = owner.get("audit?action=show%20contacts").1["rows"].clone();
    assert_eq!(rows[0]["subject"], format!("user:{}", found["account"]));
    assert_eq!(rows[0]["detail"]["reason"], "looked at it");
    let (status, file) = owner.get("audit.csv?action=halt");
    assert!(status == 200 && file.as_str().unwrap().contains("chain:1"), "{file}");

    // A session ends after half an hour without a call, after eight hours, and with its person.
    let open = |browser: &Browser| browser.get("session").1["open"].is_object();
    assert!(open(finance) && open(risk) && open(support));
    change(
        &server,
        &[
            "UPDATE staff_sessions SET last_seen_ms = last_seen_ms - 1800001 WHERE staff = \
             (SELECT id FROM staff WHERE name = 'one.finance')",
            "UPDATE staff_sessions SET created_ms = created_ms - 28800001 WHERE staff = \
             (SELECT id FROM staff WHERE name = 'one.risk')",
        ],
    );
    good(&tool(&server, &["admin", "staff", "disable", "one.support", "--by", "owner", "--reason", "left"]));
    assert!(!open(finance) && !open(risk) && !open(support));
    assert_eq!(finance.get("withdrawals").0, 401);
    assert_eq!(by(Role::Audit).post("logout", &json!({})).0, 204);
    assert!(!open(by(Role::Audit)));

    // The chain of the audit holds; an edit shows, and so does a row that is gone.
    let check = || owner.get("audit/check").1;
    let rows = check()["rows"].as_u64().expect("it holds");
    assert!(!server.log().contains(PASSWORD) && !server.log().contains(&code), "no secret is in the log");
    let edited = rows - 3;
    change(
        &server,
        &[
            "DROP TRIGGER audit_is_not_changed",
            "DROP TRIGGER audit_is_not_removed",
            &format!("UPDATE audit SET actor = 'x' || actor WHERE id = {edited}"),
        ],
    );
    assert_eq!(check()["broken"], edited);
    change(
        &server,
        &[
            &format!("UPDATE audit SET actor = substr(actor, 2) WHERE id = {edited}"),
            &format!("DELETE FROM audit WHERE id = {}", edited - 1),
        ],
    );
    assert_eq!(check()["broken"], edited, "the row after the one that is gone");
}

#[test]
fn two_people_agree_to_a_withdrawal_and_nobody_does_alone_or_about_their_own() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let signer = SignerProcess::start();
    let account = signer.client().xpub(0).unwrap();
    let mut server = Server::prepare(&[("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", "0")]);
    let port = open_office(&mut server);
    pay_by(&mut server, &node, &account, &signer.socket());
    server.launch();
    let api = server.demo("demo");
    eventually("the node is read", || api.get("/wallet/networks?currency=1")["message"][0]["state"] == "open");
    let own = api.post("/wallet/get_in_address", &[("currency", "1")])["message"].as_str().unwrap().to_owned();
    node.pay(&own, "4").unwrap();
    node.mine(2).unwrap();
    let legal = |api: &Api| api.post("/wallet/detail", &[("currency", "1"), ("type", "legal")])["message"].clone();
    eventually("coins came", || legal(&api)["legal_balance"] == "4");
    let outside: String = node.call("getnewaddress", json!([])).unwrap();
    let saved = [("currency", "1"), ("address", outside.as_str()), ("pay_password", "demo1234")];
    assert_eq!(api.post("/user/wallet/save", &saved)["code"], 1);
    let out = [("number", "2.5"), ("type", "0"), ("version", "1")];
    let asked = api.post("/wallet/out", &[&saved[..], &out].concat());
    let id = asked["data"]["id"].as_u64().unwrap_or_else(|| panic!("{asked}"));

    let anna = person(&server, port, "anna", "finance", &[]);
    let ben = person(&server, port, "ben", "risk", &[]);
    let row = anna.get("withdrawals").1["rows"][0].clone();
    assert_eq!((row["withdrawal"].as_u64(), &row["needed"], &row["state"]), (Some(id), &json!(2), &json!("pending")));
    let subject = row["account"].to_string();
    let dan = person(&server, port, "dan", "finance", &["--account", &subject]);
    let (path, agree) = (format!("withdrawals/{id}/vote"), json!({ "agrees": true, "reason": "looked at it" }));
    assert_eq!(dan.decide(&path, &agree).0, 409, "the own account's");
    let refuse = json!({ "agrees": false, "reason": "looked at it" });
    assert_eq!(dan.decide(&path, &refuse).0, 409, "nor is it refused");
    assert_eq!(anna.decide(&path, &json!({ "agrees": true, "reason": " " })).0, 400);

    // What was signed is what is voted about: not another answer, nor by another person.
    let begun = ben.post(&format!("{path}/begin"), &refuse).1;
    let stolen = json!({ "challenge": begun["challenge"], "assertion": anna.signed(&begun["options"]) });
    assert_eq!(anna.post(&path, &stolen).0, 409);
    let begun = ben.post(&format!("{path}/begin"), &agree).1;
    assert_eq!(anna.decide(&path, &agree).0, 200);
    let late = json!({ "challenge": begun["challenge"], "assertion": ben.signed(&begun["options"]) });
    let (status, said) = ben.post(&path, &late);
    assert_eq!(status, 409, "it changed meanwhile: {said}");
    assert_eq!(anna.decide(&path, &agree).0, 409, "one person, one vote");
    let words = ["admin", "withdrawal", "agree", &id.to_string(), "--by", "ben", "--reason", "by the tool"];
    assert!(bad(&tool(&server, &words), REFUSED).contains("back office"));
    assert_eq!(anna.get(&format!("withdrawals/{id}")).1["agreed"], json!(["anna@staff-1"]));
    assert_eq!(ben.decide(&path, &agree).0, 200);
    let detail = || ben.get(&format!("withdrawals/{id}")).1;
    eventually("it is signed", || detail()["state"] == "signed");
    let notes = detail()["notes"].clone();
    let who: Vec<&str> = notes.as_array().unwrap().iter().map(|note| note["actor"].as_str().unwrap()).collect();
    assert_eq!(who, ["ben@staff-2", "anna@staff-1"]);
    assert!(notes[0]["detail"]["signed"]["signature"].is_string(), "{notes}");
    assert_eq!(detail()["attempts"][0]["txid"].as_str().unwrap().len(), 64);
    assert_eq!(ben.decide(&path, &refuse).0, 409, "it is decided");

    // The node shows our coins: while the payment waits, when it is in a block that is not final, and when it is final.
    let reserve = || anna.get("chains").1["chains"][0]["assets"][0]["reserve"].clone();
    let looked_up = |what: &str| {
        let before = reserve()["at_ms"].clone();
        assert_eq!(anna.post("chains/1/check", &json!({})).0, 200);
        eventually(what, || reserve()["at_ms"] != before);
        reserve()
    };
    let first = looked_up("coins are looked up");
    assert_eq!((&first["held_units"], &first["found_units"]), (&json!("400000000"), &json!("400000000")), "{first}");
    let txid = detail()["attempts"][0]["txid"].as_str().expect("it is signed").to_owned();
    eventually("it is sent", || node.call::<Value>("getmempoolentry", json!([txid])).is_ok());
    node.mine(1).unwrap();
    let second = looked_up("a later block spends one");
    assert_eq!((&second["found_units"], &second["besides_units"]), (&json!("400000000"), &json!("0")), "{second}");
    node.mine(2).unwrap();
    eventually("it is final", || detail()["state"] == "done");
    let third = looked_up("the change is there");
    assert_eq!(third["found_units"], third["held_units"]);
    assert_ne!(third["held_units"], json!("400000000"));
    let sue = person(&server, port, "sue", "support", &[]);
    assert_eq!(sue.post("chains/1/check", &json!({})).0, 403);
}
