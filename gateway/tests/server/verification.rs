//! Verification on the real binary: contacts, sending in, review by one, revocation by two, what it opens and closes.

use crate::back_office::{Browser, open_office, person};
use crate::client::{Api, Server};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::thread;

pub(crate) const MAIL: &str = "carol@example.org";
const PHONE: [(&str, &str); 2] = [("area_code", "44"), ("mobile", "7700900123")];
/// As the mailbox of the demo names it in an address.
const PHONE_BOX: &str = "%2B447700900123";
const PASSWORD: &str = "a-longer-word-9";

/// A user of this mail address.
pub(crate) fn registered(server: &Server, mail: &str) -> Api {
    let mut api = server.api();
    assert_eq!(api.post("/sms_mail", &[("user_string", mail)])["type"], "ok");
    let code = server.code(mail).expect("a code was mailed");
    let fields = [("user_string", mail), ("code", &code), ("password", PASSWORD), ("re_password", PASSWORD)];
    assert_eq!(api.post("/user/register", &fields)["type"], "ok");
    let login = api.post("/user/login", &[("user_string", mail), ("password", PASSWORD)]);
    api.token = Some(login["message"].as_str().unwrap_or_else(|| panic!("{login}")).to_owned());
    api
}

/// The code that lets a contact beside this one come.
fn old_code(server: &Server, api: &Api, mail: &str) -> String {
    assert_eq!(api.post("/sms_mail", &[("user_string", mail), ("type", "bind")])["type"], "ok");
    server.code(mail).expect("a code was mailed")
}

pub(crate) fn bind_phone(server: &Server, api: &Api, mail: &str) {
    assert_eq!(api.post("/sms_send", &PHONE)["type"], "ok");
    let code = server.code(PHONE_BOX).expect("a code was sent");
    let old = old_code(server, api, mail);
    let codes = [("code", code.as_str()), ("old_code", old.as_str())];
    let bound = api.post("/safe/mobile", &[&PHONE[..], &codes].concat());
    assert_eq!(bound["type"], "ok", "{bound}");
}

pub(crate) const DOCUMENT: [(&str, &str); 5] =
    [("real_type", "1"), ("id_type", "1"), ("country", "44"), ("name", "Carol Ann Smith"), ("card_id", "ab123456")];

fn state(api: &Api) -> Value {
    api.get("/real/state")["message"].clone()
}

pub(crate) fn upload(api: &Api, kind: &str) -> Value {
    let body = [
        b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n".as_slice(),
        &crate::app_calls::image(),
        b"\r\n--x--\r\n",
    ];
    let path = format!("/upload{kind}");
    let (_, text) = api.post_bytes(&path, "multipart/form-data; boundary=x", &body.concat());
    serde_json::from_str(&text).unwrap()
}

fn pictures(api: &Api) -> [String; 2] {
    [(); 2].map(|()| upload(api, "?kind=document")["message"].as_str().expect("a name").to_owned())
}

fn send_pictures(api: &Api, [front, reverse]: &[String; 2]) -> Value {
    api.post("/user/real", &[("real_type", "2"), ("front_pic", front), ("reverse_pic", reverse)])
}

/// The oldest case that waits.
pub(crate) fn waiting(staff: &Browser) -> u64 {
    staff.get("verifications").1["rows"][0]["case"].as_u64().expect("a case waits")
}

pub(crate) fn pass(staff: &Browser, case: u64) {
    assert_eq!(staff.post(&format!("verifications/{case}/claim"), &json!({})).0, 200);
    let (status, said) = staff.post(&format!("verifications/{case}/decide"), &json!({ "passes": true }));
    assert_eq!(status, 200, "{said}");
}

