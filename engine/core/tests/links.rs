//! Documents as a test: what they and comments refer to is there. Everything that is not there is told at once.
//!
//! Checked: links and anchors of all documents, paths in backticks, `docs/….md "Heading"` in comments, that no document is
//! unreachable, that nothing refers to files outside of the repository, that alerts and error codes have their rows, and the
//! README's size.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// What a newcomer reads first fits two screens.
const README_BYTES: usize = 8_192;
/// Folders whose files are in the repository, in which paths in backticks lie.
const FOLDERS: [&str; 10] =
    ["benches", "config", "custody", "docs", "engine", "gateway", "h5", "persistence", "scripts", "signer"];
/// What a build leaves in them.
const BUILT: [&str; 4] = ["h5/dist", "h5/dist-admin", "h5/dist-ops", "h5/node_modules"];
/// Endings of files whose comments refer to documents.
const SOURCES: [&str; 10] = ["css", "mjs", "py", "rs", "service", "sh", "toml", "ts", "tsx", "yml"];
/// Where a machine keeps what belongs to one of its users.
const OF_A_MACHINE: [&str; 3] = ["/home/", "/root/", "/tmp/"];
/// Top folders that every machine has, where documents may place something.
const STANDARD: [&str; 8] = ["etc", "mnt", "opt", "run", "srv", "sys", "usr", "var"];

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Files under a folder, by their paths from the root; what is built is left out.
fn files(folder: &str, wanted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root().join(&folder)).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries.map(|entry| entry.unwrap()) {
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().unwrap().is_dir();
            if is_folder && !BUILT.iter().any(|built| path.starts_with(built)) && !path.ends_with("target") {
                folders.push(path);
            } else if !is_folder && wanted(&path) {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// All documents, each with its text without what stands in fences.
fn documents() -> BTreeMap<String, String> {
    let single = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "benches/README.md"].map(str::to_owned);
    let all = single.into_iter().chain(files("docs", &|path| has_ending(path, &["md"])));
    all.map(|path| (path.clone(), without_fences(&read(&path)))).collect()
}

fn without_fences(text: &str) -> String {
    let mut fenced = false;
    let line = |line: &str| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if fenced || is_fence { String::new() } else { line.to_owned() }
    };
    text.lines().map(line).collect::<Vec<String>>().join("\n")
}

fn headings(text: &str) -> Vec<&str> {
    let heading = |line: &'_ str| line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    text.lines().filter(|line| heading(line)).map(|line| line.trim_start_matches('#').trim()).collect()
}

/// A heading's anchor, as the forges make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A path from the folder of `document`, from the root; none when it leaves the repository.
fn resolved(document: &str, target: &str) -> Option<String> {
    let mut path = PathBuf::new();
    let whole = Path::new(document).parent().unwrap().join(target);
    for part in whole.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path.to_str().unwrap().to_owned())
}

/// Targets of `[text](target)` and `![text](target)`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, _)| line[at + 2..].split_once(')')).map(|(target, _)| target)
}

/// What stands in backticks.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The repository's path that a span names, if it names one: its first word, without place-holders.
fn path_of(span: &str) -> Option<&str> {
    let word = span.split_whitespace().next()?.trim_end_matches('/');
    let folder = word.split('/').next()?;
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'));
    (plain && word.contains('/') && FOLDERS.contains(&folder)).then_some(word)
}

