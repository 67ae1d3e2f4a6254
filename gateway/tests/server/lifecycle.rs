//! Health, stops and backups of the real binary.

use crate::client::{Api, Server};
use crate::tool;
use serde_json::Value;
use std::os::unix::net::UnixDatagram;
use std::time::{Duration, Instant};

#[test]
fn a_stop_by_signal_ends_in_time_and_loses_nothing_while_the_house_quotes() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let order = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
    let id = api.post("/coin/trade", &order)["data"]["id"].clone();
    let began = Instant::now();
    let status = server.terminate();
    assert!(status.success(), "{status}: {}", server.log());
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let log = server.log();
    assert!(!log.contains("a vital part is broken"), "{log}");
    assert!(log.contains("\"message\":\"snapshot\""), "the next start folds nothing: {log}");
    let newest = newest_snapshot(&server);
    let stat = crate::tool::good(&crate::tool::tool(&server, &["journal", "stat", "--json"]));
    let stat: serde_json::Value = serde_json::from_str(&stat).unwrap();
    assert_eq!(stat["lsn"][1], newest, "the snapshot is of the last record");
    server.launch();
    let open = server.demo("demo").get_patiently("/coin/list?status=1");
    assert_eq!(open["message"][0]["id"], id);
}

/// Position of the newest snapshot.
fn newest_snapshot(server: &Server) -> u64 {
    let names = std::fs::read_dir(server.data_dir().join("snap")).unwrap().map(|e| e.unwrap().file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).max().unwrap()
}

/// What a server that drains answers to an order, a cancel and a question; none if it ended its connections before, as it does a
/// second after the signal.
fn told_while_it_drains(server: &Server, api: &Api) -> Option<[Value; 3]> {
    let order = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
    let id = api.post("/coin/trade", &order)["data"]["id"].as_u64().unwrap().to_string();
    server.send("TERM");
    let refused = loop {
        let answer = api.try_post("/coin/trade", &order, None).ok()?;
        // What was on its way when the signal came may still be taken.
        if !answer["data"]["id"].is_u64() {
            break answer;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let canceled = api.try_post("/coin/cancel", &[("id", &id)], None).ok()?;
    let read = api.try_post("/wallet/detail", &[("currency", "3"), ("type", "change")], None).ok()?;
    Some([refused, canceled, read])
}

#[test]
fn a_server_that_drains_takes_no_orders_but_cancels_and_says_so() {
    let mut server = Server::start(&[]);
    let mut told = None;
    // A slow machine may miss the second.
    for _ in 0..5 {
        server.wait_open("BTCUSDT");
        let api = server.demo("demo");
        api.post("/coin/cancel_all", &[]);
        told = told_while_it_drains(&server, &api);
        assert!(server.wait_end().success(), "{}", server.log());
        if told.is_some() {
            break;
        }
        server.launch();
    }
    let [refused, canceled, read] = told.expect("connections are open for a moment yet");
    assert_eq!((&refused["code"], &refused["type"]), (&1020.into(), &"error".into()), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("maintenance")), "{refused}");
    assert_eq!(canceled["type"], "ok", "{canceled}");
    assert_eq!(read["type"], "ok", "{read}");
}

#[test]
fn a_second_signal_skips_the_snapshot_and_ends_well_all_the_same() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    server.send("TERM");
    server.send("INT");
    assert!(server.wait_end().success(), "{}", server.log());
    let log = server.log();
    assert!(log.contains("stopping without a snapshot"), "{log}");
    let snapshots = std::fs::read_dir(server.data_dir().join("snap")).map_or(0, Iterator::count);
    assert_eq!(snapshots, 0, "a short run has none, and the stop made none");
    server.launch();
    server.wait_open("BTCUSDT");
}

#[test]
fn the_ops_port_answers_while_the_exchange_starts_and_the_public_port_refuses_until_it_is_ready() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    server.kill();
    server.spawn();
    let config = ureq::Agent::config_builder().http_status_as_error(false).build();
    let agent = ureq::Agent::from(config);
    let url = format!("http://127.0.0.1:{}/startupz", server.ops);
    let (until, mut phases) = (Instant::now() + Duration::from_secs(60), std::collections::BTreeSet::new());
    loop {
        assert!(Instant::now() < until, "it does not start: {}", server.log());
        let Ok(mut answer) = agent.get(&url).call() else { continue };
        let started = answer.status() == 200;
        let body: serde_json::Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
        assert_eq!(body["started"], started, "{body}");
        phases.insert(body["phase"].as_str().unwrap().to_owned());
        if started {
            assert!(body["lsn"].as_u64() > Some(0) && body["lsn"] == body["of"], "{body}");
            assert!(body["facts_per_second"].as_u64() > Some(0), "{body}");
            break;
        }
        let public = std::net::TcpStream::connect(("127.0.0.1", server.port));
        if let Err(error) = public {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused, "at once, not after a while");
            phases.insert("refused".into());
        }
        let ready = agent.get(format!("http://127.0.0.1:{}/readyz", server.ops)).call();
        assert!(ready.is_ok_and(|ready| ready.status() == 503 || server.is_ready()), "not before its time");
    }
    assert!(phases.len() > 2 && phases.contains("refused"), "{phases:?}");
    assert!(server.is_ready());
}

