//! The only disk is destroyed: what a backup holds, and what the persister had written to a Postgres elsewhere, survives.

use crate::client::Server;
use crate::harness::one_pair_only;
use crate::load::{self, Memory, User};
use crate::promises::Row;
use crate::tool::{good, tool};
use crate::wait::eventually;
use xng_persistence::services::Postgres;

fn trade(users: &[User]) {
    let before = load::acknowledged(users);
    load::trade_until(users, 1, "they trade", || load::acknowledged(users) > before + 200);
}

/// The number behind these words.
fn number_after(text: &str, words: &str) -> u64 {
    let rest = text.split_once(words).unwrap_or_else(|| panic!("no {words:?} in {text}")).1;
    let digits: String =
        rest.trim_start_matches(|c: char| !c.is_ascii_digit()).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
fn a_backup_made_under_load_brings_back_all_that_was_acknowledged_before_it() {
    let mut server = Server::prepare(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "400")]);
    one_pair_only(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    trade(&users);
    let backup = server.scratch().join("backup");
    let (mut said, mut memories) = (String::new(), Vec::new());
    load::trade_while(&users, 1, || {
        memories = users.iter().map(User::memory).collect::<Vec<Memory>>();
        said = good(&tool(&server, &["backup", backup.to_str().unwrap()]));
    });
    trade(&users);
    let (end, durable) = (number_after(&said, "records up to"), server.status("durable"));
    server.kill();
    std::fs::remove_dir_all(server.data_dir()).unwrap();
    good(&tool(&server, &["restore", backup.to_str().unwrap()]));
    server.launch();
    server.wait_persisted();
    users.iter().zip(&memories).for_each(|(user, memory)| user.doubt_since(memory));
    let lost = durable - end;
    eprintln!("the backup ends with record {end}, the disk with {durable}: {lost} records are the loss");
    let row = Row {
        promise: "the only disk is destroyed",
        how: "a backup made under load is restored",
        tried: 1,
        starts: server.starts()[1..].to_vec(),
        ..Row::default()
    };
    let audit = load::audit(&users, true);
    // It goes on from there.
    trade(&users);
    server.wait_persisted();
    let mut after = load::audit(&users, true);
    after.lost.extend(audit.lost);
    after.doubled.extend(audit.doubled);
    after.conclude(row, &mut server);
}

#[test]
fn what_the_persister_wrote_elsewhere_outlives_the_disk() {
    let postgres = Postgres::start().unwrap();
    let url = postgres.create_database().unwrap();
    let mut server = Server::prepare(&[("XNG__STORE__URL", &url)]);
    one_pair_only(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    let (mut done, mut durable) = (Vec::new(), 0);
    load::trade_while(&users, 1, || {
        eventually("they trade", || load::acknowledged(&users) > 200);
        done = users.iter().flat_map(User::orders_done).collect();
        server.wait_persisted();
        durable = server.status("durable");
        server.kill();
    });
    std::fs::remove_dir_all(server.data_dir()).unwrap();
    let ids: Vec<String> = done.iter().map(u64::to_string).collect();
    let sql = format!("SELECT count(*) FROM orders WHERE order_id IN ({})", ids.join(","));
    let there: usize = postgres.execute(&url, &sql).unwrap().trim().parse().unwrap();
    let lost = done.len() - there;
    let (promise, how) = ("the only disk is destroyed", "what the persister had written to Postgres");
    Row { promise, how, tried: 1, checked: done.len(), lost, ..Row::default() }.tell();
    assert!(done.len() > 50 && lost == 0, "{lost} of {} orders are gone", done.len());
    let end: u64 = postgres.execute(&url, "SELECT lsn FROM checkpoint").unwrap().trim().parse().unwrap();
    let loss = durable.saturating_sub(end);
    eprintln!("Postgres has record {end}, the disk had {durable}: {loss} records are the loss");
    // Another history begins; its rows would be mixed with those of the one that is gone.
    let status = server.try_launch().expect_err("the rows are of another history");
    assert_eq!(status.code(), Some(1));
    let why = format!("its rows go up to {end}, the journal ends at 0");
    assert!(server.log().contains(&why), "it says why");
}
