//! The wall clock is set, stopped and turned back under a running exchange (libfaketime), and lies wrong at a start.

use crate::client::Server;
use crate::harness::{cycles, logged};
use crate::load;
use crate::promises::Row;
use crate::wait::{eventually, found};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The cell's clock and the gateway's follow the wall each by itself.
const CLOCKS_APART_MS: i64 = 50;

/// The library that tells a process another time.
fn libfaketime() -> PathBuf {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let places = folders.iter().map(|folder| Path::new(folder).join("faketime/libfaketime.so.1"));
    let found = places.into_iter().find(|place| place.exists());
    found.expect("libfaketime is missing: install the package libfaketime (scripts/setup.sh test)")
}

/// A wall clock that can be set at any moment; the monotonic one stays as it is.
struct Wall(PathBuf);

impl Wall {
    /// Of the next starts of a server.
    fn of(server: &mut Server) -> Wall {
        let wall = Wall(server.scratch().join("wall"));
        wall.set("+0");
        server.set("LD_PRELOAD", libfaketime().to_str().unwrap());
        server.set("FAKETIME_TIMESTAMP_FILE", wall.0.to_str().unwrap());
        server.set("FAKETIME_NO_CACHE", "1");
        server.set("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        wall
    }

    /// `+2h`: that much off; a date: the clock stands there.
    fn set(&self, to: &str) {
        let new = self.0.with_extension("new");
        std::fs::write(&new, format!("{to}\n")).unwrap();
        std::fs::rename(new, &self.0).unwrap();
    }
}

fn server_ms(server: &Server) -> i64 {
    server.api().raw_get("/api/v3/time")["serverTime"].as_i64().unwrap()
}

/// The creation times of a user's orders, in the order of their ids.
fn stamps(user: &load::User) -> Vec<i64> {
    let rows = user.history("/coin/list?limit=100")["message"].clone();
    let mut rows: Vec<Value> = rows.as_array().unwrap().clone();
    rows.sort_by_key(|row| row["id"].as_u64());
    rows.iter().map(|row| row["created_at_ms"].as_i64().unwrap()).collect()
}

#[test]
fn a_wall_clock_that_jumps_or_stops_moves_no_time_that_users_see() {
    let mut server = Server::prepare(&[]);
    let wall = Wall::of(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    // As when summer time was set by hand, forgotten and taken back; a stop; hours there and back.
    let jumps = ["+2h", "-2h", "+1h", "+0", "2001-01-01 00:00:00", "-2h", "+0"];
    let rounds = cycles(1).div_ceil(10);
    let (began, real) = (server_ms(&server), std::time::Instant::now());
    let mut last = began;
    for (jump, to) in jumps.iter().cycle().take(jumps.len() * rounds).enumerate() {
        wall.set(to);
        load::trade_while(&users, 1, || {
            for _ in 0..20 {
                let now = server_ms(&server);
                assert!(now >= last, "{now} after {last}, with the wall clock at {to}");
                last = now;
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        last = server_ms(&server);
        for user in &users {
            let stamps = stamps(user);
            assert!(
                stamps.is_sorted() && stamps.iter().all(|at| (began - 60_000..=last + CLOCKS_APART_MS).contains(at)),
                "{to}: {stamps:?}"
            );
        }
        // Later ones would be too many from one address.
        if jump < jumps.len() {
            sessions_and_codes_behave(&server, to);
        }
    }
    let (reply, passed) = (last - began, real.elapsed().as_millis() as i64);
    assert!((reply - passed).abs() < 5_000, "{reply} ms were told, {passed} ms passed");
    server.wait_persisted();
    // The stamps never ran ahead, so the right time is good enough for the next start.
    server.kill();
    server.launch();
    server.wait_persisted();
    let (promise, how) = ("the wall clock is set", "by hours to and fro, and a stop");
    let tried = jumps.len() * rounds;
    let row = Row { promise, how, tried, starts: server.starts()[1..].to_vec(), ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}

/// Who is logged in stays so; a new login and a code work at once.
fn sessions_and_codes_behave(server: &Server, to: &str) {
    let api = server.demo("demo");
    assert_eq!(api.get("/user/info")["type"], "ok", "a new session lives with the wall clock at {to}");
    let address = format!("c{}@example.org", server_ms(server));
    let mailed = server.api().post("/sms_mail", &[("user_string", &address), ("type", "register")]);
    assert_eq!(mailed["type"], "ok", "a code with the wall clock at {to}: {mailed}");
    let code = server.code(&address).expect("a code was mailed");
    let checked = server.api().post("/user/check_email", &[("user_string", &address), ("email_code", &code)]);
    assert_eq!(checked["type"], "ok", "the code is good with the wall clock at {to}: {checked}");
}

#[test]
fn a_start_before_the_journals_last_record_is_refused_until_the_clock_is_right() {
    let mut server = Server::prepare(&[]);
    let wall = Wall::of(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    load::trade_while(&users, 1, || std::thread::sleep(Duration::from_millis(500)));
    server.kill();
    for behind in ["-2h", "2001-01-01 00:00:00"] {
        wall.set(behind);
        let status = server.try_launch().expect_err("time would go back");
        assert_eq!(status.code(), Some(1), "{}", server.log());
        let said = logged(&server, "the exchange does not start");
        let why = said.last().map_or(String::new(), ToString::to_string);
        assert!(why.contains("set the clock, then start again"), "{why}");
        assert!(why.contains("the journal's last record is from 20") && why.contains(" s later"), "both times: {why}");
    }
    wall.set("+0");
    server.launch();
    server.wait_persisted();
    let (promise, how) = ("the wall clock is set", "a start before the last record is refused");
    let row = Row { promise, how, tried: 2, starts: server.starts()[1..].to_vec(), ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}

/// What the ops port says, be it ready or not; none while it does not answer.
fn ops_text(server: &Server, path: &str) -> Option<String> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.get(format!("http://127.0.0.1:{}{path}", server.ops)).call().ok()?;
    answer.body_mut().read_to_string().ok()
}

/// An option of a minute, by its number; it asks until there is a price.
fn option_of_a_minute(server: &Server) -> Value {
    let api = server.demo("demo");
    let moved = [("currency_id", "3"), ("number", "100"), ("from_field", "change"), ("to_field", "micro")];
    assert_eq!(api.post("/wallet/change", &moved)["code"], 1);
    let fields = [("match_id", "1"), ("currency_id", "3"), ("type", "1"), ("seconds", "60"), ("number", "10")];
    found("an option is opened", || {
        let answer = api.post("/microtrade/submit", &fields);
        (answer["code"] == 1).then(|| answer["message"]["id"].clone())
    })
}

#[test]
fn a_start_a_little_before_the_last_record_waits_for_the_clock() {
    const BEHIND_S: f64 = 20.0;
    let mut server = Server::prepare(&[]);
    let wall = Wall::of(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    // What it takes from the wallet of trades is gone before the load begins.
    let option = option_of_a_minute(&server);
    let users = load::users(&server);
    load::trade_while(&users, 1, || std::thread::sleep(Duration::from_millis(500)));
    let last = server_ms(&server);
    server.kill();
    wall.set(&format!("-{BEHIND_S}"));
    server.spawn();
    found("it says that it waits", || {
        let said: Value = serde_json::from_str(&ops_text(&server, "/startupz")?).ok()?;
        (said["phase"] == "waiting for the clock" && said["clock"].to_string().contains("waited for it")).then_some(())
    });
    assert!(!server.is_ready(), "nothing is taken meanwhile");
    eventually("it is ready", || server.is_ready());
    assert!(server.log().contains("the start waits for it"), "{}", server.log());
    for (path, name) in [("/status", "clock"), ("/readyz", "warnings")] {
        assert!(server.ops_get(path)[name].to_string().contains("waited for it"), "{path}");
    }
    let (metrics, name) = (ops_text(&server, "/metrics").unwrap(), "xng_start_clock_behind_seconds ");
    let behind: f64 = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap();
    assert!((1.0..=BEHIND_S).contains(&behind), "{behind}");
    assert!(server_ms(&server) >= last, "time does not go back");
    let api = server.demo("demo");
    let state = || api.get(&format!("/microtrade/get_result?id={option}"))["message"]["status"].clone();
    assert_eq!(state(), 1, "an option of a minute is open");
    server.wait_open("BTCUSDT");
    load::trade_while(&users, 1, || std::thread::sleep(Duration::from_millis(500)));
    for user in &users {
        let stamps = stamps(user);
        assert!(stamps.is_sorted(), "{stamps:?}");
    }
    eventually("it ends by its own time", || state() == 3);
    wall.set("+0");
    let (promise, how) = ("the wall clock is set", "a start a little before the last record waits");
    let row = Row { promise, how, tried: 1, starts: server.starts()[1..].to_vec(), ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}

#[test]
fn a_clock_that_was_ahead_at_one_start_does_not_close_the_exchange_until_that_time_comes() {
    let mut server = Server::prepare(&[]);
    let wall = Wall::of(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let trade = |users: &[load::User]| {
        load::trade_while(users, 1, || std::thread::sleep(Duration::from_millis(500)));
    };
    let right = server_ms(&server);
    assert!(server.ops_get("/startupz")["clock"].is_null());
    server.kill();

    wall.set("+400d");
    server.launch();
    assert!(server.log().contains("the clock is far ahead of the journal's last record"));
    for (path, name) in [("/startupz", "clock"), ("/status", "clock"), ("/readyz", "warnings")] {
        let reply = server.ops_get(path)[name].to_string();
        assert!(reply.contains("jumped more than a day ahead"), "{path}: {reply}");
    }
    let users = load::users(&server);
    trade(&users);
    let ahead = server_ms(&server);
    assert!(ahead > right + 399 * 86_400_000, "{ahead} after {right}");
    server.kill();

    wall.set("+0");
    let status = server.try_launch().expect_err("time would go back");
    assert_eq!(status.code(), Some(1), "{}", server.log());
    let why = logged(&server, "the exchange does not start").last().map_or(String::new(), ToString::to_string);
    assert!(why.contains("last_stamp"), "{why}");
    server.set("XNG__CLOCK__START", "last_stamp");
    server.launch();
    server.wait_open("BTCUSDT");
    let status = server.ops_get("/status");
    assert!(status["clock"].as_str().is_some_and(|text| text.contains("went on from the last record")), "{status}");
    assert!(status["clock_offset_ms"].as_i64().is_some_and(|ms| ms < -399 * 86_400_000), "{status}");
    trade(&users);
    let now = server_ms(&server);
    assert!((ahead..ahead + 600_000).contains(&now), "{now} goes on from {ahead}");
    for user in &users {
        let stamps = stamps(user);
        assert!(stamps.is_sorted() && stamps.last().is_none_or(|last| *last <= now + CLOCKS_APART_MS), "{stamps:?}");
    }
    let (promise, how) = ("the wall clock is set", "a start that was 400 days ahead, then the last stamp");
    let row = Row { promise, how, tried: 2, starts: server.starts()[1..].to_vec(), ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}
