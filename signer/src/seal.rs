//! The seed under a passphrase.
//!
//! Owns: the sealed file's form, the entropy of a new seed, its words (BIP 39). Never does: overwrite a seed; keep a
//! passphrase. Invariants: the file is of mode 0600; a changed byte or another passphrase opens nothing; what is secret is
//! wiped when it is dropped and cannot be printed. Known limits: English words, no word passphrase.

use crate::keys::Network;
use argon2::{Algorithm, Argon2, Params, Version};
use bip39::Mnemonic;
use bitcoin::hex::{DisplayHex, FromHex};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use thiserror::Error;
use zeroize::Zeroizing;

/// What a seed is made of: 16 to 32 bytes.
pub(crate) type Entropy = Zeroizing<Vec<u8>>;

const VERSION: u32 = 1;
/// A guess costs this much memory and this many passes: about a quarter of a second.
const MEMORY_KIB: u32 = 128 * 1024;
const PASSES: u32 = 3;
/// A file cannot ask for more: who changes it shall not stop the machine.
const MEMORY_KIB_MAX: u32 = 1024 * 1024;
const PASSES_MAX: u32 = 20;

#[derive(Debug, Error)]
pub(crate) enum SealError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("the sealed seed is damaged, or of a newer release")]
    Form,
    #[error("the sealed seed can be read by others: its mode must be 0600")]
    Mode,
    #[error("the passphrase does not open the seed, or the file was changed")]
    Passphrase,
    #[error("the words are not those of a seed")]
    Words,
    #[error("the system gives no randomness")]
    Randomness,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    version: u32,
    network: Network,
    memory_kib: u32,
    passes: u32,
    salt: String,
    nonce: String,
    sealed: String,
}

impl Sealed {
    /// What is not secret is sealed with it, so that nobody changes the network or the cost.
    fn bound(&self) -> Vec<u8> {
        let Sealed { version, network, memory_kib, passes, salt, nonce, sealed: _ } = self;
        format!("exchange-signer {version} {network:?} {memory_kib} {passes} {salt} {nonce}").into_bytes()
    }

    fn key(&self, passphrase: &str) -> Result<LessSafeKey, SealError> {
        if self.version != VERSION || self.memory_kib > MEMORY_KIB_MAX || self.passes > PASSES_MAX {
            return Err(SealError::Form);
        }
        let params = Params::new(self.memory_kib, self.passes, 1, Some(32)).map_err(|_| SealError::Form)?;
        let salt = Vec::from_hex(&self.salt).map_err(|_| SealError::Form)?;
        let mut key = Zeroizing::new([0; 32]);
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password_into(passphrase.as_bytes(), &salt, key.as_mut()).map_err(|_| SealError::Form)?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, key.as_ref()).map_err(|_| SealError::Form)?;
        Ok(LessSafeKey::new(key))
    }

    fn nonce(&self) -> Result<Nonce, SealError> {
        let bytes = <[u8; 12]>::from_hex(&self.nonce).map_err(|_| SealError::Form)?;
        Ok(Nonce::assume_unique_for_key(bytes))
    }
}

fn random<const N: usize>() -> Result<[u8; N], SealError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| SealError::Randomness)?;
    Ok(bytes)
}

/// Of a new seed of 24 words.
pub(crate) fn fresh_entropy() -> Result<Entropy, SealError> {
    let bytes = Zeroizing::new(random::<32>()?);
    Ok(Zeroizing::new(bytes.to_vec()))
}

/// Of words that somebody wrote down.
pub(crate) fn entropy_of(words: &str) -> Result<Entropy, SealError> {
    let normal = Zeroizing::new(words.split_whitespace().map(str::to_lowercase).collect::<Vec<String>>().join(" "));
    let mnemonic = Mnemonic::parse_in_normalized(bip39::Language::English, &normal).map_err(|_| SealError::Words)?;
    Ok(Zeroizing::new(mnemonic.to_entropy()))
}

