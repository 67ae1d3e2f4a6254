//! Countries on the real binary: barred by one person, allowed again by two, known by a verification, held after a kill.

use crate::back_office::{Browser, open_office, person};
use crate::bot::Bot;
use crate::client::{Api, Server};
use crate::stock_market::{ALWAYS, with_stocks};
use crate::stocks::{self, HKD, TENCENT, USDT, has, is_open, number, quote};
use crate::tool::{good, tool};
use crate::verification::{DOCUMENT, MAIL, bind_phone, pass, registered, waiting};
use crate::wait::eventually;
use serde_json::{Value, json};

const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];

fn order(api: &Api, side: &str, price: &str) -> Value {
    let fields =
        [("type", side), ("order_type", "limit"), ("target_price", price), ("amount", "0.001"), ("tif", "GTC")];
    api.post("/coin/trade", &[&PAIR[..], &fields[..]].concat())
}

fn open_orders(api: &Api) -> usize {
    api.get("/coin/list?status=1")["message"].as_array().unwrap().len()
}

fn info(api: &Api) -> [Value; 2] {
    let told = api.get("/user/info")["message"].clone();
    [told["country"].clone(), told["barred"].clone()]
}

fn rule(browser: &Browser, path: &str, country: &str, products: &[&str]) -> (u16, Value) {
    let body = json!({ "country": country, "products": products, "reason": "the law there" });
    browser.post(&format!("regions/{path}"), &body)
}

fn approve(browser: &Browser, case: &Value) -> (u16, Value) {
    browser.decide(&format!("region-cases/{case}/decide"), &json!({ "approves": true, "reason": "so do I" }))
}

