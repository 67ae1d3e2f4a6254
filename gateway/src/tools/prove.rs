//! `exchange prove FILE`: checks a proof without a server, settings or a data folder.
//!
//! Owns: what is read and how it ends. Never does: check; `crate::fair::verify` does. Invariants: exit code 0: it holds; 1: it does
//! not; 2: it cannot be read as a proof. Known limits: none.

use super::error::ToolError;
use crate::fair::verify::verify;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use xng_persistence::ticks::unhex;

/// What is checked.
#[derive(Debug, clap::Args)]
pub struct Prove {
    /// A proof, or the answer of a call with the proof in it.
    file: PathBuf,
    /// The public key that its root must be signed with, in hex, as `/api/fair/key` tells it.
    #[arg(long)]
    key: Option<String>,
}

impl Prove {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), ToolError> {
        let text = fs::read_to_string(&self.file).map_err(ToolError::file("read", &self.file))?;
        let refused = |what: String| ToolError::Refused(format!("{}: {what}", self.file.display()));
        let value: Value = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
        let proof = if value["message"]["proof"].is_string() { &value["message"] } else { &value };
        let key = self.key.as_deref().map(|key| unhex(key).ok_or_else(|| refused("--key is no hex".to_owned())));
        let found = verify(proof, key.transpose()?.as_deref()).map_err(refused)?;
        for step in found.steps {
            writeln!(out, "ok: {step}")?;
        }
        match found.wrong {
            None => writeln!(out, "the proof holds").map_err(ToolError::Output),
            Some(wrong) => Err(ToolError::Found(wrong)),
        }
    }
}
