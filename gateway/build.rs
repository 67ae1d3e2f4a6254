//! Sets the commit that the binary reports, in release builds.
//!
//! Owns: `XNG_COMMIT`; an environment variable of that name replaces it where there is no git history, as in a container.
//! Never does: fail without git history; the commit is `unknown` then. Invariants: test builds do not depend on the commit,
//! so that a commit does not cause a new compilation. Known limits: a release built from changed files has `-dirty`.

use std::env;
use std::process::Command;

/// The commit that is checked out.
fn described() -> Option<String> {
    let output = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut commit = "dev".to_owned();
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed=../.git/logs/HEAD");
        println!("cargo::rerun-if-env-changed=XNG_COMMIT");
        let said = env::var("XNG_COMMIT").ok().filter(|commit| !commit.is_empty());
        commit = said.or_else(described).unwrap_or_else(|| "unknown".to_owned());
    }
    println!("cargo::rustc-env=XNG_COMMIT={commit}");
}
