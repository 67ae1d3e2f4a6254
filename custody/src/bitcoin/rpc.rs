//! JSON-RPC to a Bitcoin node.
//!
//! Owns: one question and its answer over HTTP, credentials, time limits. Never does: know what a question means; ask
//! twice. Invariants: an answer belongs to its question by its id; its size is bounded; passwords are not printed.
//! Known limits: HTTP without TLS, so node and exchange share a machine or a private network.

use crate::port::ChainError;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// What a node may say at most. A block of four million bytes comes to about 15 MiB in the longest form that is asked for.
const ANSWER_BYTES: u64 = 256 << 20;
/// The node's code for "I am starting".
const WARMING_UP: i64 = -28;
/// What an error of the node quotes at most.
const WORDS: usize = 300;

/// How a node knows us.
#[derive(Clone)]
pub enum Auth {
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

impl Rpc {
    /// For the node at `url`, such as `http://127.0.0.1:8332`. Nothing is asked yet.
    #[must_use]
    pub fn new(url: &str, auth: Auth, limits: Limits) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
        Rpc { agent, url: url.to_owned(), auth, limits, last: 0 }
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

    fn within<T: DeserializeOwned>(
        &mut self,
        limit: Duration,
        method: &str,
        parameters: Value,
    ) -> Result<T, ChainError> {
        self.last += 1;
        let question = json!({ "id": self.last, "method": method, "params": parameters }).to_string();
        let (status, text) = self.post(limit, question)?;
        match status {
            401 | 403 => return Err(ChainError::Unauthorised),
            503 => return Err(ChainError::Unreachable("it has too many questions".into())),
            // It says failures with 404 and 500, and the answer says which.
            _ => {}
        }
        let wrong = |e: serde_json::Error| ChainError::Shape(format!("{method}, status {status}: {e}"));
        let answer: Answer = serde_json::from_slice(&text).map_err(wrong)?;
        if answer.id != self.last {
            return Err(ChainError::Shape(format!("{method}: answer {} to question {}", answer.id, self.last)));
        }
        match answer.error {
            Some(fault) if fault.code == WARMING_UP => Err(ChainError::NotReady(short(&fault.message))),
            Some(fault) => Err(ChainError::Rpc { code: fault.code, message: short(&fault.message) }),
            None => serde_json::from_str(answer.result.as_ref().map_or("null", |result| result.get())).map_err(wrong),
        }
    }

    fn post(&self, limit: Duration, question: String) -> Result<(u16, Vec<u8>), ChainError> {
        let unreachable = |e: ureq::Error| ChainError::Unreachable(short(&e.to_string()));
        let request = self.agent.post(&self.url).config().timeout_global(Some(limit)).build();
        let request = request.header("content-type", "application/json").header("authorization", self.credentials()?);
        let mut answer = request.send(question).map_err(unreachable)?;
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES).read_to_vec().map_err(unreachable)?;
        Ok((answer.status().as_u16(), text))
    }

    fn credentials(&self) -> Result<String, ChainError> {
        let pair = match &self.auth {
            // A node that does not run has no cookie.
            Auth::Cookie(path) => fs::read_to_string(path)
                .map_err(|e| ChainError::Unreachable(format!("its cookie {}: {e}", path.display())))?,
            Auth::User { name, password } => format!("{name}:{password}"),
        };
        Ok(format!("Basic {}", STANDARD.encode(pair.trim_end())))
    }
}

/// The first characters of what a node says: it ends in logs.
pub(super) fn short(text: &str) -> String {
    text.chars().take(WORDS).collect()
}
