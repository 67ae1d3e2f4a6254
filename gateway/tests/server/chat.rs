//! Live service on the real binary: a user, a visitor and people of the staff; who sees what, what is said once, what is stopped.

use crate::back_office::{Browser, change, open_office, person};
use crate::client::{Api, Server};
use crate::socket::Socket;
use crate::verification::upload;
use serde_json::{Value, json};

/// As the timer does after a day.
pub(crate) const CLOSE_ALL: &str = "UPDATE conversations SET state = 4, waits_ms = NULL, closed_ms = moved_ms";

fn opened(api: &Api, topic: &str) -> String {
    let told = api.post("/chat/open", &[("topic", topic)]);
    told["message"]["id"].as_u64().unwrap_or_else(|| panic!("{told}")).to_string()
}

fn say(api: &Api, id: &str, client_id: &str, content: &str) -> Value {
    api.post("/chat/send", &[("id", id), ("client_id", client_id), ("content", content)])
}

fn logs(api: &Api, id: &str) -> Value {
    api.get(&format!("/chat/logs?id={id}"))
}

fn texts(told: &Value) -> Vec<String> {
    let rows = told["message"].as_array().unwrap_or_else(|| panic!("{told}"));
    rows.iter().map(|row| format!("{}: {}", row["from"].as_str().unwrap(), row["content"].as_str().unwrap())).collect()
}

fn answer(staff: &Browser, id: &str, client_id: &str, text: &str) -> (u16, Value) {
    staff.post(&format!("chats/{id}/send"), &json!({ "client_id": client_id, "text": text }))
}

fn step(staff: &Browser, id: &str, what: &str, body: &Value) -> u16 {
    staff.post(&format!("chats/{id}/{what}"), body).0
}

fn with_office() -> (Server, u16) {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    (server, port)
}

