//! The document of the app's calls says what the real binary answers.

use crate::authenticator::Authenticator;
use crate::back_office::open_office;
use crate::chain_settings::{ACCOUNT, pay_by};
use crate::client::{Api, Server};
use crate::passkeys::{SITE, made, signed, signed_by};
use crate::schema::wrong;
use crate::second_factor::{code_of, step_now};
use crate::secrets::{LABEL, Secret, sweep};
use crate::stock_market::{ALWAYS, with_stocks};
use crate::wait::{asked_again, eventually, found};
use data_encoding::BASE32_NOPAD;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use xng_custody::private_node::PrivateNode;

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// What is asked only where there is a Bitcoin node.
const OF_CHAINS: [&str; 13] = [
    "/api/user/withdraw/quote",
    "/api/wallet/out",
    "/api/user/withdraw/list",
    "/api/user/withdraw/detail",
    "/api/user/withdraw/cancel",
    "/api/wallet/networks",
    "/api/wallet/get_in_address",
    "/api/wallet/addresses",
    "/api/wallet/new_address",
    "/api/recharge/pending",
    "/api/recharge/log",
    "/api/user/wallet/save",
    "/api/user/wallet/del",
];

/// POSTs that read the store, or do nothing while it is behind: they are asked again when they answer "later", as GETs are.
const REPEATED: [&str; 4] = ["/lever/dealall", "/lever/my_trade", "/wallet/legal_log", "/follow/apply"];

/// Who asks, and what was looked at.
struct Asked<'s> {
    server: &'s Server,
    document: Value,
    calls: RefCell<BTreeSet<(String, String)>>,
    /// All answers by their calls.
    answers: RefCell<Vec<(String, String)>>,
    secrets: RefCell<Vec<Secret>>,
}

impl Asked<'_> {
    /// Asks one call and compares the whole answer with the document; the answer.
    fn ask(&self, who: &Api, method: &str, path: &str, fields: &str) -> Value {
        let token = who.token.as_deref().unwrap_or_default();
        let head = [FORM, ("authorization", token)];
        let head = if token.is_empty() { &head[..1] } else { &head };
        let (uri, body) =
            if method == "get" { (format!("/api{path}?{fields}"), "") } else { (format!("/api{path}"), fields) };
        let may_repeat = method == "get" || REPEATED.contains(&path);
        let told = asked_again(
            || who.raw(&method.to_uppercase(), &uri, head, body).body,
            |told| may_repeat && told["code"] == 1020,
        );
        self.compare(method, path, told)
    }

    fn compare(&self, method: &str, path: &str, told: Value) -> Value {
        let at = format!("/api{path}");
        let answer = &self.document["paths"][&at][method]["responses"]["200"]["content"]["application/json"]["schema"];
        // The first form is that of a call that was not refused.
        let done = &answer["oneOf"][0];
        assert!(done.is_object(), "{method} {path} is not in the document");
        assert_eq!(wrong(&self.document, done, &told, &format!("{method} {path}")), None, "{told}");
        self.answers.borrow_mut().push((at.clone(), told.to_string()));
        self.calls.borrow_mut().insert((method.to_owned(), at));
        told
    }

    /// What these calls told, and nothing else may.
    fn keeps(&self, name: &'static str, text: &str, told_by: &'static [&'static str]) {
        self.secrets.borrow_mut().push(Secret { name, text: text.to_owned(), told_by });
    }

    fn told(&self) -> BTreeSet<(String, String)> {
        let paths = self.document["paths"].as_object().unwrap().iter();
        paths
            .flat_map(|(path, calls)| calls.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())))
            .collect()
    }
}

