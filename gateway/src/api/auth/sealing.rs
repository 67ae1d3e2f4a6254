//! Sealing of secrets that must be read again: what a stolen database alone does not tell.
//!
//! Owns: the sealing key and its file, which lies beside the office's database and is its owner's alone.
//! Never does: show a secret or the key; make a new key while one is there.
//! Invariants: what is sealed is opened only with the same key and for the same owner. Known limits: whoever has the
//! database and this file has the secrets; a backup holds both.

use super::secrets::random;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The key's file in the data folder.
pub const FILE: &str = "office.key";

const KEY_BYTES: usize = 32;

/// Seals and opens.
#[derive(Debug)]
pub(crate) struct Sealer {
    key: LessSafeKey,
    codes: CodeHasher,
    rows: RowMac,
}

/// Hashes what has so few forms that a plain hash of it is soon guessed.
#[derive(Debug, Clone)]
pub(super) struct CodeHasher(hmac::Key);

impl CodeHasher {
    /// HMAC-SHA256 under a key that follows from the sealing key.
    pub(super) fn hash(&self, text: &str) -> [u8; 32] {
        let tag = hmac::sign(&self.0, text.as_bytes());
        tag.as_ref().try_into().expect("a tag of SHA-256 has 32 bytes")
    }
}

/// Tells rows that we wrote from those that somebody else wrote into the database.
#[derive(Debug, Clone)]
pub(super) struct RowMac(hmac::Key);

impl RowMac {
    /// HMAC-SHA256 under a key of its own, which follows from the sealing key. The text names the table, and is of one row only.
    pub(super) fn of(&self, text: &str) -> Vec<u8> {
        hmac::sign(&self.0, text.as_bytes()).as_ref().to_vec()
    }

    /// Whether it is of this text.
    pub(super) fn is_of(&self, text: &str, mac: &[u8]) -> bool {
        hmac::verify(&self.0, text.as_bytes(), mac).is_ok()
    }
}

impl Sealer {
    /// Reads the key, or makes one at the first start.
    ///
    /// # Errors
    /// When the file cannot be read or written, or is not a key.
    pub(super) fn open(data_dir: &Path) -> io::Result<Sealer> {
        let bytes = kept(data_dir, FILE)?;
        let path = data_dir.join(FILE);
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes)
            .map_err(|_| io::Error::other(format!("{} is not a key of {KEY_BYTES} bytes", path.display())))?;
        let root = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
        let follows = |what: &[u8]| hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&root, what).as_ref());
        let (codes, rows) = (CodeHasher(follows(b"verification codes")), RowMac(follows(b"rows of the office")));
        Ok(Sealer { key: LessSafeKey::new(key), codes, rows })
    }

    /// What hashes verification codes.
    pub(super) fn code_hasher(&self) -> CodeHasher {
        self.codes.clone()
    }

    /// What tells our rows from others.
    pub(super) fn row_mac(&self) -> &RowMac {
        &self.rows
    }

    /// Seals a secret for an owner.
    pub(crate) fn seal(&self, owner: &str, secret: &[u8]) -> Vec<u8> {
        seal(&self.key, owner, secret)
    }

    /// Opens what was sealed for an owner; `None` when it was not, or under another key.
    pub(crate) fn open_sealed(&self, owner: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        open(&self.key, owner, sealed)
    }
}

/// The key of one file, which is sealed itself: without it the file is erased, wherever copies of it lie.
#[derive(Debug)]
pub(super) struct FileKey([u8; KEY_BYTES]);

impl FileKey {
    /// A new one.
    pub(super) fn new() -> FileKey {
        FileKey(random())
    }

    /// As it was kept.
    pub(super) fn of(bytes: &[u8]) -> Option<FileKey> {
        bytes.try_into().ok().map(FileKey)
    }

    /// To be sealed and kept.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn cipher(&self) -> LessSafeKey {
        LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &self.0).expect("a key has the cipher's length"))
    }

    /// Seals the file of a name.
    pub(super) fn seal(&self, name: &str, bytes: &[u8]) -> Vec<u8> {
        seal(&self.cipher(), name, bytes)
    }

    /// Opens it.
    pub(super) fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        open(&self.cipher(), name, sealed)
    }
}

fn seal(key: &LessSafeKey, owner: &str, secret: &[u8]) -> Vec<u8> {
    // Drawn nonces: of 2^32 secrets under one key two share one with a chance of 2^-33.
    let nonce: [u8; NONCE_LEN] = random();
    let mut sealed = secret.to_vec();
    let done =
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(owner.as_bytes()), &mut sealed);
    done.expect("a secret is far shorter than the cipher's limit");
    [nonce.as_slice(), &sealed].concat()
}

fn open(key: &LessSafeKey, owner: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut text = text.to_vec();
    key.open_in_place(nonce, Aad::from(owner.as_bytes()), &mut text).ok().map(|opened| opened.to_vec())
}

/// A secret's file in the data folder, its owner's alone: what it holds, or a new secret at the first start.
///
/// # Errors
/// The operating system's.
pub(crate) fn kept(data_dir: &Path, name: &str) -> io::Result<Vec<u8>> {
    let path = data_dir.join(name);
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(data_dir, name, &path),
        read => read,
    }
}

/// Makes a secret, durable before anything is done with it.
fn make(data_dir: &Path, name: &str, path: &Path) -> io::Result<Vec<u8>> {
    let key = random::<KEY_BYTES>().to_vec();
    let new = data_dir.join(format!("{name}.new"));
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(&key)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    fs::File::open(data_dir)?.sync_all()?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_secret_is_opened_again_after_a_restart_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let sealed = Sealer::open(folder.path()).unwrap().seal("ann", b"secret");
        assert!(!sealed.windows(6).any(|w| w == b"secret"));
        let again = Sealer::open(folder.path()).unwrap();
        assert_eq!(again.open_sealed("ann", &sealed).as_deref(), Some(b"secret".as_slice()));
        assert_eq!(again.open_sealed("bea", &sealed), None);
        assert_eq!(again.open_sealed("ann", &sealed[..11]), None);
        assert_ne!(again.seal("ann", b"secret"), sealed, "each time with a nonce of its own");
        let other = tempfile::tempdir().unwrap();
        assert_eq!(Sealer::open(other.path()).unwrap().open_sealed("ann", &sealed), None);
    }

    #[test]
    fn a_mac_is_of_one_text_under_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let mac = Sealer::open(folder.path()).unwrap().row_mac().of("one");
        let again = Sealer::open(folder.path()).unwrap();
        assert!(again.row_mac().is_of("one", &mac));
        assert!(!again.row_mac().is_of("other", &mac) && !again.row_mac().is_of("one", &mac[..31]));
        assert!(!again.row_mac().is_of("one", &again.code_hasher().hash("one")), "codes have another key");
        let other = tempfile::tempdir().unwrap();
        assert!(!Sealer::open(other.path()).unwrap().row_mac().is_of("one", &mac));
    }

    #[test]
    fn the_key_is_its_owners_alone_and_a_broken_one_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        Sealer::open(folder.path()).unwrap();
        let path = folder.path().join(FILE);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, b"short").unwrap();
        assert!(Sealer::open(folder.path()).unwrap_err().to_string().contains(FILE));
        assert_eq!(fs::read(&path).unwrap(), b"short");
    }
}