#[test]
fn a_phone_is_bound_by_a_code_to_it_and_one_to_the_contact_that_was_there() {
    let server = Server::start(&[]);
    let api = registered(&server, MAIL);
    assert_eq!(server.api().post("/sms_send", &PHONE)["code"], 999);
    assert_eq!(api.post("/sms_mail", &[("user_string", MAIL), ("type", "bind_new")])["code"], 1001);
    assert_eq!(api.post("/sms_send", &PHONE)["type"], "ok");
    let code = server.code(PHONE_BOX).unwrap();
    let bind = |api: &Api, code: &str, old: &str| {
        api.post("/safe/mobile", &[&PHONE[..], &[("code", code), ("old_code", old)]].concat())
    };
    let old = old_code(&server, &api, MAIL);
    let other = |code: &str| if code == "123456" { "123457" } else { "123456" }.to_owned();
    assert_eq!(bind(&api, &code, "")["code"], 1001, "a session alone binds nothing");
    let refused = bind(&api, &code, &other(&old));
    assert_eq!((&refused["code"], refused["errors"]["old_code"].is_string()), (&json!(1008), true), "{refused}");
    let refused = bind(&api, &other(&code), &old);
    assert_eq!((&refused["code"], refused["errors"]["code"].is_string()), (&json!(1008), true), "{refused}");
    // Another session, another user: neither has use for the codes.
    let mut beside = server.api();
    let login = beside.post("/user/login", &[("user_string", MAIL), ("password", PASSWORD)]);
    beside.token = login["message"].as_str().map(str::to_owned);
    assert_eq!(bind(&beside, &code, &old)["code"], 1008);
    let at_once: Vec<Value> = thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| bind(&api, &code, &old))).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(at_once.iter().filter(|said| said["type"] == "ok").count(), 1, "{at_once:?}");
    assert_eq!(api.get("/user/info")["message"]["phone"], "770****0123");
    assert_eq!(
        server.ops_get(&format!("/dev/mailbox?to={MAIL}"))[0]["subject"],
        "Another contact was bound to your account"
    );

    // Somebody else's address: the answer to the wish for a code does not tell, and no code is sent.
    registered(&server, "fay@example.org");
    assert_eq!(api.post("/safe/email/send", &[("email", "fay@example.org")])["type"], "ok");
    assert_eq!(server.code("fay@example.org"), None, "the newest says that there is an account");
    let second = registered(&server, "dave@example.org");
    // A mail address in the place of another.
    let new = [("email", "carol@example.net")];
    assert_eq!(second.post("/safe/email/send", &new)["type"], "ok");
    let (code, old) = (server.code("carol@example.net").unwrap(), old_code(&server, &second, "dave@example.org"));
    let bound = second.post("/safe/email", &[new[0], ("code", &code), ("old_code", &old)]);
    assert_eq!(bound["type"], "ok", "{bound}");
    assert_eq!(second.get("/user/info")["message"]["email"], "carol@example.net");
    let gone = server.api().post("/user/login", &[("user_string", "dave@example.org"), ("password", PASSWORD)]);
    assert_eq!(gone["code"], 1009);
}

