//! The key that signs roots of hours.
//!
//! Owns: its file in the data folder, which is its owner's alone. Never does: show the secret part; make a new key while one is
//! there. Invariants: one key for the life of a data folder, its backups among it. Known limits: who has the file signs as this
//! exchange.

use crate::api::auth::sealing::kept;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use std::path::Path;
use xng_persistence::ticks::Signs;

/// The file in the data folder.
pub(crate) const FILE: &str = "ticks.key";

/// Signs roots.
#[derive(Debug)]
pub(super) struct RootKey(Ed25519KeyPair);

impl RootKey {
    /// Reads it, or makes one at the first start.
    pub(super) fn open(data_dir: &Path) -> std::io::Result<RootKey> {
        let seed = kept(data_dir, FILE)?;
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        let refused = |_| std::io::Error::other(format!("{} is no key", data_dir.join(FILE).display()));
        Ok(RootKey(pair.map_err(refused)?))
    }
}

impl Signs for RootKey {
    fn key(&self) -> Vec<u8> {
        self.0.public_key().as_ref().to_vec()
    }

    fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).as_ref().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_key_is_made_once_is_its_owners_alone_and_a_broken_one_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let key = RootKey::open(folder.path()).unwrap();
        assert_eq!(RootKey::open(folder.path()).unwrap().key(), key.key());
        let path = folder.path().join(FILE);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, b"short").unwrap();
        assert!(RootKey::open(folder.path()).unwrap_err().to_string().contains(FILE));
        assert_eq!(fs::read(&path).unwrap(), b"short");
    }
}
