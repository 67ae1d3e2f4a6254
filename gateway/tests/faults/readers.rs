//! Websocket readers that stop reading while everybody trades.

use crate::client::Server;
use crate::load;
use crate::promises::Row;
use crate::socket::{Socket, stalled};
use serde_json::json;

const STALLED: usize = 20;

#[test]
fn readers_that_stall_are_cut_off_and_one_that_reads_misses_nothing() {
    let mut server = Server::start(&[("XNG__LIMITS__SEND_BUFFER_KIB", "2")]);
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    let mut healthy = Socket::open(&server, "/realtime");
    let stream = "btcusdt@depth@100ms";
    healthy.send(&json!({ "method": "SUBSCRIBE", "params": [stream], "id": 1 }));
    let mut seq = healthy.until(|frame| frame["snapshot"] == true)["seq"].as_u64().unwrap();
    let names = ["btcusdt@trade", "btcusdt@aggTrade", stream, "btcusdt@depth20@100ms"];
    let stalled: Vec<_> = (0..STALLED).map(|_| stalled(&server, &names)).collect();
    let (mut frames, before) = (0, load::acknowledged(&users));
    load::trade_until(&users, 2, "who does not read is cut off", || {
        let frame = healthy.until(|frame| frame["stream"] == stream);
        assert_eq!(frame["from"].as_u64().unwrap(), seq + 1, "no gap after {frames} frames: {frame}");
        seq = frame["seq"].as_u64().unwrap();
        frames += 1;
        server.status("sockets") == 1
    });
    assert!(frames > 10, "it went on: {frames} frames");
    assert!(load::acknowledged(&users) > before + 100, "they traded meanwhile");
    drop(stalled);
    server.wait_persisted();
    let (promise, how) = ("a slow websocket reader", "stalled sockets beside one that reads, under load");
    load::audit(&users, true).conclude(Row { promise, how, tried: STALLED, ..Row::default() }, &mut server);
}
