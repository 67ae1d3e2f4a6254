//! Codes and notices by mail and as texts, through the real binary, a mail server and a hook (`docs/rules/authentication.md "Outbox"`).

mod hook_server;
mod mail_server;

use crate::client::{Server, free_port};
use crate::metrics::scrape;
use crate::wait::eventually;
use hook_server::HookServer;
use mail_server::{Mail, MailServer, Manner};
use ring::hmac;
use serde_json::Value;
use sqlx::{Connection, SqliteConnection};
use std::collections::BTreeSet;

const MAIL: &str = "carol@example.org";
const PHONE: [(&str, &str); 2] = [("user_string", "7700900123"), ("area_code", "44")];
const PASSWORD: &str = "a-longer-word-9";
const SECRET: &str = "of-this-test-alone";

/// A server whose mails leave by a port of this machine.
fn mailing(port: u16) -> Server {
    Server::prepare(&[
        ("XNG__MAIL__HOST", "127.0.0.1"),
        ("XNG__MAIL__PORT", &port.to_string()),
        ("XNG__MAIL__TLS", "none"),
        ("XNG__MAIL__FROM", "Meridian <no-reply@example.com>"),
    ])
}

/// A server whose texts leave by a hook at a port of this machine.
fn texting(port: u16) -> Server {
    let mut server = Server::prepare(&[("XNG__SMS__URL", &format!("http://127.0.0.1:{port}/send"))]);
    let secret = server.scratch().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).unwrap();
    server.set("XNG__SMS__SECRET_FILE", secret.to_str().unwrap());
    server
}

/// Asks for a code to register.
fn ask(server: &Server, mail: &str, lang: &str) {
    let asked = server.api().post("/sms_mail", &[("user_string", mail), ("lang", lang)]);
    assert_eq!(asked["type"], "ok", "{asked}");
}

fn code_in(text: &str) -> &str {
    let at = text.find(|c: char| c.is_ascii_digit()).unwrap_or_else(|| panic!("no code: {text}"));
    &text[at..at + 6]
}

/// A figure of a channel.
fn figure(server: &Server, name: &str, channel: &str) -> f64 {
    scrape(server).sum(&format!("xng_outbox_{name}"), &[("channel", channel)])
}

/// Changes the office database of a server that does not run.
fn change(server: &Server, sql: &'static str) {
    let path = server.data_dir().join("office.db");
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut file = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        assert_eq!(sqlx::query(sql).execute(&mut file).await.unwrap().rows_affected(), 1);
        file.close().await.unwrap();
    });
}

fn ids(mails: &[Mail]) -> BTreeSet<String> {
    mails.iter().map(|mail| mail.header("Message-ID")).collect()
}

#[test]
fn a_code_comes_by_mail_in_the_language_of_the_call_and_makes_an_account() {
    let mails = MailServer::start(Manner::Takes);
    let mut server = mailing(mails.port);
    let password = server.scratch().join("password");
    std::fs::write(&password, "hunter2\n").unwrap();
    server.set("XNG__MAIL__USER", "exchange");
    server.set("XNG__MAIL__PASSWORD_FILE", password.to_str().unwrap());
    server.launch();
    for (n, (lang, subject, words)) in [
        ("fra", "=?utf-8?", "Votre code d’inscription est "),
        ("jp", "=?utf-8?", "登録用の認証コードは "),
        ("en", "Your verification code", "Your code to register is "),
    ]
    .into_iter()
    .enumerate()
    {
        let to = format!("carol{n}@example.org");
        ask(&server, &to, lang);
        eventually("the mail comes", || mails.mails().len() > n);
        let mail = &mails.mails()[n];
        assert_eq!(mail.recipients, [to.as_str()]);
        assert_eq!((mail.header("To"), mail.header("From")), (to.clone(), "Meridian <no-reply@example.com>".into()));
        assert!(mail.part("text/plain").starts_with(words), "{}", mail.text);
        assert!(mail.header("Subject").contains(subject), "{}", mail.text);
        let code = code_in(&mail.part("text/plain")).to_owned();
        let page = mail.part("text/html");
        assert!(page.contains(&code) && page.contains(words.trim_end()), "{page}");
        let fields = [("user_string", to.as_str()), ("code", &code), ("password", PASSWORD), ("re_password", PASSWORD)];
        assert_eq!(server.api().post("/user/register", &fields)["type"], "ok");
    }
    assert_eq!(ids(&mails.mails()).len(), 3);
    assert!(mails.logins().iter().all(|login| login == "\0exchange\0hunter2") && !mails.logins().is_empty());

    // An account that is there already is told so, and nobody else.
    ask(&server, "demo@example.com", "vi");
    eventually("the notice comes", || mails.mails().len() > 3);
    assert_eq!(mails.mails()[3].recipients, ["demo@example.com"]);
    assert!(mails.mails()[3].part("text/plain").contains("đăng ký bằng liên hệ này"));

    // The dev mailbox still has what does not leave.
    assert_eq!(server.ops_get("/dev/mailbox"), Value::Array(Vec::new()));
    assert_eq!(server.api().post("/sms_mail", &PHONE)["type"], "ok");
    assert_eq!(server.ops_get("/dev/mailbox")[0]["to"], "+447700900123");

    eventually("all are noted", || figure(&server, "sent_total", "mail") == 4.0);
    assert!(!server.log().contains("hunter2"));
    server.kill();
    // What was sent has no text any more, what is shown has it sealed.
    let files =
        ["office.db", "office.db-wal"].map(|name| std::fs::read(server.data_dir().join(name)).unwrap_or_default());
    let has = |word: &str| files.iter().any(|file| file.windows(word.len()).any(|part| part == word.as_bytes()));
    assert!(has("Your verification code") && !has("Your code to register"));
}

