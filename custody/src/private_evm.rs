//! A private EVM node (anvil), for tests: started, killed and started again at will.
//!
//! Owns: the node's process and its temporary folder; both end with the value, and the process at the latest with the
//! thread that started it. Never does: touch another node; talk to other machines. Invariants: it listens on a free port
//! of this machine only; blocks are made when they are asked for; its chain outlives a stop, and a kill after
//! [`PrivateEvm::save`]. Known limits: Linux; a test process that is killed leaves its temporary folder; the state of
//! blocks from before a start is not kept.

use crate::evm::{Address, Auth, Evm, FeeLimits, Finality, GasFee, Limits, Settings};
use crate::hex;
use crate::port::ChainError;
use crate::rpc::Rpc;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Error};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use tempfile::TempDir;
use xng_core::chain::TxId;

/// The chain's number, as the node has it by default.
pub const CHAIN_ID: u64 = 31_337;
/// Somebody with 10,000 coins whom the node signs for.
pub const RICH: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
/// How long a start may take. Only tells a hang from progress.
const PATIENCE: Duration = Duration::from_secs(60);
/// What `make chains-test` sets: a missing node is a failure then.
const REQUIRED: &str = "CHAINS_REQUIRED";

/// The node. See the module's header.
#[derive(Debug)]
pub struct PrivateEvm {
    program: PathBuf,
    child: Option<Child>,
    port: u16,
    /// Last, so that it is removed after the process has ended.
    folder: TempDir,
}

/// The node's program: that of PATH, then what `scripts/chains.sh` put beside this build.
#[must_use]
pub fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let installed = env::split_paths(&path).map(|folder| folder.join("anvil")).find(|file| file.exists());
    installed.or_else(|| {
        let here = env::current_exe().ok()?;
        here.ancestors().map(|folder| folder.join("chains/evm/anvil")).find(|file| file.exists())
    })
}

impl PrivateEvm {
    /// Starts one. None, with a word why, when there is no node here and none is required.
    ///
    /// # Panics
    /// When a node is required and missing, or does not start.
    #[must_use]
    pub fn start_or_tell() -> Option<Self> {
        let Some(program) = program() else {
            let told = "there is no EVM node here: run scripts/chains.sh install";
            assert!(env::var_os(REQUIRED).is_none(), "{told}");
            eprintln!("{told}; nothing was tested");
            return None;
        };
        let start = || {
            let folder = tempfile::Builder::new().prefix("xng-").tempdir()?;
            let mut node = PrivateEvm { program, child: None, port: 0, folder };
            node.restart()?;
            Ok(node)
        };
        Some(start().unwrap_or_else(|e: Error| panic!("the private node: {e}")))
    }

    /// Starts it, on the chain that was saved last.
    ///
    /// # Errors
    /// When it does not answer within a minute.
    pub fn restart(&mut self) -> io::Result<()> {
        self.kill();
        // Somebody else may take the port before the node does.
        for _ in 0..3 {
            self.port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            if self.launch()? {
                let Ok(state) = fs::read_to_string(self.state()) else { return Ok(()) };
                return self.call::<bool>("anvil_loadState", json!([state])).map(drop).map_err(Error::other);
            }
        }
        let said = fs::read_to_string(self.log()).unwrap_or_default();
        Err(Error::other(format!("it does not start: {said}")))
    }

    /// False when it ended at once.
    fn launch(&mut self) -> io::Result<bool> {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(&self.program).args([
            "--quiet",
            "--no-mining",
            "--threads",
            "1",
        ]);
        command.args(["--slots-in-an-epoch", "2", "--host", "127.0.0.1", "--port", &self.port.to_string()]);
        let command = command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        let said = File::create(self.log())?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).spawn()?;
        let child = self.child.insert(child);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if child.try_wait()?.is_some() {
                self.child = None;
                return Ok(false);
            }
            let mut rpc = Rpc::version_2(&url(self.port), Auth::Open, Limits::default());
            if rpc.call::<String>("eth_chainId", json!([])).is_ok() {
                return Ok(true);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(Error::other("it does not answer for a minute"))
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Writes the chain down, without what waits in the pool, so that a restart goes on from here.
    ///
    /// # Errors
    /// When the node or the file does not take it.
    pub fn save(&self) -> io::Result<()> {
        let state: String = self.call("anvil_dumpState", json!([true])).map_err(Error::other)?;
        fs::write(self.state(), state)
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone = child.kill();
            let _waited = child.wait();
        }
    }

    /// Asks the node itself.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn call<T: DeserializeOwned>(&self, method: &str, parameters: Value) -> Result<T, ChainError> {
        Rpc::version_2(&url(self.port), Auth::Open, Limits::default()).call(method, parameters)
    }

    /// Makes blocks; the first one has what waits in the pool.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn mine(&self, blocks: u32) -> Result<(), ChainError> {
        (0..blocks).try_for_each(|_| self.call::<Value>("evm_mine", json!([])).map(drop))
    }

    /// Takes the last `depth` blocks away and makes as many others, without what was in them.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn reorganise(&self, depth: u32) -> Result<(), ChainError> {
        self.call::<Value>("anvil_reorg", json!([depth, []])).map(drop)
    }

    /// Pays wei from [`RICH`]; it waits in the pool.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn pay(&self, to: Address, wei: u128) -> Result<TxId, ChainError> {
        self.send(json!({ "from": RICH, "to": to.to_string(), "value": format!("{wei:#x}") }))
    }

    /// Any transaction whose sender the node signs for; it waits in the pool.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn send(&self, transaction: Value) -> Result<TxId, ChainError> {
        let text: String = self.call("eth_sendTransaction", json!([transaction]))?;
        let id = text.strip_prefix("0x").and_then(hex::hash);
        id.map(TxId).ok_or_else(|| ChainError::Shape("no id".into()))
    }

    /// Makes a contract of bytecode in hexadecimal, whose constructor takes one number, in a block of its own.
    ///
    /// # Errors
    /// Those of [`Rpc::call`].
    pub fn deploy(&self, code: &str, number: u128) -> Result<Address, ChainError> {
        let data = format!("0x{}{number:064x}", code.trim());
        let id = self.send(json!({ "from": RICH, "data": data, "gas": "0x2dc6c0" }))?;
        self.mine(1)?;
        let receipt: Value = self.call("eth_getTransactionReceipt", json!([format!("0x{id}")]))?;
        let text = receipt["contractAddress"].as_str().unwrap_or_default();
        text.parse().map_err(|_| ChainError::Shape(format!("no contract: {receipt}")))
    }

    /// An adapter of it, with [`PrivateEvm::settings`].
    #[must_use]
    pub fn adapter(&self, tokens: &[Address]) -> Evm {
        Evm::new(self.settings(tokens))
    }

    /// The tag makes blocks final, five behind the tip; gas from 1 wei to 100 gwei, tips to 10 gwei.
    #[must_use]
    pub fn settings(&self, tokens: &[Address]) -> Settings {
        let gwei = 1_000_000_000;
        Settings {
            url: url(self.port),
            auth: Auth::Open,
            chain_id: CHAIN_ID,
            finality: Finality::Tag,
            tokens: tokens.to_vec(),
            fees: FeeLimits {
                floor: GasFee { max_fee_per_gas: 1, max_priority_fee_per_gas: 1 },
                cap: GasFee { max_fee_per_gas: 100 * gwei, max_priority_fee_per_gas: 10 * gwei },
            },
            gas_cap: 200_000,
            limits: Limits::default(),
        }
    }
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

impl Drop for PrivateEvm {
    fn drop(&mut self) {
        self.kill();
    }
}
