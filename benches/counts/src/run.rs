//! Runs the counting bench and reads what it tells.
//!
//! Owns: the commands. Never does: compare. Invariants: a bench that fails, or tells of nothing, is an error.
//! Known limits: valgrind must know the processor.

use crate::Failed;
use crate::table::Counts;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How what is counted is built; in this crate's folder.
const PROFILE: &str = "profile.toml";

/// What cargo names after the package whose binary it runs.
const OF_PACKAGE: [&str; 2] = ["CARGO_PKG_", "CARGO_MANIFEST_"];

/// Compiler and machine that the counts are of.
pub(crate) fn toolchain() -> Result<String, Failed> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output()?;
    let output = String::from_utf8(output.stdout)?;
    let version = output.lines().next().ok_or("rustc tells no version")?;
    let host = output.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc tells no host")?;
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

/// The command that builds what is counted, with what cargo is told besides; `folder` is this crate's.
fn bench(folder: &Path, more: &[&str]) -> Result<Command, Failed> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // What cargo told this binary of its package would be news to build scripts, which would run again.
    let names = std::env::vars_os().map(|(name, _)| name);
    let of_package = |name: &OsString| name.to_str().is_some_and(|name| OF_PACKAGE.iter().any(|p| name.starts_with(p)));
    names.filter(of_package).for_each(|name| {
        command.env_remove(name);
    });
    command
        // Of the workspace, as tests are built: of this crate alone, other features would build everything again.
        .current_dir(folder)
        .args(["--config", PROFILE, "bench", "--quiet", "--profile", "dev", "--workspace", "--bench", "hot"])
        .args(more)
        .env("PATH", path()?)
        .stderr(Stdio::inherit());
    Ok(command)
}

/// Builds what is counted, and counts nothing.
pub(crate) fn build(folder: &Path) -> Result<(), Failed> {
    let ended = bench(folder, &["--no-run"])?.status()?;
    if ended.success() { Ok(()) } else { Err(format!("the build of the bench ended with {ended}").into()) }
}

/// Instructions by name; `folder` is this crate's.
pub(crate) fn count(folder: &Path) -> Result<Counts, Failed> {
    let ended = bench(folder, &["--", "--output-format=json", "--nosummary"])?.output()?;
    if !ended.status.success() {
        return Err(format!("the bench ended with {}", ended.status).into());
    }
    read(&ended.stdout)
}

fn read(output: &[u8]) -> Result<Counts, Failed> {
    let mut counts = Counts::new();
    for bench in serde_json::Deserializer::from_slice(output).into_iter::<Value>() {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn output(id: &str, count: &str) -> String {
        let metrics = format!(r#"{{"Ir":{{"values":{{"new":{count},"old":7}}}}}}"#);
        format!(
            r#"{{"module_path":"hot::book::take","id":"{id}","profiles":[{{"data":{{"total":{{"metrics":{metrics}}}}}}}]}}"#
        )
    }

    #[test]
    fn what_is_told_has_names_and_counts() {
        let both = format!("{}\n{}\n", output("among_10k", "12"), output("among_1m", "345"));
        let counts = read(both.as_bytes()).unwrap();
        let expected = [("book::take::among_10k", 12), ("book::take::among_1m", 345)];
        assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)).into());
    }

    #[test]
    fn a_bench_that_tells_nothing_is_an_error() {
        assert!(read(b"").is_err(), "no bench");
        assert!(read(output("a", "1.5").as_bytes()).is_err(), "no count");
        assert!(read(output("a", "1").repeat(2).as_bytes()).is_err(), "twice");
        assert!(read(&output("a", "1").as_bytes()[..40]).is_err(), "half of it");
    }
}
