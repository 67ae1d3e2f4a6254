//! Syscalls that fail (strace injects): an error of a sync stops the process and loses nothing; a file that cannot grow
//! holds up only what it is for.

use crate::client::Server;
use crate::harness::{cycles, is_long, needs, one_pair_only};
use crate::load::{self, Audit};
use crate::promises::Row;
use crate::wait::found;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

const SIGABRT: i32 = 6;

#[test]
fn a_failed_sync_stops_the_process_and_the_next_start_has_all_that_was_acknowledged() {
    needs("strace", "strace");
    let mut server = Server::prepare(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "400")]);
    one_pair_only(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    let short = [1, 2, 3, 8, 40, 150];
    let calls: Vec<usize> = if is_long() { (1..=cycles(50).min(50)).collect() } else { short.into() };
    let (mut audit, mut while_starting, mut tried) = (Audit::default(), 0, 0);
    for call in &calls {
        tried += 1;
        server.kill();
        let inject = format!("inject=fdatasync:error=EIO:when={call}");
        // -D: the exchange stays our own child, the tracer is somebody else's.
        server.wrap(&["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", &inject]);
        match server.try_launch() {
            Err(status) => {
                while_starting += 1;
                let refused = status.code() == Some(1) || status.signal() == Some(SIGABRT);
                assert!(refused, "call {call}: {status}\n{}", server.log());
            }
            Ok(()) => {
                let mut status = None;
                load::trade_while(&users, 1, || status = Some(found("the call is reached", || server.ended())));
                let status = status.expect("it ended");
                assert_eq!(status.signal(), Some(SIGABRT), "call {call}: {status}\n{}", server.log());
                assert!(server.log().contains("the journal cannot go on; stopping the process"), "{}", server.log());
            }
        }
        server.wrap(&[]);
        server.launch();
        server.wait_persisted();
        audit = load::audit(&users, tried == calls.len());
        if !audit.is_clean() {
            break;
        }
        users.iter().for_each(load::User::clear);
    }
    let row = Row {
        promise: "an error of a sync",
        how: "EIO at the n-th fdatasync of a thread",
        tried,
        starts: server.starts()[1..].to_vec(),
        ..Row::default()
    };
    audit.conclude(row, &mut server);
    assert!(while_starting < calls.len(), "some were hit while they traded");
}

/// A tracer that lets writes to one file fail as on a full disk, until it is dropped.
struct NoSpace {
    tracer: Child,
    /// Kept, so that whatever it says later does not end it.
    _says: BufReader<ChildStderr>,
}

impl NoSpace {
    fn of(server: &Server, file: &Path) -> NoSpace {
        let (pid, path) = (server.pid().to_string(), file.to_str().unwrap());
        let mut command = Command::new("strace");
        command.args(["-f", "-p", &pid, "-o", "/dev/null", "-P", path]);
        command.args(["-e", "trace=write,pwrite64", "-e", "inject=write,pwrite64:error=ENOSPC"]);
        let mut tracer = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut says = BufReader::new(tracer.stderr.take().unwrap());
        says.read_line(&mut line).unwrap();
        assert!(line.contains("attached"), "strace must be allowed to attach: {line}");
        NoSpace { tracer, _says: says }
    }
}

impl Drop for NoSpace {
    fn drop(&mut self) {
        // SIGTERM: it lets go of the exchange first.
        let pid = self.tracer.id().to_string();
        assert!(Command::new("kill").arg(&pid).status().unwrap().success());
        self.tracer.wait().unwrap();
    }
}

#[test]
fn a_database_that_cannot_grow_holds_up_only_what_it_is_for() {
    needs("strace", "strace");
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    let full = NoSpace::of(&server, &server.data_dir().join("store.db-wal"));
    load::trade_until(&users, 1, "the store refuses", || server.log().contains("the store did not take a batch"));
    let (persisted, done) = (server.status("persisted"), load::acknowledged(&users));
    load::trade_until(&users, 1, "it trades on", || load::acknowledged(&users) > done + 50);
    assert!(server.status("lag_records") >= 50 && server.status("persisted") == persisted, "the lag is shown");
    drop(full);
    server.wait_persisted();

    let full = NoSpace::of(&server, &server.data_dir().join("office.db-wal"));
    let login = [("user_string", "demo"), ("password", "demo1234")];
    let refused = server.api().post("/user/login", &login);
    assert_eq!(refused["code"], 1020, "a clear \"try again\": {refused}");
    load::trade_while(&users, 1, || std::thread::sleep(Duration::from_millis(500)));
    drop(full);
    let accepted = server.api().post("/user/login", &login);
    assert_eq!(accepted["type"], "ok", "{accepted}\n{}", server.log());
    server.wait_persisted();
    let how = "ENOSPC on the store's and the office's files";
    let row = Row { promise: "the disk is full", how, tried: 2, ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}

#[test]
fn a_log_that_cannot_be_written_stops_nobody() {
    let mut server = Server::prepare(&[]);
    server.wrap(&["sh", "-c", "exec \"$0\" \"$@\" >/dev/full 2>&1"]);
    server.launch();
    server.wait_open("BTCUSDT");
    let users = load::users(&server);
    load::trade_while(&users, 1, || std::thread::sleep(Duration::from_secs(1)));
    server.wait_persisted();
    let row = Row { promise: "the disk is full", how: "ENOSPC on the log", tried: 1, ..Row::default() };
    load::audit(&users, true).conclude(row, &mut server);
}