#[test]
fn a_mail_server_that_comes_back_gets_what_waited_and_what_it_put_off_comes_again() {
    let port = free_port();
    let mut server = mailing(port);
    server.launch();
    ask(&server, MAIL, "en");
    eventually("an attempt failed", || figure(&server, "retried_total", "mail") > 0.0);
    assert!(server.is_ready(), "an outage of mails is none of the exchange");
    assert_eq!(figure(&server, "waiting", "mail"), 1.0);
    let mails = MailServer::start_at(port, Manner::Refuses("451 4.7.1 come later"));
    let before = figure(&server, "retried_total", "mail");
    eventually("it is put off", || figure(&server, "retried_total", "mail") > before);
    mails.behave(Manner::Takes);
    eventually("it is sent", || figure(&server, "sent_total", "mail") == 1.0);
    assert_eq!(mails.mails().len(), 1);
    eventually("none waits", || figure(&server, "waiting", "mail") == 0.0);
    assert_eq!(figure(&server, "oldest_seconds", "mail"), 0.0);
    assert!(server.log().contains("the mail server answered 451") && !server.log().contains("come later"));
}

#[test]
fn a_mail_that_is_refused_for_good_is_not_tried_again() {
    let mails = MailServer::start(Manner::Refuses("550 5.1.1 nobody"));
    let mut server = mailing(mails.port);
    server.launch();
    ask(&server, MAIL, "en");
    eventually("it failed", || figure(&server, "failed_total", "mail") == 1.0);
    mails.behave(Manner::Takes);
    // The next one is sent; had the first one been tried again, it would have been sent before.
    ask(&server, "dave@example.org", "en");
    eventually("the next one comes", || figure(&server, "sent_total", "mail") == 1.0);
    assert_eq!(mails.mails()[0].recipients, ["dave@example.org"]);
    eventually("none waits", || figure(&server, "waiting", "mail") == 0.0);
    assert_eq!(figure(&server, "retried_total", "mail"), 0.0);
}

#[test]
fn a_mail_whose_sending_was_not_noted_comes_again_under_the_same_id() {
    let mails = MailServer::start(Manner::Holds);
    let mut server = mailing(mails.port);
    server.launch();
    ask(&server, MAIL, "en");
    eventually("the mail comes", || mails.mails().len() == 1);
    server.kill();
    server.launch();
    eventually("it comes again", || mails.mails().len() == 2);
    // The server says nothing: a stop does not wait for it.
    assert!(server.terminate().success());
    mails.behave(Manner::Takes);
    server.launch();
    eventually("it is sent", || figure(&server, "sent_total", "mail") == 1.0);
    let mails = mails.mails();
    assert_eq!((mails.len(), ids(&mails).len()), (3, 1), "the same mail three times");
    assert_eq!(mails[0].part("text/plain"), mails[2].part("text/plain"));
    assert_eq!(mails[0].header("Date"), mails[2].header("Date"));
}

#[test]
fn a_code_is_not_sent_once_it_is_too_old_and_nothing_is_sent_to_another_recipient() {
    for (sql, says) in [
        ("UPDATE outbox SET expires_ms = created_ms + 1", ""),
        ("UPDATE outbox SET destination = 'eve@example.org'", "another office.key"),
        ("UPDATE outbox SET destination = destination || char(13, 10) || 'Bcc: eve@example.org'", "another office.key"),
    ] {
        let port = free_port();
        let mut server = mailing(port);
        server.launch();
        ask(&server, MAIL, "en");
        eventually("an attempt failed", || figure(&server, "retried_total", "mail") > 0.0);
        server.kill();
        change(&server, sql);
        let mails = MailServer::start_at(port, Manner::Takes);
        server.launch();
        eventually("it is given up", || figure(&server, "failed_total", "mail") == 1.0);
        eventually("none waits", || figure(&server, "waiting", "mail") == 0.0);
        assert_eq!(mails.mails().len(), 0, "{sql}");
        assert!(server.log().contains(says), "{sql}");
    }
    let mut server = mailing(free_port());
    server.launch();
    let split = server.api().post("/sms_mail", &[("user_string", "a@example.org\r\nBcc: eve@example.org")]);
    assert_eq!(split["code"], 1001, "{split}");
}

