//! `exchange prove FILE`: checks a proof or a statement of reserves without a server, settings or a data folder.
//!
//! Owns: what is read and how it ends. Never does: check; `crate::fair::verify` does, and of statements `xng_custody::reserves`.
//! Invariants: exit code 0: it holds; 1: it does not; 2: it cannot be read as one. Known limits: none.

use super::error::ToolError;
use crate::common::decimal::units_text;
use crate::fair::verify::verify;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read as _, Write};
use std::path::PathBuf;
use xng_custody::bitcoin::Network;
use xng_custody::reserves::{FORMAT, LINE_BYTES, Proven, Wrong, verify as verify_reserves};
use xng_persistence::ticks::{hex, unhex};

/// What is checked.
#[derive(Debug, clap::Args)]
pub struct Prove {
    /// A proof, the answer of a call with the proof in it, or a statement of reserves.
    file: PathBuf,
    /// The public key that its root must be signed with, in hex, as `/api/fair/key` tells it.
    #[arg(long)]
    key: Option<String>,
}

impl Prove {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), ToolError> {
        let file = File::open(&self.file).map_err(ToolError::file("read", &self.file))?;
        let (mut file, mut first) = (BufReader::new(file), Vec::new());
        // Statements of reserves have a line an address, and are not read at once.
        let read = file.by_ref().take(LINE_BYTES as u64).read_until(b'\n', &mut first);
        read.map_err(ToolError::file("read", &self.file))?;
        let header: Value = serde_json::from_slice(&first).unwrap_or_default();
        let mut all = Cursor::new(first).chain(file);
        if header["format"] == FORMAT {
            return self.reserves(&mut all, out);
        }
        let mut text = String::new();
        all.read_to_string(&mut text).map_err(ToolError::file("read", &self.file))?;
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

    fn reserves(&self, text: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), ToolError> {
        if self.key.is_some() {
            return Err(ToolError::Refused("--key is for proofs; a statement of reserves has none".into()));
        }
        let proven = verify_reserves(text).map_err(|wrong| match wrong {
            Wrong::Read(error) => ToolError::file("read", &self.file)(error),
            Wrong::Malformed { .. } => ToolError::Refused(format!("{}: {wrong}", self.file.display())),
            Wrong::False(_) => ToolError::Found(wrong.to_string()),
        })?;
        let Proven { header, id, network } = proven;
        let number = header.chain_id.map(|id| format!(", chain_id {id}")).unwrap_or_default();
        let worth = if network.is_some_and(|network| network != Network::Main) { ", a network for tests" } else { "" };
        let mut lines = vec![
            format!("ok: statement of reserves {}", hex(&id)),
            format!("ok: {}{number}{worth}, after block {} ({})", header.name, header.height, header.hash),
            format!("ok: {} addresses, each of which signed the statement", header.addresses),
        ];
        for asset in &header.assets {
            let held = units_text(asset.units.0, asset.decimals);
            let of = asset.contract.as_ref().map(|contract| format!(" of contract {contract}")).unwrap_or_default();
            lines.push(format!("ok: {held} {}{of} by the statement ({} units)", asset.asset, asset.units.0));
        }
        lines.push("the statement holds; whether the addresses held this is for a node to say".to_owned());
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).map_err(ToolError::Output)
    }
}
