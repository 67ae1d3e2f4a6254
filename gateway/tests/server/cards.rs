//! Bank cards through the real binary: what is kept is sealed, what is told is masked, what a save is proved by.

use crate::client::{Api, Server};
use crate::second_factor::secured;
use crate::wait::eventually;
use serde_json::{Value, json};

const PASSWORD: (&str, &str) = ("pay_password", "demo1234");
const IBAN: &str = "DE89370400440532013000";
const CARD: [(&str, &str); 9] = [
    ("real_name", "Anna  Weber"),
    ("bank_name", "A bank"),
    ("bank_account", "de89 3704 0044 0532 0130 00"),
    ("province_city", "Berlin"),
    ("aba_number", "021000021"),
    ("swift_code", "deutdeff"),
    ("cardholder_address", "A street 1"),
    ("branch_network", "Mitte"),
    ("phone", "+49 30 123456"),
];
const ABROAD: &str =
    r#"["Anna Weber","123456789","DEUTDEFF500","A bank","A road 2","Germany","A street 1","030 123456"]"#;

fn save(api: &Api, changed: Option<(&str, &str)>, more: &[(&str, &str)]) -> Value {
    let mut fields = CARD.to_vec();
    if let Some((name, text)) = changed {
        fields.iter_mut().find(|(known, _)| *known == name).expect("a field").1 = text;
    }
    api.post("/user/cash_save", &[&fields[..], more].concat())
}

fn shown(api: &Api) -> Value {
    api.post("/user/cash_info", &[])["message"].clone()
}

#[test]
fn cards_are_sealed_told_masked_and_confirmed() {
    let mut server = Server::start(&[]);
    let (api, other) = (server.demo("demo"), server.demo("demo2"));
    let none = shown(&api);
    assert_eq!((&none["bank_account"], &none["saved_at_ms"], &none["banks"]), (&json!(""), &json!(0), &json!([])));
    for (field, text, told) in [
        ("real_name", " ", "real_name"),
        ("bank_account", "DE88370400440532013000", "bank_account"),
        ("swift_code", "DEUT", "wechat_nickname"),
        ("phone", "call me", "phone"),
    ] {
        let refused = save(&api, Some((field, text)), &[PASSWORD]);
        assert!(refused["code"] == 1001 && refused["errors"][told].is_string(), "{refused}");
    }
    assert_eq!(save(&api, None, &[])["errors"]["pay_password"], "missing");
    assert_eq!(save(&api, None, &[("pay_password", "wrong-one")])["code"], 1010);
    assert_eq!(shown(&api)["saved_at_ms"], 0);

    assert_eq!(save(&api, None, &[PASSWORD])["type"], "ok");
    let card = shown(&api);
    for (name, text) in [
        ("real_name", "Anna Weber"),
        ("bank_account", "•••• 3000"),
        ("bank_dizhi", "Berlin"),
        ("alipay_account", "021000021"),
        ("wechat_nickname", "DEUTDEFF"),
        ("phone", "•••• 3456"),
    ] {
        assert_eq!(card[name], text, "{card}");
    }
    assert_eq!(shown(&other)["real_name"], "", "one's own alone");
    let news = || api.get_patiently("/mailMessage/getList?kind=system").to_string();
    eventually("its user is told", || news().contains("bank card"));

    // An international one stands beside it; its fields have names in the language of the call.
    let international = |api: &Api, fields: &[(&str, &str)]| api.post("/user/cash_info_international", fields);
    let forms = international(&api, &[("lang", "zh")])["message"].clone();
    assert_eq!((forms["forms"].as_array().unwrap().len(), &forms["data"]), (8, &json!([])), "{forms}");
    assert_eq!(forms["forms"][0], "账户名");
    let send = |data: &str| api.post("/user/cash_save_international", &[("data", data), PASSWORD]);
    assert!(send("no list")["errors"]["data"].is_string() && send(r#"["a"]"#)["errors"]["data"].is_string());
    assert!(send(&ABROAD.replace("DEUTDEFF500", "DEUT"))["errors"]["data[2]"].is_string());
    assert_eq!(send(ABROAD)["type"], "ok");
    let parts: Vec<String> = serde_json::from_str(ABROAD).unwrap();
    let names: Vec<String> = (0..8).map(|at| format!("data[{at}]")).collect();
    let mut fields: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(parts.iter().map(String::as_str)).collect();
    fields.push(PASSWORD);
    assert_eq!(api.post("/user/cash_save_international", &fields)["type"], "ok");
    let told = international(&api, &[])["message"].clone();
    assert_eq!((&told["data"][1], &told["data"][7]), (&json!("•••• 6789"), &json!("•••• 3456")));

    // Nothing of them lies about, and a start later they are there.
    server.terminate();
    let office = std::fs::read(server.data_dir().join("office.db")).unwrap();
    let log = server.log();
    for secret in [IBAN, "de89 3704", "123456789", "A street 1", "Anna"] {
        assert!(!office.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{secret} is in the database");
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    server.launch();
    let api = server.demo("demo");
    assert_eq!(shown(&api)["bank_account"], "•••• 3000");
    let delete = |kind: &str| api.post("/user/cash_delete", &[("type", kind)])["code"].clone();
    assert_eq!((delete("1"), delete("1"), delete("3")), (json!(1), json!(1003), json!(1001)));
    assert_eq!((&shown(&api)["bank_account"], &shown(&api)["saved_at_ms"]), (&json!(""), &json!(0)));
    assert_eq!(international(&api, &[])["message"]["data"][0], "Anna Weber", "the other one stays");
}

#[test]
fn beside_a_factor_a_card_is_saved_by_a_proof_of_all_its_fields() {
    let server = Server::start(&[]);
    let user = secured(&server, "demo");
    let refused = save(&user.api, None, &[PASSWORD]);
    assert_eq!((&refused["code"], &refused["methods"]), (&1022.into(), &json!(["totp", "recovery"])));
    let of = |fields: &[(&str, &str)]| user.proof(&[&[("action", "card_save")], fields].concat());
    for (name, text) in [("bank_account", "6222000011112222"), ("swift_code", "CHASUS33"), ("real_name", "Bea Weber")] {
        let proof = of(&CARD);
        assert_eq!(save(&user.api, Some((name, text)), &[("proof", &proof)])["code"], 1022, "another {name}");
    }
    let texts: Vec<String> = serde_json::from_str(ABROAD).unwrap();
    let names: Vec<String> = (0..8).map(|at| format!("data[{at}]")).collect();
    let abroad = |more: &[(&str, &str)]| {
        let parts = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str));
        let fields: Vec<(&str, &str)> = parts.chain(more.iter().copied()).collect();
        user.api.post("/user/cash_save_international", &fields)["code"].clone()
    };
    let proof = of(&CARD);
    assert_eq!(abroad(&[&CARD[..], &[("proof", &proof)]].concat()), 1022, "the other kind of card");
    let proof = of(&CARD);
    assert_eq!(save(&user.api, None, &[("proof", &proof)])["type"], "ok");
    assert_eq!(save(&user.api, None, &[("proof", &proof)])["code"], 1022, "a proof is used once");
}