#[test]
fn a_second_server_touches_nothing_before_it_has_both_the_data_folder_and_the_address() {
    let server = Server::start(&[]);
    let mut second = server.twin();
    let elsewhere = second.scratch().join("elsewhere.db");
    second.set("XNG__STORE__URL", &format!("sqlite:{}", elsewhere.display()));
    assert_eq!(second.try_launch().expect_err("the folder is taken").code(), Some(1));
    assert!(second.log().contains("journal/LOCK") && !elsewhere.exists(), "{}", second.log());

    let mut third = Server::prepare(&[]);
    third.port = server.port;
    assert_eq!(third.try_launch().expect_err("the address is taken").code(), Some(1));
    assert!(third.log().contains("in use") && !third.data_dir().exists(), "{}", third.log());
    assert!(server.is_ready());
}

#[test]
fn readiness_says_why_and_status_shows_what_lags() {
    let server = Server::start(&[]);
    let ready = server.ops_get("/readyz");
    assert_eq!(ready["ready"], true, "{ready}");
    assert_eq!(ready["warnings"].as_array().map(Vec::len), Some(0), "{ready}");
    assert_eq!(server.ops_get("/livez")["live"], true);
    let status = server.ops_get("/status");
    for key in ["lag_seconds", "snapshot_failures", "house_refused", "feed_dropped", "sessions_cut"] {
        assert!(status[key].is_number(), "{key}: {status}");
    }
    assert_eq!((&status["persister_failed"], &status["snapshot_failing"]), (&false.into(), &false.into()), "{status}");
}

#[test]
fn an_older_office_beside_a_newer_journal_gives_nobody_elses_account_to_a_new_user() {
    let mut server = Server::start(&[]);
    let before: Vec<u64> = ["demo", "demo2", "trader"].iter().map(|name| uid(&server, name)).collect();
    server.kill();
    // A backup from before anybody registered.
    for name in ["office.db", "office.db-wal", "office.db-shm"] {
        let path = server.data_dir().join(name);
        assert!(!path.exists() || std::fs::remove_file(path).is_ok());
    }
    server.launch();
    for name in ["demo", "demo2", "trader"] {
        let id = uid(&server, name);
        assert!(id > *before.iter().max().unwrap(), "{name} got {id}, of {before:?}");
    }
}

/// A user's number; logging in gives the account its opening balance, and so a fact.
fn uid(server: &Server, name: &str) -> u64 {
    server.demo(name).get("/user/info")["message"]["id"].as_u64().unwrap()
}

#[test]
fn settings_in_force_are_logged_without_secrets() {
    let server = Server::start(&[]);
    let log = server.log();
    assert!(log.contains("settings in force") && log.contains("snapshot_every_records"), "{log}");
    assert!(!log.contains("demo1234"));
}

#[test]
fn every_answer_has_the_headers_that_keep_a_browser_safe() {
    let server = Server::start(&[("XNG__SERVER__BEHIND_TLS", "true")]);
    for path in ["/api/v3/ping", "/api/getSiteConfig", "/h5/", "/nowhere"] {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let url = format!("http://127.0.0.1:{}{path}", server.port);
        let answer = ureq::Agent::from(config).get(url).call().unwrap();
        let header = |name: &str| answer.headers().get(name).map_or("", |v| v.to_str().unwrap()).to_owned();
        let policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; frame-src 'self'; worker-src 'self'; frame-ancestors 'none'; \
                      base-uri 'self'; form-action 'self'; object-src 'none'";
        assert_eq!(header("content-security-policy"), policy, "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("x-frame-options"), "DENY", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(header("permissions-policy"), "geolocation=(), microphone=(), payment=()", "{path}");
        assert!(header("strict-transport-security").starts_with("max-age=63072000"), "{path}");
    }
}

#[test]
fn a_body_that_never_ends_is_answered_and_given_up() {
    use std::io::{Read, Write};
    let server = Server::start(&[("XNG__LIMITS__REQUEST_SECONDS", "1")]);
    let mut socket = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
    socket.write_all(b"POST /api/user/login HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nuser").unwrap();
    let mut answer = vec![0; 4_096];
    let n = socket.read(&mut answer).unwrap();
    let text = String::from_utf8_lossy(&answer[..n]);
    assert!(text.contains("check your orders"), "{text}");
}

#[test]
fn logins_logouts_and_resets_leave_audit_rows_that_verify() {
    use xng_persistence::office::{AuditFilter, Office};
    let server = Server::start(&[]);
    let api = server.demo("trader");
    assert_eq!(api.get("/user/logout")["type"], "ok");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let office = Office::open(&server.data_dir().join("office.db")).await.unwrap();
        office.verify_audit().await.unwrap();
        office.audit(&AuditFilter::default(), 10).await.unwrap()
    });
    let actions: Vec<&str> = rows.iter().map(|row| row.entry.action.as_str()).collect();
    assert_eq!(actions, ["logout", "login"]);
    assert!(rows.iter().all(|row| row.entry.actor.starts_with("user:") && row.entry.ip == "127.0.0.1"), "{rows:?}");
}

