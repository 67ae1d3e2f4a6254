//! Second factors: authenticators, passkeys, recovery codes, and what they prove: a login, or something that asks for more than a
//! session.
//!
//! Owns: which method is enough for whom, tries of codes by account. Never does: tell which part of an answer was wrong; show a
//! secret but in the answer that makes it; take a password alone for enough once a factor is in use.
//! Invariants: a try is counted before a code is looked at; the challenge of a login is good at the address where the password
//! was given; what a factor proves is worth nothing once the password is another.
//! Known limits: one authenticator a user; whoever has lost all factors and recovery codes needs the operator; a passkey does not
//! answer for a reset of the password.
//! Rules: `docs/rules/authentication.md "Second factor"`.

use super::challenges::{Aim, Asked, Wanted};
use super::office::{away, now};
use super::secrets;
use super::session::{LoginFrom, Session};
use super::{Auth, totp};
use crate::api::http::errors::{Code, Demand, Failure};
use crate::api::http::limits::network;
use serde_json::json;
use std::net::IpAddr;
use xng_core::ids::AccountId;
use xng_persistence::office::{AuditEntry, FactorKind, Factors, NewFactor, PasswordProof, Spending, User};

/// Recovery codes of a user.
const RECOVERY_CODES: usize = 10;
/// Letters and digits of a recovery code that nobody takes for others: 32, so that each is 5 bits.
const RECOVERY_ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz123456789";
/// Of a code, 50 bits.
const RECOVERY_CHARS: usize = 10;

/// How something is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The pay password; while none is set, the login password.
    PayPassword,
    /// A code of an authenticator.
    Totp,
    /// A recovery code.
    Recovery,
    /// A signature of a passkey.
    Passkey,
}

/// The names of all methods.
pub const METHODS: &[&str] = &["pay_password", "totp", "recovery", "passkey"];

impl Method {
    /// The name that calls use.
    #[must_use]
    pub fn name(self) -> &'static str {
        METHODS[self as usize]
    }

    /// Reads a call's name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Method> {
        let all = [Method::PayPassword, Method::Totp, Method::Recovery, Method::Passkey];
        all.into_iter().find(|method| method.name() == name)
    }
}

/// What somebody answers a challenge with.
pub(super) struct Given<'a> {
    pub(super) method: Method,
    pub(super) answer: &'a str,
    /// What a passkey was asked to sign; nothing where no challenge was given.
    pub(super) to_sign: Option<[u8; 32]>,
}

/// What a factor is spent for at a reset of the password.
const RESET: &str = "reset password";

/// What somebody shows for something that asks for more than a session.
#[derive(Clone, Copy)]
pub struct Surety<'a> {
    /// Who.
    pub session: Session,
    /// From where.
    pub ip: IpAddr,
    /// What for.
    pub wanted: Wanted,
    /// A proof.
    pub proof: Option<&'a str>,
    /// The pay password, which is enough while no factor is in use.
    pub pay_password: Option<&'a str>,
}

impl std::fmt::Debug for Surety<'_> {
    /// Without what proves it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surety").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for NewTotp {
    /// Without the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewTotp").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A challenge as whoever was asked sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenged {
    /// Its name.
    pub id: String,
    /// What answers it.
    pub methods: Vec<Method>,
    /// When it ends, milliseconds since the epoch.
    pub expire_at_ms: u64,
    /// What a browser has a passkey sign, where that answers it.
    pub passkey: Option<serde_json::Value>,
}

/// An authenticator that is being set up.
pub struct NewTotp {
    /// What it is confirmed by.
    pub id: u64,
    /// The secret, Base32.
    pub secret: String,
    /// The same for a scanner.
    pub uri: String,
}

/// What protects a user.
#[derive(Debug)]
pub struct SafeState {
    /// In use.
    pub factors: Factors,
    /// Whether a pay password is set.
    pub has_pay_password: bool,
    /// Whether an address is bound.
    pub has_email: bool,
    /// Whether a phone is bound.
    pub has_phone: bool,
    /// The anti-phishing text of mails.
    pub mail_phrase: Option<String>,
}

