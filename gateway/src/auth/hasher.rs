//! Password hashing: Argon2id on a bounded pool of threads, so that a login flood stalls nothing else
//! (`design/reliability.md` section 4 row 1): its threads give way to those that take orders.
//!
//! Owns: the pool and its queue. Never does: keep a password longer than it is hashed. Invariants: an unknown
//! account costs the same work as a known one. Known limits: a full queue answers busy.

use crate::config;
use crate::http::errors::{Code, Failure};
use crate::http::writers::give_way;
use crate::vital;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use crossbeam::channel::{Receiver, Sender, TrySendError, bounded};
use std::fmt;
use tokio::sync::oneshot;

enum Job {
    Hash(String, oneshot::Sender<Option<String>>),
    Verify(String, String, oneshot::Sender<bool>),
}

/// The pool.
pub(super) struct Hasher {
    jobs: Sender<Job>,
    dummy: String,
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
            Job::Verify(password, expected, answer) => {
                let parsed = PasswordHash::new(&expected);
                let good = parsed.is_ok_and(|h| argon.verify_password(password.as_bytes(), &h).is_ok());
                let _gone = answer.send(good);
            }
        }
    }
}

impl Hasher {
    /// Starts the threads.
    pub(super) fn start(settings: &config::Auth) -> Result<Hasher, String> {
        let argon2 = argon(settings)?;
        let dummy = hash(&argon2, "nobody has this password").ok_or("the hash function does not work")?;
        let (jobs, queue) = bounded(settings.argon_queue);
        for _ in 0..settings.argon_workers.max(1) {
            let (argon2, queue) = (argon2.clone(), queue.clone());
            vital::spawn("passwords", move || work(&argon2, &queue)).map_err(|e| e.to_string())?;
        }
        Ok(Hasher { jobs, dummy })
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
        fn cost(hash: &str) -> impl Iterator<Item = &str> {
            // "", algorithm, version, parameters; then salt and hash.
            hash.split('$').take(4)
        }
        !cost(hash).eq(cost(&self.dummy))
    }

    /// Whether a password fits. Without an expected hash a dummy is tried, so that an unknown account takes as long as
    /// a known one, and the answer is no.
    pub(super) async fn verify(&self, password: &str, expected: Option<&str>) -> Result<bool, Failure> {
        let (tx, rx) = oneshot::channel();
        self.submit(Job::Verify(password.to_owned(), expected.unwrap_or(&self.dummy).to_owned(), tx))?;
        let good = rx.await.map_err(|_| Failure::from(Code::Busy))?;
        Ok(good && expected.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_of_another_cost_is_outdated() {
        let mut settings = crate::config::Config::load(
            &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/exchange.toml"),
        )
        .unwrap()
        .auth;
        settings.argon_memory_kib = 64;
        let cheap = Hasher::start(&settings).unwrap();
        settings.argon_memory_kib = 128;
        let dear = Hasher::start(&settings).unwrap();
        assert!(!cheap.is_outdated(&cheap.dummy));
        assert!(dear.is_outdated(&cheap.dummy));
    }
}
