//! The real signer, started, killed and started again.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::wait::eventually;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use xng_custody::signer::Signer;

const PASSPHRASE: &str = "correct horse battery";

/// The real signer in a folder of its own.
pub(crate) struct SignerProcess {
    child: Option<Child>,
    folder: tempfile::TempDir,
}

impl SignerProcess {
    fn program() -> PathBuf {
        let path = PathBuf::from(env!("CARGO_BIN_EXE_exchange")).with_file_name("exchange-signer");
        assert!(path.exists(), "the signer is not built: `cargo build -p xng-signer` makes {}", path.display());
        path
    }

    fn run(arguments: &[&str]) -> Child {
        let mut child = Command::new(Self::program()).args(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{PASSPHRASE}\n").as_bytes()).unwrap();
        child
    }

    pub(crate) fn start() -> SignerProcess {
        SignerProcess::with("")
    }

    /// The same with more in its policy.
    pub(crate) fn with(more: &str) -> SignerProcess {
        let mut signer = SignerProcess { child: None, folder: tempfile::tempdir().unwrap() };
        let folder = signer.folder.path().join("signer");
        let folder = folder.to_str().unwrap();
        assert!(Self::run(&["init", "--folder", folder, "--network", "regtest"]).wait().unwrap().success());
        let policy =
            "rings = 1\n[BTC]\nhour_units = 1_000_000_000\nfee_units = 200_000\nfee_rate = 1_000_000\ncold = []\n";
        std::fs::write(format!("{folder}/policy.toml"), policy.to_owned() + more).unwrap();
        signer.launch();
        signer
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    pub(crate) fn launch(&mut self) {
        let folder = self.folder.path().join("signer");
        let socket = self.socket();
        let run = ["run", "--socket", socket.to_str().unwrap(), "--folder", folder.to_str().unwrap()];
        self.child = Some(Self::run(&run));
        eventually("the signer answers", || self.client().xpub(0).is_ok());
    }

    pub(crate) fn client(&self) -> Signer {
        Signer::new(self.socket(), Duration::from_secs(30))
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Drop for SignerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
