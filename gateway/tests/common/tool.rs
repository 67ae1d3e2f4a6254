//! The operator's tools, as subcommands of the real binary.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::client::Server;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a tool on the data folder of `server`, with its settings.
pub(crate) fn tool(server: &Server, args: &[&str]) -> Output {
    server.command().args(args).output().unwrap()
}

/// Runs a tool on a data folder.
pub(crate) fn on(data: &Path, args: &[&str]) -> Output {
    command(env!("CARGO_BIN_EXE_exchange"), data).args(args).output().unwrap()
}

/// A program that finds settings and data as the server does.
pub(crate) fn command(program: &str, data: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).env("XNG__SERVER__DATA_DIR", data);
    command
}

/// What a tool that found nothing wrong said.
pub(crate) fn good(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// What a tool that ended with `code` complained of.
pub(crate) fn bad(output: &Output, code: i32) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}\n{err}");
    err.into_owned()
}