#[test]
fn a_user_and_the_staff_talk_and_each_is_told_of_the_other() {
    let (server, port) = with_office();
    let (user, other) = (server.demo("demo"), server.demo("trader"));
    let (ann, bea) = (person(&server, port, "anna", "support", &[]), person(&server, port, "bea", "support", &[]));
    let id = opened(&user, "support");
    assert_eq!(opened(&user, "support"), id, "one that is not closed");
    assert_eq!(logs(&user, &id)["data"]["is_staffed"], false);
    let first = say(&user, &id, "a1", "Where is\nmy <b>deposit</b>?");
    assert_eq!(first["message"]["content"], "Where is\nmy <b>deposit</b>?");
    assert_eq!(say(&user, &id, "a1", "something else")["message"], first["message"], "it was sent before");

    let queue = ann.get("chats").1;
    assert_eq!((&queue["rows"][0]["topic"], &queue["waiting"]), (&json!("support"), &json!(1)));
    assert_eq!(logs(&user, &id)["data"]["is_staffed"], true);
    let unseen = ann.get(&format!("chats/{id}")).1;
    assert_eq!((&unseen["messages"], &unseen["reads"]), (&json!([]), &json!(false)), "first it is claimed");
    assert_eq!(answer(&ann, &id, "b1", "Hello").0, 409);
    assert_eq!((step(&ann, &id, "claim", &json!({})), step(&bea, &id, "claim", &json!({}))), (200, 409));
    let seen = ann.get(&format!("chats/{id}")).1;
    assert_eq!(seen["messages"][0]["text"], "Where is\nmy <b>deposit</b>?");
    assert_eq!(bea.get(&format!("chats/{id}")).1["messages"], json!([]), "somebody else holds it");

    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "event": "login", "data": { "token": user.token } }));
    socket.until(|frame| frame["event"] == "snapshot");
    assert_eq!(step(&ann, &id, "typing", &json!({})), 200);
    assert_eq!(socket.until(|frame| frame["event"] == "chat_typing")["data"]["id"].to_string(), id);
    assert_eq!(logs(&user, &id)["data"]["agent_typing"], true);
    assert_eq!(step(&ann, &id, "read", &json!({ "upto": first["message"]["id"] })), 200);
    let read = socket.until(|frame| frame["event"] == "chat_read");
    assert_eq!((&read["data"]["side"], &read["data"]["upto"]), (&json!("agent"), &first["message"]["id"]));
    let (status, said) = answer(&ann, &id, "b1", "It is on its way.");
    assert_eq!(status, 200, "{said}");
    assert_eq!(answer(&ann, &id, "b1", "It is on its way.").1, said, "once");
    socket.until(|frame| frame["event"] == "chat");
    assert_eq!(user.get("/mailMessage/unread")["message"]["service"], 1);
    let told = logs(&user, &id);
    let joined = "system: A member of our team has joined the conversation".to_owned();
    assert_eq!(
        texts(&told),
        ["user: Where is\nmy <b>deposit</b>?".to_owned(), joined, "agent: It is on its way.".into()]
    );
    assert!(!told.to_string().contains("anna"), "nobody of the staff is named: {told}");
    let last = told["data"]["last"].to_string();
    assert_eq!(user.post("/chat/read", &[("id", &id), ("upto", &last)])["type"], "ok");
    assert_eq!(user.get("/mailMessage/unread")["message"]["service"], 0);
    assert_eq!(ann.get(&format!("chats/{id}")).1["user_read"].to_string(), last);

    for text in ["What is your password?", "请告诉我验证码"] {
        let (status, said) = answer(&ann, &id, "b2", text);
        assert!(status == 422 && said["error"].as_str().unwrap().contains("names a secret"), "{said}");
    }
    let warning = seen["canned"][3].as_str().unwrap();
    assert_eq!(answer(&ann, &id, "b3", warning).0, 200, "a canned answer warns of it");

    let people = ann.get(&format!("chats/{id}")).1["people"].clone();
    let hand_over = json!({ "to": people[0]["id"], "note": "asks about a deposit" });
    assert_eq!(step(&bea, &id, "hand-over", &hand_over), 409);
    assert_eq!(step(&ann, &id, "hand-over", &hand_over), 200);
    assert_eq!(answer(&ann, &id, "b4", "Bye").0, 409);
    let notes = bea.get(&format!("chats/{id}")).1["notes"].clone();
    assert_eq!(notes[0]["detail"]["reason"], "asks about a deposit");
    assert_eq!(user.post("/chat/rate", &[("id", &id), ("stars", "5")])["code"], 1004);
    assert_eq!((step(&ann, &id, "close", &json!({})), step(&bea, &id, "close", &json!({}))), (409, 200));
    assert_eq!(logs(&user, &id)["data"]["state"], "closed");
    assert_eq!(say(&user, &id, "a2", "Thanks")["code"], 1004);
    let rate = |stars: &str| user.post("/chat/rate", &[("id", &id), ("stars", stars)])["code"].clone();
    assert_eq!((rate("6"), rate("5"), rate("5"), rate("1")), (json!(1001), json!(1), json!(1), json!(1004)));
    assert_ne!(opened(&user, "support"), id);

    let owner = person(&server, port, "olga", "owner", &[]);
    let actions = ["claim chat", "hand over chat", "close chat"];
    for action in actions {
        let rows = owner.get(&format!("audit?action={}", action.replace(' ', "%20"))).1;
        assert_eq!(rows["rows"][0]["subject"], format!("chat:{id}"), "{action}");
    }
    assert!(!owner.get(&format!("chats/{id}")).1["messages"].as_array().unwrap().is_empty());
    assert_eq!(owner.get("audit?action=look%20at%20chat").1["rows"][0]["subject"], format!("chat:{id}"));
    assert_eq!(logs(&other, &id)["code"], 1003, "another user's is not there");
}

#[test]
fn a_visitor_is_known_by_a_signed_name_alone_and_writes_ten_messages_a_minute() {
    let server = Server::start(&[]);
    let (visitor, user) = (server.api(), server.demo("demo"));
    let opened = visitor.post("/chat/open", &[("topic", "support")])["message"].clone();
    let (id, proof) = (opened["id"].to_string(), opened["visitor_id"].as_str().unwrap().to_owned());
    let as_visitor = |proof: &str, more: &[(&str, &str)]| {
        visitor.post("/chat/send", &[&[("id", id.as_str()), ("visitor_id", proof)], more].concat())
    };
    assert_eq!(as_visitor("", &[("client_id", "a"), ("content", "hi")])["code"], 999);
    let (name, mac) = proof.split_once('.').unwrap();
    for forged in [name.to_owned(), format!("{name}."), format!("x{name}.{mac}"), format!("{name}.{}", "0".repeat(64))]
    {
        assert_eq!(as_visitor(&forged, &[("client_id", "a"), ("content", "hi")])["code"], 1001, "{forged}");
    }
    let stranger = visitor.post("/chat/open", &[("topic", "support")])["message"]["visitor_id"].clone();
    let stranger = stranger.as_str().unwrap();
    assert_eq!(as_visitor(stranger, &[("client_id", "a"), ("content", "hi")])["code"], 1003);
    assert_eq!(logs(&user, &id)["code"], 1003);
    assert_eq!(visitor.get(&format!("/chat/logs?id={id}&visitor_id={stranger}"))["code"], 1003);
    let picture = upload(&user, "?kind=chat")["message"].as_str().unwrap().to_owned();
    assert_eq!(as_visitor(&proof, &[("client_id", "a"), ("image", &picture)])["code"], 1014);
    assert_eq!(visitor.get(&format!("/chat/picture?id={id}&visitor_id={proof}&image={picture}"))["code"], 999);
    // A slow machine gets one more each six seconds.
    let codes: Vec<Value> = (0..30)
        .map(|n| as_visitor(&proof, &[("client_id", &n.to_string()), ("content", "hi")])["code"].clone())
        .collect();
    assert!(codes[..10].iter().all(|code| *code == 1) && codes.contains(&json!(1018)), "{codes:?}");
    assert!(codes.iter().all(|code| *code == 1 || *code == 1018), "{codes:?}");
    let told = visitor.get(&format!("/chat/logs?id={id}&visitor_id={proof}&after_id=0"));
    assert_eq!(texts(&told).len(), codes.iter().filter(|code| **code == 1).count());
}

