//! Lists the steps of the schemas: what lies in `migrations`, so that a new step is a new file and nothing else.
//!
//! Owns: how a file's name says its number and what the step is called. Never does: read a step.
//! Invariants: a schema's steps are numbered from 1 without gaps, or nothing is built. Known limits: none.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Name of the list, and its folder.
const SCHEMAS: [(&str, &str); 3] = [
    ("SQLITE_STORE", "migrations/sqlite/store"),
    ("POSTGRES_STORE", "migrations/postgres/store"),
    ("SQLITE_OFFICE", "migrations/sqlite/office"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut lists = String::new();
    for (list, folder) in SCHEMAS {
        println!("cargo::rerun-if-changed={folder}");
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let mut files: Vec<String> =
            entries.map(|entry| entry.expect("lists").file_name().into_string().expect("a name in UTF-8")).collect();
        files.sort();
        writeln!(lists, "pub(crate) const {list}: Migrations = &[").expect("writes to memory");
        for (number, file) in (1..).zip(&files) {
            let name = file.strip_prefix(&format!("{number:04}_")).and_then(|rest| rest.strip_suffix(".sql"));
            let name = name.unwrap_or_else(|| panic!("{folder}/{file}: step {number} is named {number:04}_<what>.sql"));
            let name = name.replace('_', " ");
            let path = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{folder}/{file}\")");
            writeln!(lists, "    ({number}, {name:?}, include_str!({path})),").expect("writes to memory");
        }
        lists.push_str("];\n");
    }
    let out = env::var("OUT_DIR").expect("cargo says where to");
    fs::write(Path::new(&out).join("migrations.rs"), lists).expect("writes");
}
