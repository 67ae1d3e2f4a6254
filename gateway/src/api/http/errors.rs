//! The error catalogue (`docs/rules/app-calls.md "Error codes"`), and what stands for a fault. Refusals are in
//! `api/refusals.rs`.
//!
//! Owns: codes and what they stand for. Never does: show a cause; it goes to the log. Invariants: codes are
//! permanent. Known limits: one code a failure.

use super::envelope::Answer;
use super::i18n::{Lang, Messages};
use serde_json::{Map, Value, json};
use xng_runtime::Fault;

/// A code of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Code {
    NeedsVerification = 998,
    NeedsLogin = 999,
    Parameter = 1001,
    Repeated = 1002,
    NotFound = 1003,
    State = 1004,
    Insufficient = 1005,
    UnderDevelopment = 1006,
    AccountLocked = 1007,
    BadCode = 1008,
    BadLogin = 1009,
    BadPayPassword = 1010,
    Frozen = 1011,
    MarketClosed = 1012,
    Limit = 1013,
    NotEligible = 1014,
    BadFile = 1015,
    Exists = 1016,
    Region = 1017,
    TooMany = 1018,
    PriceChanged = 1019,
    Busy = 1020,
    SecondStep = 1021,
    ProofNeeded = 1022,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Code.
    pub code: Code,
    /// Key of the text; the code's own text when empty.
    pub text: &'static str,
    /// Placeholders of the text.
    pub values: Vec<(&'static str, String)>,
    /// Field and reason, for parameter errors.
    pub field: Option<(String, &'static str)>,
    /// Nobody knows whether it was done: no answer came in time.
    pub outcome_unknown: bool,
    /// What has to be shown first.
    pub demand: Option<Box<Demand>>,
    /// Until when it is refused, milliseconds since the epoch.
    pub until_ms: Option<u64>,
}

/// What has to be shown before something is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// How.
    pub methods: Vec<&'static str>,
    /// The challenge to answer and when it ends, milliseconds since the epoch; `None`: one is asked for.
    pub challenge: Option<(String, u64)>,
    /// What a browser has a passkey sign, where that answers the challenge.
    pub passkey: Option<serde_json::Value>,
}

impl From<Code> for Failure {
    fn from(code: Code) -> Failure {
        Failure {
            code,
            text: "",
            values: Vec::new(),
            field: None,
            outcome_unknown: false,
            demand: None,
            until_ms: None,
        }
    }
}

impl Failure {
    /// A code with a text of its own.
    #[must_use]
    pub fn text(code: Code, text: &'static str) -> Failure {
        Failure { text, ..Failure::from(code) }
    }

    /// Nobody knows whether it was done.
    #[must_use]
    pub fn outcome_unknown() -> Failure {
        Failure { outcome_unknown: true, ..Failure::text(Code::Busy, "outcome_unknown") }
    }

    /// A missing or invalid field.
    #[must_use]
    pub fn field(name: &str, reason: &'static str) -> Failure {
        Failure { field: Some((name.to_owned(), reason)), ..Failure::from(Code::Parameter) }
    }

    /// With what has to be shown first.
    #[must_use]
    pub fn demanding(self, demand: Demand) -> Failure {
        Failure { demand: Some(Box::new(demand)), ..self }
    }

    /// With the time until which it is refused.
    #[must_use]
    pub fn until(self, until_ms: u64) -> Failure {
        Failure { until_ms: Some(until_ms), ..self }
    }

    /// With a placeholder's value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Failure {
        self.values.push((name, value.to_string()));
        self
    }

    /// The answer that the client gets.
    #[must_use]
    pub fn answer(&self, messages: &Messages, lang: Lang) -> Answer {
        let code = self.code as u16;
        let kind = match self.code {
            Code::NeedsLogin => "999",
            Code::NeedsVerification => "998",
            Code::Parameter
            | Code::Repeated
            | Code::NotFound
            | Code::State
            | Code::Insufficient
            | Code::UnderDevelopment
            | Code::AccountLocked
            | Code::BadCode
            | Code::BadLogin
            | Code::BadPayPassword
            | Code::Frozen
            | Code::MarketClosed
            | Code::Limit
            | Code::NotEligible
            | Code::BadFile
            | Code::Exists
            | Code::Region
            | Code::TooMany
            | Code::PriceChanged
            | Code::Busy
            | Code::SecondStep
            | Code::ProofNeeded => "error",
        };
        let number = code.to_string();
        let key = if self.text.is_empty() { &number } else { self.text };
        let mut extra = Map::new();
        if let Some((field, reason)) = &self.field {
            extra.insert("errors".into(), json!({ field.as_str(): reason }));
        }
        if let Some(demand) = &self.demand {
            extra.insert("methods".into(), json!(demand.methods));
            if let Some((id, expire_at_ms)) = &demand.challenge {
                extra.insert("challenge_id".into(), json!(id));
                extra.insert("expire_at_ms".into(), json!(expire_at_ms));
            }
            if let Some(options) = &demand.passkey {
                extra.insert("passkey".into(), options.clone());
            }
        }
        if let Some(until_ms) = self.until_ms {
            extra.insert("until_ms".into(), json!(until_ms));
        }
        let message = Value::String(messages.text(lang, key, &self.values));
        Answer { kind, code, extra, ..Answer::ok(message) }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        match fault {
            Fault::Busy => Code::Busy.into(),
            Fault::Timeout => Failure::outcome_unknown(),
        }
    }
}
