//! Password hashing: Argon2id on a bounded pool of threads, so that a login flood stalls nothing else
//! (`docs/rules/authentication.md "Passwords"`): its threads give way to those that take orders.
//!
//! Owns: the pool and its queue. Never does: keep a password longer than it is hashed. Invariants: an unknown
//! account costs the same work as a known one, whatever the cost at which the known one's password was hashed: while there
//! are hashes of several costs, each trial does the work of all of them.
//! Known limits: a full queue answers busy; a cost that nobody has any more is forgotten with the next start.

use crate::api::http::errors::{Code, Failure};
use crate::api::http::writers::give_way;
use crate::common::critical_task;
use crate::config;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use crossbeam::channel::{Receiver, Sender, TrySendError, bounded};
use std::fmt;
use tokio::sync::oneshot;

enum Job {
    Hash(String, oneshot::Sender<Option<String>>),
    /// A password, hashes to try it with, and which of them counts.
    Verify(String, Vec<String>, Option<usize>, oneshot::Sender<bool>),
}

/// The pool.
pub(super) struct Hasher {
    jobs: Sender<Job>,
    /// A hash that is nobody's for each cost that somebody's has; the first is of today's cost.
    dummies: Vec<String>,
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passwords waiting", self.jobs.len())
    }
}

fn argon(settings: &config::Auth) -> Result<Argon2<'static>, String> {
    let params = Params::new(settings.argon_memory_kib, settings.argon_passes, 1, None).map_err(|e| e.to_string())?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(argon: &Argon2<'_>, password: &str) -> Option<String> {
    argon.hash_password(password.as_bytes()).ok().map(|h: PasswordHash| h.to_string())
}

fn work(argon: &Argon2<'_>, jobs: &Receiver<Job>) {
    give_way();
    for job in jobs {
        // Whoever asked may have gone.
        match job {
            Job::Hash(password, answer) => drop(answer.send(hash(argon, &password))),
            Job::Verify(password, hashes, counts, answer) => {
                let fits = |hash: &String| {
                    PasswordHash::new(hash).is_ok_and(|h| argon.verify_password(password.as_bytes(), &h).is_ok())
                };
                let found: Vec<bool> = hashes.iter().map(fits).collect();
                let _gone = answer.send(counts.is_some_and(|at| found[at]));
            }
        }
    }
}

/// Algorithm, version and parameters of a hash.
fn cost(hash: &str) -> impl Iterator<Item = &str> {
    // "", algorithm, version, parameters; then salt and hash.
    hash.split('$').take(4)
}

/// A hash of the same cost that is nobody's; none when this pool cannot make such ones.
fn dummy_like(known: &str) -> Option<String> {
    let parsed = PasswordHash::new(known).ok()?;
    let params = Params::try_from(&parsed).ok()?;
    let algorithm = Algorithm::try_from(parsed.algorithm.as_str()).ok()?;
    hash(&Argon2::new(algorithm, Version::V0x13, params), NOBODYS)
}

/// What no dummy is asked for.
const NOBODYS: &str = "nobody has this password";

impl Hasher {
    /// Starts the threads. `known` are hashes of all costs that somebody's password was hashed at.
    pub(super) fn start(settings: &config::Auth, known: &[String]) -> Result<Hasher, String> {
        let argon2 = argon(settings)?;
        let mut dummies = vec![hash(&argon2, NOBODYS).ok_or("the hash function does not work")?];
        for known in known {
            if !dummies.iter().any(|dummy| cost(dummy).eq(cost(known))) {
                dummies.extend(dummy_like(known));
            }
        }
        let (jobs, queue) = bounded(settings.argon_queue);
        for _ in 0..settings.argon_workers.max(1) {
            let (argon2, queue) = (argon2.clone(), queue.clone());
            critical_task::spawn("passwords", move || work(&argon2, &queue)).map_err(|e| e.to_string())?;
        }
        Ok(Hasher { jobs, dummies })
    }

    fn submit(&self, job: Job) -> Result<(), Failure> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => Code::Busy.into(),
        })
    }

    /// The PHC string of a password.
    pub(super) async fn hash(&self, password: &str) -> Result<String, Failure> {
        let (tx, rx) = oneshot::channel();
        self.submit(Job::Hash(password.to_owned(), tx))?;
        rx.await.ok().flatten().ok_or(Code::Busy.into())
    }

    /// Whether a hash was made at another cost than this pool's.
    pub(super) fn is_outdated(&self, hash: &str) -> bool {
        !cost(hash).eq(cost(&self.dummies[0]))
    }

    /// The hashes that a password is tried with, one of each cost, and which of them is the expected one.
    fn trials(&self, expected: Option<&str>) -> (Vec<String>, Option<usize>) {
        let mut hashes = self.dummies.clone();
        let Some(expected) = expected else { return (hashes, None) };
        let same = hashes.iter().position(|dummy| cost(dummy).eq(cost(expected)));
        match same {
            Some(at) => hashes[at] = expected.to_owned(),
            None => hashes.push(expected.to_owned()),
        }
        let at = same.unwrap_or(hashes.len() - 1);
        (hashes, Some(at))
    }

    /// Whether a password fits. Dummies are tried besides, so that an unknown account takes as long as a known one, and the
    /// answer is no.
    pub(super) async fn verify(&self, password: &str, expected: Option<&str>) -> Result<bool, Failure> {
        let (tx, rx) = oneshot::channel();
        let (hashes, counts) = self.trials(expected);
        self.submit(Job::Verify(password.to_owned(), hashes, counts, tx))?;
        rx.await.map_err(|_| Failure::from(Code::Busy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hasher(memory_kib: u32, known: &[String]) -> Hasher {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/exchange.toml");
        let mut settings = crate::config::Config::load(&path).unwrap().auth;
        settings.argon_memory_kib = memory_kib;
        Hasher::start(&settings, known).unwrap()
    }

    #[test]
    fn a_hash_of_another_cost_is_outdated() {
        let (cheap, dear) = (hasher(64, &[]), hasher(128, &[]));
        assert!(!cheap.is_outdated(&cheap.dummies[0]));
        assert!(dear.is_outdated(&cheap.dummies[0]));
    }

    #[actix_web::test]
    async fn a_trial_is_the_same_work_for_nobody_and_for_whoever_has_a_hash_of_whatever_cost() {
        let old = hasher(64, &[]).hash("right").await.unwrap();
        let oldest = hasher(32, &[]).hash("right").await.unwrap();
        let hasher = hasher(128, &[old.clone(), oldest.clone()]);
        let new = hasher.hash("right").await.unwrap();
        let work = |expected: Option<&str>| {
            let mut costs: Vec<String> =
                hasher.trials(expected).0.iter().map(|hash| cost(hash).collect::<Vec<_>>().join("$")).collect();
            costs.sort();
            costs
        };
        assert_eq!(work(None).len(), 3);
        for (hash, outdated) in [(&old, true), (&oldest, true), (&new, false)] {
            assert_eq!((work(Some(hash)), hasher.is_outdated(hash)), (work(None), outdated));
            assert_eq!(hasher.verify("right", Some(hash)).await, Ok(true));
            assert_eq!(hasher.verify("wrong", Some(hash)).await, Ok(false));
            assert_eq!(hasher.verify(NOBODYS, Some(hash)).await, Ok(false));
        }
        assert_eq!(hasher.verify(NOBODYS, None).await, Ok(false));
    }
}
