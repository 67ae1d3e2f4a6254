//! Challenges and proofs: what somebody was asked to prove, and what was proved.
//!
//! Owns: both, in memory, each under the digest of its name. Never does: look at a password or a code; read a clock.
//! Invariants: a challenge and a proof end five minutes after they began; a challenge has five tries, which are counted before an
//! answer is looked at, and is answered once; a proof is used once, by the session that it was made in, for the action and the
//! subject that it was made for.
//! Known limits: forgotten at a restart; of one session, or of one account and address, the oldest give way.
//! Rules: `docs/rules/authentication.md "Proofs"`.

use super::secrets::{digest, token};
use dashmap::DashMap;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::fmt;
use std::net::IpAddr;
use xng_core::ids::AccountId;
use xng_persistence::office::{PasswordProof, TokenHash};

/// A challenge lives so long, and so does a proof: five minutes.
pub(super) const LIVES_MS: u64 = 300_000;
/// Answers that are looked at.
const TRIES: u32 = 5;
/// Challenges, and as many proofs, of one session or of one account and address.
const MOST: usize = 40;

/// What a proof is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// To make an API key.
    CreateApiKey,
    /// To change one.
    ChangeApiKey,
    /// To let one work again.
    ConfirmApiKey,
    /// To end one.
    DeleteApiKey,
    /// To set up an authenticator beside a passkey, or in the place of another.
    BeginTotp,
    /// To remove an authenticator.
    RemoveTotp,
    /// To have coins paid out.
    Withdraw,
    /// To save an address that coins may be paid out to.
    AddAddress,
    /// To let new addresses wait no more.
    SwitchWhitelist,
    /// To bind a mail address or a phone.
    BindContact,
    /// To add a passkey to what protects the account.
    AddPasskey,
    /// To remove one.
    RemovePasskey,
    /// To change the anti-phishing text of mails.
    MailPhrase,
    /// To save a bank card.
    SaveCard,
}

/// The names of all actions.
pub const ACTIONS: &[&str] = &[
    "api_key_create",
    "api_key_update",
    "api_key_confirm",
    "api_key_delete",
    "totp_begin",
    "totp_remove",
    "withdraw",
    "address_add",
    "whitelist",
    "contact_bind",
    "passkey_add",
    "passkey_remove",
    "mail_phrase",
    "card_save",
];

/// All that calls of cards name, so that a proof is of the whole card.
const CARD_FIELDS: &[&str] = &[
    "real_name",
    "bank_name",
    "bank_account",
    "bank_dizhi",
    "province_city",
    "alipay_account",
    "aba_number",
    "wechat_nickname",
    "swift_code",
    "wechat_account",
    "cardholder_address",
    "bank_branch",
    "branch_network",
    "phone",
    "data",
    "data[0]",
    "data[1]",
    "data[2]",
    "data[3]",
    "data[4]",
    "data[5]",
    "data[6]",
    "data[7]",
];

impl Action {
    const ALL: [Action; 14] = [
        Action::CreateApiKey,
        Action::ChangeApiKey,
        Action::ConfirmApiKey,
        Action::DeleteApiKey,
        Action::BeginTotp,
        Action::RemoveTotp,
        Action::Withdraw,
        Action::AddAddress,
        Action::SwitchWhitelist,
        Action::BindContact,
        Action::AddPasskey,
        Action::RemovePasskey,
        Action::MailPhrase,
        Action::SaveCard,
    ];

    /// The name that calls use.
    #[must_use]
    pub fn name(self) -> &'static str {
        ACTIONS[self as usize]
    }

    /// Reads a call's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|action| action.name() == name)
    }

    /// The fields that say what it is done to: those of the action's own call.
    #[must_use]
    pub fn subject(self) -> &'static [&'static str] {
        match self {
            Action::CreateApiKey => &["label", "kind", "public_key", "scopes", "ips"],
            Action::ChangeApiKey => &["id", "label", "scopes", "ips"],
            Action::ConfirmApiKey | Action::DeleteApiKey | Action::RemoveTotp | Action::RemovePasskey => &["id"],
            Action::BeginTotp | Action::AddPasskey => &[],
            Action::Withdraw => &["currency", "network", "address", "number"],
            Action::AddAddress => &["currency", "network", "address"],
            Action::SwitchWhitelist => &["on"],
            Action::BindContact => &["email", "area_code", "mobile"],
            Action::MailPhrase => &["phrase"],
            Action::SaveCard => CARD_FIELDS,
        }
    }
}

/// An action and what it is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The action.
    pub action: Action,
    subject: [u8; 32],
}

impl Wanted {
    /// An action with the fields of its subject as they were sent; `None` of one that was not.
    pub fn new<'a>(action: Action, field: impl Fn(&str) -> Option<&'a str>) -> Wanted {
        let mut sha = Sha256::new();
        for name in action.subject() {
            let text = field(name);
            sha.update([u8::from(text.is_some())]);
            sha.update((text.unwrap_or_default().len() as u64).to_le_bytes());
            sha.update(text.unwrap_or_default());
        }
        Wanted { action, subject: sha.finalize().into() }
    }
}

/// Who may answer a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Asked {
    /// Who is logged in.
    Session(TokenHash),
    /// Who knew the password, or has a passkey, from an address as limits see it.
    Address(IpAddr),
}

