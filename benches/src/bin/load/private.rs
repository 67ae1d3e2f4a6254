//! A private exchange: the real binary on free ports, its data in a temporary folder.
//!
//! Owns: its settings and its end. Never does: touch another's data. Invariants: it is killed and its folder gone when
//! this process ends orderly. Known limits: settings are those of the repository, with room for a load.

use crate::Failure;
use crate::target::Access;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A start that takes longer has failed.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// Money of each user.
const SPOT_USDT: &str = "10000000";
/// What each spends on something to sell.
const STOCK_USDT: &str = "20000";

/// Whether one address may do all of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limits {
    /// As many calls as it likes; passwords cost little, for they are not what is measured.
    Lifted,
    /// What the settings say of an address; only users are free.
    Shipped,
}

/// A running one.
pub(crate) struct Private {
    child: Child,
    port: u16,
    users: Vec<String>,
    folder: TempDir,
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The server's binary: the given one, or that beside this.
pub(crate) fn binary(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let beside = || Ok::<_, std::io::Error>(std::env::current_exe()?.with_file_name("exchange"));
    let path = given.map_or_else(beside, |path| Ok(path.to_owned()))?;
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{} is not there: build it with `cargo build -p xng-gateway`, in release for figures", path.display())
        .into())
}

/// The repository's settings with other users.
fn settings(config: &Path, users: &[String]) -> Result<String, Failure> {
    let text = std::fs::read_to_string(config).map_err(|e| format!("{}: {e}", config.display()))?;
    let mut table: toml::Table = text.parse().map_err(|e| format!("{}: {e}", config.display()))?;
    let demo = table.get_mut("demo").and_then(|d| d.as_table_mut()).ok_or("the settings have no [demo]")?;
    demo.insert("users".into(), users.to_vec().into());
    Ok(table.to_string())
}

impl Private {
    /// Starts one with so many users.
    pub(crate) fn start(binary: &Path, config: &Path, users: usize, limits: Limits) -> Result<Private, Failure> {
        let folder = tempfile::tempdir()?;
        let users: Vec<String> = (0..users).map(|n| format!("load{n}")).collect();
        let own = folder.path().join("exchange.toml");
        std::fs::write(&own, settings(config, &users)?)?;
        let (port, ops) = (free_port()?, free_port()?);
        let log = std::fs::File::create(folder.path().join("log"))?;
        let most = u32::MAX.to_string();
        let lifted = [
            ("XNG__LIMITS__CALLS_PER_MINUTE_IP", most.as_str()),
            ("XNG__LIMITS__WEIGHT_PER_SECOND_IP", &most),
            ("XNG__API__WEIGHT_PER_MINUTE", &most),
            ("XNG__API__REQUESTS_PER_5_MINUTES", &most),
            ("XNG__LIMITS__SOCKETS_PER_IP", &most),
            ("XNG__LIMITS__SOCKET_OPENS_PER_IP", &most),
            ("XNG__AUTH__ARGON_MEMORY_KIB", "1024"),
        ];
        let lifted = lifted.into_iter().filter(|_| limits == Limits::Lifted);
        let child = Command::new(binary)
            .arg("--config")
            .arg(&own)
            .env("XNG__SERVER__LISTEN", format!("127.0.0.1:{port}"))
            .env("XNG__SERVER__OPS_LISTEN", format!("127.0.0.1:{ops}"))
            .env("XNG__SERVER__ADMIN_LISTEN", "")
            .env("XNG__SERVER__DATA_DIR", folder.path().join("data"))
            .env("XNG__DEMO__SPOT_USDT", SPOT_USDT)
            // A user stands for many.
            .env("XNG__LIMITS__CALLS_PER_MINUTE_USER", &most)
            .env("XNG__API__ORDERS_PER_10_SECONDS", &most)
            .env("XNG__API__ORDERS_PER_DAY", &most)
            .envs(lifted)
            .stdout(Stdio::from(log.try_clone()?))
            .stderr(Stdio::from(log))
            .spawn()
            .map_err(|e| format!("{}: {e}", binary.display()))?;
        let mut private = Private { child, port, users, folder };
        private.wait(ops)?;
        Ok(private)
    }

    fn wait(&mut self, ops: u16) -> Result<(), Failure> {
        let until = Instant::now() + READY_WITHIN;
        while ureq::get(format!("http://127.0.0.1:{ops}/readyz")).call().is_err() {
            let ended = self.child.try_wait()?;
            if ended.is_some() || Instant::now() > until {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                let last: Vec<&str> = log.lines().rev().take(3).collect();
                return Err(format!("the private exchange does not start: {}", last.join("\n")).into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// How it is reached.
    pub(crate) fn access(&self) -> Access {
        Access {
            url: format!("http://127.0.0.1:{}", self.port),
            users: self.users.clone(),
            password: "demo1234".into(),
            symbol: "BTCUSDT".into(),
            stock_usdt: STOCK_USDT.into(),
            private: None,
            exchange: None,
            config: PathBuf::new(),
        }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
