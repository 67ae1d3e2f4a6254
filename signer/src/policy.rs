//! The owner's file: caps and cold addresses.
//!
//! Owns: the file's form and its defaults. Never does: take a limit from the exchange.
//! Invariants: an unknown word in the file stops the start, so that no limit is lost by a slip; a cold address is one of
//! the network. Known limits: read at the start only. Rules: `docs/custody.md "The signer's policy"`.

use crate::keys::Network;
use crate::transaction::destination;
use bitcoin::ScriptBuf;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{error::Error, fs};

const DEFAULT: &str = include_str!("policy.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rings: u32,
    #[serde(rename = "BTC")]
    btc: Btc,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Btc {
    hour_units: u64,
    fee_units: u64,
    fee_rate: u64,
    cold: Vec<String>,
}

/// What is allowed.
#[derive(Debug)]
pub(crate) struct Policy {
    /// Accounts of the exchange: 0 to this, exclusive.
    pub(crate) rings: u32,
    /// Satoshi that leave in an hour at most: payments to other than cold addresses, and fees.
    pub(crate) hour_units: u64,
    /// Satoshi of a transaction's fee at most.
    pub(crate) fee_units: u64,
    /// Satoshi per 1,000 virtual bytes at most.
    pub(crate) fee_rate: u64,
    /// Scripts that are paid without the hour's cap.
    pub(crate) cold: BTreeSet<ScriptBuf>,
}

/// A new file that allows little.
pub(crate) fn write_default(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(DEFAULT.as_bytes())?;
    file.sync_all()
}

pub(crate) fn read(path: &Path, network: Network) -> Result<Policy, Box<dyn Error>> {
    let wrong = |e: String| format!("{}: {e}", path.display());
    let text = fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    Ok(parse(&text, network).map_err(wrong)?)
}

fn parse(text: &str, network: Network) -> Result<Policy, String> {
    let File { rings, btc } = toml::from_str(text).map_err(|e| e.to_string())?;
    let cold = btc.cold.iter().map(|text| destination(text, network).ok_or_else(|| format!("{text} is not paid here")));
    let cold = cold.collect::<Result<BTreeSet<ScriptBuf>, String>>()?;
    Ok(Policy { rings, hour_units: btc.hour_units, fee_units: btc.fee_units, fee_rate: btc.fee_rate, cold })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_the_file_is_told() {
        let policy = parse(DEFAULT, Network::Main).unwrap();
        assert!(policy.rings == 1 && policy.cold.is_empty() && policy.hour_units > 0);
        assert!(parse(&DEFAULT.replace("fee_units", "fee_unit"), Network::Main).is_err());
        assert!(parse(&format!("{DEFAULT}\nhours = 1\n"), Network::Main).is_err());
        let cold = DEFAULT.replace("cold = []", r#"cold = ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]"#);
        assert_eq!(parse(&cold, Network::Regtest).unwrap().cold.len(), 1);
        assert!(parse(&cold, Network::Main).is_err(), "an address of another network");
    }
}
