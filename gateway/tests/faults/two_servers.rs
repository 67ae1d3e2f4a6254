//! Two servers on one data folder: the second refuses, the first does not notice.

use crate::client::Server;
use crate::harness::cycles;
use crate::load;
use crate::promises::Row;

#[test]
fn a_second_server_on_the_same_data_refuses_and_the_first_does_not_notice() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    let tries = cycles(3).min(20);
    load::trade_while(&users, 1, || {
        for _ in 0..tries {
            let mut second = server.twin();
            let status = second.try_launch().expect_err("the folder is taken");
            assert_eq!(status.code(), Some(1), "{}", second.log());
            let log = second.log();
            assert!(log.contains("the journal is already open elsewhere") && log.contains("journal/LOCK"), "{log}");
        }
    });
    server.wait_persisted();
    let log = server.log();
    assert!(!log.contains("\"ERROR\"") && !log.contains("the store did not take a batch"), "{log}");
    let (promise, how) = ("two servers on one data folder", "the second refuses, the first trades on");
    load::audit(&users, true).conclude(Row { promise, how, tried: tries, ..Row::default() }, &mut server);
}
