//! The user's keys of the programmatic API, through the real binary.

use crate::client::{Api, Server};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

pub(crate) const PASSWORD: (&str, &str) = ("pay_password", "demo1234");

fn create(api: &Api, fields: &[(&str, &str)]) -> Value {
    api.post("/user/api_keys/create", &[&[("label", "bot"), PASSWORD], fields].concat())
}

#[test]
fn keys_are_made_listed_changed_and_ended_and_outlive_a_restart() {
    let mut server = Server::start(&[]);
    let api = server.demo("demo");
    let made = create(&api, &[("scopes", "read,trade"), ("ips", "10.1.0.9/16")]);
    let (name, secret) = (made["data"]["api_key"].as_str().unwrap(), made["data"]["secret"].as_str().unwrap());
    assert!(name.len() == 64 && secret.len() == 64 && name != secret, "{made}");
    let public = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
    let pair = create(&api, &[("kind", "ed25519"), ("public_key", public)]);
    assert!(pair["data"]["secret"].is_null(), "{pair}");
    let list = api.post("/user/api_keys/list", &[]);
    let first = &list["message"][0];
    assert_eq!(
        (&first["ips"][0], &first["scopes"][1], &first["kind"]),
        (&"10.1.0.0/16".into(), &"trade".into(), &"hmac".into())
    );
    assert_eq!(list["message"][1]["scopes"], serde_json::json!(["read"]), "unless said otherwise");
    assert!(!list.to_string().contains(secret));

    server.kill();
    server.launch();
    let api = server.demo("demo");
    let id = first["id"].to_string();
    let update = |fields: &[(&str, &str)]| {
        api.post("/user/api_keys/update", &[&[("id", id.as_str()), PASSWORD], fields].concat())
    };
    assert_eq!(update(&[("scopes", "read"), ("ips", "")])["type"], "ok");
    let now = api.post("/user/api_keys/list", &[])["message"][0].clone();
    assert_eq!(
        (&now["label"], &now["ips"], &now["scopes"]),
        (&first["label"], &serde_json::json!([]), &serde_json::json!(["read"]))
    );
    let thief = server.demo("demo2");
    assert_eq!(thief.post("/user/api_keys/delete", &[("id", &id), PASSWORD])["code"], 1003, "another's");
    assert_eq!(api.post("/user/api_keys/delete", &[("id", &id), PASSWORD])["type"], "ok");
    assert_eq!(api.post("/user/api_keys/list", &[])["message"].as_array().unwrap().len(), 1);
    let sealing = std::fs::metadata(server.data_dir().join("office.key")).unwrap();
    assert_eq!(sealing.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_key_needs_the_password_a_label_and_terms_that_make_sense() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    let bad: [&[(&str, &str)]; 6] = [
        &[("scopes", "withdraw")],
        &[("ips", "nowhere")],
        &[("kind", "rsa")],
        &[("kind", "ed25519")],
        &[("kind", "ed25519"), ("public_key", "abc")],
        &[("public_key", "abc")],
    ];
    for fields in bad {
        assert_eq!(create(&api, fields)["code"], 1001, "{fields:?}");
    }
    for _ in 0..30 {
        assert_eq!(create(&api, &[])["type"], "ok");
    }
    assert_eq!(create(&api, &[])["code"], 1013, "30 are the most");
    let wrong = || api.post("/user/api_keys/create", &[("label", "bot"), ("pay_password", "guess")])["code"].clone();
    let codes: Vec<Value> = (0..6).map(|_| wrong()).collect();
    assert!(codes[..5].iter().all(|code| *code == 1010) && codes[5] == 1018, "{codes:?}");
    assert_eq!(create(&api, &[])["code"], 1018, "the right one neither, for a while");
}
