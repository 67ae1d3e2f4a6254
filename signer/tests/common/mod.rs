//! The real signer in a folder of its own.

#![allow(dead_code, reason = "each test program uses a part")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use xng_custody::signer::Signer;

const PROGRAM: &str = env!("CARGO_BIN_EXE_exchange-signer");
pub(crate) const PASSPHRASE: &str = "correct horse battery";
pub(crate) const WORDS: &str =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

pub(crate) struct SignerProcess {
    child: Option<Child>,
    pub(crate) folder: tempfile::TempDir,
}

/// Runs the program to its end with these lines as input.
pub(crate) fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read.
    let _unread = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

impl SignerProcess {
    /// With the seed of `WORDS`, and a policy of these limits (satoshi) and cold addresses.
    pub(crate) fn start(hour_units: u64, fee_units: u64, cold: &[&str]) -> Self {
        let btc =
            format!("hour_units = {hour_units}\nfee_units = {fee_units}\nfee_rate = 1_000_000\ncold = {cold:?}\n");
        SignerProcess::over(&format!("rings = 1\n[BTC]\n{btc}"))
    }

    /// With the seed of `WORDS` and this policy.
    pub(crate) fn over(policy: &str) -> Self {
        let mut signer = SignerProcess { child: None, folder: tempfile::tempdir().unwrap() };
        let folder = signer.path("");
        let done = run(
            &["init", "--folder", folder.to_str().unwrap(), "--network", "regtest", "--words"],
            &format!("{WORDS}\n{PASSPHRASE}\n"),
        );
        assert!(done.status.success(), "{done:?}");
        fs::write(signer.path("policy.toml"), policy).unwrap();
        signer.restart();
        signer
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("signer").join(name)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// The program, which has its passphrase; it may refuse to run.
    pub(crate) fn launch(&mut self) {
        let mut child = Command::new(PROGRAM)
            .args(["run", "--socket", self.socket().to_str().unwrap(), "--folder", self.path("").to_str().unwrap()])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // One that refuses its folder does not read.
        let _unread = child.stdin.take().unwrap().write_all(format!("{PASSPHRASE}\n").as_bytes());
        self.child = Some(child);
    }

    pub(crate) fn restart(&mut self) {
        self.kill();
        self.launch();
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.client().xpub(0).is_err() {
            assert!(Instant::now() < deadline, "the signer does not answer");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it says when it ends by itself.
    pub(crate) fn refusal_to_run(&mut self) -> String {
        self.launch();
        let ended = self.child.take().unwrap().wait_with_output().unwrap();
        assert!(!ended.status.success());
        String::from_utf8(ended.stderr).unwrap()
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn client(&self) -> Signer {
        Signer::new(self.socket(), Duration::from_secs(30))
    }

    pub(crate) fn socket_path(&self) -> PathBuf {
        self.socket()
    }
}

impl Drop for SignerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
