//! Starts the real binary on free ports and talks to it.

use serde_json::Value;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running exchange; killed when dropped.
pub(crate) struct Server {
    child: Option<Child>,
    pub(crate) port: u16,
    pub(crate) ops: u16,
    data: TempDir,
    extra: Vec<(String, String)>,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

impl Server {
    /// Starts with a fresh data folder; `extra` are settings as variables.
    pub(crate) fn start(extra: &[(&str, &str)]) -> Server {
        let mut server = Server::stopped(extra);
        server.launch();
        server
    }

    /// One that does not run yet and has no data folder.
    pub(crate) fn stopped(extra: &[(&str, &str)]) -> Server {
        let extra = extra.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Server { child: None, port: free_port(), ops: free_port(), data: tempfile::tempdir().unwrap(), extra }
    }

    /// Where it keeps its data.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.data.path().join("data")
    }

    /// A setting for the next start.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.extra.push((name.to_owned(), value.to_owned()));
    }

    /// Starts the binary on the same folder and ports.
    pub(crate) fn launch(&mut self) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log_path()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_exchange"));
        command
            .current_dir(root())
            .env("XNG__SERVER__LISTEN", format!("127.0.0.1:{}", self.port))
            .env("XNG__SERVER__OPS_LISTEN", format!("127.0.0.1:{}", self.ops))
            .env("XNG__SERVER__DATA_DIR", self.data.path().join("data"))
            .env("XNG__JOURNAL__SEGMENT_MIB", "4")
            .env("XNG__AUTH__ARGON_MEMORY_KIB", "1024")
            .env("XNG__LIMITS__CALLS_PER_MINUTE_USER", "1000000")
            .env("XNG__LIMITS__CALLS_PER_MINUTE_IP", "1000000")
            .envs(self.extra.iter().map(|(k, v)| (k, v)))
            .stdout(Stdio::from(log.try_clone().unwrap()))
            .stderr(Stdio::from(log));
        self.child = Some(command.spawn().unwrap());
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if ureq::get(format!("http://127.0.0.1:{}/readyz", self.ops)).call().is_ok() {
                return;
            }
            let ended = self.child.as_mut().and_then(|c| c.try_wait().unwrap());
            assert!(ended.is_none() && Instant::now() < until, "the exchange did not start:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn log_path(&self) -> PathBuf {
        self.data.path().join("log")
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// SIGTERM, and the way it ended.
    pub(crate) fn terminate(&mut self) -> std::process::ExitStatus {
        let mut child = self.child.take().unwrap();
        self.signal(&child, "TERM");
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            if Instant::now() > until {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("it does not stop:\n{}", self.log());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn signal(&self, child: &Child, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap();
        assert!(sent.success());
    }

    /// Where its data lie.
    pub(crate) fn data(&self) -> PathBuf {
        self.data.path().join("data")
    }

    /// Waits until everything that is durable now is in the store too.
    pub(crate) fn wait_persisted(&self) {
        let durable = self.ops_get("/status")["durable"].as_u64().unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        while self.ops_get("/status")["persisted"].as_u64().unwrap() < durable {
            assert!(Instant::now() < until, "the store does not follow");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// SIGKILL, right now.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn ops_get(&self, path: &str) -> Value {
        let url = format!("http://127.0.0.1:{}{path}", self.ops);
        let text = ureq::get(url).call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
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
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let info = self.api().raw_get(&format!("/api/v3/exchangeInfo?symbol={symbol}"));
            if info["symbols"][0]["status"] == "TRADING" {
                return;
            }
            assert!(Instant::now() < until, "{symbol} does not open: {info}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
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
        let mut request = self.agent.get(format!("{}/api{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        let text = request.call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap_or(Value::String(text))
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
