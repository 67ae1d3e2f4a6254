//! A sweep for secrets: what was told only to whom it belongs is in no other answer, in no log, in no metric and in no file.
//! Known limits: compressed files (snapshots) are not looked into.

use crate::back_office::person;
use crate::client::Server;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use xng_gateway::backoffice::table::table;

/// The label of an API key, which the office keeps as it is.
pub(crate) const LABEL: &str = "a label that is no secret";
/// What somebody of the back office must have seen, so that the sweep looked at something.
const SEEN: [&str; 8] =
    ["users", "users/{id}", "verifications", "verifications/{id}", "staff", "audit", "audit.csv", "chats"];

/// A secret, and the calls whose answers tell it, once.
pub(crate) struct Secret {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) told_by: &'static [&'static str],
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Whether bytes have this text in them.
fn holds(bytes: &[u8], text: &str) -> bool {
    let (first, rest) = (text.as_bytes()[0], &text.as_bytes()[1..]);
    let mut at = 0;
    while let Some(n) = bytes[at..].iter().position(|byte| *byte == first) {
        at += n + 1;
        if bytes[at..].starts_with(rest) {
            return true;
        }
    }
    false
}

/// Looks for the secrets in all answers by their calls, in what roles of the back office see of a user, in metrics, in the log and in the
/// data folder.
pub(crate) fn sweep((server, office): (&Server, u16), user: u64, answers: &[(String, String)], secrets: &[Secret]) {
    assert!(secrets.iter().all(|secret| secret.text.len() >= 8), "a short text is anywhere by chance");
    for secret in secrets {
        let told: Vec<&str> =
            answers.iter().filter(|(_, answer)| answer.contains(&secret.text)).map(|(call, _)| call.as_str()).collect();
        assert!(told.iter().all(|call| secret.told_by.contains(call)), "{} is told by {told:?}", secret.name);
        assert!(secret.told_by.is_empty() || !told.is_empty(), "{} was told by nothing: is this the one?", secret.name);
    }
    let nowhere = |place: &str, bytes: &[u8]| {
        for secret in secrets {
            assert!(!holds(bytes, &secret.text), "{} is in {place}", secret.name);
        }
    };
    let mut seen = BTreeSet::new();
    for role in ["owner", "compliance", "support", "audit"] {
        let browser = person(server, office, &format!("sweeps.{role}"), role, &[]);
        for route in table().into_iter().filter(|route| route.method == "GET") {
            let path = route.path.strip_prefix("/admin/api/").unwrap();
            // Of others the first one, as far as there is one.
            let id = if path.starts_with("users") { user } else { 1 };
            let (status, told): (u16, Value) = browser.get(&path.replace("{id}", &id.to_string()));
            nowhere(&format!("{role} {path}"), told.to_string().as_bytes());
            if status == 200 {
                seen.insert(path);
            }
        }
    }
    assert!(SEEN.iter().all(|path| seen.contains(path)), "refused to all: {seen:?}");
    for path in ["/metrics", "/status"] {
        let mut answer = ureq::get(format!("http://127.0.0.1:{}{path}", server.ops)).call().unwrap();
        nowhere(path, answer.body_mut().read_to_string().unwrap().as_bytes());
    }
    nowhere("the log", server.log().as_bytes());
    let mut all = Vec::new();
    files(&server.data_dir(), &mut all);
    let mut is_there = false;
    for path in all {
        // A file of the journal may be renamed meanwhile: it is looked at under its new name, or by the next run.
        if let Ok(bytes) = fs::read(&path) {
            nowhere(&path.display().to_string(), &bytes);
            is_there |= holds(&bytes, LABEL);
        }
    }
    assert!(is_there, "what is no secret is found: the files were looked into");
}

#[test]
fn a_text_within_bytes_is_found() {
    assert!(holds(b"abcabd", "abd") && holds(b"x", "x") && holds(b"aab", "ab"));
    assert!(!holds(b"abcab", "abd") && !holds(b"", "x"));
}
