//! JSON-RPC to a node.
//!
//! Owns: questions and their answers over HTTP, credentials, time limits. Never does: know what a question means; ask
//! twice. Invariants: an answer belongs to its question by its id; its size is bounded; passwords are not printed.
//! Known limits: HTTP without TLS is not refused: node and exchange then share a machine or a private network; a node's
//! address is printed, so no secret belongs in it.

use crate::port::ChainError;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// What a node may say at most. A block of Bitcoin of four million bytes comes to about 15 MiB in the longest form that is
/// asked for, the receipts of an EVM block that does nothing but write logs to 120 MiB.
const ANSWER_BYTES: u64 = 256 << 20;
/// A Bitcoin node's code for "I am starting".
const WARMING_UP: i64 = -28;
/// What an error of the node quotes at most.
const WORDS: usize = 300;

/// How a node knows us.
#[derive(Clone)]
pub enum Auth {
    /// It answers everybody who reaches it.
    Open,
    /// The file that the node writes at each start. It is read at each call.
    Cookie(PathBuf),
    /// A user of the node's settings.
    User {
        /// Its name.
        name: String,
        /// Its password.
        password: String,
    },
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Auth::Open => f.write_str("Open"),
            Auth::Cookie(path) => f.debug_tuple("Cookie").field(path).finish(),
            Auth::User { name, .. } => f.debug_struct("User").field("name", name).finish_non_exhaustive(),
        }
    }
}

/// How long a question may take, connection included.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// An ordinary one.
    pub answer: Duration,
    /// Counting the unspent outputs of the whole chain: minutes on the main network.
    pub scan: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { answer: Duration::from_secs(30), scan: Duration::from_secs(1_800) }
    }
}

/// A node's address with credentials. See the module's header.
#[derive(Debug)]
pub struct Rpc {
    agent: ureq::Agent,
    url: String,
    auth: Auth,
    limits: Limits,
    /// What a question says of the protocol; a Bitcoin node is told nothing and keeps to its older one.
    version: Option<&'static str>,
    last: u64,
}

#[derive(Deserialize)]
struct Answer {
    result: Option<Box<RawValue>>,
    error: Option<Fault>,
    id: u64,
}

#[derive(Deserialize)]
struct Fault {
    code: i64,
    message: String,
}

/// The answer to many questions of a node that takes none of them.
#[derive(Deserialize)]
struct Whole {
    error: Fault,
}

impl Answer {
    fn read<T: DeserializeOwned>(self, method: &str, status: u16) -> Result<T, ChainError> {
        match self.error {
            Some(said) => Err(fault(said)),
            None => serde_json::from_str(self.result.as_ref().map_or("null", |result| result.get()))
                .map_err(|e| wrong(method, status, &e)),
        }
    }
}

fn wrong(method: &str, status: u16, error: &serde_json::Error) -> ChainError {
    // It may quote all that the node said.
    ChainError::Shape(format!("{method}, status {status}: {}", short(&error.to_string())))
}

fn fault(said: Fault) -> ChainError {
    match said.code {
        WARMING_UP => ChainError::NotReady(short(&said.message)),
        code => ChainError::Rpc { code, message: short(&said.message) },
    }
}

