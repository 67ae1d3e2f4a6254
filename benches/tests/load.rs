//! The load generator as it is called: a short run of each mode, against the engine in its process and the real binary.
//!
//! What is shown here is that every mode measures something, not how fast it is: debug builds on shared cores say nothing
//! of that.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn load(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_load"));
    command.current_dir(root()).args(arguments).output().unwrap()
}

/// The rows of the table below its head, cell by cell.
fn rows(arguments: &[&str]) -> Vec<Vec<String>> {
    let output = load(arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "load {arguments:?}\n{out}\n{err}");
    table(&out)
}

fn table(out: &str) -> Vec<Vec<String>> {
    // Errors and findings are told below the table: a test that fails shows them.
    eprintln!("{out}");
    let table = out.lines().skip(1).take_while(|line| !line.is_empty());
    let split = |line: &str| line.split("  ").map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = table.map(split).collect();
    assert!(rows.iter().all(|row| row.len() == 12), "{out}");
    rows
}

fn number(text: &str) -> f64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

/// Something was done, in a time that is told, and nothing went wrong.
fn is_measured(row: &[String]) {
    assert!(number(&row[2]) > 0.0, "nothing was done: {row:?}");
    let quantiles: Vec<f64> = row[3..8].iter().map(|cell| number(cell)).collect();
    assert!(quantiles[0] > 0.0 && quantiles.is_sorted(), "{row:?}");
    assert_eq!(row[8], "0", "errors: {row:?}");
}

const SHORT: [&str; 4] = ["--seconds", "1", "--warm-up", "0.2"];

#[test]
fn in_process_runs_at_a_rate_and_at_the_peak_alone_and_beside_the_rest() {
    for beside in [&[][..], &["--beside"]] {
        let mode = ["in-process", "--accounts", "200", "--rate", "500,0", "--in-flight", "16"];
        let rows = rows(&[&mode, beside, &SHORT].concat());
        assert_eq!(rows.len(), 4, "the disk's probe, that of the hand-overs and two rates: {rows:?}");
        rows.iter().for_each(|row| is_measured(row));
        let offered = rows.iter().skip(1).map(|row| row[1].as_str());
        assert_eq!(offered.collect::<Vec<_>>(), ["500", "500", "closed"]);
    }
}

#[test]
fn shapes_are_compared_turn_by_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mode = ["shapes", "--accounts", "200", "--in-flight", "16", "--rounds", "2"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_load"));
    let output = command.env("TMPDIR", folder.path()).args([&mode[..], &SHORT].concat()).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{out}");
    let rows = table(&out);
    assert_eq!(rows.len(), 7, "the disk's probe, three shapes in two turns: {rows:?}");
    rows.iter().for_each(|row| is_measured(row));
    for other in ["direct calls and the journal", "actix actors with mailboxes"] {
        assert_eq!(out.matches(&format!("ours / {other}: ")).count(), 1, "{out}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "journals are left");
}

#[test]
fn the_tcp_probe_delivers_what_it_writes() {
    let rows = rows(&[&["probe-tcp", "--sockets", "20", "--rate", "100"][..], &SHORT].concat());
    is_measured(&rows[0]);
    let (offered, achieved) = (number(&rows[0][1]), number(&rows[0][2]));
    assert!((achieved / offered - 1.0).abs() < 0.5, "{rows:?}");
}

/// The server's binary; the whole workspace's tests build it, those of this crate alone do not.
fn exchange() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_load")).with_file_name("exchange");
    assert!(path.is_file(), "{} is missing: cargo build -p xng-gateway", path.display());
    path
}

#[test]
fn the_standard_set_runs_every_mode_against_the_real_binary_and_writes_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let (report, exchange) = (folder.path().join("report.html"), exchange());
    let mode =
        ["standard", "--accounts", "200", "--rate", "100,0", "--users", "24", "--sockets", "20", "--trades", "50"];
    let files = ["--exchange", exchange.to_str().unwrap(), "--report", report.to_str().unwrap()];
    let rows = rows(&[&mode[..], &files, &SHORT].concat());
    let named = |begin: &str| rows.iter().filter(|row| row[0].starts_with(begin)).collect::<Vec<_>>();
    assert_eq!(named("in-process").len(), 4, "{rows:?}");
    assert_eq!(named("http").len(), 4, "two rates, and trades beside the sockets twice: {rows:?}");
    assert_eq!(named("signed http").len(), 2, "the programs' calls at the same two rates: {rows:?}");
    assert_eq!(named("websocket api").len(), 2, "{rows:?}");
    assert_eq!(named("probe, bare endpoint").len(), 3, "one beside each of them: {rows:?}");
    assert_eq!(named("ws").len(), 2, "without and with stalled readers: {rows:?}");
    rows.iter().for_each(|row| is_measured(row));
    let page = std::fs::read_to_string(&report).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.matches("<svg").count() == 3 * rows.len());
}

#[test]
fn what_cannot_be_reached_or_makes_no_sense_is_said() {
    for (arguments, said) in [
        (&["http", "--url", "http://127.0.0.1:1"][..], "load: "),
        (&["http", "--url", "ftp://x"], "http://"),
        (&["in-process", "--seconds", "0"], "says nothing"),
        (&["standard", "--exchange", "/nowhere"], "cargo build"),
    ] {
        let output = load(arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && err.contains(said), "{arguments:?}: {err}");
    }
}
