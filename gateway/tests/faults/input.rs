//! Bad input of every kind while others trade.

use crate::bad_input_set::{balances, send_bad_fields, send_ill_bodies};
use crate::client::Server;
use crate::load;
use crate::promises::Row;

#[test]
fn bad_input_under_load_is_answered_and_moves_no_balance() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let mut users = load::users(&server);
    let sender = users.pop().unwrap();
    let before = balances(&sender.api);
    let mut tried = 0;
    load::trade_while(&users, 1, || tried = send_bad_fields(&sender.api) + send_ill_bodies(&sender.api));
    assert_eq!(before, balances(&sender.api));
    server.wait_persisted();
    let (promise, how) = ("any input", "bad fields and bodies for every call, under load");
    load::audit(&users, true).conclude(Row { promise, how, tried, ..Row::default() }, &mut server);
}