#[test]
fn products_are_barred_by_one_person_and_allowed_by_two() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let cora = person(&server, port, "cora", "compliance", &[]);
    let rita = person(&server, port, "rita", "risk", &[]);
    let sam = person(&server, port, "sam", "support", &[]);
    let fay = person(&server, port, "fay", "finance", &[]);

    // Who may, and what is refused.
    assert_eq!((sam.get("regions").0, fay.get("regions").0), (200, 403));
    assert_eq!(rule(&sam, "bar", "GB", &["spot"]).0, 403);
    for (country, products) in [("XX", &["spot"][..]), ("gb", &["spot"]), ("GB", &[]), ("GB", &["nothing"])] {
        assert_eq!(rule(&cora, "bar", country, products).0, 400, "{country} {products:?}");
    }
    assert_eq!(rule(&cora, "bar", "GB", &["spot", "options"]), (200, json!({ "done": "barred" })));
    assert_eq!(rule(&rita, "bar", "GB", &["options"]).0, 409, "it is so already");
    let regions = || sam.get("regions").1["regions"].clone();
    eventually("it is told", || regions() == json!([{ "country": "GB", "barred": ["spot", "options"] }]));

    // A document says where its owner lives.
    let carol = registered(&server, MAIL);
    bind_phone(&server, &carol, MAIL);
    assert_eq!(info(&carol), [json!(""), json!([])]);
    let wrong = carol.post("/user/real", &[&DOCUMENT[..], &[("region", "US")]].concat());
    assert_eq!(wrong["code"], 1001, "another country's dialling code: {wrong}");
    assert_eq!(carol.post("/user/real", &[&DOCUMENT[..], &[("region", "GB")]].concat())["type"], "ok");
    assert_eq!(carol.get("/real/state")["message"]["real_data"]["region"], "GB");
    assert_ne!(order(&carol, "1", "56000")["code"], 1017, "nobody knows yet");
    let case = waiting(&cora);
    assert_eq!(cora.get(&format!("verifications/{case}")).1["region"], "GB");
    pass(&cora, case);
    assert_eq!(info(&carol), [json!("GB"), json!(["spot", "options"])]);
    assert_eq!(order(&carol, "1", "56000")["code"], 1017);
    assert_ne!(order(&carol, "2", "99000")["code"], 1017, "what somebody has can be sold");
    let id = carol.get("/user/info")["message"]["id"].clone();
    let seen = sam.get(&format!("users/{id}")).1;
    assert_eq!((&seen["country"], &seen["barred"]), (&json!("GB"), &json!(["spot", "options"])));

    // Of others nothing is known: orders that rest are cancelled once they are barred. The rule holds over a start.
    let demo = server.demo("demo");
    assert_eq!(order(&demo, "1", "56000")["code"], 1);
    assert_eq!(open_orders(&demo), 1);
    assert_eq!(rule(&rita, "bar", "", &["spot"]).0, 200);
    assert_eq!(order(&demo, "1", "56000")["code"], 1017);
    eventually("what rested is gone", || open_orders(&demo) == 0);
    server.kill();
    server.launch();
    server.wait_open("BTCUSDT");
    assert_eq!((order(&demo, "1", "56000")["code"].clone(), info(&demo)), (json!(1017), [json!(""), json!(["spot"])]));

    // Two people; what was proposed before something was barred again allows nothing.
    assert_eq!(rule(&rita, "propose-allow", "GB", &["stocks"]).0, 409, "it is not barred");
    assert_eq!(rule(&sam, "propose-allow", "GB", &["spot"]).0, 403);
    let old = rule(&rita, "propose-allow", "GB", &["spot", "options"]).1["case"].clone();
    assert_eq!(rule(&cora, "propose-allow", "GB", &["options", "spot"]).0, 409, "it is proposed");
    assert_eq!(rule(&cora, "bar", "GB", &["follow"]).0, 200);
    assert_eq!(approve(&cora, &old).0, 409, "barred again since");
    let case = rule(&rita, "propose-allow", "GB", &["spot"]).1["case"].clone();
    assert_eq!(approve(&rita, &case).0, 409, "not who proposed it");
    assert_eq!(order(&carol, "1", "56000")["code"], 1017);
    assert_eq!(approve(&cora, &case), (200, json!({ "done": "approve to allow products" })));
    eventually("it is allowed", || info(&carol)[1] == json!(["options", "follow"]));
    assert_ne!(order(&carol, "1", "56000")["code"], 1017);
    server.terminate();
    let facts = good(&tool(&server, &["journal", "dump", "--kind", "RegionRuled"]));
    assert_eq!(facts.matches("Staff 2 and 1").count(), 1, "{facts}");
    assert!(facts.contains(r#""barred":["options","follow"]"#), "{facts}");
    good(&tool(&server, &["audit"]));
}

#[test]
fn nothing_is_paid_before_a_refusal_and_programs_are_told() {
    let mut server = with_stocks(ALWAYS);
    let port = open_office(&mut server);
    server.launch();
    let cora = person(&server, port, "cora", "compliance", &[]);
    let api = server.demo("demo");
    eventually("both open", || is_open(&api, "0700/HKD") && is_open(&api, "HKD/USDT"));
    server.wait_open("BTCUSDT");
    assert_eq!(rule(&cora, "bar", "", &["stocks", "spot", "contract"]).0, 200);
    eventually("it is told", || info(&api)[1] == json!(["spot", "contract", "stocks"]));
    let before = has(&api, USDT);
    // Steps of 0.2 from 200 to 500.
    let price = format!("{:.1}", (number(&quote(&api, "0700/HKD")["now_price"]) / 0.2).ceil() * 0.2);
    let mut fields = stocks::order(TENCENT, HKD, "1", "100");
    fields.extend([("target_price", &*price), ("pay_with", "USDT")]);
    assert_eq!(api.try_post("/coin/trade", &fields, Some("pays-nothing")).unwrap()["code"], 1017);
    assert_eq!((has(&api, USDT), has(&api, HKD)), (before, 0), "nothing was converted");
    let bot = Bot::of(&server, "demo2", &[]);
    let told = bot.call("POST", "order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.001");
    assert_eq!((told.status, &told.body["code"]), (400, &json!(-2010)), "{}", told.body);
    let told = bot.call_at("POST", "/fapi/v1/order", "symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.01");
    assert_eq!((told.status, &told.body["code"]), (400, &json!(-2010)), "{}", told.body);
}
