//! Starts the real binary on free ports and talks to it.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::wait::{asked_again, eventually, found};
use serde_json::Value;
use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The markets of the quiet demo, which every server has that asks for no others: two pairs of the shipped ones.
pub(crate) const QUIET_MARKETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/quiet_markets.toml");
/// The setting of a server that has all pairs of the shipped demo.
pub(crate) const WHOLE_DEMO: (&str, &str) = (MARKETS, "config/markets.toml");
const MARKETS: &str = "XNG__FILES__MARKETS";

/// A running exchange; killed when dropped.
pub(crate) struct Server {
    child: Option<Child>,
    pub(crate) port: u16,
    pub(crate) ops: u16,
    data: TempDir,
    extra: Vec<(String, String)>,
    /// Where the binary finds its data, and where this process does: the same, unless it lies in another mount.
    place: (PathBuf, PathBuf),
    /// What runs the binary: a program and its arguments, which end up as the binary in the same process.
    wrapper: Vec<String>,
    starts: Vec<Duration>,
    /// Settings other than those of the repository.
    config: Option<PathBuf>,
}

/// A port below those that the system gives to connections: one of these may be taken while a killed server is not there.
pub(crate) fn free_port() -> u16 {
    let some = || 10_000 + (RandomState::new().build_hasher().finish() % 20_000) as u16;
    std::iter::repeat_with(some).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The binary behind the words that run it.
fn wrapped(words: &[String]) -> Command {
    let binary = env!("CARGO_BIN_EXE_exchange").to_owned();
    let words: Vec<&String> = words.iter().chain([&binary]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(root());
    command
}

impl Server {
    /// Starts a quiet demo with a fresh data folder; `extra` are settings as variables ([`WHOLE_DEMO`] among them).
    pub(crate) fn start(extra: &[(&str, &str)]) -> Server {
        let mut server = Server::prepare(extra);
        server.launch();
        server
    }

    /// As [`Server::start`], not started yet.
    pub(crate) fn prepare(extra: &[(&str, &str)]) -> Server {
        // A later setting of the same name wins.
        let extra = [(MARKETS, QUIET_MARKETS)].iter().chain(extra);
        let extra = extra.map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let data = tempfile::tempdir().unwrap();
        let place = data.path().join("data");
        let (place, wrapper, starts) = ((place.clone(), place), Vec::new(), Vec::new());
        let (port, ops, config) = (free_port(), free_port(), None);
        Server { child: None, port, ops, data, extra, place, wrapper, starts, config }
    }

    /// A second server over the data of this one.
    pub(crate) fn twin(&self) -> Server {
        let mut twin = Server::prepare(&[]);
        twin.place = self.place.clone();
        twin
    }

    /// Keeps its data in a folder of another mount from now on: `inside` is what the binary calls it, `outside` this
    /// process.
    pub(crate) fn keep_data_in(&mut self, inside: &Path, outside: &Path) {
        self.place = (inside.to_owned(), outside.to_owned());
    }

    /// The next starts and tools read these settings.
    pub(crate) fn configure(&mut self, path: &Path) {
        self.config = Some(path.to_owned());
    }

    /// The next starts run through these words; none: directly.
    pub(crate) fn wrap(&mut self, words: &[&str]) {
        self.wrapper = words.iter().map(|word| (*word).to_owned()).collect();
    }

    /// Where it keeps its data.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.place.1.clone()
    }

    /// A folder of its own beside the data, for files of the test.
    pub(crate) fn scratch(&self) -> &Path {
        self.data.path()
    }

    /// How long the starts took that came to be ready, in order.
    pub(crate) fn starts(&self) -> &[Duration] {
        &self.starts
    }

    /// A command that runs the binary on its data, with its settings.
    pub(crate) fn command(&self) -> Command {
        // Other wrappers are faults of the server's own.
        let elsewhere = self.place.0 != self.place.1;
        let mut command = if elsewhere { wrapped(&self.wrapper) } else { wrapped(&[]) };
        command.args(self.named_settings()).env("XNG__SERVER__DATA_DIR", &self.place.0).envs(self.settings());
        command
    }

    fn named_settings(&self) -> impl Iterator<Item = &OsStr> {
        self.config.iter().flat_map(|path| [OsStr::new("--config"), path.as_os_str()])
    }

    /// The settings that it was given, without what the loader of the binary is told.
    fn settings(&self) -> impl Iterator<Item = (&String, &String)> {
        self.extra.iter().filter(|(name, _)| name.starts_with("XNG__")).map(|(name, value)| (name, value))
    }

    /// The next starts list what the quiet demo lists, less what `change` takes away.
    pub(crate) fn list(&mut self, change: impl FnOnce(&mut toml::Table)) {
        let mut markets: toml::Table = std::fs::read_to_string(QUIET_MARKETS).unwrap().parse().unwrap();
        change(&mut markets);
        // A contract follows the index of its pair, so it goes with it.
        let of = |row: &toml::Value, name: &str| row.get(name).and_then(toml::Value::as_str).unwrap_or("").to_owned();
        let rows = |name: &str| markets.get(name).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let pairs: Vec<_> = rows("market").iter().map(|row| (of(row, "base"), of(row, "quote"))).collect();
        let follows = |row: &toml::Value| pairs.contains(&(of(row, "base"), of(row, "settle")));
        let contracts = rows("contract").into_iter().filter(follows).collect();
        markets.insert("contract".to_owned(), toml::Value::Array(contracts));
        let is_priced =
            |name: &str| name == "USDT" || pairs.iter().any(|(base, quote)| (&**base, &**quote) == (name, "USDT"));
        if let Some(assets) = markets.get_mut("convert").and_then(|c| c.get_mut("assets")?.as_array_mut()) {
            assets.retain(|asset| asset.as_str().is_some_and(is_priced));
        }
        let path = self.scratch().join("markets.toml");
        std::fs::write(&path, markets.to_string()).unwrap();
        self.set(MARKETS, path.to_str().unwrap());
    }

    /// The next starts read the shipped settings with this line in the place of that one: lists are not set by variables.
    pub(crate) fn change_setting(&mut self, line: &str, by: &str) {
        let shipped = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml")).unwrap();
        let settings = shipped.replace(&format!("\n{line}\n"), &format!("\n{by}\n"));
        assert_ne!(settings, shipped, "{line} is shipped");
        let path = self.scratch().join("exchange.toml");
        std::fs::write(&path, settings).unwrap();
        self.configure(&path);
    }

    /// A setting for the next start.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.extra.push((name.to_owned(), value.to_owned()));
    }

    /// Starts the binary on the same folder and ports, and waits until it is ready.
    pub(crate) fn launch(&mut self) {
        if let Err(status) = self.try_launch() {
            panic!("the exchange did not start ({status}):\n{}", self.log());
        }
    }

    /// As [`Server::launch`]; the way it ended when it did so before it was ready.
    pub(crate) fn try_launch(&mut self) -> Result<(), ExitStatus> {
        let began = Instant::now();
        self.spawn();
        let mut ended = None;
        eventually("the exchange starts", || {
            ended = self.ended();
            ended.is_some() || self.is_ready()
        });
        if let Some(status) = ended {
            return Err(status);
        }
        self.starts.push(began.elapsed());
        Ok(())
    }

    /// Whether it says that it is ready.
    pub(crate) fn is_ready(&self) -> bool {
        ureq::get(format!("http://127.0.0.1:{}/readyz", self.ops)).call().is_ok()
    }

    /// Starts the binary and does not wait.
    pub(crate) fn spawn(&mut self) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log_path()).unwrap();
        let mut command = wrapped(&self.wrapper);
        command
            .args(self.named_settings())
            .env("XNG__SERVER__LISTEN", format!("127.0.0.1:{}", self.port))
            .env("XNG__SERVER__OPS_LISTEN", format!("127.0.0.1:{}", self.ops))
            .env("XNG__SERVER__ADMIN_LISTEN", "")
            .env("XNG__SERVER__DATA_DIR", &self.place.0)
            .env("XNG__JOURNAL__SEGMENT_MIB", "4")
            .env("XNG__AUTH__ARGON_MEMORY_KIB", "1024")
            .env("XNG__LIMITS__CALLS_PER_MINUTE_USER", "1000000")
            .env("XNG__LIMITS__CALLS_PER_MINUTE_IP", "1000000")
            .env("XNG__LIMITS__WEIGHT_PER_SECOND_IP", "1000000")
            .env("XNG__API__WEIGHT_PER_MINUTE", "100000000")
            .env("XNG__LIMITS__SOCKET_OPENS_PER_IP", "1000000")
            .envs(self.extra.iter().map(|(k, v)| (k, v)))
            .stdout(Stdio::from(log.try_clone().unwrap()))
            .stderr(Stdio::from(log));
        let spawned = command.spawn();
        self.child = Some(spawned.unwrap_or_else(|error| panic!("cannot run {command:?}: {error}")));
    }

    /// The number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// The way it ended by itself, if it did.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.as_mut()?.try_wait().unwrap();
        if status.is_some() {
            self.child = None;
        }
        status
    }

    /// Waits until it ends by itself.
    pub(crate) fn wait_end(&mut self) -> ExitStatus {
        found("it ends", || self.ended())
    }

    fn log_path(&self) -> PathBuf {
        self.data.path().join("log")
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// SIGTERM, and the way it ended.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        self.send("TERM");
        self.wait_end()
    }

    /// Sends a signal to its process.
    pub(crate) fn send(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until everything that is durable now is in the store too.
    pub(crate) fn wait_persisted(&self) {
        let durable = self.status("durable");
        eventually("the store follows", || self.status("persisted") >= durable);
    }

    /// SIGKILL, right now.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// The ops port's key, as programs beside the server read it.
    fn ops_key(&self) -> String {
        let key = std::fs::read_to_string(self.data_dir().join("ops.key")).unwrap_or_default();
        format!("Bearer {key}")
    }

    pub(crate) fn ops_get(&self, path: &str) -> Value {
        let url = format!("http://127.0.0.1:{}{path}", self.ops);
        let answer = ureq::get(url).header("authorization", self.ops_key()).call();
        let text = answer.unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// A POST to the ops port.
    pub(crate) fn ops_post(&self, path: &str) {
        let url = format!("http://127.0.0.1:{}{path}", self.ops);
        ureq::post(url).header("authorization", self.ops_key()).send_empty().unwrap();
    }

    /// A number of `/status`.
    pub(crate) fn status(&self, name: &str) -> u64 {
        let status = self.ops_get("/status");
        status[name].as_u64().unwrap_or_else(|| panic!("no number {name}: {status}"))
    }

    /// The code in the newest mail to an address, but for mails about security changes, which come at any time; none if another mail is
    /// newer.
    pub(crate) fn code(&self, to: &str) -> Option<String> {
        let mails = self.ops_get(&format!("/dev/mailbox?to={to}"));
        let newest = mails.as_array()?.iter().find(|mail| mail["subject"] != "Security settings changed")?;
        let digits: String = newest["text"].as_str()?.chars().filter(char::is_ascii_digit).take(6).collect();
        (digits.len() == 6 && newest["subject"] == "Your verification code").then_some(digits)
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(self.port)
    }

    /// Logs a demo user in.
    pub(crate) fn demo(&self, name: &str) -> Api {
        let mut api = self.api();
        let answer = api.post("/user/login", &[("user_string", name), ("password", "demo1234")]);
        api.token = Some(answer["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned());
        api
    }

    /// Waits until a pair trades.
    pub(crate) fn wait_open(&self, symbol: &str) {
        let path = format!("/api/v3/exchangeInfo?symbol={symbol}");
        eventually("the pair opens", || self.api().raw_get(&path)["symbols"][0]["status"] == "TRADING");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log();
            let latest: Vec<&str> = log.lines().rev().take(15).collect();
            eprintln!("the log, newest first:\n{}", latest.join("\n"));
        }
    }
}

/// One client.
#[derive(Clone)]
pub(crate) struct Api {
    agent: ureq::Agent,
    base: String,
    pub(crate) token: Option<String>,
}

/// Why a call has no answer.
pub(crate) type NoAnswer = ureq::Error;

impl Api {
    fn new(port: u16) -> Api {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(20)))
            .http_status_as_error(false)
            .build();
        Api { agent: config.into(), base: format!("http://127.0.0.1:{port}"), token: None }
    }

    pub(crate) fn with_token(&self, token: &str) -> Api {
        Api { token: Some(token.to_owned()), ..self.clone() }
    }

    /// A POST that may fail on the way.
    pub(crate) fn try_post(&self, path: &str, form: &[(&str, &str)], key: Option<&str>) -> Result<Value, NoAnswer> {
        let mut request = self.agent.post(format!("{}/api{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let mut response = request.send_form(form.iter().copied())?;
        let text = response.body_mut().read_to_string()?;
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub(crate) fn post(&self, path: &str, form: &[(&str, &str)]) -> Value {
        self.try_post(path, form, None).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.try_get(path).unwrap()
    }

    /// As [`Api::get`], asked again for a while when the answer is "later" (1020).
    pub(crate) fn get_patiently(&self, path: &str) -> Value {
        asked_again(|| self.get(path), |answer| answer["code"] == 1020)
    }

    /// The same of a POST that only reads, or does nothing when it answers so.
    pub(crate) fn post_patiently(&self, path: &str, form: &[(&str, &str)]) -> Value {
        asked_again(|| self.post(path, form), |answer| answer["code"] == 1020)
    }

    /// A GET that may fail on the way.
    pub(crate) fn try_get(&self, path: &str) -> Result<Value, NoAnswer> {
        let mut request = self.agent.get(format!("{}/api{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        let text = request.call()?.body_mut().read_to_string()?;
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub(crate) fn raw_get(&self, path: &str) -> Value {
        let text = self.agent.get(format!("{}{path}", self.base)).call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    }

    /// A POST with a body of our own; status and text.
    pub(crate) fn post_bytes(&self, path: &str, kind: &str, body: &[u8]) -> (u16, String) {
        let mut request = self.agent.post(format!("{}/api{path}", self.base)).header("content-type", kind);
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        match request.send(body) {
            Ok(mut response) => (response.status().as_u16(), response.body_mut().read_to_string().unwrap_or_default()),
            Err(error) => (0, error.to_string()),
        }
    }

    /// Available and locked of one asset in the spot wallet.
    pub(crate) fn balance(&self, currency: u32) -> (String, String) {
        let row = self.post("/wallet/detail", &[("currency", &currency.to_string()), ("type", "change")]);
        let text = |key: &str| row["message"][key].as_str().unwrap_or_else(|| panic!("{row}")).to_owned();
        (text("change_balance"), text("lock_change_balance"))
    }
}

/// A status, headers and a body.
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Told {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Status, and the code of its error; 0 for none.
    pub(crate) fn end(&self) -> (u16, i64) {
        (self.status, self.body["code"].as_i64().unwrap_or(0))
    }
}

impl Api {
    /// A request of the programmatic API as it is.
    pub(crate) fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Told {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = self.agent.run(request.body(body.to_owned()).unwrap()).unwrap();
        let headers = response.headers().iter();
        let headers =
            headers.map(|(n, v)| (n.as_str().to_owned(), v.to_str().unwrap_or_default().to_owned())).collect();
        let text = response.body_mut().read_to_string().unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Told { status: response.status().as_u16(), headers, body }
    }
}