#[test]
fn a_market_that_crashed_twice_is_halted_and_the_rest_trades() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let buy = |currency| {
        [("currency_id", currency), ("legal_id", "3"), ("type", "1"), ("target_price", "1000"), ("amount", "0.01")]
    };
    let limit = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
    let placed = api.post("/coin/trade", &limit);
    assert_eq!(placed["type"], "ok", "{placed}");
    server.kill();
    // As two panics would have left it: kind 2 is a market, 1 its number.
    let lines = "1\t0201\tcaller\tone\n2\t0201\tcaller\ttwo\n";
    std::fs::write(server.data_dir().join("crashes.tsv"), lines).unwrap();
    server.launch();
    server.wait_open("ETHUSDT");
    let halted = &server.ops_get("/status")["halted"];
    assert_eq!(halted.as_array().map(Vec::len), Some(1), "{halted}");
    assert_eq!(api.post("/coin/trade", &limit)["type"], "error", "it takes no orders");
    let other = api.post("/coin/trade", &buy("2"));
    assert_eq!(other["type"], "error", "1,000 is far from the price of ETH: {other}");
    assert_eq!(other["code"], 1013, "it was judged by a market that is alive: {other}");
    let id = placed["data"]["id"].to_string();
    let canceled = api.post("/coin/cancel", &[("id", &id)]);
    assert_eq!(canceled["type"], "ok", "nobody's money is stuck: {canceled}");
}

#[test]
fn the_data_folder_is_this_users_alone_and_an_open_one_is_told_of() {
    use std::os::unix::fs::PermissionsExt;
    let mut server = Server::start(&[]);
    let mode = || std::fs::metadata(server.data_dir()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o700);
    let warned = |server: &Server| server.ops_get("/readyz")["warnings"].to_string().contains("open to others");
    assert!(!warned(&server));
    server.kill();
    std::fs::set_permissions(server.data_dir(), std::fs::Permissions::from_mode(0o755)).unwrap();
    server.launch();
    assert!(warned(&server));
    assert!(server.log().contains("the data folder is open to other users"));
}

#[test]
fn a_service_manager_is_told_when_the_exchange_is_ready_and_when_it_stops() {
    let mut server = Server::prepare(&[]);
    let path = server.scratch().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let reply = || {
        let mut text = [0; 64];
        let size = manager.recv(&mut text).expect("a word to the manager");
        String::from_utf8_lossy(&text[..size]).into_owned()
    };
    server.set("NOTIFY_SOCKET", path.to_str().unwrap());
    server.spawn();
    assert_eq!(reply().trim(), "READY=1");
    // The command knows of the server by its settings.
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    assert!(tool::good(&tool::tool(&server, &["ready"])).contains("\"ready\":true"), "not before it serves");
    assert!(server.terminate().success());
    assert_eq!(reply().trim(), "STOPPING=1");
    assert!(tool::bad(&tool::tool(&server, &["ready"]), 1).contains("not ready"));
}

#[test]
fn the_release_and_its_commit_are_told_by_the_binary_the_log_and_the_ops_port() {
    let server = Server::start(&[]);
    let output = server.command().arg("--version").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let status = server.ops_get("/status");
    let (release, commit) = (status["version"].as_str().unwrap(), status["commit"].as_str().unwrap());
    assert_eq!(release, env!("CARGO_PKG_VERSION"));
    assert_eq!(said.trim(), format!("exchange {release} (commit {commit})"));
    assert!(server.log().contains(&format!("\"version\":\"{release} (commit {commit})\"")), "{}", server.log());
}