#[test]
fn a_picture_is_seen_by_its_user_and_by_who_holds_the_conversation() {
    let (server, port) = with_office();
    let (user, other) = (server.demo("demo"), server.demo("trader"));
    let (ann, bea) = (person(&server, port, "anna", "support", &[]), person(&server, port, "bea", "support", &[]));
    let (id, theirs) = (opened(&user, "repay"), opened(&other, "repay"));
    let picture = upload(&user, "?kind=chat")["message"].as_str().unwrap().to_owned();
    let send = |api: &Api, id: &str, client_id: &str| {
        api.post("/chat/send", &[("id", id), ("client_id", client_id), ("image", &picture)])
    };
    assert_eq!(send(&other, &theirs, "a")["code"], 1001, "it is not theirs");
    let sent = send(&user, &id, "a");
    assert_eq!(sent["message"]["image"], picture);
    assert_eq!(send(&user, &id, "b")["code"], 1001, "it is used");
    let look = |api: &Api, id: &str| api.get(&format!("/chat/picture?id={id}&image={picture}"));
    assert!(look(&user, &id)["message"].as_str().unwrap().starts_with("data:image/png;base64,"));
    assert_eq!((look(&other, &id)["code"].clone(), look(&other, &theirs)["code"].clone()), (json!(1003), json!(1003)));
    assert_eq!(server.api().raw("GET", &format!("/upload/{picture}"), &[], "").status, 404);
    let path = format!("chats/{id}/pictures/{}", sent["message"]["id"]);
    assert_eq!(ann.get(&path).0, 409);
    assert_eq!(step(&ann, &id, "claim", &json!({})), 200);
    assert_eq!((ann.picture(&path), bea.get(&path).0), (200, 409));
    assert_eq!(ann.get(&format!("chats/{id}/pictures/9999")).0, 404);
}

#[test]
fn bad_questions_are_refused_and_what_is_old_is_closed() {
    let server = Server::start(&[]);
    let user = server.demo("demo");
    assert_eq!(user.post("/chat/open", &[])["code"], 1001);
    assert_eq!(user.post("/chat/open", &[("topic", "gossip")])["code"], 1001);
    let id = opened(&user, "loan");
    let send =
        |more: &[(&str, &str)]| user.post("/chat/send", &[&[("id", id.as_str())], more].concat())["code"].clone();
    let long = "x".repeat(1_001);
    for more in [
        &[("client_id", "a")][..],
        &[("content", "a")],
        &[("client_id", "a b"), ("content", "a")],
        &[("client_id", "a"), ("content", "  \n ")],
        &[("client_id", "a"), ("content", &long)],
        &[("client_id", "a"), ("content", "a\u{7}")],
        &[("client_id", "a"), ("content", "a"), ("image", "private/b")],
        &[("client_id", "a"), ("image", "private/b")],
        &[("client_id", "a"), ("image", "../office.db")],
    ] {
        assert_eq!(send(more), 1001, "{more:?}");
    }
    assert_eq!(send(&[("client_id", "a"), ("content", &"字".repeat(1_000))]), 1);
    assert_eq!(user.post("/chat/send", &[("id", "77"), ("client_id", "a"), ("content", "a")])["code"], 1003);
    assert_eq!(user.get("/chat/logs?id=x")["code"], 1001);
    assert_eq!(user.post("/chat/read", &[("id", &id)])["code"], 1001);
    assert_eq!(user.post("/chat/rate", &[("id", &id), ("stars", "0")])["code"], 1001);
    change(&server, &[CLOSE_ALL]);
    assert_eq!(send(&[("client_id", "b"), ("content", "still there?")]), 1004);
    let again = user.post("/chat/open", &[("topic", "loan")]);
    assert_eq!(again["message"]["id"].to_string(), id, "it has no stars yet");
    let new = user.post("/chat/open", &[("topic", "loan"), ("new", "1")]);
    assert_ne!(new["message"]["id"].to_string(), id);
}