/// What proves something, passkeys only where they can be asked.
fn methods_of(factors: &Factors, has_site: bool) -> Vec<Method> {
    if factors.confirmed.is_empty() {
        return vec![Method::PayPassword];
    }
    let has = |kind| factors.of(kind).next().is_some();
    let all = [
        (has_site && has(FactorKind::Passkey), Method::Passkey),
        (has(FactorKind::Totp), Method::Totp),
        (factors.recovery_left > 0, Method::Recovery),
    ];
    all.into_iter().filter_map(|(has, method)| has.then_some(method)).collect()
}

fn names(methods: &[Method]) -> Vec<&'static str> {
    methods.iter().map(|method| method.name()).collect()
}

pub(super) fn proof_needed(methods: &[Method]) -> Failure {
    Failure::from(Code::ProofNeeded).demanding(Demand { methods: names(methods), challenge: None, passkey: None })
}

/// What an authenticator shows beside a user's code or passkey.
pub(super) fn shown_name(user: &User) -> String {
    let phone = || user.phone.as_ref().map(|phone| phone.number.clone());
    user.email.clone().or_else(phone).unwrap_or_else(|| user.id.0.to_string())
}

/// For whom the secret of an authenticator is sealed.
fn owner(user: AccountId) -> String {
    format!("totp:{}", user.0)
}

/// A recovery code as it is shown.
fn recovery_code() -> String {
    let drawn: [u8; RECOVERY_CHARS] = secrets::random();
    let letters: String =
        drawn.iter().map(|byte| char::from(RECOVERY_ALPHABET[usize::from(*byte) % RECOVERY_ALPHABET.len()])).collect();
    let (first, last) = letters.split_at(RECOVERY_CHARS / 2);
    format!("{first}-{last}")
}

/// An entry of the audit about what protects a user, by that user.
pub(super) fn entry(user: AccountId, action: &str, detail: &serde_json::Value, ip: IpAddr) -> AuditEntry {
    AuditEntry {
        actor: format!("user:{}", user.0),
        action: action.to_owned(),
        subject: format!("user:{}", user.0),
        detail: detail.to_string(),
        ip: ip.to_string(),
    }
}

impl Auth {
    /// What a recovery code is kept as, however it was typed.
    fn recovery_digest(&self, user: AccountId, code: &str) -> [u8; 32] {
        let letters = code.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
        let letters: String = letters.take(2 * RECOVERY_CHARS).collect();
        self.code_hasher.hash(&format!("recovery:{}:{letters}", user.0))
    }

    pub(super) async fn known_user(&self, account: AccountId) -> Result<User, Failure> {
        Ok(self.office.user(account).await.map_err(away)?.ok_or(Code::NeedsLogin)?)
    }

    pub(super) fn methods_of(&self, factors: &Factors) -> Vec<Method> {
        methods_of(factors, self.has_passkeys())
    }

    /// What protects a user.
    pub async fn safe_state(&self, account: AccountId) -> Result<SafeState, Failure> {
        let user = self.known_user(account).await?;
        let factors = self.office.factors(account).await.map_err(away)?;
        Ok(SafeState {
            factors,
            has_pay_password: user.pay_password_hash.is_some(),
            has_email: user.email.is_some(),
            has_phone: user.phone.is_some(),
            mail_phrase: self.messenger.phrase(&user),
        })
    }

    /// Begins to set up an authenticator, which proves nothing yet. While no factor is in use the login password is asked for, else a
    /// proof.
    ///
    /// # Errors
    /// 1009 of a wrong password, 1018 after too many, 1022 without the proof.
    pub async fn begin_totp(
        &self,
        surety: &Surety<'_>,
        password: Option<&str>,
        (issuer, label): (&str, String),
    ) -> Result<NewTotp, Failure> {
        let account = surety.session.account;
        let user = self.known_user(account).await?;
        let factors = self.office.factors(account).await.map_err(away)?;
        let proof = self.may_add((&user, &factors), surety, password).await?;
        let secret: [u8; totp::SECRET_BYTES] = secrets::random();
        let shown = shown_name(&user);
        let new = NewFactor { user: account, sealed: self.keys.sealer.seal(&owner(account), &secret), label };
        let audit = entry(account, "begin authenticator", &json!({}), surety.ip);
        let begun = self.office.begin_factor(&new, &proof, &audit, now()).await.map_err(away)?;
        let Some(id) = begun else { return self.stale(account).await };
        Ok(NewTotp { id, secret: totp::text_of(&secret), uri: totp::uri(issuer, &shown, &secret) })
    }

