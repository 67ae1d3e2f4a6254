//! A disk of 16 MiB that fills while users trade, and a journal that reaches its limit while the store stands.

use crate::client::Server;
use crate::harness::{needs, one_pair_only};
use crate::load;
use crate::promises::Row;
use crate::wait::{eventually, within};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A small filesystem in a mount namespace of its own; both are gone when this process is.
struct SmallDisk {
    holder: Child,
    at: PathBuf,
}

impl SmallDisk {
    fn new(at: &Path, mib: u32) -> SmallDisk {
        needs("unshare", "util-linux");
        std::fs::create_dir_all(at).unwrap();
        let script = format!("mount -t tmpfs -o size={mib}m tmpfs \"$0\" && echo mounted && read _");
        let mut command = Command::new("unshare");
        // Whoever is not root is so in a user namespace of their own, where the kernel allows it.
        command.args(if is_root() { ["-m", "--"].as_slice() } else { &["-r", "-m", "--"] });
        command.args(["sh", "-c", &script]).arg(at).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(
            line.trim(),
            "mounted",
            "a filesystem of its own needs root or user namespaces: run the test as root"
        );
        SmallDisk { holder, at: at.to_owned() }
    }

    /// Words that run a program where this disk is mounted.
    fn enter(&self) -> Vec<String> {
        let (pid, folder) = (self.holder.id(), concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let user = if is_root() { "" } else { "-U --preserve-credentials" };
        let script =
            format!("exec nsenter -t {pid} {user} -m -- sh -c 'cd {folder} && exec \"$0\" \"$@\"' \"$0\" \"$@\"",);
        ["sh", "-c", &script].map(str::to_owned).into()
    }

    /// The disk's folder as this process reaches it.
    fn outside(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{}", self.holder.id(), self.at.display()))
    }

    /// Takes all the room there is; as often as whatever else is written leaves some.
    fn fill(&self) {
        let file = self.outside().join("ballast");
        let mut file = File::options().create(true).append(true).open(file).unwrap();
        let chunk = [0xaa; 4_096];
        while file.write_all(&chunk).is_ok() {}
    }

    fn free(&self) {
        std::fs::remove_file(self.outside().join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Its standard input ends, and with it the shell, the namespace and the disk.
        drop(self.holder.stdin.take());
        self.holder.wait().unwrap();
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0")
}

fn room(server: &Server) -> String {
    server.ops_get("/status")["journal_capacity"].as_str().unwrap().to_owned()
}

/// What holds while only cancels are taken.
fn only_cancels_work(server: &Server, users: &[load::User], why: &str) {
    let ready = server.ops_get("/readyz");
    assert!(ready["warnings"].as_array().unwrap().contains(&why.into()), "{ready}");
    for user in users {
        let order =
            [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "1")];
        let refused = user.api.post("/coin/trade", &order);
        assert_eq!(refused["code"], 1020, "busy, try again: {refused}");
        user.api.balance(load::USDT);
    }
    let canceled: Vec<Value> = users.iter().filter_map(load::User::cancel_one).collect();
    let all = !canceled.is_empty() && canceled.iter().all(|answer| answer["type"] == "ok");
    assert!(all, "cancels have room of their own: {canceled:?} {}", server.ops_get("/status"));
}

#[test]
fn a_disk_that_fills_takes_cancels_only_and_trades_on_by_itself_when_it_is_freed() {
    let mut server = Server::prepare(&[
        ("XNG__JOURNAL__SEGMENT_MIB", "1"),
        ("XNG__JOURNAL__MIN_FREE_MIB", "1"),
        ("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "1000"),
    ]);
    one_pair_only(&mut server);
    let disk = SmallDisk::new(&server.scratch().join("disk"), 16);
    let inside = server.scratch().join("disk/data");
    server.keep_data_in(&inside, &disk.outside().join("data"));
    let enter = disk.enter();
    server.wrap(&enter.iter().map(String::as_str).collect::<Vec<_>>());
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    load::trade_while(&users, 2, || std::thread::sleep(Duration::from_millis(500)));
    assert!(load::audit(&users, false).is_clean(), "{}", server.log());
    load::trade_until(&users, 2, "the journal runs out of segments", || {
        disk.fill();
        room(&server) == "low"
    });
    disk.fill();
    only_cancels_work(&server, &users, "disk full: cancels only");

    // Nobody restarts it: room comes back, and with it everything.
    disk.free();
    load::trade_until(&users, 2, "room is back", || room(&server) == "plenty");
    load::trade_while(&users, 2, || std::thread::sleep(Duration::from_millis(500)));
    server.wait_persisted();
    eventually("nobody is warned of what is over", || {
        !server.ops_get("/readyz")["warnings"].to_string().contains("cancels only")
    });
    server.kill();
    server.launch();
    server.wait_persisted();
    let (promise, how) = ("the disk is full", "a filesystem of 16 MiB fills and is freed");
    let row = Row { promise, how, tried: 1, starts: server.starts()[1..].to_vec(), ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}

#[test]
fn a_journal_that_waits_for_the_store_takes_cancels_only_at_its_limit() {
    let settings = [
        ("XNG__JOURNAL__SEGMENT_MIB", "1"),
        ("XNG__JOURNAL__MAX_MIB", "5"),
        // More than the journal has room for: snapshots are made because it has none left.
        ("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "1000000"),
    ];
    let mut server = Server::start(&settings);
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    load::trade_while(&users, 2, || std::thread::sleep(Duration::from_millis(500)));
    assert!(load::audit(&users, false).is_clean(), "{}", server.log());
    server.ops_post("/dev/persister/pause");
    // A slow machine writes that much in minutes.
    let limit = || within(Duration::from_secs(400), "the journal reaches its limit", || room(&server) == "low");
    load::trade_while(&users, 2, limit);
    assert!(server.ops_get("/status")["journal_bytes"].as_u64().unwrap() <= 5 << 20);
    only_cancels_work(&server, &users, "journal full: cancels only");
    // A restart in this state comes up, and the store of the new process makes room.
    server.kill();
    server.launch();
    load::trade_until(&users, 2, "the store has caught up", || room(&server) == "plenty");
    server.wait_persisted();
    // Room is back with one spare more than cancels need; the journal is nearly full until it has all of them.
    eventually("nobody is warned of what is over", || {
        !server.ops_get("/readyz")["warnings"].to_string().contains("journal")
    });
    let (promise, how) = ("the store is away", "the journal reaches its limit of bytes");
    load::audit(&users, true).conclude(Row { promise, how, tried: 1, ..Row::default() }, &mut server);
}