/// What follows from the right answer.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Aim {
    /// A proof.
    Proof(Wanted),
    /// A session, while the hash of the password is still this one.
    Login(String),
    /// A session of whoever the passkey says, without a password.
    PasskeyLogin,
    /// A new passkey with this label, while the proof holds.
    Passkey(String, PasswordProof),
}

impl Aim {
    /// What a passkey signs, or is made with, that answers the challenge of this name.
    pub(super) fn to_sign(&self, name: &str) -> [u8; 32] {
        let mut sha = Sha256::new();
        sha.update(name);
        match self {
            Aim::Proof(Wanted { action, subject }) => {
                sha.update(action.name());
                sha.update(subject);
            }
            Aim::Login(_) => sha.update("login"),
            Aim::PasskeyLogin => sha.update("passkey login"),
            Aim::Passkey(..) => sha.update("passkey"),
        }
        sha.finalize().into()
    }
}

impl fmt::Debug for Aim {
    /// Without the hash.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aim::Proof(wanted) => f.debug_tuple("Proof").field(wanted).finish(),
            Aim::Login(_) => f.write_str("Login"),
            Aim::PasskeyLogin => f.write_str("PasskeyLogin"),
            Aim::Passkey(..) => f.write_str("Passkey"),
        }
    }
}

/// A challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) account: AccountId,
    pub(super) asked: Asked,
    pub(super) aim: Aim,
    tries: u32,
}

#[derive(Debug)]
struct Proof {
    session: TokenHash,
    wanted: Wanted,
    passwords: PasswordProof,
}

/// What ends by itself, by the digest of its name. Of each owner the oldest give way.
#[derive(Debug)]
struct Kept<T> {
    rows: DashMap<[u8; 32], (T, u64)>,
    order: DashMap<(Asked, AccountId), VecDeque<[u8; 32]>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { rows: DashMap::new(), order: DashMap::new() }
    }
}

impl<T> Kept<T> {
    /// Its name and when it ends.
    fn add(&self, owner: (Asked, AccountId), row: T, now_ms: u64) -> (String, u64) {
        let (name, ends_ms) = (token(), now_ms + LIVES_MS);
        let digest = digest(&name);
        self.rows.insert(digest, (row, ends_ms));
        let mut order = self.order.entry(owner).or_default();
        order.push_back(digest);
        while order.len() > MOST {
            let oldest = order.pop_front();
            oldest.map(|oldest| self.rows.remove(&oldest));
        }
        (name, ends_ms)
    }

    fn take(&self, name: &str, now_ms: u64) -> Option<T> {
        self.rows.remove(&digest(name)).filter(|(_, (_, ends_ms))| now_ms < *ends_ms).map(|(_, (row, _))| row)
    }

    fn sweep(&self, now_ms: u64) {
        self.rows.retain(|_, (_, ends_ms)| now_ms < *ends_ms);
        self.order.retain(|_, order| {
            order.retain(|digest| self.rows.contains_key(digest));
            !order.is_empty()
        });
    }
}

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Challenges {
    waiting: Kept<Challenge>,
    proofs: Kept<Proof>,
}

impl Challenges {
    /// Begins a challenge: its name, and when it ends, milliseconds since the epoch.
    pub(super) fn ask(&self, account: AccountId, asked: Asked, aim: Aim, now_ms: u64) -> (String, u64) {
        self.waiting.add((asked, account), Challenge { account, asked, aim, tries: 0 }, now_ms)
    }

    /// Counts a try of whoever was asked; nothing when there is no such challenge for them, or no try left.
    pub(super) fn attempt(&self, name: &str, by: Asked, now_ms: u64) -> Option<Challenge> {
        let mut row = self.waiting.rows.get_mut(&digest(name))?;
        let (challenge, ends_ms) = row.value_mut();
        if challenge.asked != by || now_ms >= *ends_ms || challenge.tries >= TRIES {
            return None;
        }
        challenge.tries += 1;
        Some(challenge.clone())
    }

    /// Ends a challenge whose answer was right; false when that was done before.
    pub(super) fn answered(&self, name: &str, now_ms: u64) -> bool {
        self.waiting.take(name, now_ms).is_some()
    }

    /// What was proved in a session: the proof, and when it ends.
    pub(super) fn prove(
        &self,
        (account, session): (AccountId, TokenHash),
        wanted: Wanted,
        passwords: PasswordProof,
        now_ms: u64,
    ) -> (String, u64) {
        self.proofs.add((Asked::Session(session), account), Proof { session, wanted, passwords }, now_ms)
    }

    /// Uses a proof up, also where it does not fit: then it is not where it belongs.
    pub(super) fn use_up(&self, name: &str, session: TokenHash, wanted: Wanted, now_ms: u64) -> Option<PasswordProof> {
        let proof = self.proofs.take(name, now_ms)?;
        (proof.session == session && proof.wanted == wanted).then_some(proof.passwords)
    }

    /// Forgets what ended.
    pub(super) fn sweep(&self, now_ms: u64) {
        self.waiting.sweep(now_ms);
        self.proofs.sweep(now_ms);
    }
}

#[cfg(test)]
mod tests;