/// `docs/….md` in a comment, with the headings that it names: `docs/x.md "One"`, "Two".
fn references(line: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("docs/") {
        let rest = &line[at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_')));
        let path = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        if !has_ending(Path::new(path), &["md"]) {
            continue;
        }
        let (mut rest, mut named) = (&rest[path.len()..], Vec::new());
        loop {
            let next = rest.trim_start_matches(['`', ',', ' ']);
            let Some((heading, behind)) = next.strip_prefix('"').and_then(|next| next.split_once('"')) else { break };
            named.push(heading);
            rest = behind;
        }
        found.push((path, named));
    }
    found
}

/// Files with comments, and the documents.
fn referring() -> Vec<String> {
    let source = |path: &Path| has_ending(path, &SOURCES) || path.ends_with("Containerfile");
    let sources = FOLDERS.iter().filter(|folder| **folder != "docs").flat_map(|folder| files(folder, &source));
    // This file names what it looks for.
    sources.chain(["Makefile".to_owned()]).filter(|path| !path.ends_with("core/tests/links.rs")).collect()
}

fn exists(path: &str) -> bool {
    BUILT.iter().any(|built| path.starts_with(built)) || root().join(path).exists()
}

fn tell(found: &[String]) {
    assert!(found.is_empty(), "{} found:\n{}", found.len(), found.join("\n"));
}

#[test]
fn links_of_documents_lead_to_files_and_headings() {
    let documents = documents();
    let anchors: BTreeMap<&str, BTreeSet<String>> = documents
        .iter()
        .map(|(path, text)| (path.as_str(), headings(text).into_iter().map(anchor).collect()))
        .collect();
    let mut found = Vec::new();
    for (document, text) in &documents {
        for (n, line) in text.lines().enumerate() {
            for target in links(line).filter(|target| !target.contains("://") && !target.starts_with("mailto:")) {
                let (path, heading) = target.split_once('#').map_or((target, None), |(path, h)| (path, Some(h)));
                let path = if path.is_empty() { Some(document.clone()) } else { resolved(document, path) };
                let leads = path.as_ref().is_some_and(|path| exists(path));
                let heading = heading.filter(|_| leads);
                let known = path.as_deref().and_then(|path| anchors.get(path));
                if !leads || heading.is_some_and(|heading| !known.is_some_and(|known| known.contains(heading))) {
                    found.push(format!("{document}:{}: {target}", n + 1));
                }
            }
        }
    }
    tell(&found);
}

#[test]
fn paths_in_documents_are_there() {
    let mut found = Vec::new();
    for (document, text) in documents() {
        for (n, line) in text.lines().enumerate() {
            let gone = spans(line).filter_map(path_of).filter(|path| !exists(path));
            found.extend(gone.map(|path| format!("{document}:{}: {path}", n + 1)));
        }
    }
    tell(&found);
}

#[test]
fn comments_refer_to_documents_and_headings_that_are_there() {
    let documents = documents();
    let mut found = Vec::new();
    for file in referring() {
        for (n, line) in read(&file).lines().enumerate() {
            for (path, named) in references(line) {
                let place = format!("{file}:{}", n + 1);
                let Some(text) = documents.get(path) else {
                    found.push(format!("{place}: {path}"));
                    continue;
                };
                let known = headings(text);
                let gone = named.into_iter().filter(|heading| !known.contains(heading));
                found.extend(gone.map(|heading| format!("{place}: {path} has no heading \"{heading}\"")));
            }
        }
    }
    tell(&found);
}

/// Folders of machines that nothing may name, that of this checkout among them.
fn of_machines() -> Vec<String> {
    let here = root().canonicalize().unwrap();
    let top = here.components().nth(1).and_then(|top| top.as_os_str().to_str());
    let own = top.filter(|top| !STANDARD.contains(top)).map(|top| format!("/{top}/"));
    OF_A_MACHINE.map(str::to_owned).into_iter().chain(own).collect()
}

/// Paths of documents in a line, other than those of addresses.
fn document_paths(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | ':')));
    let words = words.map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| !word.contains("://") && word.contains('/') && has_ending(Path::new(word), &["md", "jsonl"]))
}

#[test]
fn nothing_refers_to_files_outside_of_the_repository() {
    let (mut found, machines) = (Vec::new(), of_machines());
    let begins =
        |line: &str, at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let everything = documents().into_iter().chain(referring().into_iter().map(|file| (file.clone(), read(&file))));
    for (file, text) in everything {
        let is_document = has_ending(Path::new(&file), &["md"]);
        for (n, line) in text.lines().enumerate() {
            // What begins at a place that code names is the compiler's to find.
            let of_code = |path: &str| !is_document && path.starts_with(['/', '.']);
            let there =
                |path: &&str| of_code(path) || exists(path) || resolved(&file, path).is_some_and(|path| exists(&path));
            found.extend(
                document_paths(line).filter(|path| !there(path)).map(|path| format!("{file}:{}: {path}", n + 1)),
            );
            let named =
                machines.iter().filter(|folder| line.match_indices(folder.as_str()).any(|(at, _)| begins(line, at)));
            found.extend(named.filter(|_| is_document).map(|folder| format!("{file}:{}: {folder}", n + 1)));
        }
    }
    tell(&found);
}

#[test]
fn every_document_is_linked_and_its_headings_differ() {
    let documents = documents();
    let linked: BTreeSet<String> = documents
        .iter()
        .flat_map(|(document, text)| text.lines().flat_map(links).map(move |target| (document, target)))
        .filter_map(|(document, target)| resolved(document, target.split('#').next()?))
        .collect();
    let mut found: Vec<String> = documents
        .keys()
        .filter(|document| document.starts_with("docs/") && !linked.contains(*document))
        .map(|document| format!("{document}: no document links it"))
        .collect();
    for (document, text) in &documents {
        let mut seen = BTreeSet::new();
        let twice = headings(text).into_iter().map(anchor).filter(|anchor| !seen.insert(anchor.clone()));
        found.extend(twice.map(|anchor| format!("{document}: two headings are #{anchor}")));
    }
    tell(&found);
}

#[test]
fn every_alert_and_every_error_code_has_its_row() {
    let (operations, calls) = (read("docs/operations.md"), read("docs/rules/app-calls.md"));
    let alerts = read("config/prometheus/alerts.yml");
    let alerts: Vec<&str> = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let errors = read("gateway/src/api/http/errors.rs");
    let (_, codes) = errors.split_once("pub enum Code {").expect("the codes");
    let (codes, _) = codes.split_once('}').expect("their end");
    let codes: Vec<&str> =
        codes.lines().filter_map(|line| line.trim().strip_suffix(',')?.split(" = ").nth(1)).collect();
    assert!(alerts.len() > 5 && codes.len() > 10, "both lists were found: {alerts:?} {codes:?}");
    let lacks = |text: &str, name: &str| !text.contains(&format!("\n| {name} |"));
    let alerts = alerts.into_iter().filter(|name| lacks(&operations, name)).map(|name| format!("alert {name}"));
    let codes = codes.into_iter().filter(|code| lacks(&calls, code)).map(|code| format!("code {code}"));
    tell(&alerts.chain(codes).collect::<Vec<String>>());
}

#[test]
fn the_readme_is_short() {
    let bytes = read("README.md").len();
    assert!(bytes <= README_BYTES, "README.md has {bytes} bytes, at most {README_BYTES}");
}
