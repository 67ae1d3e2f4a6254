//! A private Postgres server.
//!
//! Owns: its folder (data, socket, log) and its process. Never does: run as root; ask for a password.
//! Invariants: fsync and synchronous commits are on; the data outlives a kill and is there after the next start.
//! Known limits: Debian's layout, or the programs in PATH.

use std::{
    env, fs,
    io::{self, Error},
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
};

use rustix::process::{Signal, geteuid};
use tempfile::TempDir;

use super::process::{Process, User, command, run};

/// The superuser of the private servers.
const ROLE: &str = "exchange";

/// A private Postgres. See the module's header.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    user: Option<User>,
    process: Process,
    databases: AtomicU32,
    /// Last, so that it is removed after the process has ended.
    folder: TempDir,
}

impl Postgres {
    /// Starts a server with an empty folder of its own.
    ///
    /// # Errors
    /// When Postgres is not installed or does not start.
    pub fn start() -> io::Result<Self> {
        let programs = programs()?;
        let user = User::unprivileged()?;
        let folder = own_folder(user)?;
        let template = template(&programs, user)?;
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(&template).arg(folder.path().join("data"));
        run(&mut copy)?;
        let server = Self { programs, user, process: Process::default(), databases: AtomicU32::new(0), folder };
        server.restart()?;
        Ok(server)
    }

    /// A server that the users of this process share, each with a database of its own; it ends with its last user. Under
    /// nextest a test is a process, and so has a server of its own, copied from a template.
    ///
    /// # Errors
    /// See [`Self::start`].
    pub fn shared() -> io::Result<Arc<Self>> {
        static SHARED: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Ok(server);
        }
        let server = Arc::new(Self::start()?);
        *shared = Arc::downgrade(&server);
        Ok(server)
    }

    /// Where its data, its socket and its log are.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Its unix socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// Makes an empty database and gives its url.
    ///
    /// # Errors
    /// When the server is away.
    pub fn create_database(&self) -> io::Result<String> {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        run(self.client("createdb").arg(&name))?;
        Ok(self.url(&name))
    }

    /// The url of a database, there or not.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user={ROLE}", self.folder.path().display())
    }

    /// Runs SQL as superuser in the database of `url` and gives what `psql` prints for it.
    ///
    /// # Errors
    /// When the server is away or refuses.
    pub fn execute(&self, url: &str, sql: &str) -> io::Result<String> {
        let name = url.trim_start_matches("postgres:///").split('?').next().unwrap_or_default();
        run(self.client("psql").args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", name, "-c", sql]))
    }

    /// Ends all other connections to the server, as an administrator would.
    ///
    /// # Errors
    /// When the server is away.
    pub fn terminate_backends(&self) -> io::Result<()> {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        self.execute(&self.url("postgres"), sql).map(drop)
    }

    /// Starts it again after [`Self::stop`] or [`Self::kill`]; before that it is killed.
    ///
    /// # Errors
    /// When it does not start.
    pub fn restart(&self) -> io::Result<()> {
        let folder = self.folder.path();
        let log = folder.join("log");
        let mut server = command(&self.programs.join("postgres"), self.user, "QUIT");
        server.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        let settings =
            ["listen_addresses=", "fsync=on", "synchronous_commit=on", "max_connections=60", "max_wal_size=1GB"];
        settings.iter().for_each(|setting| {
            server.arg("-c").arg(setting);
        });
        let file = fs::OpenOptions::new().create(true).append(true).open(&log)?;
        server.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let ready = || run(self.client("pg_isready").arg("-q")).is_ok();
        self.process.start(server, &log, ready)
    }

    /// Shuts it down in order, ending the connections.
    ///
    /// # Errors
    /// When it does not end.
    pub fn stop(&self) -> io::Result<()> {
        self.process.stop(Signal::INT)
    }

    /// `kill -9`, the server and its connections.
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

    fn client(&self, program: &str) -> Command {
        let mut client = Command::new(self.programs.join(program));
        client.arg("-h").arg(self.folder.path()).args(["-U", ROLE]);
        client
    }
}

/// Where `initdb` and `postgres` are: the newest of Debian's versions.
fn programs() -> io::Result<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir("/usr/lib/postgresql").into_iter().flatten() {
        let entry = entry?;
        let bin = entry.path().join("bin");
        if let (Some(version), true) =
            (entry.file_name().to_str().and_then(|v| v.parse().ok()), bin.join("initdb").exists())
        {
            found.push((version, bin));
        }
    }
    let in_path = || env::split_paths(&env::var_os("PATH")?).find(|folder| folder.join("initdb").exists());
    found.into_iter().max().map(|(_, bin)| bin).or_else(in_path).ok_or_else(|| {
        Error::other("Postgres is not installed: run scripts/setup.sh test (Debian: apt-get install postgresql)")
    })
}

/// A temporary folder that belongs to the server's user.
fn own_folder(user: Option<User>) -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("xng-").tempdir()?;
    if let Some(User { uid, gid }) = user {
        chown(folder.path(), Some(uid), Some(gid))?;
    }
    Ok(folder)
}

/// What `initdb` made, once for each version and user; a server starts with a copy, which takes a tenth of the time.
fn template(programs: &Path, user: Option<User>) -> io::Result<PathBuf> {
    let version = run(Command::new(programs.join("postgres")).arg("--version"))?;
    let version = version.split_whitespace().nth(2).unwrap_or("unknown");
    let uid = user.map_or(geteuid().as_raw(), |user| user.uid);
    let place = env::temp_dir().join(format!("xng-postgres-{version}-{uid}"));
    if place.join("PG_VERSION").exists() {
        return Ok(place);
    }
    let folder = own_folder(user)?;
    let made = folder.path().join("data");
    let mut initdb = command(&programs.join("initdb"), user, "KILL");
    initdb.arg("-D").arg(&made).args(["-U", ROLE, "--auth=trust", "-E", "UTF8", "--locale=C"]);
    initdb.args(["--no-sync", "--no-instructions", "--wal-segsize=1"]);
    initdb.current_dir(folder.path());
    run(&mut initdb)?;
    // Whoever comes second finds the first one's there, and that is as good.
    match fs::rename(&made, &place) {
        Err(error) if !place.join("PG_VERSION").exists() => Err(error),
        _ => Ok(place),
    }
}
