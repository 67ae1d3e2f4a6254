//! Tells the binary which commit it is of, in builds that leave the house.
//!
//! Owns: `XNG_COMMIT`; a variable of that name says it where there is no history, as in a container's build.
//! Never does: fail: a tree without history has none. Invariants: builds for tests do not change with each commit, so
//! that nothing is compiled anew for one. Known limits: a release of changed files says `-dirty`.

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
