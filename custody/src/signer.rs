//! Asks the signer: a process that has the keys, behind a unix socket.
//!
//! Owns: the form of questions and answers. Never does: hold a key; believe an answer (`Unsigned::verify` checks it).
//! Invariants: a line is asked, a line is answered; a refusal has its code. Known limits: a connection a question.
//! Rules: `docs/custody.md "The signer's socket"`.

use crate::evm::Address;
use crate::hex;
use crate::reserves::Form;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;
use xng_core::chain::{AccountTransaction, CoinTransaction, Key, Payment, Recipient, TxId};

/// An answer at most: a transaction of 32 KiB in hexadecimal, and more.
const ANSWER_BYTES: u64 = 1 << 20;

/// Why there is no signature.
#[derive(Debug, Error)]
pub enum SignerError {
    /// It is not there, or did not answer in time. Ask again: the same question has the same answer.
    #[error("the signer is not reachable: {0}")]
    Unreachable(#[from] io::Error),
    /// It does not sign this; the code says why, the text is for a person.
    #[error("the signer refuses: {text} ({code})")]
    Refused {
        /// Permanent, such as `foreign_change`.
        code: String,
        /// Its words.
        text: String,
    },
    /// The answer does not have its form.
    #[error("the signer's answer is wrong: {0}")]
    Shape(String),
}

/// A signed transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// Its id.
    pub txid: TxId,
    /// Its bytes.
    pub raw: Vec<u8>,
}

/// Where the signer is. See the module's header.
#[derive(Debug, Clone)]
pub struct Signer {
    socket: PathBuf,
    within: Duration,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Xpub(String),
    Signed { txid: String, raw: String },
    Attested { signature: String },
    Refused { code: String, text: String },
}

impl Signer {
    /// Behind this socket; an answer may take `within`.
    #[must_use]
    pub fn new(socket: PathBuf, within: Duration) -> Self {
        Signer { socket, within }
    }

    /// The extended public key of an account.
    ///
    /// # Errors
    /// Every kind of [`SignerError`].
    pub fn xpub(&self, ring: u32) -> Result<String, SignerError> {
        self.key(&json!({ "xpub": ring }))
    }

    /// As [`Signer::xpub`], of an account of EVM chains.
    ///
    /// # Errors
    /// Every kind of [`SignerError`].
    pub fn xpub_evm(&self, ring: u32) -> Result<String, SignerError> {
        self.key(&json!({ "xpub_evm": ring }))
    }

    /// Signs a plan's transaction. Asked twice, the answer has the same bytes.
    ///
    /// # Errors
    /// Every kind of [`SignerError`].
    pub fn sign(&self, plan: u64, attempt: u32, of: &CoinTransaction) -> Result<Signed, SignerError> {
        self.signed(&json!({ "sign": question(plan, attempt, of) }))
    }

    /// As [`Signer::sign`], for the EVM chain of this number.
    ///
    /// # Errors
    /// Every kind of [`SignerError`].
    pub fn sign_evm(
        &self,
        plan: u64,
        attempt: u32,
        chain_id: u64,
        of: &AccountTransaction,
    ) -> Result<Signed, SignerError> {
        self.signed(&json!({ "sign_evm": evm_question(plan, attempt, chain_id, of) }))
    }

    /// The signature of the message of a statement of reserves ([`crate::reserves::message`]) by this key: on Bitcoin BIP-322
    /// (simple, base64), on EVM chains EIP-191 (65 bytes, `0x…`). Asked twice, the answer is the same. The signer makes the
    /// message by itself out of `statement`, the id. [`crate::reserves::holds`] checks the answer.
    ///
    /// # Errors
    /// Every kind of [`SignerError`].
    pub fn attest(&self, form: Form, key: Key, statement: &[u8; 32]) -> Result<String, SignerError> {
        let of = json!({ "chain": form, "key": key_of(key), "statement": hex::encode(statement) });
        match self.ask(&json!({ "attest": of }))? {
            Answer::Attested { signature } => Ok(signature),
            other @ (Answer::Xpub(_) | Answer::Signed { .. } | Answer::Refused { .. }) => Err(unexpected(other)),
        }
    }

    fn key(&self, question: &Value) -> Result<String, SignerError> {
        match self.ask(question)? {
            Answer::Xpub(text) => Ok(text),
            other @ (Answer::Signed { .. } | Answer::Attested { .. } | Answer::Refused { .. }) => {
                Err(unexpected(other))
            }
        }
    }

    fn signed(&self, question: &Value) -> Result<Signed, SignerError> {
        match self.ask(question)? {
            Answer::Signed { txid, raw } => {
                let wrong = || SignerError::Shape("no transaction".into());
                let txid = hex::hash(&txid).map(TxId).ok_or_else(wrong)?;
                Ok(Signed { txid, raw: hex::decode(&raw).ok_or_else(wrong)? })
            }
            other @ (Answer::Xpub(_) | Answer::Attested { .. } | Answer::Refused { .. }) => Err(unexpected(other)),
        }
    }

    fn ask(&self, question: &Value) -> Result<Answer, SignerError> {
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(self.within))?;
        stream.set_write_timeout(Some(self.within))?;
        stream.write_all(format!("{question}\n").as_bytes())?;
        let mut line = String::new();
        BufReader::new(stream.take(ANSWER_BYTES)).read_line(&mut line)?;
        if !line.ends_with('\n') {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        serde_json::from_str(&line).map_err(|e| SignerError::Shape(e.to_string()))
    }
}

fn unexpected(answer: Answer) -> SignerError {
    match answer {
        Answer::Refused { code, text } => SignerError::Refused { code, text },
        Answer::Xpub(_) | Answer::Signed { .. } | Answer::Attested { .. } => {
            SignerError::Shape("the answer to another question".into())
        }
    }
}

fn key_of(key: Key) -> Value {
    json!({ "ring": key.ring, "change": key.change, "index": key.index })
}

fn evm_question(plan: u64, attempt: u32, chain_id: u64, of: &AccountTransaction) -> Value {
    let payee = match &of.to {
        Recipient::Address(text) => json!({ "address": text }),
        Recipient::Own(key) => json!({ "key": key_of(*key) }),
    };
    json!({
        "plan": plan,
        "attempt": attempt,
        "chain_id": chain_id,
        "key": key_of(of.from),
        "nonce": of.nonce,
        "token": of.token.map(|token| Address(token).to_string()),
        "payee": payee,
        "units": of.units.0.to_string(),
        "gas_limit": of.gas_limit,
        "max_fee_per_gas": of.max_fee_per_gas.to_string(),
        "max_priority_fee_per_gas": of.max_priority_fee_per_gas.to_string(),
    })
}

/// Amounts are texts: a reader that has only floats loses none of them.
fn question(plan: u64, attempt: u32, of: &CoinTransaction) -> Value {
    let inputs: Vec<Value> = of
        .inputs
        .iter()
        .map(|coin| {
            let (txid, units) = (coin.at.txid.to_string(), coin.units.0.to_string());
            json!({ "txid": txid, "n": coin.at.n, "units": units, "key": key_of(coin.key) })
        })
        .collect();
    let payment = |to: &Payment| json!({ "address": to.address, "units": to.units.0.to_string() });
    let payments: Vec<Value> = of.payments.iter().map(payment).collect();
    let change = of.change.map(|(to, units)| json!({ "key": key_of(to), "units": units.0.to_string() }));
    let fee = of.fee.0.to_string();
    json!({ "plan": plan, "attempt": attempt, "inputs": inputs, "payments": payments, "change": change, "fee": fee })
}