    /// What allows to add a factor: the login password while none is in use, else a proof.
    pub(super) async fn may_add(
        &self,
        (user, factors): (&User, &Factors),
        surety: &Surety<'_>,
        password: Option<&str>,
    ) -> Result<PasswordProof, Failure> {
        match (factors.confirmed.is_empty(), password) {
            (true, Some(password)) => self.login_password(user, password).await,
            (true, None) => Err(Failure::field("password", "missing")),
            (false, _) => self.authorize(surety).await,
        }
    }

    /// New recovery codes, and what is kept of them.
    pub(super) fn new_recovery(&self, account: AccountId) -> (Vec<String>, Vec<[u8; 32]>) {
        let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| recovery_code()).collect();
        let digests = codes.iter().map(|code| self.recovery_digest(account, code)).collect();
        (codes, digests)
    }

    async fn login_password(&self, user: &User, password: &str) -> Result<PasswordProof, Failure> {
        if !self.keys.wrong.take(user.id) {
            return Err(Code::TooMany.into());
        }
        if !self.hasher.verify(password, Some(&user.password_hash)).await? {
            return Err(Code::BadLogin.into());
        }
        self.keys.wrong.give(&user.id);
        Ok(user.password_proof())
    }

    /// Puts an authenticator into use that tells two codes in a row; the recovery codes, which are not told again.
    ///
    /// # Errors
    /// 1008 of wrong codes, 1003 of an authenticator that is not being set up.
    pub async fn confirm_totp(
        &self,
        account: AccountId,
        id: u64,
        codes: (&str, &str),
        ip: IpAddr,
    ) -> Result<Vec<String>, Failure> {
        let waiting = self.office.waiting_factor(account, id, now()).await.map_err(away)?.ok_or(Code::NotFound)?;
        let secret = self.keys.sealer.open_sealed(&owner(account), &waiting.sealed).ok_or(Code::NotFound)?;
        let step = totp::steps_of(&secret, codes, now()).ok_or(Code::BadCode)?;
        let (recovery, digests) = self.new_recovery(account);
        let audit = entry(account, "add authenticator", &json!({ "id": id }), ip);
        let confirmed = self.office.confirm_factor((account, id, step), &digests, &audit, now()).await.map_err(away)?;
        if confirmed { Ok(recovery) } else { Err(Code::NotFound.into()) }
    }

    /// Takes a factor of a kind away, by a proof.
    ///
    /// # Errors
    /// 1003 of a factor that is not the user's, 1022 without the proof.
    pub async fn remove_factor(&self, (kind, id): (FactorKind, u64), surety: &Surety<'_>) -> Result<(), Failure> {
        let account = surety.session.account;
        let factors = self.office.factors(account).await.map_err(away)?;
        if !factors.of(kind).any(|factor| factor.id == id) {
            return Err(Code::NotFound.into());
        }
        let proof = self.authorize(surety).await?;
        let action = match kind {
            FactorKind::Totp => "remove authenticator",
            FactorKind::Passkey => "remove passkey",
        };
        let audit = entry(account, action, &json!({ "id": id }), surety.ip);
        let removed = self.office.remove_factor((account, id), &proof, &audit, now()).await.map_err(away)?;
        if removed { Ok(()) } else { Err(Code::NotFound.into()) }
    }

    /// Asks a session to prove something.
    pub async fn challenge(&self, session: Session, wanted: Wanted) -> Result<Challenged, Failure> {
        let factors = self.office.factors(session.account).await.map_err(away)?;
        let (asked, aim) = (Asked::Session(session.id), Aim::Proof(wanted));
        let (id, expire_at_ms) = self.challenges.ask(session.account, asked, aim.clone(), now());
        let passkey = self.passkey_request((session.account, &factors), &aim.to_sign(&id));
        Ok(Challenged { id, methods: self.methods_of(&factors), expire_at_ms, passkey })
    }

    /// Answers a challenge of a session: a proof, and when it ends.
    ///
    /// # Errors
    /// 1008 (1010 of a password) whatever was wrong: answer, method, or challenge. 1018 after too many tries.
    pub async fn prove_challenge(
        &self,
        session: Session,
        (name, method, answer): (&str, Method, &str),
        ip: IpAddr,
    ) -> Result<(String, u64), Failure> {
        let account = session.account;
        let wrong = || Failure::from(if method == Method::PayPassword { Code::BadPayPassword } else { Code::BadCode });
        let challenge = self.challenges.attempt(name, Asked::Session(session.id), now());
        let Some(aim @ Aim::Proof(wanted)) = challenge.map(|challenge| challenge.aim) else { return Err(wrong()) };
        let factors = self.office.factors(account).await.map_err(away)?;
        if !self.methods_of(&factors).contains(&method) {
            return Err(wrong());
        }
        let passwords = match method {
            Method::PayPassword => self.prove(account, answer).await?,
            Method::Totp | Method::Recovery | Method::Passkey => {
                // Read before the factor is spent: a password that is reset in between makes the proof worthless.
                let passwords = self.known_user(account).await?.password_proof().with_factor();
                let given = Given { method, answer, to_sign: Some(aim.to_sign(name)) };
                self.spend((account, &factors), given, (wanted.action.name(), ip)).await?;
                passwords
            }
        };
        if !self.challenges.answered(name, now()) {
            return Err(wrong());
        }
        Ok(self.challenges.prove((account, session.id), wanted, passwords, now()))
    }

    /// Spends a code of an authenticator, a signature of a passkey or a recovery code. Tries of codes are counted by account; those
    /// from an address where the user logged in of late apart, so that nobody else uses them up.
    pub(super) async fn spend(
        &self,
        (account, factors): (AccountId, &Factors),
        Given { method, answer, to_sign }: Given<'_>,
        (action, ip): (&str, IpAddr),
    ) -> Result<(), Failure> {
        let address = network(ip.to_canonical());
        let is_known = self.office.knows_address(account, &address.to_string(), now()).await.map_err(away)?;
        // A reset is guarded by the code that was sent: who has the password alone does not keep its owner from it.
        let tries = (account, is_known.then_some(address), action == RESET);
        // Nobody guesses a signature.
        let is_counted = method != Method::Passkey;
        if is_counted && !self.factor_tries.take(tries) {
            return Err(Code::TooMany.into());
        }
        let spending = match method {
            Method::PayPassword => None,
            Method::Recovery => Some(Spending::Recovery(self.recovery_digest(account, answer))),
            Method::Passkey => to_sign.and_then(|to_sign| self.signature_of((account, factors), answer, &to_sign)),
            Method::Totp => factors.of(FactorKind::Totp).find_map(|factor| {
                let secret = self.keys.sealer.open_sealed(&owner(account), &factor.sealed)?;
                totp::step_of(&secret, answer, now()).map(|step| Spending::Step { factor: factor.id, step })
            }),
        };
        let audit = entry(account, "use second factor", &json!({ "for": action, "method": method.name() }), ip);
        let spent = match spending {
            Some(spending) => self.office.spend(account, spending, &audit, now()).await,
            None => Ok(false),
        };
        // Only what is wrong stays counted.
        if is_counted && !matches!(spent, Ok(false)) {
            self.factor_tries.give(&tries);
        }
        if spent.map_err(away)? { Ok(()) } else { Err(Code::BadCode.into()) }
    }

    /// What a user proves something with.
    ///
    /// # Errors
    /// When the office database does not answer.
    pub async fn methods(&self, account: AccountId) -> Result<Vec<Method>, Failure> {
        Ok(self.methods_of(&self.office.factors(account).await.map_err(away)?))
    }

    /// What allows something that asks for more than a session: a proof, or the pay password while no factor is in use.
    ///
    /// # Errors
    /// 1022 with the methods that make a proof; 1010 of a wrong password, 1018 after too many.
    pub(super) async fn authorize(&self, surety: &Surety<'_>) -> Result<PasswordProof, Failure> {
        let Surety { session, wanted, proof, pay_password, .. } = *surety;
        let methods = self.methods_of(&self.office.factors(session.account).await.map_err(away)?);
        if let Some(proof) = proof {
            let proved = self.challenges.use_up(proof, session.id, wanted, now());
            return proved.ok_or_else(|| proof_needed(&methods));
        }
        match pay_password {
            Some(password) if methods == [Method::PayPassword] => self.prove(session.account, password).await,
            None if methods == [Method::PayPassword] => Err(Failure::field("pay_password", "missing")),
            Some(_) | None => Err(proof_needed(&methods)),
        }
    }

    /// As what asks for more than a session needs it that is not done in the office: once this says yes, the passwords and factors
    /// were those of the proof a moment ago. A change of these pauses withdrawals, so who looks at the pause after this misses
    /// none.
    ///
    /// # Errors
    /// 1022 with the methods that make a proof; 1010 of a wrong password, 1018 after too many.
    pub async fn assure(&self, surety: &Surety<'_>) -> Result<(), Failure> {
        let account = surety.session.account;
        let proof = self.authorize(surety).await?;
        if self.office.proof_holds(account, &proof).await.map_err(away)? { Ok(()) } else { self.stale(account).await }
    }

    /// What was proved does not hold any more: another proof is needed.
    pub(super) async fn stale<T>(&self, account: AccountId) -> Result<T, Failure> {
        let factors = self.office.factors(account).await.map_err(away)?;
        Err(proof_needed(&self.methods_of(&factors)))
    }

    /// Whoever knew the password has to answer a challenge first, if a factor is in use; `None`: it is not.
    pub(super) async fn second_step(
        &self,
        user: &User,
        password: &str,
        ip: IpAddr,
    ) -> Result<Option<Failure>, Failure> {
        let factors = self.office.factors(user.id).await.map_err(away)?;
        if factors.confirmed.is_empty() {
            return Ok(None);
        }
        let hash = self.renew_hash(user, password).await.unwrap_or_else(|| user.password_hash.clone());
        let asked = Asked::Address(network(ip.to_canonical()));
        let aim = Aim::Login(hash);
        let challenge = self.challenges.ask(user.id, asked, aim.clone(), now());
        let passkey = self.passkey_request((user.id, &factors), &aim.to_sign(&challenge.0));
        let demand = Demand { methods: names(&self.methods_of(&factors)), challenge: Some(challenge), passkey };
        Ok(Some(Failure::from(Code::SecondStep).demanding(demand)))
    }

    /// The second step of a login: a token and whose it is.
    ///
    /// # Errors
    /// 1008 whatever was wrong: answer, method, challenge, or the address; 1018 after too many tries; 1007 of a locked account.
    pub async fn login_second(
        &self,
        name: &str,
        (method, answer): (Method, &str),
        from: LoginFrom<'_>,
    ) -> Result<(String, AccountId), Failure> {
        let ip = from.ip;
        let asked = Asked::Address(network(ip.to_canonical()));
        let challenge = self.challenges.attempt(name, asked, now());
        let Some((account, aim)) = challenge.map(|challenge| (challenge.account, challenge.aim)) else {
            return Err(Code::BadCode.into());
        };
        let to_sign = Some(aim.to_sign(name));
        let Aim::Login(hash) = aim else { return Err(Code::BadCode.into()) };
        let factors = self.office.factors(account).await.map_err(away)?;
        self.spend((account, &factors), Given { method, answer, to_sign }, ("login", ip)).await?;
        if !self.challenges.answered(name, now()) {
            return Err(Code::BadCode.into());
        }
        if self.locked.contains(account) {
            return Err(Code::AccountLocked.into());
        }
        let user = self.known_user(account).await?;
        let token = self.open_session((&user, &hash), true, from).await?.ok_or(Code::BadCode)?;
        Ok((token, account))
    }

    /// The second factor of a reset of the password, if one is in use: who has the mailbox alone sets no password.
    pub(super) async fn spend_at_reset(
        &self,
        account: AccountId,
        second: Option<(Method, &str)>,
        ip: IpAddr,
    ) -> Result<bool, Failure> {
        let factors = self.office.factors(account).await.map_err(away)?;
        match second {
            _ if factors.confirmed.is_empty() => Ok(false),
            Some((method, answer)) => {
                let given = Given { method, answer, to_sign: None };
                self.spend((account, &factors), given, (RESET, ip)).await.map(|()| true)
            }
            // A passkey signs what it was asked, and here nothing is asked.
            None => {
                let codes: Vec<Method> =
                    self.methods_of(&factors).into_iter().filter(|method| *method != Method::Passkey).collect();
                Err(proof_needed(&codes))
            }
        }
    }
}
