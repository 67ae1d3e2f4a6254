//! Articles of the office on the real binary: one writes, another approves, users read; one takes it back.

use crate::back_office::{Browser, open_office, person};
use crate::client::{Api, Server};
use serde_json::{Value, json};

fn news(api: &Api, lang: &str) -> Vec<String> {
    let told = api.post("/news/list", &[("c_id", "4"), ("limit", "50"), ("lang", lang)]);
    let rows = told["message"]["list"].as_array().unwrap().clone();
    rows.iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

fn article(title: &str, content: &str) -> Value {
    json!({ "category": 4, "sorts": 100, "texts": {
        "en": { "title": title, "abstract": "short", "content": content },
        "zh": { "title": format!("{title}（中文）"), "abstract": "", "content": "<p>中文</p>" } } })
}

fn written(staff: &Browser, body: &Value) -> u64 {
    let (status, told) = staff.post("content/write", body);
    assert_eq!(status, 200, "{told}");
    told["version"].as_u64().unwrap()
}

fn step(staff: &Browser, version: u64, to: &str) -> u16 {
    staff.post(&format!("content/{version}/step"), &json!({ "to": to, "note": "why" })).0
}

#[test]
fn what_one_writes_and_another_approves_is_read_at_once_and_taken_back_by_one() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let api = server.api();
    let user = server.demo("demo");
    let (ann, bea) = (person(&server, port, "anna", "content", &[]), person(&server, port, "bea", "content", &[]));
    let before = news(&api, "en").len();
    let html = "<p>Soon.<script>alert(1)</script><img src=x onerror=alert(1)></p>";
    let id = written(&ann, &article("Maintenance on Sunday", html));
    assert_eq!(news(&api, "en").len(), before, "a draft is nobody's news");
    assert_eq!((step(&ann, id, "review"), step(&ann, id, "approved")), (200, 409), "nobody approves their own");
    assert_eq!(step(&bea, id, "approved"), 200);
    assert_eq!(news(&api, "en")[0], "Maintenance on Sunday");
    assert_eq!(news(&api, "zh")[0], "Maintenance on Sunday（中文）");
    assert_eq!(news(&api, "fra")[0], "Maintenance on Sunday", "a language without a text gets the English one");
    let told = user.get("/mailMessage/getList?kind=notice");
    let row = &told["message"]["list"][0];
    assert_eq!((&row["title"], &row["is_read"]), (&"Maintenance on Sunday".into(), &0.into()));
    assert!(row["content"].as_str().is_some_and(|html| !html.contains("script") && !html.contains("onerror")), "{row}");
    assert_eq!(user.get("/mailMessage/unread")["message"]["notice"], 1);

    let mut second = article("Maintenance on Monday", "<p>Later.</p>");
    second["article"] = bea.get(&format!("content/{id}")).1["article"].clone();
    let next = written(&bea, &second);
    assert_eq!((step(&bea, next, "review"), step(&ann, next, "approved")), (200, 200));
    assert_eq!(news(&api, "en")[0], "Maintenance on Monday");
    server.kill();
    server.launch();
    let (ann, api) = (person(&server, port, "eve", "content", &[]), server.api());
    assert_eq!(news(&api, "en")[0], "Maintenance on Monday", "as before the kill");
    assert_eq!(step(&ann, next, "withdrawn"), 200);
    assert_eq!(news(&api, "en").len(), before, "it is taken back at once");

    let mut later = article("In a year", "");
    later["publish_ms"] = json!(now_ms() + 366 * 86_400_000);
    let later = written(&ann, &later);
    assert_eq!(step(&ann, later, "review"), 200);
    assert_eq!(news(&api, "en").len(), before);
}

fn now_ms() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64
}

#[test]
fn what_is_no_article_is_refused() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let ann = person(&server, port, "anna", "content", &[]);
    let bad = |change: &dyn Fn(&mut Value)| {
        let mut body = article("Title", "<p>a</p>");
        change(&mut body);
        ann.post("content/write", &body).0
    };
    assert_eq!(bad(&|_| {}), 200);
    assert_eq!(bad(&|b| b["category"] = json!(6)), 400);
    assert_eq!(bad(&|b| b["texts"] = json!({})), 400);
    assert_eq!(bad(&|b| b["texts"]["xx"] = b["texts"]["en"].clone()), 400);
    assert_eq!(bad(&|b| b["texts"]["en"]["title"] = json!("two\nlines")), 400);
    assert_eq!(bad(&|b| b["texts"]["en"]["title"] = json!("x".repeat(121))), 400);
    assert_eq!(bad(&|b| b["texts"]["en"]["content"] = json!("x".repeat(50_000))), 400);
    assert_eq!(bad(&|b| b["url"] = json!("javascript:alert(1)")), 400);
    assert_eq!(bad(&|b| b["cover"] = json!("https://example.org/a.png")), 400);
    assert_eq!(bad(&|b| b["article"] = json!(77)), 404);
    assert_eq!(bad(&|b| b["version"] = json!(77)), 409);
    let step = |to: &str, note: &str| ann.post("content/1/step", &json!({ "to": to, "note": note })).0;
    assert_eq!((step("draft", "a"), step("shown", "a"), step("refused", "")), (400, 400, 400));
    assert_eq!(ann.post("content/77/step", &json!({ "to": "review" })).0, 404);
}