/// The words of a seed.
pub(crate) fn words_of(entropy: &Entropy) -> Result<Zeroizing<String>, SealError> {
    let mnemonic = Mnemonic::from_entropy(entropy).map_err(|_| SealError::Words)?;
    Ok(Zeroizing::new(mnemonic.words().collect::<Vec<&str>>().join(" ")))
}

/// The seed from which keys are derived.
pub(crate) fn seed_of(entropy: &Entropy) -> Result<Zeroizing<[u8; 64]>, SealError> {
    let mnemonic = Mnemonic::from_entropy(entropy).map_err(|_| SealError::Words)?;
    Ok(Zeroizing::new(mnemonic.to_seed_normalized("")))
}

/// Seals it into a new file.
pub(crate) fn write(path: &Path, network: Network, entropy: &Entropy, passphrase: &str) -> Result<(), SealError> {
    let (salt, nonce) = (random::<16>()?.to_lower_hex_string(), random::<12>()?.to_lower_hex_string());
    let (memory_kib, passes) = (MEMORY_KIB, PASSES);
    let mut file = Sealed { version: VERSION, network, memory_kib, passes, salt, nonce, sealed: String::new() };
    let mut bytes = Zeroizing::new(entropy.to_vec());
    // Room for the tag, so that sealing in place leaves no copy behind.
    bytes.reserve_exact(CHACHA20_POLY1305.tag_len());
    let tag = file.key(passphrase)?.seal_in_place_separate_tag(file.nonce()?, Aad::from(file.bound()), &mut bytes);
    bytes.extend_from_slice(tag.map_err(|_| SealError::Form)?.as_ref());
    file.sealed = bytes.to_lower_hex_string();
    let text = serde_json::to_string_pretty(&file).map_err(|_| SealError::Form)?;
    let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    out.write_all(format!("{text}\n").as_bytes())?;
    Ok(out.sync_all()?)
}

/// Opens it.
pub(crate) fn open(path: &Path, passphrase: &str) -> Result<(Network, Entropy), SealError> {
    if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
        return Err(SealError::Mode);
    }
    let file: Sealed = serde_json::from_slice(&fs::read(path)?).map_err(|_| SealError::Form)?;
    let mut bytes = Zeroizing::new(Vec::from_hex(&file.sealed).map_err(|_| SealError::Form)?);
    let key = file.key(passphrase)?;
    let opened = key.open_in_place(file.nonce()?, Aad::from(file.bound()), &mut bytes);
    let entropy = Zeroizing::new(opened.map_err(|_| SealError::Passphrase)?.to_vec());
    Ok((file.network, entropy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_opens_with_its_passphrase_only_and_a_changed_file_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seed");
        let entropy = fresh_entropy().unwrap();
        write(&path, Network::Regtest, &entropy, "correct horse").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let (network, opened) = open(&path, "correct horse").unwrap();
        assert!(network == Network::Regtest && opened == entropy);
        assert!(matches!(open(&path, "correct house"), Err(SealError::Passphrase)));
        assert!(matches!(write(&path, Network::Main, &entropy, "x"), Err(SealError::File(_))), "never overwritten");

        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("regtest", "main")).unwrap();
        assert!(matches!(open(&path, "correct horse"), Err(SealError::Passphrase)));
        fs::write(&path, text.replace("\"passes\": 3", "\"passes\": 300")).unwrap();
        assert!(matches!(open(&path, "correct horse"), Err(SealError::Form)));
        fs::write(&path, &text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(open(&path, "correct horse"), Err(SealError::Mode)));
    }

    #[test]
    fn words_give_the_seed_of_the_standard_and_come_back() {
        let words = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
        let entropy = entropy_of(&format!("  {}", words.to_uppercase().replace(' ', "  "))).unwrap();
        assert_eq!(words_of(&entropy).unwrap().as_str(), words);
        let seed = seed_of(&entropy).unwrap().to_lower_hex_string();
        assert!(seed.starts_with("5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1"));
        assert!(entropy_of(&words.replace("about", "abandon")).is_err(), "the checksum of words");
        assert_eq!(words_of(&fresh_entropy().unwrap()).unwrap().split(' ').count(), 24);
    }
}
