//! Reports and reconciliation of the back office on the real binary: numbers agree with what users did, files with their rows of the audit.

use crate::back_office::{Browser, change, open_office, person};
use crate::client::Server;
use crate::wait::eventually;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use xng_export::date;

const DAY_MS: u64 = 86_400_000;

fn today() -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u32::try_from(now.as_secs() / 86_400).unwrap()
}

/// Whose days they are, whatever the hour at which the test runs.
fn days() -> String {
    format!("since={}&until={}", date(today() - 1), date(today() + 1))
}

fn report(browser: &Browser, name: &str) -> Value {
    let (status, said) = browser.get(&format!("reports?report={name}&{}", days()));
    assert_eq!(status, 200, "{said}");
    said
}

/// The line of these keys; its totals by the names of measures.
fn line(report: &Value, key: &[&str]) -> Option<Vec<(String, f64)>> {
    let row = report["rows"].as_array().unwrap().iter().find(|row| row["key"] == json!(key))?;
    let names = report["measures"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap().to_owned());
    let number = |text: &Value| text.as_str().unwrap().parse::<f64>().unwrap();
    Some(names.zip(row["total"].as_array().unwrap().iter().map(number)).collect())
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-6
}

#[test]
fn reports_tell_what_was_done_and_files_are_in_the_audit() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let finance = person(&server, port, "fin", "finance", &[]);
    let auditor = person(&server, port, "aud", "audit", &[]);
    let support = person(&server, port, "sue", "support", &[]);

    let demo = server.demo("demo");
    let pair = [("currency_id", "1"), ("legal_id", "3"), ("type", "1")];
    let bought = demo.post("/coin/trade", &[&pair[..], &[("order_type", "market"), ("amount", "0.01")]].concat());
    let spent: f64 = bought["data"]["filled_total"].as_str().unwrap_or_else(|| panic!("{bought}")).parse().unwrap();

    // Volume and money agree with the order.
    let of_btc = ["spot", "BTCUSDT", "USDT"];
    eventually("the store has the trade", || line(&report(&finance, "volume"), &of_btc).is_some());
    let volume = line(&report(&finance, "volume"), &of_btc).unwrap();
    let of = |line: &[(String, f64)], name: &str| line.iter().find(|(known, _)| known == name).unwrap().1;
    assert!(of(&volume, "trades") >= 1.0 && close(of(&volume, "of_users"), spent), "{volume:?}, {spent}");
    assert!(close(of(&volume, "value"), spent), "the house was the other side");
    let money = report(&finance, "money");
    let flow = |who: &str, kind: &str, asset: &str| line(&money, &[who, "spot", kind, asset]).unwrap();
    assert!(close(of(&flow("users", "spot_trade", "USDT"), "flow_out"), spent), "{money}");
    let got = of(&flow("users", "spot_trade", "BTC"), "flow_in");
    assert!(close(got, 0.01) || close(got, 0.009_99), "{money}");
    assert!(close(of(&flow("fee", "fee_income", "BTC"), "flow_in"), 0.000_01), "{money}");
    let total: f64 =
        money["rows"].as_array().unwrap().iter().filter(|row| row["key"][3] == "BTC").fold(0.0, |sum, row| {
            let number = |at: usize| row["total"][at].as_str().unwrap().parse::<f64>().unwrap();
            sum + number(1) - number(2)
        });
    assert!(close(total, 0.0), "what one gives another gets: {total}");
    assert_eq!(money["days"], json!([date(today() - 1), date(today()), date(today() + 1)]));

    // Users and waits are the office's.
    let id = demo.get("/user/info")["message"]["id"].as_u64().unwrap();
    let sent = u64::from(today()) * DAY_MS;
    change(
        &server,
        &[&format!(
            "INSERT INTO verifications (user, level, state, submitted_ms, decided_by, decided_ms) \
             VALUES ({id}, 2, 3, {sent}, 1, {})",
            sent + 90_500
        )],
    );
    let users = report(&auditor, "users");
    assert!(of(&line(&users, &["registered"]).unwrap(), "users") >= 1.0, "{users}");
    assert_eq!(of(&line(&users, &["advanced verification failed"]).unwrap(), "users"), 1.0);
    let waiting = report(&auditor, "waiting");
    let waits = line(&waiting, &["verification until decided"]).unwrap();
    assert_eq!(waits.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [1.0, 90.0, 90.0, 90.0], "{waiting}");

    // What is asked wrongly, and by whom it is not asked.
    for wrong in [
        format!("report=profit&{}", days()),
        "report=money&since=2026-02-30&until=2026-03-01".into(),
        "report=money&since=2026-03-02&until=2026-03-01".into(),
        "report=money&since=2026-01-01&until=2026-04-03".into(),
        "report=money".into(),
    ] {
        assert_eq!(finance.get(&format!("reports?{wrong}")).0, 400, "{wrong}");
    }
    assert_eq!(support.get(&format!("reports?report=money&{}", days())).0, 403);
    assert_eq!(finance.get(&format!("reports/file?report=money&{}", days())).0, 400, "no format");
    let file =
        |until: &str| finance.get(&format!("reports/file?report=money&format=csv&since=2025-01-01&until={until}")).0;
    assert_eq!((file("2026-01-01"), file("2026-01-02")), (200, 400), "366 days at most");
    assert_eq!(support.get(&format!("reports/file?report=money&format=csv&{}", days())).0, 403);

    // Files say where they are from, and the audit has their hashes.
    for format in ["csv", "parquet"] {
        let (head, file) = finance.file(&format!("reports/file?report=volume&format={format}&{}", days()));
        let name = format!("volume_{}_{}.{format}", date(today() - 1), date(today() + 1));
        assert_eq!(head, format!("attachment; filename=\"{name}\""));
        let noted = auditor.get("audit?action=take%20report").1["rows"][0].clone();
        assert_eq!((&noted["actor"], &noted["subject"]), (&json!("fin@staff-1"), &json!("report:volume")));
        let hash: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((&noted["detail"]["sha256"], &noted["detail"]["format"]), (&json!(hash), &json!(format)));
        if format == "csv" {
            let text = String::from_utf8(file).unwrap();
            assert!(text.starts_with("# report volume, since ") && text.contains("by fin@staff-1\n"), "{text}");
            assert!(text.contains("day,product,market,asset,trades,value,of_users\n"), "{text}");
            assert!(text.contains(",spot,BTCUSDT,USDT,"), "{text}");
        } else {
            assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
        }
    }
    // Every asset adds up to nothing.
    let (status, told) = finance.get("reconciliation");
    assert_eq!(status, 200, "{told}");
    let assets = told["assets"].as_array().unwrap();
    assert!(assets.len() >= 2 && assets.iter().all(|row| row["difference"] == "0"), "{told}");
    let usdt = assets.iter().find(|row| row["asset"] == "USDT").unwrap();
    assert!(usdt["users"].as_str().unwrap().parse::<f64>().unwrap() > 0.0, "{usdt}");
    assert_eq!((&told["audit"]["broken"], &told["store"]["failing_s"]), (&json!(false), &Value::Null));
    assert_eq!(support.get("reconciliation").0, 403);
}
