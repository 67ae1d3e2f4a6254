//! Questions, answers and the codes of refusals: one line of JSON each.
//!
//! Owns: their form. Never does: decide. Invariants: a code is permanent; an unknown field is refused, so that a newer
//! exchange is not half understood; amounts are texts of whole units. Known limits: the forms of Bitcoin and of EVM chains.
//! Rules: `docs/custody.md "The signer's socket"`.

use crate::keys::Key;
use bitcoin::hex::{DisplayHex, FromHex};
use bitcoin::{OutPoint, Txid};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::str::FromStr;
use thiserror::Error;

/// A question.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// The extended public key of an account.
    Xpub(u32),
    /// A signature.
    Sign(Plan),
    /// The extended public key of an account of EVM chains.
    XpubEvm(u32),
    /// A signature for an EVM chain.
    SignEvm(EvmPlan),
    /// A signature of a statement of reserves.
    Attest(Attestation),
}

/// A statement of reserves that a key signs.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attestation {
    /// Which of the key's addresses is in the statement.
    pub(crate) chain: Form,
    /// Whose signature.
    pub(crate) key: Key,
    /// The statement's id.
    pub(crate) statement: Statement,
}

/// How a chain's addresses sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Bitcoin,
    Evm,
}

/// The id of a statement of reserves: 64 lower-case digits, so that one id has one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Statement(pub(crate) [u8; 32]);

impl<'de> Deserialize<'de> for Statement {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let id = <[u8; 32]>::from_hex(&text).ok().filter(|id| id.to_lower_hex_string() == text);
        id.map(Statement).ok_or_else(|| D::Error::custom("a statement's id is 64 lower-case digits"))
    }
}

/// A transaction to sign.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    /// The exchange's number of the plan, for the log.
    pub(crate) plan: u64,
    /// Which attempt of it, for the log.
    pub(crate) attempt: u32,
    /// What it spends.
    pub(crate) inputs: Vec<Input>,
    /// What it pays.
    pub(crate) payments: Vec<Payment>,
    /// What comes back; the last output.
    pub(crate) change: Option<Change>,
    /// What the miner gets.
    pub(crate) fee: Units,
}

/// An output to spend. Also what the log keeps of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Its transaction.
    pub(crate) txid: Txid,
    /// Which output.
    pub(crate) n: u32,
    /// What it holds, as the exchange says.
    pub(crate) units: Units,
    /// Whose it is, as the exchange says.
    pub(crate) key: Key,
}

impl Input {
    pub(crate) fn at(&self) -> OutPoint {
        OutPoint { txid: self.txid, vout: self.n }
    }
}

/// A payment to somebody.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payment {
    pub(crate) address: String,
    pub(crate) units: Units,
}

/// What comes back.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    pub(crate) key: Key,
    pub(crate) units: Units,
}

/// A transfer on an EVM chain to sign.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvmPlan {
    /// The exchange's number of the plan, for the log.
    pub(crate) plan: u64,
    /// Which attempt of it, for the log.
    pub(crate) attempt: u32,
    /// Which chain (EIP-155).
    pub(crate) chain_id: u64,
    /// Who pays.
    pub(crate) key: Key,
    /// Transactions of the key before it.
    pub(crate) nonce: u64,
    /// The token's contract; none: the chain's coin.
    pub(crate) token: Option<String>,
    /// Who is paid.
    pub(crate) payee: EvmPayee,
    /// How much, in the smallest unit.
    pub(crate) units: Wei,
    /// Gas that it may take.
    pub(crate) gas_limit: u64,
    /// What a unit of gas costs at most.
    pub(crate) max_fee_per_gas: Wei,
    /// What of it is the miner's.
    pub(crate) max_priority_fee_per_gas: Wei,
}

/// Who is paid on an EVM chain.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EvmPayee {
    Address(String),
    Key(Key),
}

/// An amount on an EVM chain, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wei(pub(crate) u128);

impl Serialize for Wei {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Wei {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        whole(&text).map(Wei).ok_or_else(|| D::Error::custom("not whole units"))
    }
}

/// A number of digits alone.
pub(crate) fn whole<N: FromStr>(text: &str) -> Option<N> {
    let digits = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// Satoshi, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Units(pub(crate) u64);

impl Serialize for Units {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        whole(&text).map(Units).ok_or_else(|| D::Error::custom("not whole units"))
    }
}

/// An answer.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Xpub(String),
    Signed { txid: String, raw: String },
    Attested { signature: String },
    Refused { code: &'static str, text: String },
}

/// Why something is not signed. The code is for programs, the text for a person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error("the question does not have its form: {0}")]
    Malformed(String),
    #[error("it spends or pays nothing")]
    Empty,
    #[error("more than {inputs} inputs or {payments} payments", inputs = crate::transaction::INPUTS, payments = crate::transaction::PAYMENTS)]
    TooLarge,
    #[error("an account or child that is not the exchange's")]
    ForeignKey,
    #[error("the change does not go to a change key of the exchange")]
    ForeignChange,
    #[error("an input is there twice")]
    InputTwice,
    #[error("an amount that no transaction can have")]
    Amount,
    #[error("payment {0} is to no address of this network that is paid")]
    Address(usize),
    #[error("an output is too small to be passed on")]
    Dust,
    #[error("the inputs are not payments, change and fee")]
    WrongSum,
    #[error("the fee is above the cap")]
    FeeAboveCap,
    #[error("input {0} was signed for with another amount or key")]
    InputDiffers(OutPoint),
    #[error("input {0} was signed for with other payees or amounts")]
    PayeesDiffer(OutPoint),
    #[error("input {0} was signed for with this fee or a higher one")]
    FeeNotHigher(OutPoint),
    #[error("it would be {wanted} units in an hour, of {allowed}")]
    AboveHourCap {
        /// With it.
        wanted: u128,
        /// The cap.
        allowed: u128,
    },
    #[error("a chain that the policy does not name")]
    WrongChain,
    #[error("a token that the policy does not name")]
    TokenNotListed,
    #[error("no address that is paid")]
    Payee,
    #[error("nonce {0} was signed for with another payee, token or amount")]
    NonceTaken(u64),
    #[error("nonce {0} was signed for with such a fee, or one less than an eighth lower")]
    BidNotHigher(u64),
}

impl Refusal {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Refusal::Malformed(_) => "malformed",
            Refusal::Empty => "empty",
            Refusal::TooLarge => "too_large",
            Refusal::ForeignKey => "foreign_key",
            Refusal::ForeignChange => "foreign_change",
            Refusal::InputTwice => "input_twice",
            Refusal::Amount => "amount",
            Refusal::Address(_) | Refusal::Payee => "address",
            Refusal::Dust => "dust",
            Refusal::WrongSum => "wrong_sum",
            Refusal::FeeAboveCap => "fee_above_cap",
            Refusal::InputDiffers(_) => "input_differs",
            Refusal::PayeesDiffer(_) | Refusal::NonceTaken(_) => "payees_differ",
            Refusal::FeeNotHigher(_) | Refusal::BidNotHigher(_) => "fee_not_higher",
            Refusal::AboveHourCap { .. } => "above_hour_cap",
            Refusal::WrongChain => "wrong_chain",
            Refusal::TokenNotListed => "token_not_listed",
        }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Answer::Refused { code: refusal.code(), text: refusal.to_string() }
    }
}
