//! A private Redis server.
//!
//! Owns: its folder (socket, log) and its process. Never does: keep anything on disk.
//! Invariants: a kill or a restart empties it, as everything in it can be rebuilt.
//! Known limits: none.

use std::{
    env, fs,
    io::{self, Error, Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
    process::Stdio,
    time::Duration,
};

use rustix::process::Signal;
use tempfile::TempDir;

use super::process::{Process, command};

/// A private Redis. See the module's header.
#[derive(Debug)]
pub struct Redis {
    program: PathBuf,
    process: Process,
    /// Last, so that it is removed after the process has ended.
    folder: TempDir,
}

impl Redis {
    /// Starts an empty server.
    ///
    /// # Errors
    /// When Redis is not installed or does not start.
    pub fn start() -> io::Result<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let program = env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|file| file.exists());
        let program = program.ok_or_else(|| {
            Error::other("Redis is not installed: run scripts/setup.sh test (Debian: apt-get install redis-server)")
        })?;
        let folder = tempfile::Builder::new().prefix("xng-").tempdir()?;
        let server = Self { program, process: Process::default(), folder };
        server.restart()?;
        Ok(server)
    }

    /// Its unix socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("redis.sock")
    }

    /// Its url.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// Starts it again, empty; before that it is killed.
    ///
    /// # Errors
    /// When it does not start.
    pub fn restart(&self) -> io::Result<()> {
        let log = self.folder.path().join("log");
        let mut server = command(&self.program, None, "TERM");
        server.args(["--port", "0", "--save", "", "--appendonly", "no"]);
        server.arg("--dir").arg(self.folder.path()).arg("--unixsocket").arg(self.socket());
        let file = fs::OpenOptions::new().create(true).append(true).open(&log)?;
        server.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        self.process.start(server, &log, || self.answers())
    }

    /// True when it answers a `PING` within a second.
    #[must_use]
    pub fn answers(&self) -> bool {
        let ping = || -> io::Result<bool> {
            let mut stream = UnixStream::connect(self.socket())?;
            stream.set_read_timeout(Some(Duration::from_secs(1)))?;
            stream.write_all(b"PING\r\n")?;
            let mut answer = [0; 7];
            stream.read_exact(&mut answer)?;
            Ok(&answer == b"+PONG\r\n")
        };
        ping().unwrap_or(false)
    }

    /// Shuts it down in order.
    ///
    /// # Errors
    /// When it does not end.
    pub fn stop(&self) -> io::Result<()> {
        self.process.stop(Signal::TERM)
    }

    /// `kill -9`.
    pub fn kill(&self) {
        self.process.kill();
    }

    /// `SIGSTOP`: connections stay open and nothing answers.
    pub fn freeze(&self) {
        self.process.freeze();
    }

    /// `SIGCONT`.
    pub fn thaw(&self) {
        self.process.thaw();
    }
}
