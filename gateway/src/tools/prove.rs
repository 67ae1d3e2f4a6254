//! `exchange prove FILE`: checks a proof or a statement of reserves without a server, settings or a data folder.
//!
//! Owns: what is read and how it ends. Never does: check; `crate::fair::verify` does, and of statements `xng_custody::reserves`.
//! Invariants: exit code 0: it holds; 1: it does not; 2: it cannot be read as one. Known limits: none.

use super::error::ToolError;
use crate::common::decimal::units_text;
use crate::fair::verify::verify;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::path::PathBuf;
use xng_custody::bitcoin::Network;
use xng_custody::reserves::{FORMAT, Proven, Wrong, verify as verify_reserves};
use xng_persistence::ticks::{hex, unhex};

/// A statement's first line is no longer.
const HEADER_BYTES: u64 = 65_536;

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
        if self.is_statement()? {
            return self.reserves(out);
        }
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
    fn open(&self) -> Result<BufReader<File>, ToolError> {
        File::open(&self.file).map(BufReader::new).map_err(ToolError::file("read", &self.file))
    }

    /// Whether it is a statement of reserves: these have a line an address, and are not read at once.
    fn is_statement(&self) -> Result<bool, ToolError> {
        let mut line = Vec::new();
        self.open()?.take(HEADER_BYTES).read_until(b'\n', &mut line).map_err(ToolError::file("read", &self.file))?;
        let value: Value = serde_json::from_slice(&line).unwrap_or_default();
        Ok(value["format"] == FORMAT)
    }

    fn reserves(&self, out: &mut dyn Write) -> Result<(), ToolError> {
        let proven = verify_reserves(&mut self.open()?).map_err(|wrong| match wrong {
            Wrong::Read(error) => ToolError::file("read", &self.file)(error),
            Wrong::Malformed { .. } => ToolError::Refused(format!("{}: {wrong}", self.file.display())),
            Wrong::False(_) => ToolError::Found(wrong.to_string()),
        })?;
        let Proven { header, id, network } = proven;
        let worth = if network.is_some_and(|network| network != Network::Main) { ", a network for tests" } else { "" };
        let mut lines = vec![
            format!("ok: statement of reserves {}", hex(&id)),
            format!("ok: {}{worth}, after block {} ({})", header.name, header.height, header.hash),
            format!("ok: {} addresses, each of which signed the statement", header.addresses),
        ];
        for asset in &header.assets {
            let held = units_text(asset.units.0, asset.decimals);
            lines.push(format!("ok: {held} {} by the statement", asset.asset));
        }
        lines.push("the statement holds; whether the addresses held this is for a node to say".to_owned());
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).map_err(ToolError::Output)
    }
}