impl Rpc {
    /// For the node at `url`, such as `http://127.0.0.1:8332`. Nothing is asked yet.
    #[must_use]
    pub fn new(url: &str, auth: Auth, limits: Limits) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
        Rpc { agent, url: url.to_owned(), auth, limits, version: None, last: 0 }
    }

    /// As [`Rpc::new`], for a node that wants to be told that version 2.0 of the protocol is spoken.
    #[must_use]
    pub fn version_2(url: &str, auth: Auth, limits: Limits) -> Self {
        Rpc { version: Some("2.0"), ..Rpc::new(url, auth, limits) }
    }

    /// Asks `method` and reads the answer's result as `T`.
    ///
    /// # Errors
    /// `Unreachable`, `NotReady`, `Unauthorised`, `Shape`, and `Rpc` with the node's code.
    pub fn call<T: DeserializeOwned>(&mut self, method: &str, parameters: Value) -> Result<T, ChainError> {
        self.within(self.limits.answer, method, parameters)
    }

    /// As [`Rpc::call`], with the long limit.
    ///
    /// # Errors
    /// As [`Rpc::call`].
    pub fn scan<T: DeserializeOwned>(&mut self, method: &str, parameters: Value) -> Result<T, ChainError> {
        self.within(self.limits.scan, method, parameters)
    }

    /// Asks each method with its parameters, all in one message; the results are in the same order.
    ///
    /// # Errors
    /// As [`Rpc::call`]: the first failure is that of all.
    pub fn batch<T: DeserializeOwned>(&mut self, questions: &[(&str, Value)]) -> Result<Vec<T>, ChainError> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let first = self.last + 1;
        let asked: Vec<Value> =
            questions.iter().map(|(method, parameters)| self.question(method, parameters)).collect();
        let (status, text) = self.post(self.limits.answer, Value::Array(asked).to_string())?;
        let wrong = |what: String| ChainError::Shape(format!("{} questions, status {status}: {what}", questions.len()));
        // A node that cannot answer at all says so once.
        if let Ok(Whole { error }) = serde_json::from_slice(&text) {
            return Err(fault(error));
        }
        let answers: Vec<Answer> = serde_json::from_slice(&text).map_err(|e| wrong(short(&e.to_string())))?;
        let count = answers.len();
        let mut answers: BTreeMap<u64, Answer> = answers.into_iter().map(|answer| (answer.id, answer)).collect();
        if count != questions.len() {
            return Err(wrong(format!("{count} answers")));
        }
        let one = |(id, (method, _)): (u64, &(&str, Value))| {
            let answer = answers.remove(&id).ok_or_else(|| wrong(format!("no answer to question {id}")))?;
            answer.read(method, status)
        };
        (first..).zip(questions).map(one).collect()
    }

    fn question(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut question = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(version) = self.version {
            question["jsonrpc"] = version.into();
        }
        question
    }

    fn within<T: DeserializeOwned>(
        &mut self,
        limit: Duration,
        method: &str,
        parameters: Value,
    ) -> Result<T, ChainError> {
        let question = self.question(method, &parameters).to_string();
        let (status, text) = self.post(limit, question)?;
        let answer: Answer = serde_json::from_slice(&text).map_err(|e| wrong(method, status, &e))?;
        if answer.id != self.last {
            return Err(ChainError::Shape(format!("{method}: answer {} to question {}", answer.id, self.last)));
        }
        answer.read(method, status)
    }

    fn post(&self, limit: Duration, question: String) -> Result<(u16, Vec<u8>), ChainError> {
        let unreachable = |e: ureq::Error| ChainError::Unreachable(short(&e.to_string()));
        let request = self.agent.post(&self.url).config().timeout_global(Some(limit)).build();
        let request = request.header("content-type", "application/json");
        let request = match self.credentials()? {
            Some(credentials) => request.header("authorization", credentials),
            None => request,
        };
        let mut answer = request.send(question).map_err(unreachable)?;
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES).read_to_vec().map_err(unreachable)?;
        match answer.status().as_u16() {
            401 | 403 => Err(ChainError::Unauthorised),
            429 | 503 => Err(ChainError::Unreachable("it has too many questions".into())),
            // It says failures with 404 and 500, and the answer says which.
            status => Ok((status, text)),
        }
    }

    fn credentials(&self) -> Result<Option<String>, ChainError> {
        let pair = match &self.auth {
            Auth::Open => return Ok(None),
            // A node that does not run has no cookie.
            Auth::Cookie(path) => fs::read_to_string(path)
                .map_err(|e| ChainError::Unreachable(format!("its cookie {}: {e}", path.display())))?,
            Auth::User { name, password } => format!("{name}:{password}"),
        };
        Ok(Some(format!("Basic {}", STANDARD.encode(pair.trim_end()))))
    }
}

/// The first characters of what a node says: it ends in logs.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(WORDS).collect()
}
