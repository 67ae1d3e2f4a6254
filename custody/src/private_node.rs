//! A private Bitcoin node (regtest), for tests: started, killed and started again at will.
//!
//! Owns: the node's process and its temporary folder; both end with the value, and the process at the latest with the
//! thread that started it. Never does: touch another node; talk to other machines.
//! Invariants: it listens on a free port of this machine only; its chain outlives a kill. Known limits: Linux; a test
//! process that is killed leaves its temporary folder.

use crate::bitcoin::{Auth, Bitcoind, FeeLimits, Limits, Network, Rpc, Settings};
use crate::port::{ChainError, FeeRate};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{self, Error};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use tempfile::TempDir;

/// Older ones lack calls that we need.
const OLDEST: u32 = 25;
/// How long a start or a stop may take. Only tells a hang from progress.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the wallet says that has not enough coins.
const NO_FUNDS: i64 = -6;
/// What `make chains-test` sets: a missing node is a failure then.
const REQUIRED: &str = "CHAINS_REQUIRED";

/// The node. See the module's header.
#[derive(Debug)]
pub struct PrivateNode {
    program: PathBuf,
    child: Option<Child>,
    port: u16,
    /// Last, so that it is removed after the process has ended.
    folder: TempDir,
}

/// The node's program: that of PATH when it is new enough, then what `scripts/chains.sh` unpacked beside this build.
#[must_use]
pub fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let installed = env::split_paths(&path).map(|folder| folder.join("bitcoind")).find(|file| file.exists());
    if let Some(file) = installed.filter(|file| version(file).is_some_and(|version| version >= OLDEST)) {
        return Some(file);
    }
    let here = env::current_exe().ok()?;
    here.ancestors().map(|folder| folder.join("chains/node/bitcoind")).find(|file| file.exists())
}

/// The first number of `… version v29.4…`.
fn version(program: &Path) -> Option<u32> {
    let said = Command::new(program).arg("--version").output().ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let (_, number) = said.lines().next()?.rsplit_once(" v").or_else(|| said.lines().next()?.rsplit_once(' '))?;
    number.split('.').next()?.parse().ok()
}

impl PrivateNode {
    /// Starts one with a wallet of its own and 101 blocks, so that the wallet can pay. None, with a word why, when there is
    /// no node here and none is required.
    ///
    /// # Panics
    /// When a node is required and missing, or does not start.
    #[must_use]
    pub fn start_or_tell() -> Option<Self> {
        let Some(program) = program() else {
            let told = "there is no Bitcoin node here: run scripts/chains.sh install";
            assert!(env::var_os(REQUIRED).is_none(), "{told}");
            eprintln!("{told}; nothing was tested");
            return None;
        };
        Some(Self::start(program).unwrap_or_else(|e| panic!("the private node: {e}")))
    }

    fn start(program: PathBuf) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("xng-").tempdir()?;
        let mut node = PrivateNode { program, child: None, port: 0, folder };
        node.restart()?;
        let prepared = |node: &mut Self| -> Result<(), ChainError> {
            node.call::<Value>("createwallet", json!(["outside"]))?;
            node.mine(101)?;
            Ok(())
        };
        prepared(&mut node).map_err(Error::other)?;
        Ok(node)
    }

    /// Starts it, on the chain that it had, and where it was if nobody has taken its port.
    ///
    /// # Errors
    /// When it does not answer within a minute.
    pub fn restart(&mut self) -> io::Result<()> {
        self.kill();
        // Somebody else may take the port before the node does.
        for attempt in 0..3 {
            if attempt > 0 || self.port == 0 {
                self.port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            }
            if self.launch()? {
                // It loads the wallet again by itself only when told so once.
                let _absent = self.call::<Value>("loadwallet", json!(["outside"]));
                return Ok(());
            }
        }
        let log = fs::read_to_string(self.data().join("regtest/debug.log")).unwrap_or_default();
        let last: Vec<&str> = log.lines().rev().take(5).collect();
        Err(Error::other(format!("it does not start; the last lines of its log, newest first: {last:?}")))
    }

    /// False when it ended at once.
    fn launch(&mut self) -> io::Result<bool> {
        let _old = fs::remove_file(self.cookie());
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(&self.program);
        command.arg(format!("-datadir={}", self.data().display())).arg(format!("-rpcport={}", self.port));
        command.args(["-regtest", "-txindex=1", "-fallbackfee=0.0001", "-listen=0", "-connect=0", "-printtoconsole=0"]);
        command.args(["-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", "-dbcache=16", "-par=1"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let child = self.child.insert(child);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if child.try_wait()?.is_some() {
                self.child = None;
                return Ok(false);
            }
            let mut rpc = Rpc::new(&url(self.port), Auth::Cookie(cookie(self.folder.path())), Limits::default());
            if rpc.call::<u64>("getblockcount", json!([])).is_ok() {
                return Ok(true);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(Error::other("it does not answer for a minute"))
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone = child.kill();
            let _waited = child.wait();
        }
    }

    /// Stops it in order.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn stop(&mut self) -> io::Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| Error::other("no process"))?;
        kill_process(pid, Signal::TERM)?;
        child.wait().map(drop)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    fn cookie(&self) -> PathBuf {
        cookie(self.folder.path())
    }

    /// Asks the node itself.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn call<T: serde::de::DeserializeOwned>(&self, method: &str, parameters: Value) -> Result<T, ChainError> {
        Rpc::new(&url(self.port), Auth::Cookie(self.cookie()), Limits::default()).call(method, parameters)
    }

    /// Makes blocks; their coins go to the node's own wallet.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn mine(&self, blocks: u32) -> Result<Vec<String>, ChainError> {
        let to: String = self.call("getnewaddress", json!([]))?;
        self.call("generatetoaddress", json!([blocks, to]))
    }

    /// Pays from the node's wallet, such as `0.5`, and gives the transaction's id; it waits in the pool.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn pay(&self, address: &str, coins: &str) -> Result<String, ChainError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.call("sendtoaddress", json!([address, coins])) {
                // On a busy machine the wallet learns a moment later of its own change in the pool; nothing was sent.
                Err(ChainError::Rpc { code: NO_FUNDS, .. }) if Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(50));
                }
                said => return said,
            }
        }
    }

    /// An adapter of it, with [`PrivateNode::settings`].
    #[must_use]
    pub fn adapter(&self) -> Bitcoind {
        Bitcoind::new(self.settings())
    }

    /// Two confirmations, fee rates from 1,000 to 100,000 satoshi per 1,000 virtual bytes.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            url: url(self.port),
            auth: Auth::Cookie(self.cookie()),
            network: Network::Regtest,
            confirmations: 2,
            fees: FeeLimits { floor: FeeRate(1_000), cap: FeeRate(100_000), within_blocks: 6 },
            limits: Limits::default(),
        }
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

fn cookie(folder: &Path) -> PathBuf {
    folder.join("regtest/.cookie")
}

impl Drop for PrivateNode {
    fn drop(&mut self) {
        self.kill();
    }
}
