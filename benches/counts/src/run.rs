//! Runs the counting bench and reads what it tells.
//!
//! Owns: the commands. Never does: compare. Invariants: a bench that fails, or tells of nothing, is an error.
//! Known limits: valgrind must know the processor.

use crate::Failed;
use crate::table::Counts;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The profile that is counted; this binary is built with it.
const PROFILE: &str = "counts";

/// Compiler and machine that the counts are of.
pub(crate) fn toolchain() -> Result<String, Failed> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(rustc).arg("-vV").output()?;
    let told = String::from_utf8(told.stdout)?;
    let version = told.lines().next().ok_or("rustc tells no version")?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc tells no host")?;
    Ok(format!("{version}, {host}"))
}

/// Where the runner of the same version as the library lies, before everything else.
fn path() -> Result<OsString, Failed> {
    let here = std::env::current_exe()?;
    let target = here.parent().and_then(|folder| folder.parent()).ok_or("this binary lies in no target folder")?;
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(target.join("tools/bin")).chain(std::env::split_paths(&others));
    Ok(std::env::join_paths(all.collect::<Vec<PathBuf>>())?)
}

/// Instructions by name.
pub(crate) fn count() -> Result<Counts, Failed> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ended = Command::new(cargo)
        .args(["bench", "--quiet", "--profile", PROFILE, "--package", env!("CARGO_PKG_NAME"), "--bench", "hot"])
        .args(["--", "--output-format=json", "--nosummary"])
        .env("PATH", path()?)
        .stderr(Stdio::inherit())
        .output()?;
    if !ended.status.success() {
        return Err(format!("the bench ended with {}", ended.status).into());
    }
    read(&ended.stdout)
}

fn read(told: &[u8]) -> Result<Counts, Failed> {
    let mut counts = Counts::new();
    for bench in serde_json::Deserializer::from_slice(told).into_iter::<Value>() {
        let bench = bench?;
        let name = name(&bench).ok_or("a bench tells no name")?;
        let count = instructions(&bench).ok_or_else(|| format!("{name} tells no count"))?;
        if counts.insert(name.clone(), count).is_some() {
            return Err(format!("{name} was counted twice").into());
        }
    }
    if counts.is_empty() { Err("nothing was counted".into()) } else { Ok(counts) }
}

/// Group, function and input; the path begins with the bench's own name.
fn name(bench: &Value) -> Option<String> {
    let path = bench["module_path"].as_str()?;
    let within = path.split_once("::").map_or(path, |(_, within)| within);
    let id = bench["id"].as_str().map(|id| format!("::{id}")).unwrap_or_default();
    Some(format!("{within}{id}"))
}

fn instructions(bench: &Value) -> Option<u64> {
    let metrics = &bench["profiles"][0]["data"]["total"]["metrics"];
    metrics["Ir"]["values"]["new"].as_u64()
}
