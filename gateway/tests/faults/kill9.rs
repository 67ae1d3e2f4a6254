//! `kill -9` at random moments under load: what was acknowledged is there, nothing is doubled, nothing half done.
//! Cycles: the variable FAULT_CYCLES, default 30.

use crate::client::Server;
use crate::harness::{cycles, more_users, one_pair_only, random};
use crate::load;
use crate::promises::Row;
use std::time::Duration;

#[test]
fn nothing_acknowledged_is_lost_or_doubled_by_kill_nine() {
    let cycles = cycles(30);
    let mut server = Server::prepare(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "400")]);
    one_pair_only(&mut server);
    // A user makes some hundred requests in a cycle.
    let names = more_users(&mut server, 3 + cycles / 2);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users_of(&server, &names);
    let (mut found, mut retries) = (load::Audit::default(), load::Audit::default());
    for cycle in 0..cycles {
        // Some are hit while they still recover their quotes.
        if cycle % 3 != 2 {
            server.wait_open("BTCUSDT");
        }
        load::trade_while(&users, 1, || {
            std::thread::sleep(Duration::from_millis(random(50..2_000)));
            server.kill();
        });
        server.launch();
        users.iter().for_each(|user| retries.add(user.retry()));
        server.wait_persisted();
        found = load::audit(&users, cycle + 1 == cycles);
        if !found.is_clean() {
            break;
        }
        if cycle % 2 == 1 {
            users.iter().for_each(load::User::clear);
        }
    }
    let starts = &server.starts()[1..];
    let row = Row {
        promise: "the process is killed",
        how: "kill -9 under load",
        tried: starts.len(),
        starts: starts.to_vec(),
        ..Row::default()
    };
    let (checked, retried) = (found.checked, retries.checked);
    let how = "the same request key after kill -9";
    retries.tell(Row { promise: "a retry of a request", how, tried: retried, ..Row::default() });
    found.conclude(row, &mut server);
    assert!(checked > cycles * 5, "the load was real: {checked}");
    assert!(retried > cycles * 5, "some were asked again: {retried}");
}
