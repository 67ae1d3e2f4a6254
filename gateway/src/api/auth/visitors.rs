//! Visitors: who talks to the staff without a login, by a signed name.
//!
//! Owns: the form of that name. Never does: keep it. Invariants: only a name that was given here is taken, so the names in the office's
//! database open nobody's conversation. Known limits: whoever has the name is the visitor.

use super::Auth;
use super::secrets::{alphanumeric, hex};
use data_encoding::HEXLOWER;

/// Letters of a drawn name.
const LETTERS: usize = 22;

fn signed(name: &str) -> String {
    format!("visitor: {name}")
}

impl Auth {
    /// A new visitor: the name that is kept, and what proves it.
    #[must_use]
    pub fn new_visitor(&self) -> (String, String) {
        let name = alphanumeric(LETTERS);
        let mac = self.keys.sealer.row_mac().of(&signed(&name));
        let proof = format!("{name}.{}", hex(&mac));
        (name, proof)
    }

    /// The name of whom this proves to be one.
    #[must_use]
    pub fn visitor(&self, proof: &str) -> Option<String> {
        let (name, mac) = proof.split_once('.')?;
        let mac = HEXLOWER.decode(mac.as_bytes()).ok()?;
        self.keys.sealer.row_mac().is_of(&signed(name), &mac).then(|| name.to_owned())
    }
}
