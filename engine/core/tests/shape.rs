//! The shape of the project as a test: which crate may see which, and what the pure ones never contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn manifest(folder: &str) -> toml::Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Crates of this workspace that a manifest needs, tests left out.
fn arrows(folder: &str) -> BTreeSet<String> {
    let manifest = manifest(folder);
    let targets = manifest.get("target").and_then(|t| t.as_table()).into_iter().flat_map(|t| t.values());
    let places = std::iter::once(&manifest).chain(targets.filter_map(|t| t.as_table()));
    let lists = places.flat_map(|place| ["dependencies", "build-dependencies"].map(|list| place.get(list)));
    let names = lists.flatten().filter_map(|list| list.as_table()).flat_map(|list| list.keys().cloned());
    names.filter(|name| name.starts_with("xng-")).collect()
}

#[test]
fn dependencies_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("engine/prefetch", [].as_slice()),
        ("engine/slices", &[]),
        ("engine/core", &["xng-prefetch"]),
        ("engine/cell", &["xng-prefetch", "xng-core"]),
        ("engine/runtime", &["xng-core", "xng-cell"]),
        ("engine/sim", &["xng-core", "xng-cell", "xng-persistence"]),
        ("persistence", &["xng-core"]),
        ("persistence/export", &["xng-core"]),
        ("custody", &["xng-core"]),
        // Whoever has the exchange must not have the signer, and the signer believes nothing of the exchange.
        ("signer", &[]),
        (
            "gateway",
            &["xng-slices", "xng-core", "xng-cell", "xng-runtime", "xng-persistence", "xng-export", "xng-custody"],
        ),
        ("benches", &["xng-slices", "xng-core", "xng-cell", "xng-runtime", "xng-persistence", "xng-gateway"]),
        ("benches/counts", &[]),
        ("benches/harness", &["xng-core"]),
    ]);
    let workspace = manifest("");
    let members = workspace["workspace"]["members"].as_array().expect("a list");
    for folder in members.iter().map(|m| m.as_str().expect("a folder")) {
        let may = allowed.get(folder).unwrap_or_else(|| panic!("{folder} has no place in the picture yet"));
        for name in arrows(folder) {
            assert!(may.contains(&name.as_str()), "{folder} must not depend on {name}");
        }
    }
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut list = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                list.push((path, text));
            }
        }
    }
    assert!(!list.is_empty(), "{folder} has sources");
    list
}

/// Code without comments, which may name what the code must not.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or(line)
}

fn has_word(line: &str, word: &str) -> bool {
    let boundary = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
    line.match_indices(word)
        .any(|(at, _)| boundary(line[..at].chars().next_back()) && boundary(line[at + word.len()..].chars().next()))
}

#[test]
fn the_engine_knows_no_clock_no_chance_no_float_and_no_input_or_output() {
    let banned = [
        "SystemTime",
        "Instant",
        "sleep",
        "thread",
        "rand",
        "random",
        "getrandom",
        "f32",
        "f64",
        "async",
        "await",
        "tokio",
        "actix",
        "dashmap",
        "crossbeam",
        "rust_decimal",
        "Mutex",
        "RwLock",
        "println",
        "eprintln",
        "fs",
        "net",
        "env",
        "unsafe",
        "process",
        "thread_local",
        // Their order is chance.
        "HashMap",
        "HashSet",
    ];
    for folder in ["engine/core/src", "engine/cell/src"] {
        for (path, text) in sources(folder) {
            for (n, line) in text.lines().enumerate() {
                let line = code(line);
                // `#![forbid(unsafe_code)]` and lints may name what they forbid.
                if line.trim_start().starts_with("#!") {
                    continue;
                }
                if let Some(word) = banned.iter().find(|w| has_word(line, w)) {
                    panic!("{}:{}: `{word}` does not belong here: {line}", path.display(), n + 1);
                }
            }
        }
    }
}

#[test]
fn sockets_and_entity_actors_are_named_in_one_place_each() {
    for (path, text) in sources("gateway/src") {
        let named = text.lines().map(code).any(|l| l.contains("actix_web_actors"));
        assert!(!named || path.ends_with("ws/session.rs"), "{} names actix-web-actors", path.display());
    }
    // The persister is an actor; what it projects knows nothing of it.
    let is_persister =
        |path: &Path| ["store/persister/mod.rs", "store/persister/actor.rs"].iter().any(|p| path.ends_with(p));
    for folder in ["engine/core/src", "engine/cell/src", "persistence/src"] {
        for (path, text) in sources(folder).into_iter().filter(|(path, _)| !is_persister(path)) {
            assert!(!text.lines().map(code).any(|l| l.contains("actix")), "{} names actix", path.display());
        }
    }
}