#[test]
fn every_answer_of_the_apps_calls_has_the_form_that_the_document_tells() {
    let mut server = with_stocks(ALWAYS);
    server.set("XNG__SITE__URL", SITE);
    let office = open_office(&mut server);
    let node = PrivateNode::start_or_tell();
    if let Some(node) = &node {
        pay_by(&mut server, node, ACCOUNT, Path::new("/nowhere"));
        server.set("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", "0");
    }
    statement(&server);
    server.launch();
    server.wait_open("BTCUSDT");
    let document = server.api().raw_get("/api/openapi.json");
    let asked = Asked {
        server: &server,
        document,
        calls: RefCell::default(),
        answers: RefCell::default(),
        secrets: RefCell::default(),
    };
    for password in ["correct-horse", "another-horse", "demo1234"] {
        asked.keeps("a password", password, &[]);
    }
    asked.keeps("the number of a document", "AB123456", &[]);
    open_calls(&asked);
    let login = registration(&asked);
    let ada = login.get("/user/info")["message"]["id"].as_u64().unwrap();
    contacts(&asked, &login);
    protection(&asked, &login);
    asked.ask(&login, "get", "/user/logout", "");
    let demo = server.demo("demo");
    own_data(&asked, &demo);
    conversations(&asked, &demo);
    orders(&asked, &demo);
    tickets(&asked, &demo);
    contracts(&asked, &demo);
    wallets(&asked, &demo);
    if let Some(node) = &node {
        deposits(&asked, &demo, node);
    }
    book(&asked, &demo);
    conversions(&asked, &demo);
    options(&asked, &demo);
    copying(&asked, &demo);
    coupons(&asked, &demo);
    stocks(&asked);
    archive(&asked);
    sweep((&server, office), ada, &asked.answers.borrow(), &asked.secrets.borrow());
    let looked_at = asked.calls.borrow();
    let mut told = asked.told();
    // Addresses are given once a node is read.
    told.retain(|(_, path)| node.is_some() || !OF_CHAINS.contains(&path.as_str()));
    assert_eq!(*looked_at, told, "a call of the document was not asked");
    for (method, path) in looked_at.iter() {
        let closed = !asked.document["paths"][path][method]["security"].is_null();
        // Fields first: who asks matters only for a call that is whole; that of files and of orders are read later.
        if closed && method == "get" && !path.starts_with("/api/coin") {
            assert_eq!(server.api().raw(&method.to_uppercase(), path, &[FORM], "").body["code"], 999, "{path}");
        }
    }
}

fn open_calls(asked: &Asked) {
    let api = asked.server.api();
    let get = |path: &str, fields: &str| asked.ask(&api, "get", path, fields);
    get("/getSiteConfig", "");
    get("/getSetting", "keyword=version");
    get("/getSetting", "keyword=unknown");
    get("/fiat/rates", "");
    get("/news/index_pop", "");
    let news = asked.ask(&api, "post", "/news/list", "c_id=4");
    asked.ask(&api, "post", "/news/detail", &format!("id={}", news["message"]["list"][0]["id"]));
    for path in ["/faq", "/aboutus", "/contactus", "/operational_compliance", "/menu", "/currency/list"] {
        get(path, "");
    }
    found("a trade", || {
        let deals = get("/currency/deals", "symbol=BTC/USDT");
        deals["message"].as_array().filter(|deals| !deals.is_empty()).map(Vec::len)
    });
    get("/currency/quotation_new", "");
    get("/currency/depth", "symbol=BTC/USDT");
    let candles = get("/currency/kline_market_Daily", "symbol=BTC/USDT&period=1min");
    let from = candles["message"][0]["id"].as_i64().unwrap_or_else(|| panic!("{candles}"));
    let between = format!("symbol=BTC/USDT&period=1min&from={from}&to={}", from + 60);
    assert_eq!(get("/currency/new_timeshar", &between)["message"].as_array().map(Vec::len), Some(1));
}

/// A new user by a code, and another password for them; logged in.
fn registration(asked: &Asked) -> Api {
    let (server, api, name) = (asked.server, asked.server.api(), "ada@example.com");
    asked.ask(&api, "post", "/sms_mail", &format!("user_string={name}&type=register"));
    let code = server.code(name).unwrap();
    asked.ask(&api, "post", "/user/check_email", &format!("user_string={name}&email_code={code}"));
    let form = format!("user_string={name}&code={code}&password=correct-horse&re_password=correct-horse");
    asked.ask(&api, "post", "/user/register", &form);
    // One mail a minute to one address: the reset is somebody else's.
    let other = "demo2@example.com";
    asked.ask(&api, "post", "/sms_mail", &format!("user_string={other}&type=forget"));
    let code = server.code(other).unwrap();
    let form = format!("account={other}&code={code}&password=another-horse&repassword=another-horse");
    asked.ask(&api, "post", "/user/forget", &form);
    let token = asked.ask(&api, "post", "/user/login", &format!("user_string={name}&password=correct-horse"));
    let token = token["message"].as_str().unwrap();
    asked.keeps("a session's token", token, &["/api/user/login"]);
    api.with_token(token)
}

