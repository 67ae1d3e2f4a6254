//! Tells the binary which commit it is of, in builds that leave the house.
//!
//! Owns: `XNG_COMMIT`. Never does: fail: a tree without history has none. Invariants: builds for tests do not change with
//! each commit, so that nothing is compiled anew for one. Known limits: a release of changed files says `-dirty`.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut commit = "dev".to_owned();
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed=../.git/logs/HEAD");
        let described = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output();
        let told = described.ok().filter(|out| out.status.success()).and_then(|out| String::from_utf8(out.stdout).ok());
        commit = told.map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned());
    }
    println!("cargo::rustc-env=XNG_COMMIT={commit}");
}