#[test]
fn the_exchange_names_no_private_key_of_a_chain() {
    let banned = ["Xpriv", "ExtendedPrivKey", "SecretKey", "SigningKey", "PrivateKey", "Keypair", "Mnemonic"];
    for folder in ["custody", "gateway/src"] {
        for (path, text) in sources(folder) {
            // Whoever checks signatures needs some in its tests, which come last in a file.
            let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub(crate) mod tests {"];
            let shipped = tests.iter().filter_map(|tests| text.find(tests)).min().unwrap_or(text.len());
            for (n, line) in text[..shipped].lines().enumerate() {
                if let Some(word) = banned.iter().find(|word| has_word(code(line), word)) {
                    panic!("{}:{}: `{word}` is the signer's alone: {line}", path.display(), n + 1);
                }
            }
        }
    }
}

#[test]
fn files_and_lines_stay_readable() {
    let mut found = Vec::new();
    for folder in ["engine", "persistence/src", "custody", "signer", "gateway/src", "benches"] {
        for (path, text) in sources(folder) {
            let lines = text.lines().count();
            if lines > 800 {
                found.push(format!("{} has {lines} lines", path.display()));
            }
            // A text is not broken for its length.
            let long = text.lines().enumerate().filter(|(_, l)| l.chars().count() > 140 && !l.contains('"'));
            found.extend(long.map(|(n, _)| format!("{}:{} is too long", path.display(), n + 1)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_settlement_code_reads_a_user_but_the_account_itself() {
    for (path, text) in sources("engine/core/src/price") {
        let user = text.lines().map(code).any(|l| has_word(l, "AccountId") || has_word(l, "Account"));
        assert!(!user, "{}: prices know no users", path.display());
    }
}

/// What the back office asks the engine for, and all that it does: whoever adds to this says here why no price, outcome, balance, odds or
/// statistic can be set by it (`docs/back-office.md "Roles"`).
const OFFICE_ASKS: [&str; 19] = [
    // Approves, refuses and ends traders; their figures are folds of facts.
    "AccountCommand::Copy",
    "CopyCommand::SetTrader",
    // Coupons of campaigns: their money comes from the account `promotion`, by two people.
    "AccountCommand::Coupon",
    "CampaignCommand::Stop",
    "CouponCommand::Fund",
    "CouponCommand::Receive",
    "CouponCommand::Revoke",
    // Locks alone: the properties are listed below.
    "AccountCommand::Set",
    // What a user may do once a reviewer verified them, or two people revoked that.
    "AccountCommand::SetTier",
    // Only reads.
    "AccountCommand::View",
    // Halts, and that they end.
    "ChainCommand::Halt",
    "ChainCommand::Resume",
    "ContractCommand::SetState",
    "MarketCommand::SetState",
    // Ticks, lots, limits and fees, which bound what users ask for; prices come of their orders and of the feed.
    "MarketCommand::ChangeParams",
    // Votes of people about withdrawals that their owners asked for.
    "ChainCommand::Vote",
    // What is not offered in a country, and that it is again; nothing is closed by it.
    "RegistryCommand::Allow",
    "RegistryCommand::Bar",
    // The hash of the audit; it moves nothing.
    "RegistryCommand::AnchorAudit",
];

#[test]
fn the_back_office_asks_the_engine_for_nothing_that_is_not_listed() {
    let mut asked = BTreeSet::new();
    for (path, text) in sources("gateway/src/backoffice").into_iter().chain(sources("gateway/src/custody")) {
        let is_office = path.components().any(|part| part.as_os_str() == "backoffice") || path.ends_with("review.rs");
        for line in text.lines().map(code).filter(|_| is_office) {
            for (at, _) in line.match_indices("Command::") {
                let kind = line[..at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                let rest = &line[at + "Command::".len()..];
                let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                if !kind.is_empty() {
                    asked.insert(format!("{kind}Command::{name}"));
                }
            }
            for (at, _) in line.match_indices("Property::") {
                assert!(line[at..].starts_with("Property::Status("), "{}: {line}", path.display());
            }
            for word in ["PriceCommand", "DeskCommand", "RoundCommand", "GrantKind", "TickLog", "feed"] {
                assert!(!has_word(line, word), "{}: {word}", path.display());
            }
        }
    }
    let listed: BTreeSet<String> = OFFICE_ASKS.iter().map(ToString::to_string).collect();
    assert_eq!(asked, listed);
}