/// A phone of the new user, and what they send in to be verified; a mail address of who has a phone.
fn contacts(asked: &Asked, user: &Api) {
    let (server, phone) = (asked.server, "area_code=44&mobile=7700900123");
    let post = |who: &Api, path: &str, fields: &str| asked.ask(who, "post", path, fields);
    let old_code = |who: &Api, mail: &str| {
        post(who, "/sms_mail", &format!("user_string={mail}&type=bind"));
        server.code(mail).unwrap()
    };
    post(user, "/sms_send", phone);
    let (code, old) = (server.code("%2B447700900123").unwrap(), old_code(user, "ada@example.com"));
    post(user, "/safe/mobile", &format!("{phone}&code={code}&old_code={old}"));
    asked.ask(user, "get", "/real/state", "");
    post(user, "/user/real", "real_type=1&id_type=1&country=44&name=Ada Lovelace&card_id=AB123456");
    asked.ask(user, "get", "/real/state", "");
    let (api, own) = (server.api(), "user_string=7700900456&area_code=44");
    post(&api, "/sms_mail", own);
    let code = server.code("%2B447700900456").unwrap();
    let form = format!("{own}&type=mobile&code={code}&password=correct-horse&re_password=correct-horse");
    post(&api, "/user/register", &form);
    let login = post(&api, "/user/login", &format!("{own}&password=correct-horse"));
    let (other, mail) = (api.with_token(login["message"].as_str().unwrap()), "email=bea@example.org");
    post(&other, "/safe/email/send", mail);
    post(&other, "/sms_mail", &format!("{own}&type=bind"));
    let (code, old) = (server.code("bea@example.org").unwrap(), server.code("%2B447700900456").unwrap());
    post(&other, "/safe/email", &format!("{mail}&code={code}&old_code={old}"));
    post(&other, "/safe/lock", "");
}