#[test]
fn a_code_goes_to_a_phone_by_a_hook_that_knows_us_by_the_signature() {
    let hook = HookServer::start(&[503]);
    let mut server = texting(hook.port);
    server.launch();
    let asked = server.api().post("/sms_mail", &[PHONE[0], PHONE[1], ("lang", "tr")]);
    assert_eq!(asked["type"], "ok", "{asked}");
    eventually("it is sent", || figure(&server, "sent_total", "sms") == 1.0);
    let asked = hook.asked();
    assert_eq!(asked.len(), 2, "503 is tried again");
    for one in &asked {
        let signed = format!("{}.{}", one.header("x-exchange-timestamp"), one.body);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), signed.as_bytes());
        let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(one.header("x-exchange-signature"), digits);
        assert_eq!(one.header("content-type"), "application/json");
    }
    let [first, second] = [0, 1].map(|n| serde_json::from_str::<Value>(&asked[n].body).unwrap());
    assert_eq!(first, second, "the same id at each attempt");
    assert_eq!((&first["to"], &first["lang"]), (&"+447700900123".into(), &"tr".into()));
    let text = first["text"].as_str().unwrap();
    assert!(text.starts_with("Meridian: Kayıt kodunuz: "), "{text}");
    let fields = [PHONE[0], PHONE[1], ("type", "mobile"), ("code", code_in(text))];
    let made = server
        .api()
        .post("/user/register", &[&fields[..], &[("password", PASSWORD), ("re_password", PASSWORD)]].concat());
    assert_eq!(made["type"], "ok", "{made}");
    assert!(!server.log().contains(SECRET));
}

#[test]
fn a_hook_that_is_dead_or_refuses_ends_nothing_but_its_message() {
    let hook = HookServer::start(&[422]);
    let mut server = texting(hook.port);
    server.launch();
    assert_eq!(server.api().post("/sms_mail", &PHONE)["type"], "ok");
    eventually("it failed", || figure(&server, "failed_total", "sms") == 1.0);
    drop(hook);
    let other = [("user_string", "7700900124"), ("area_code", "44")];
    assert_eq!(server.api().post("/sms_mail", &other)["type"], "ok");
    eventually("an attempt failed", || figure(&server, "retried_total", "sms") > 0.0);
    assert!(server.is_ready());
    // Mails have a way of their own: here the dev mailbox.
    ask(&server, MAIL, "en");
    assert!(server.code(MAIL).is_some());
}

#[test]
fn texts_cost_money_so_there_are_so_many_an_hour_and_to_some_areas() {
    let hook = HookServer::start(&[]);
    let mut server = texting(hook.port);
    server.set("XNG__SMS__MOST_AN_HOUR", "1");
    server.change_setting("areas = []", "areas = [\"44\"]");
    server.launch();
    let ask = |number: &str, area: &str| {
        server.api().post("/sms_mail", &[("user_string", number), ("area_code", area)])["code"].clone()
    };
    assert_eq!(ask("4155550100", "1"), 1006, "another area");
    assert_eq!(ask("7700900123", "44"), 1);
    assert_eq!(ask("7700900124", "44"), 1018, "whoever asks");
    assert_eq!(server.api().post("/sms_mail", &[("user_string", MAIL)])["code"], 1, "mails are others");
}

#[test]
fn where_nothing_is_sent_a_wish_for_a_code_is_refused_and_counts_nothing() {
    let server = Server::start(&[("XNG__AUTH__DEV_MAILBOX", "false")]);
    for _ in 0..2 {
        let mail = server.api().post("/sms_mail", &[("user_string", MAIL)]);
        assert_eq!(
            (&mail["code"], &mail["message"]),
            (&1006.into(), &"E-mails are not sent here. Please use a phone.".into())
        );
        assert_eq!(server.api().post("/sms_mail", &PHONE)["code"], 1006);
    }
}

#[test]
fn a_start_names_the_setting_of_messages_that_is_wrong() {
    let mut server = mailing(free_port());
    server.set("XNG__MAIL__HOST", "mail.example");
    assert!(server.try_launch().is_err());
    assert!(server.log().contains("mail.tls"), "{}", server.log());
    let mut server = texting(free_port());
    server.set("XNG__SMS__SECRET_FILE", "/nowhere/secret");
    assert!(server.try_launch().is_err());
    assert!(server.log().contains("sms.secret_file") && server.log().contains("/nowhere/secret"), "{}", server.log());
}
