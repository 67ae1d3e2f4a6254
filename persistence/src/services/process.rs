//! A server's process: started for a user, signalled with its children, and never outliving us.
//!
//! Owns: one child process and those that it forks. Never does: know what the program is.
//! Invariants: dropping it kills the process and its children and waits for it.
//! Known limits: grandchildren are not signalled; the servers here have none.

use std::{
    fs,
    io::{self, Error},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus},
    sync::{
        LazyLock, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, geteuid, kill_process};

/// How long a server may take to start or to stop. Only tells a hang from progress.
const PATIENCE: Duration = Duration::from_secs(60);

/// The user as whom a server runs that refuses to be root; `None` when we are not root ourselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

impl User {
    /// Debian's `postgres`, or else `nobody`.
    ///
    /// # Errors
    /// When we are root and neither exists.
    pub(super) fn unprivileged() -> io::Result<Option<Self>> {
        if !geteuid().is_root() {
            return Ok(None);
        }
        let users = fs::read_to_string("/etc/passwd")?;
        let find = |name: &str| {
            users.lines().find_map(|line| {
                let mut fields = line.split(':');
                (fields.next() == Some(name)).then_some(())?;
                Some(Self { uid: fields.nth(1)?.parse().ok()?, gid: fields.next()?.parse().ok()? })
            })
        };
        let found = find("postgres").or_else(|| find("nobody"));
        found.map(Some).ok_or_else(|| Error::other("there is neither a user postgres nor nobody"))
    }
}

/// `program`, for `user`, ended by `signal` when we end.
pub(super) fn command(program: &Path, user: Option<User>, signal: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", signal]);
    if let Some(User { uid, gid }) = user {
        command.arg(format!("--reuid={uid}")).arg(format!("--regid={gid}")).arg("--clear-groups");
    }
    command.arg("--").arg(program);
    command
}

/// Runs a command to its end; what it said is in the error.
pub(super) fn run(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::other(format!("{command:?}: {}: {said}", output.status)))
}

type Starting = (Command, Sender<io::Result<Child>>);

/// A child's death signal comes when the *thread* that started it ends, so one that does not end starts them all.
static STARTER: LazyLock<Sender<Starting>> = LazyLock::new(|| {
    let (sender, orders) = channel::<Starting>();
    thread::spawn(move || {
        for (mut command, answer) in orders {
            // Who asked may have gone; a child that nobody holds is not left running.
            if let Err(unheard) = answer.send(command.spawn())
                && let Ok(mut child) = unheard.0
            {
                child.kill().and_then(|()| child.wait()).ok();
            }
        }
    });
    sender
});

/// A server's process, or its place while there is none. See the module's header.
#[derive(Debug, Default)]
pub(super) struct Process(Mutex<Option<Running>>);

impl Process {
    /// Kills what runs, and starts `command` in its place; see [`Running::start`].
    pub(super) fn start(&self, command: Command, log: &Path, ready: impl Fn() -> bool) -> io::Result<()> {
        let mut running = self.running();
        *running = None;
        *running = Some(Running::start(command, log, ready)?);
        Ok(())
    }

    /// Sends `first` and waits for the end.
    ///
    /// # Errors
    /// When it does not end within a minute.
    pub(super) fn stop(&self, first: Signal) -> io::Result<()> {
        self.running().take().map_or(Ok(()), |mut running| running.stop(first))
    }

    /// `kill -9` for it and its children.
    pub(super) fn kill(&self) {
        drop(self.running().take());
    }

    /// `SIGSTOP` for it and its children.
    pub(super) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// `SIGCONT` for it and its children.
    pub(super) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        if let Some(running) = self.running().as_ref() {
            running.signal(signal);
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Running {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Running {
    /// Starts `command` and waits until `ready` says so.
    ///
    /// # Errors
    /// When it cannot be started, ends before it is ready, or is not ready for a minute. `log` is what it writes to; its
    /// end is quoted.
    fn start(command: Command, log: &Path, ready: impl Fn() -> bool) -> io::Result<Self> {
        let (answer, started) = channel();
        let gone = || Error::other("the thread that starts servers has ended");
        STARTER.send((command, answer)).map_err(|_| gone())?;
        let child = started.recv().map_err(|_| gone())??;
        let mut process = Self { child, ended: None };
        let deadline = Instant::now() + PATIENCE;
        while !ready() {
            let status = process.child.try_wait()?;
            if status.is_some() || Instant::now() > deadline {
                process.ended = status;
                let said = fs::read_to_string(log).unwrap_or_default();
                let last: Vec<&str> = said.lines().rev().take(5).collect();
                let how = status.map_or("is not ready in a minute".to_owned(), |status| status.to_string());
                return Err(Error::other(format!("the server {how}; last lines of its log, newest first: {last:?}")));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(process)
    }

    /// Sends `first` and waits for the end.
    ///
    /// # Errors
    /// When it does not end within a minute.
    fn stop(&mut self, first: Signal) -> io::Result<()> {
        kill_process(self.pid(), first)?;
        let deadline = Instant::now() + PATIENCE;
        while self.ended.is_none() {
            self.ended = self.child.try_wait()?;
            if Instant::now() > deadline {
                return Err(Error::other("the server does not stop"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// `kill -9` for it and its children.
    fn kill(&mut self) {
        if self.ended.is_some() {
            return;
        }
        let children = self.signal(Signal::KILL);
        self.ended = Some(self.child.wait().unwrap_or(ExitStatus::from_raw(0)));
        // Memory that they share with the next server's data folder goes with the last of them.
        let deadline = Instant::now() + PATIENCE;
        while children.iter().any(|child| is_alive(*child)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Signals it and its children; those that have gone are passed over. Which children those were.
    fn signal(&self, signal: Signal) -> Vec<Pid> {
        let parent = self.pid();
        // It stands still meanwhile: no further child comes up, and none loses its parent before it is found.
        kill_process(parent, Signal::STOP).ok();
        let children = children(parent);
        for process in children.iter().chain([&parent]) {
            kill_process(*process, signal).ok();
        }
        children
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn children(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let pids = pids.filter_map(Pid::from_raw);
    pids.filter(|pid| state_and_parent(*pid).is_some_and(|(_, of)| of == parent.as_raw_nonzero().get())).collect()
}

/// What is only waited for has given back its memory.
fn is_alive(pid: Pid) -> bool {
    state_and_parent(pid).is_some_and(|(state, _)| state != "Z" && state != "X")
}

fn state_and_parent(pid: Pid) -> Option<(String, i32)> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // `pid (name) state parent …`; the name may hold anything, so from its last bracket.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