/// An authenticator of the new user: set up, used, taken away.
fn protection(asked: &Asked, user: &Api) {
    let post = |path: &str, fields: &str| asked.ask(user, "post", path, fields)["data"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let begun = post("/safe/totp/begin", "password=correct-horse");
    let secret = BASE32_NOPAD.decode(begun["secret"].as_str().unwrap().as_bytes()).unwrap();
    let (id, now) = (begun["id"].to_string(), step_now());
    let codes = format!("first_code={}&second_code={}", code_of(&secret, now - 1), code_of(&secret, now));
    let recovery = post("/safe/totp/confirm", &format!("id={id}&{codes}"))["recovery_codes"].clone();
    asked.keeps("an authenticator's secret", begun["secret"].as_str().unwrap(), &["/api/safe/totp/begin"]);
    asked.keeps("a recovery code", recovery[2].as_str().unwrap(), &["/api/safe/totp/confirm"]);
    asked.ask(user, "get", "/safe/state", "");
    let challenge = post("/safe/challenge", &format!("action=totp_remove&id={id}"))["challenge_id"].clone();
    let answer = |challenge: &Value, code: &Value| {
        format!("challenge_id={}&method=recovery&code={}", text(challenge), text(code))
    };
    let proof = post("/safe/prove", &answer(&challenge, &recovery[0]))["proof"].clone();
    let form = "user_string=ada@example.com&password=correct-horse";
    let refused = asked.server.api().raw("POST", "/api/user/login", &[FORM], form).body;
    let refusal = &asked.document["components"]["schemas"]["Refusal"];
    assert_eq!(wrong(&asked.document, refusal, &refused, "a second step"), None, "{refused}");
    let second = answer(&refused["challenge_id"], &recovery[1]);
    asked.ask(&asked.server.api(), "post", "/user/login/second", &second);
    post("/safe/totp/remove", &format!("id={id}&proof={}", text(&proof)));
    passkey(asked, user);
}

/// A passkey instead: made, used, taken away.
fn passkey(asked: &Asked, user: &Api) {
    let post = |path: &str, fields: &str| asked.ask(user, "post", path, fields);
    let device = Authenticator::new();
    let begun = post("/safe/passkey/begin", "password=correct-horse&label=phone");
    let fields: Vec<String> = made(&device, &begun).iter().map(|(name, text)| format!("{name}={text}")).collect();
    let id = post("/safe/passkey/finish", &fields.join("&"))["data"]["id"].clone();
    asked.ask(user, "get", "/safe/state", "");
    let anybody = asked.server.api();
    let begun = asked.ask(&anybody, "post", "/user/login/passkey/begin", "")["data"].clone();
    let account = asked.ask(user, "get", "/user/info", "")["message"]["id"].as_u64().unwrap();
    let (name, assertion) = (begun["challenge_id"].as_str().unwrap(), signed_by(&device, &begun["passkey"], account));
    let opened =
        asked.ask(&anybody, "post", "/user/login/passkey", &format!("challenge_id={name}&assertion={assertion}"));
    asked.keeps("a token by a passkey", opened["message"].as_str().unwrap(), &["/api/user/login/passkey"]);
    let challenge = post("/safe/challenge", &format!("action=passkey_remove&id={id}"))["data"].clone();
    let assertion = signed(&device, &challenge["passkey"], SITE);
    let name = challenge["challenge_id"].as_str().unwrap();
    let proved = post("/safe/prove", &format!("challenge_id={name}&method=passkey&assertion={assertion}"));
    let proof = proved["data"]["proof"].as_str().unwrap();
    post("/safe/passkey/remove", &format!("id={id}&proof={proof}"));
    post("/safe/mail_phrase", "phrase=cherry7&pay_password=correct-horse");
    cards(asked, user);
    asked.ask(user, "get", "/safe/state", "");
}

/// Bank cards: saved, shown, removed.
fn cards(asked: &Asked, user: &Api) {
    let post = |path: &str, fields: &str| asked.ask(user, "post", path, fields);
    let names = "real_name=Ada&bank_name=A bank&bank_dizhi=London&alipay_account=021000021&wechat_account=A street 1";
    let numbers = "bank_account=12345678&wechat_nickname=DEUTDEFF&bank_branch=City&phone=+44 7700 900123";
    post("/user/cash_save", &format!("{names}&{numbers}&pay_password=correct-horse"));
    post("/user/cash_info", "");
    let data = r#"["Ada","12345678","DEUTDEFF","A bank","A road 2","Germany","A street 1","030 123456"]"#;
    post("/user/cash_save_international", &format!("data={data}&pay_password=correct-horse"));
    post("/user/cash_info_international", "");
    post("/user/cash_delete", "type=1");
}

/// Live service: a user and a visitor write; one who nobody answers rates nothing yet.
fn conversations(asked: &Asked, demo: &Api) {
    let post = |who: &Api, path: &str, fields: &str| asked.ask(who, "post", path, fields);
    let opened = post(demo, "/chat/open", "topic=loan");
    let id = format!("id={}", opened["message"]["id"]);
    let said = post(demo, "/chat/send", &format!("{id}&client_id=a&content=hello"));
    let picture = crate::verification::upload(demo, "?kind=chat")["message"].clone();
    let picture = format!("image={}", picture.as_str().expect("a name"));
    post(demo, "/chat/send", &format!("{id}&client_id=b&{picture}"));
    asked.ask(demo, "get", "/chat/picture", &format!("{id}&{picture}"));
    asked.ask(demo, "get", "/chat/logs", &id);
    post(demo, "/chat/read", &format!("{id}&upto={}", said["message"]["id"]));
    post(demo, "/chat/typing", &id);
    let visitor = asked.server.api();
    let opened = post(&visitor, "/chat/open", "topic=support&lang=zh");
    let proof = opened["message"]["visitor_id"].as_str().expect("a name");
    let own = format!("id={}&visitor_id={proof}", opened["message"]["id"]);
    post(&visitor, "/chat/send", &format!("{own}&client_id=a&content=hi"));
    asked.ask(&visitor, "get", "/chat/logs", &own);
    crate::back_office::change(asked.server, &[crate::chat::CLOSE_ALL]);
    post(&visitor, "/chat/rate", &format!("{own}&stars=5"));
}

fn own_data(asked: &Asked, demo: &Api) {
    asked.ask(demo, "get", "/user/info", "");
    asked.ask(demo, "get", "/mailMessage/unread", "");
    let messages = asked.ask(demo, "get", "/mailMessage/getList", "kind=system&page=1&limit=10");
    let login = messages["message"]["list"][0]["id"].as_str().expect("its own login");
    asked.ask(demo, "get", "/mailMessage/detail", &format!("id={login}&kind=system"));
    asked.ask(demo, "post", "/mailMessage/read_all", "");
    drop(asked.server.demo("demo"));
    let sessions = asked.ask(demo, "get", "/user/sessions", "");
    let other = sessions["message"].as_array().unwrap().iter().find(|s| s["current"] == false).unwrap()["id"].clone();
    asked.ask(demo, "post", "/user/sessions/revoke", &format!("id={other}"));
    let keys = |call: &str, fields: &str| {
        asked.ask(demo, "post", &format!("/user/api_keys/{call}"), &format!("{fields}&pay_password=demo1234"))
    };
    let made = keys("create", &format!("label={LABEL}&scopes=read,trade&ips=10.0.0.0/8"));
    let id = &made["data"]["id"];
    asked.keeps("an API key's secret", made["data"]["secret"].as_str().unwrap(), &["/api/user/api_keys/create"]);
    keys("list", "");
    keys("update", &format!("id={id}&label={LABEL} either"));
    keys("confirm", &format!("id={id}"));
    keys("delete", &format!("id={id}"));
    let picture = image();
    let body = [
        b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n".as_slice(),
        &picture,
        b"\r\n--x--\r\n",
    ];
    let (status, text) = demo.post_bytes("/upload", "multipart/form-data; boundary=x", &body.concat());
    assert_eq!(status, 200, "{text}");
    asked.compare("post", "/upload", serde_json::from_str(&text).unwrap());
}

/// A picture of one point.
pub(crate) fn image() -> Vec<u8> {
    use base64::Engine;
    let text = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

fn orders(asked: &Asked, demo: &Api) {
    let pair = "currency_id=1&legal_id=3";
    let post = |path: &str, fields: &str| asked.ask(demo, "post", path, &format!("{pair}&{fields}"));
    let get = |path: &str, fields: &str| asked.ask(demo, "get", path, fields);
    let bought = post("/coin/trade", "type=1&order_type=market&amount=0.01")["data"]["id"].clone();
    let placed = |fields: &str| format!("id={}", post("/coin/trade", fields)["data"]["id"]);
    let limit = "type=1&order_type=limit&target_price=56000&amount=0.001&tif=GTC";
    asked.ask(demo, "post", "/coin/cancel", &placed(limit));
    asked.ask(demo, "put", "/coin/trade", &placed(&format!("{limit}&client_id=mine")));
    post("/coin/stop", "type=2&amount=0.001&trigger=stop_loss&trigger_price=50000");
    post("/coin/stop", "type=2&amount=0.001&trigger=stop_loss&trail=5");
    let two = post("/coin/oco", "type=2&amount=0.001&target_price=63000&trigger_price=50000&stop_price=49000");
    assert_eq!(two["data"]["ids"].as_array().map(Vec::len), Some(2), "{two}");
    assert_eq!(get("/coin/list", "status=1")["message"].as_array().map(Vec::len), Some(4));
    post("/coin/cancel_all", "");
    get("/coin/list", "limit=100");
    get("/coin/detail", &format!("id={bought}"));
    get("/coin/trades", pair);
    // What became of a request: of an order, of two, of one that nobody sent.
    let fields =
        [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.001")];
    demo.try_post("/coin/trade", &fields, Some("one")).unwrap();
    let two = [("type", "2"), ("target_price", "63000"), ("trigger_price", "50000")];
    demo.try_post("/coin/oco", &[&fields[..2], &two, &fields[4..]].concat(), Some("two")).unwrap();
    for (key, status) in [("one", "done"), ("two", "done"), ("none", "unknown")] {
        assert_eq!(get("/coin/request", &format!("key={key}"))["message"]["status"], status, "{key}");
    }
}

fn tickets(asked: &Asked, demo: &Api) {
    let pair = "currency_id=1&legal_id=3";
    let post = |path: &str, fields: &str| asked.ask(demo, "post", path, &format!("{pair}&{fields}"));
    eventually("the contract is live", || post("/lever/deal", "")["message"]["contract"]["live"] == true);
    let open = |fields: &str| {
        let opened = post("/lever/submit", &format!("multiple=100&{fields}"));
        format!("id={}", opened["data"]["id"])
    };
    let first = open("type=1&share=2&status=1&margin_mode=isolated");
    open("type=2&share=1&status=1&password=");
    let waits = open("type=1&share=1&status=0&target_price=50000&stop_loss_price=40000");
    asked.ask(&asked.server.api(), "post", "/lever/deal", pair);
    post("/lever/deal", "");
    post("/lever/dealall", "status=-1");
    asked.ask(demo, "post", "/lever/my_trade", "status=1");
    let ask = |path: &str, fields: &str| asked.ask(demo, "post", path, fields);
    ask("/lever/setstop", &format!("{first}&stop_loss_price=50000"));
    ask("/lever/close", &first);
    ask("/lever/cancel", &waits);
    post("/lever/batch_close", "type=0");
    assert_eq!(ask("/lever/my_trade", "status=-1")["message"]["message"]["total"], 3);
}

fn contracts(asked: &Asked, demo: &Api) {
    let pair = "currency_id=1&legal_id=3";
    let ask = |method: &str, call: &str, fields: &str| {
        asked.ask(demo, method, &format!("/contract/{call}"), &format!("{pair}&{fields}"))
    };
    for call in ["book", "funding", "insurance"] {
        asked.ask(&asked.server.api(), "get", &format!("/contract/{call}"), pair);
        ask("get", call, "");
    }
    ask("post", "terms", "multiple=10&margin_mode=isolated");
    let bought = "type=1&order_type=market&amount=0.01";
    eventually("the house sells", || ask("post", "order", bought)["data"]["status"] == 2);
    ask("post", "margin", "type=1&amount=5");
    let mark = ask("get", "book", "")["message"]["mark"].as_str().and_then(|mark| mark.parse::<f64>().ok());
    let resting = format!("type=1&order_type=limit&amount=0.01&target_price={:.0}", mark.expect("a mark") * 0.97);
    ask("post", "preview", &resting);
    let placed = ask("post", "order", &resting);
    for call in ["positions", "orders", "adl"] {
        assert!(!ask("get", call, "")["message"].is_null(), "{call}");
    }
    asked.ask(demo, "post", "/contract/cancel", &format!("id={}", placed["data"]["id"]));
    ask("post", "cancel_all", "");
}

fn deposits(asked: &Asked, demo: &Api, node: &PrivateNode) {
    eventually("the node is read", || {
        asked.ask(&asked.server.api(), "get", "/wallet/networks", "")["message"][0]["state"] == "open"
    });
    // Of a chain whose reserves are published.
    let told = asked.ask(&asked.server.api(), "get", "/por/reserves", "");
    assert_eq!(told["message"]["statements"][0]["assets"][0]["held"], "0.00000007");
    let address = asked.ask(demo, "post", "/wallet/get_in_address", "currency=1");
    let second = asked.ask(demo, "post", "/wallet/new_address", "currency=1&network=btc");
    let all = asked.ask(demo, "get", "/wallet/addresses", "currency=1");
    assert_eq!((&all["message"][0]["address"], &all["message"][1]), (&address["message"], &second["message"]));
    asked.ask(demo, "get", "/recharge/log", "");
    let to = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
    let form = format!("currency=1&network=BTC&address={to}&remark=cold&pay_password=demo1234");
    let saved = asked.ask(demo, "post", "/user/wallet/save", &form);
    asked.ask(demo, "get", "/user/wallet/list", "currency=1");
    node.pay(second["message"]["address"].as_str().unwrap(), "1").unwrap();
    node.mine(1).unwrap();
    let pending = || asked.ask(demo, "get", "/recharge/pending", "");
    eventually("it is on the way", || pending()["message"].as_array().is_some_and(|rows| !rows.is_empty()));
    node.mine(1).unwrap();
    let quote = format!("currency=1&number=0.5&address={to}");
    eventually("it is there", || {
        asked.ask(demo, "post", "/user/withdraw/quote", &quote)["message"]["available"] == "1"
    });
    let version = asked.ask(demo, "post", "/user/withdraw/quote", &quote)["message"]["version"].clone();
    let out = format!("{quote}&version={version}&type=0&pay_password=demo1234");
    let id = asked.ask(demo, "post", "/wallet/out", &out)["data"]["id"].clone();
    assert_eq!(asked.ask(demo, "get", "/user/withdraw/list", "")["message"]["data"][0]["id"], id);
    assert_eq!(asked.ask(demo, "get", "/user/withdraw/detail", &format!("id={id}"))["message"]["state"], "pending");
    asked.ask(demo, "post", "/user/withdraw/cancel", &format!("id={id}"));
    asked.ask(demo, "post", "/user/wallet/del", &format!("id={}", saved["data"]["id"]));
}

/// What of the address book is there without a chain, and the pay password.
fn book(asked: &Asked, demo: &Api) {
    asked.ask(demo, "get", "/user/wallet/list", "");
    asked.ask(demo, "get", "/user/wallet/whitelist", "");
    asked.ask(demo, "post", "/user/wallet/whitelist", "on=0&pay_password=demo1234");
    asked.ask(demo, "post", "/user/wallet/whitelist", "on=1");
    let name = "demo@example.com";
    asked.ask(demo, "post", "/sms_mail", &format!("user_string={name}&type=pay"));
    let code = asked.server.code(name).unwrap();
    let form = format!("password=payment-9&re_password=payment-9&code={code}");
    asked.ask(demo, "post", "/safe/update_password", &form);
}

fn wallets(asked: &Asked, demo: &Api) {
    let post = |path: &str, fields: &str| asked.ask(demo, "post", path, fields);
    asked.ask(demo, "get", "/walletList", "");
    asked.ask(demo, "get", "/wallet/list", "");
    post("/wallet/list", "show0=no");
    for wallet in ["legal", "spot", "option", "contracts", "earn"] {
        post(&format!("/wallet/{wallet}WalletList"), "");
    }
    for account in ["legal", "change", "lever", "micro"] {
        post("/wallet/detail", &format!("currency=3&type={account}"));
    }
    asked.ask(demo, "get", "/currency/user_currency_list", "");
    post("/wallet/change", "currency_id=3&number=5&from_field=legal&to_field=change");
    eventually("the transfer is written", || {
        let page = asked.ask(demo, "get", "/wallet/hzhistory", "");
        page["message"]["data"].as_array().is_some_and(|rows| !rows.is_empty())
    });
    post("/wallet/legal_log", "limit=100");
    let by_order = post("/wallet/legal_log", "by=order&limit=100");
    let rows = by_order["message"]["list"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["order"].is_object()), "{by_order}");
    let added = post("/optional/add", "currency_id=1&match_id=1");
    asked.ask(demo, "get", "/optional/list", "");
    post("/optional/del", &format!("id={}", added["message"]["id"]));
}

fn options(asked: &Asked, demo: &Api) {
    asked.ask(&asked.server.api(), "get", "/microtrade/seconds", "match_id=1");
    asked.ask(demo, "post", "/wallet/change", "currency_id=3&number=500&from_field=change&to_field=micro");
    asked.ask(demo, "get", "/microtrade/payable_currencies", "");
    let fields = [("match_id", "1"), ("currency_id", "3"), ("type", "1"), ("seconds", "11"), ("number", "10")];
    // A price that is a little old is refused.
    let opened = found("an option is opened", || {
        Some(demo.post("/microtrade/submit", &fields)).filter(|told| told["code"] == 1)
    });
    let opened = asked.compare("post", "/microtrade/submit", opened);
    asked.ask(demo, "get", "/microtrade/lists", "status=-1");
    let id = format!("id={}", opened["message"]["id"]);
    eventually("the option ended", || demo.get(&format!("/microtrade/get_result?{id}"))["message"]["status"] == 3);
    asked.ask(demo, "get", "/microtrade/get_result", &id);
    eventually("it is proved", || demo.get(&format!("/microtrade/proof?{id}"))["code"] == 1);
    asked.ask(&asked.server.api(), "get", "/microtrade/proof", &id);
}

/// A trader, a follower, and who wants to become a trader.
fn copying(asked: &Asked, demo: &Api) {
    let trader = asked.server.demo("trader");
    // Whose password was reset.
    let login = [("user_string", "demo2"), ("password", "another-horse")];
    let other = asked.server.api().post("/user/login", &login)["message"].clone();
    let other = asked.server.api().with_token(other.as_str().unwrap());
    let id = trader.get("/user/info")["message"]["id"].to_string();
    let of_trader = format!("trader_user_id={id}");
    asked.ask(demo, "post", "/follow/follow", &format!("{of_trader}&type=2&number=1"));
    let submit = |api: &Api| {
        let pair = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("status", "1")];
        let opened = api.post("/lever/submit", &[&pair[..], &[("share", "1"), ("multiple", "100")]].concat());
        opened["data"]["id"].as_u64().unwrap_or_else(|| panic!("{opened}")).to_string()
    };
    let close = |api: &Api, ticket: &str| assert_eq!(api.post("/lever/close", &[("id", ticket)])["code"], 1);
    let [first, second] = [(); 2].map(|()| submit(&trader));
    let mine = || asked.ask(demo, "get", "/follow/my", "")["message"].clone();
    eventually("both are copied", || demo.get("/follow/my")["message"]["total"] == 2);
    let copy = mine()["data"][0]["id"].to_string();
    asked.ask(demo, "post", "/follow/selfHolding", &format!("transaction_id={copy}"));
    close(&trader, &first);
    close(&trader, &second);
    eventually("they are in the store", || {
        trader.get(&format!("/follow/historyTrade?{of_trader}"))["message"]["total"] == 2
    });
    asked.ask(&asked.server.api(), "get", "/follow/historyTrade", &of_trader);
    asked.ask(demo, "get", "/follow/traderDetail", &of_trader);
    asked.ask(demo, "get", "/follow/index", "sort=yield");
    // With nothing in the futures wallet a copy is skipped.
    let held = demo.post("/lever/deal", &[("currency_id", "1"), ("legal_id", "3")])["message"]["user_lever"].clone();
    let all =
        [("currency_id", "3"), ("number", held.as_str().unwrap()), ("from_field", "lever"), ("to_field", "legal")];
    demo.post("/wallet/change", &all);
    let third = submit(&trader);
    eventually("it was skipped or copied", || {
        let skipped = demo.get("/follow/log")["message"]["total"] == 1;
        skipped || demo.get("/follow/my")["message"]["total"] == 1
    });
    asked.ask(demo, "get", "/follow/log", "");
    close(&trader, &third);
    asked.ask(demo, "post", "/follow/cancel", &format!("follow_user_id={id}"));
    for _ in 0..10 {
        let ticket = submit(&other);
        close(&other, &ticket);
    }
    eventually("ten are closed", || other.get("/follow/apply/state")["message"]["eligible"] == true);
    asked.ask(&other, "post", "/follow/apply", "intro=Trends");
    asked.ask(&other, "get", "/follow/apply/state", "");
}

/// Coupons: the code of the demo's campaign.
fn coupons(asked: &Asked, demo: &Api) {
    asked.ask(demo, "post", "/coupon/exchange", "code=welcome");
    let unused = asked.ask(demo, "get", "/coupon/list", "status=0");
    let id = unused["message"]["data"][0]["id"].to_string();
    asked.ask(demo, "post", "/coupon/use", &format!("id={id}"));
    eventually("it is written", || demo.get("/coupon/list?status=1")["message"]["total"] == 1);
    asked.ask(demo, "get", "/coupon/list", "status=1");
    asked.ask(demo, "get", "/coupon/list", "status=2");
}

fn stocks(asked: &Asked<'_>) {
    let api = asked.server.api();
    asked.ask(&api, "get", "/stock/calendar", "market=us");
    let of = "currency_id=10384&legal_id=3";
    eventually("it is written", || api.get(&format!("/stock/actions?{of}"))["code"] == 1);
    asked.ask(&api, "get", "/stock/actions", of);
}

/// Ticks and roots.
fn archive(asked: &Asked) {
    let api = asked.server.api();
    asked.ask(&api, "get", "/fair/key", "");
    asked.ask(&api, "get", "/por/reserves", "");
    let ticks = "symbol=BTC/USDT&from=1&to=3";
    eventually("they are archived", || api.get(&format!("/fair/ticks?{ticks}"))["code"] == 1);
    asked.ask(&api, "get", "/fair/ticks", ticks);
    // No hour is over yet: one of long ago is made up.
    let statement = [b"xng/ticks/1".as_slice(), &[0; 2 + 3 * 8 + 2 * 32]].concat();
    let statement: String = statement.iter().map(|byte| format!("{byte:02x}")).collect();
    let root = format!(r#"{{"statement":"{statement}","signature":"00","key":"{}"}}"#, "0".repeat(64));
    std::fs::write(asked.server.data_dir().join("ticks/1/7.root"), root).unwrap();
    asked.ask(&api, "get", "/fair/roots", "symbol=BTC/USDT&hour=7");
}

/// Before the start: a statement of reserves, made up.
fn statement(server: &Server) {
    let folder = server.data_dir().join("reserves");
    std::fs::create_dir_all(&folder).unwrap();
    let asset = json!({ "asset": "BTC", "contract": null, "decimals": 8, "units": "7" });
    let header = json!({ "format": "xng/reserves/1", "chain": "bitcoin", "name": "Bitcoin", "chain_id": null, "height": 9,
        "hash": "0".repeat(64), "time_ms": 1, "assets": [asset], "addresses": 1 });
    std::fs::write(folder.join(format!("{}.jsonl", "0".repeat(64))), format!("{header}\n")).unwrap();
}

fn conversions(asked: &Asked, demo: &Api) {
    let post = |path: &str, fields: &str| asked.ask(demo, "post", path, fields);
    post("/user/getTransferList", "");
    let pair = [("from_currency_id", "2"), ("to_currency_id", "3")];
    eventually("there is a price", || demo.post("/user/getTransferFee", &pair)["code"] == 1);
    post("/user/getTransferFee", "from_currency_id=2&to_currency_id=3&number=1");
    // It has no ether, and so little of it is dust.
    post("/user/Transfer", "number=3&from_currency_id=3&to_currency_id=2");
    let dust = asked.ask(demo, "get", "/convert/dust", "");
    assert_eq!(dust["message"]["rows"].as_array().map(Vec::len), Some(1), "{dust}");
    post("/convert/dust", "currency_ids=2&version=1");
    eventually("conversions are written", || {
        let page = asked.ask(demo, "get", "/user/Transfer/list", "");
        page["message"]["data"].as_array().is_some_and(|rows| rows.len() == 2)
    });
}