#[test]
fn what_is_sent_in_is_reviewed_by_one_and_revoked_by_two() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let api = registered(&server, MAIL);
    assert_eq!(api.post("/user/real", &DOCUMENT)["code"], 1014, "no phone yet");
    bind_phone(&server, &api, MAIL);
    assert_eq!(server.api().get("/real/state")["code"], 999);
    let basic_first = send_pictures(&api, &pictures(&api));
    assert_eq!(basic_first["code"], 1004, "{basic_first}");
    for (field, bad) in [("name", "<b>"), ("card_id", "12"), ("id_type", "3"), ("country", "GB"), ("real_type", "3")] {
        let fields: Vec<_> =
            DOCUMENT.iter().map(|(name, text)| (*name, if *name == field { bad } else { text })).collect();
        assert_eq!(api.post("/user/real", &fields)["code"], 1001, "{field}");
    }
    // Asked for many times at once, one waits.
    let at_once: Vec<Value> = thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| api.post("/user/real", &DOCUMENT))).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(at_once.iter().filter(|said| said["type"] == "ok").count(), 1, "{at_once:?}");
    assert!(at_once.iter().all(|said| said["type"] == "ok" || said["code"] == 1004), "{at_once:?}");
    let told = state(&api);
    assert_eq!((&told["review_status"], &told["real_status"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&told["real_data"]["name"], &told["real_data"]["card_id"]),
        (&json!("C** A** S**"), &json!("AB******56"))
    );
    let database = std::fs::read(server.data_dir().join("office.db")).unwrap();
    let wal = std::fs::read(server.data_dir().join("office.db-wal")).unwrap_or_default();
    let has = |word: &[u8]| [&database, &wal].iter().any(|file| file.windows(word.len()).any(|part| part == word));
    assert!(has(MAIL.as_bytes()) && !has(b"Carol Ann") && !has(b"AB123456"), "name and number are sealed");

    let ann = person(&server, port, "ann", "compliance", &[]);
    let eve = person(&server, port, "eve", "compliance", &[]);
    let sam = person(&server, port, "sam", "support", &[]);
    assert_eq!(sam.get("verifications").0, 403);
    let case = waiting(&ann);
    let detail = |staff: &Browser| staff.get(&format!("verifications/{case}")).1;
    assert_eq!((&detail(&ann)["name"], &detail(&ann)["mine"]), (&json!("C*** A*** S***"), &json!(false)));
    let decide = |staff: &Browser, body: Value| staff.post(&format!("verifications/{case}/decide"), &body).0;
    assert_eq!(decide(&ann, json!({ "passes": true })), 409, "not before the review has begun");
    let claim = |staff: &Browser| staff.post(&format!("verifications/{case}/claim"), &json!({})).0;
    assert_eq!((claim(&eve), claim(&ann), claim(&eve)), (200, 409, 200));
    let (who, other) = (&eve, &ann);
    assert_eq!(detail(who)["number"], "AB123456");
    assert_eq!(detail(other)["number"], "A***");
    assert_eq!(decide(other, json!({ "passes": true })), 409);
    assert_eq!(decide(who, json!({ "passes": false })), 400, "a reason is needed");
    assert_eq!(decide(who, json!({ "passes": false, "reason": "ugly" })), 400);
    assert_eq!(decide(who, json!({ "passes": false, "reason": "mismatch", "note": "The name differs." })), 200);
    let told = state(&api);
    assert_eq!(
        (&told["review_status"], &told["reason"], &told["real_data"]),
        (&json!(3), &json!("mismatch"), &Value::Null)
    );
    assert_eq!(told["note"], "The name differs.");

    // Again, and it passes; another user has no use for the same document.
    assert_eq!(api.post("/user/real", &DOCUMENT)["type"], "ok");
    let case = waiting(&ann);
    pass(&ann, case);
    assert_eq!(ann.post(&format!("verifications/{case}/decide"), &json!({ "passes": true })).0, 409, "once");
    eventually("the account is known", || state(&api)["review_status"] == 2);
    assert_eq!(api.get("/user/info")["message"]["name"], "C** A** S**");
    assert_eq!(api.post("/user/real", &DOCUMENT)["code"], 1004);

    // Pictures: each once, by their owner, shown to who reviews alone.
    let sent = pictures(&api);
    for path in [format!("/{}", sent[0]), format!("/upload/{}", sent[0])] {
        assert_eq!(server.api().raw_get(&path), "", "under no address of the app");
    }
    let refused = send_pictures(&api, &[sent[0].clone(), sent[0].clone()]);
    assert_eq!(refused["code"], 1001, "{refused}");
    assert_eq!(send_pictures(&api, &sent)["type"], "ok");
    let case = waiting(&ann);
    let front = format!("verifications/{case}/pictures/front");
    assert_eq!(ann.get(&front).0, 409);
    assert_eq!(ann.post(&format!("verifications/{case}/claim"), &json!({})).0, 200);
    let detail = ann.get(&format!("verifications/{case}")).1;
    assert_eq!((&detail["pictures"], &detail["name"]), (&json!(["front", "reverse"]), &json!("Carol Ann Smith")));
    assert_eq!(ann.picture(&front), 200);
    assert_eq!(eve.get(&front).0, 409);
    for file in std::fs::read_dir(server.data_dir().join("private")).unwrap() {
        assert!(!std::fs::read(file.unwrap().path()).unwrap().starts_with(b"\x89PNG"), "pictures are sealed");
    }
    pass(&ann, case);
    eventually("the account is known well", || state(&api)["advanced_review_status"] == 2);

    // Two people take it back.
    let account = api.get("/user/info")["message"]["id"].as_u64().unwrap();
    let wish = json!({ "account": account, "tier": "unverified", "reason": "the document is forged" });
    let (status, proposed) = ann.post("verifications/revoke", &wish);
    assert_eq!(status, 200, "{proposed}");
    let path = format!("revocations/{}/decide", proposed["case"]);
    let agree = json!({ "approves": true, "reason": "it is" });
    assert_eq!(ann.decide(&path, &agree).0, 409, "not alone");
    assert_eq!(eve.decide(&format!("cases/{}/decide", proposed["case"]), &agree).0, 403, "by the calls of its kind");
    assert_eq!(state(&api)["review_status"], 2);
    assert_eq!(eve.decide(&path, &agree).0, 200);
    eventually("it is revoked", || state(&api)["review_status"] == 3);
    let told = state(&api);
    assert_eq!((&told["reason"], &told["advanced_reason"]), (&json!("revoked"), &json!("revoked")));
    // What was decided outlives a kill.
    server.kill();
    server.launch();
    let told = state(&api);
    assert_eq!((&told["review_status"], &told["real_status"]), (&json!(3), &json!(0)));
    assert_eq!(api.post("/user/real", &DOCUMENT)["type"], "ok");
}
