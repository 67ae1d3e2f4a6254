//! The exchange's binary with a data folder and ports of its own.
#![allow(dead_code, reason = "each test uses a part")]

use serde_json::Value;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) struct Running {
    pub(crate) port: u16,
    child: Child,
    data: tempfile::TempDir,
}

/// A port below those that the system gives to connections: one of these may be taken before the exchange is there.
fn free_port() -> u16 {
    let some = || 10_000 + (RandomState::new().build_hasher().finish() % 20_000) as u16;
    std::iter::repeat_with(some).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}

impl Running {
    /// Starts with settings `XNG__…` and waits until it answers.
    pub(crate) fn start(settings: &[(&str, &str)]) -> Running {
        let data = tempfile::tempdir().unwrap();
        let port = free_port();
        let child = spawn(port, data.path(), settings);
        let mut running = Running { port, child, data };
        running.wait_ready();
        running
    }

    /// Kills it as a power cut would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn wait_ready(&mut self) {
        crate::wait::eventually("the exchange answers", || {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "the exchange ended: {ended:?}");
            self.try_get("/api/v3/ping").is_some()
        });
    }

    fn try_get(&self, path: &str) -> Option<Value> {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let text = ureq::get(&url).call().ok()?.into_body().read_to_string().ok()?;
        serde_json::from_str(&text).ok()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.try_get(path).unwrap_or_else(|| panic!("{path} is not answered"))
    }

    /// Bids and asks as texts.
    pub(crate) fn depth(&self, symbol: &str) -> [Vec<[String; 2]>; 2] {
        let answer = self.get(&format!("/api/v3/depth?symbol={symbol}&limit=5000"));
        ["bids", "asks"].map(|side| serde_json::from_value(answer[side].clone()).unwrap())
    }

    pub(crate) fn status(&self, symbol: &str) -> String {
        let answer = self.get(&format!("/api/v3/exchangeInfo?symbol={symbol}"));
        answer["symbols"][0]["status"].as_str().unwrap().to_owned()
    }

    /// What it logged so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.data.path().join("log")).unwrap()
    }

    /// Waits until `when` holds.
    pub(crate) fn until(&self, what: &str, within: Duration, when: impl Fn(&Running) -> bool) {
        crate::wait::within(within, what, || when(self));
    }
}

fn spawn(port: u16, data: &Path, settings: &[(&str, &str)]) -> Child {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Command::new(env!("CARGO_BIN_EXE_exchange"))
        .current_dir(root)
        .env("XNG__SERVER__LISTEN", format!("127.0.0.1:{port}"))
        .env("XNG__SERVER__OPS_LISTEN", format!("127.0.0.1:{}", free_port()))
        .env("XNG__SERVER__ADMIN_LISTEN", "")
        .env("XNG__LIMITS__CALLS_PER_MINUTE_IP", "1000000")
        .env("XNG__LIMITS__WEIGHT_PER_SECOND_IP", "1000000")
        .env("XNG__API__WEIGHT_PER_MINUTE", "100000000")
        .env("XNG__SERVER__DATA_DIR", data)
        .env("XNG__JOURNAL__SEGMENT_MIB", "4")
        .envs(settings.iter().copied())
        .stdout(Stdio::from(std::fs::File::create(data.join("log")).unwrap()))
        .spawn()
        .unwrap()
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let log = self.log();
            let latest: Vec<&str> = log.lines().rev().take(15).collect();
            eprintln!("{}", latest.join("\n"));
        }
    }
}
