//! Server messages in ten languages: `config/locales/<lang>/<product>.json`, keyed by error code or text name. A product's files
//! are found by their place; there is no list of them.
//!
//! Owns: the texts. Never does: format a number. Invariants: every language has every key once, or the start fails. Known
//! limits: no plural forms.

use crate::config::ConfigError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The app's languages (`docs/rules/app-calls.md "Requests"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[allow(missing_docs)]
pub enum Lang {
    #[default]
    En,
    Zh,
    Hk,
    Jp,
    Kr,
    Spa,
    Fra,
    Th,
    Tr,
    Vi,
}

impl Lang {
    /// All of them.
    pub const ALL: [Lang; 10] =
        [Lang::En, Lang::Zh, Lang::Hk, Lang::Jp, Lang::Kr, Lang::Spa, Lang::Fra, Lang::Th, Lang::Tr, Lang::Vi];

    /// Its name in calls and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh",
            Lang::Hk => "hk",
            Lang::Jp => "jp",
            Lang::Kr => "kr",
            Lang::Spa => "spa",
            Lang::Fra => "fra",
            Lang::Th => "th",
            Lang::Tr => "tr",
            Lang::Vi => "vi",
        }
    }

    /// Reads `lang`; what is unknown is English. `kor` is an old name of Korean.
    #[must_use]
    pub fn parse(name: &str) -> Lang {
        let name = if name == "kor" { "kr" } else { name };
        Lang::ALL.into_iter().find(|l| l.name() == name).unwrap_or_default()
    }
}

/// All messages.
#[derive(Debug)]
pub struct Messages {
    texts: BTreeMap<Lang, BTreeMap<String, String>>,
}

impl Messages {
    /// Reads all languages; a missing file, key or placeholder is an error.
    pub fn load(folder: &Path) -> Result<Messages, ConfigError> {
        let mut texts = BTreeMap::new();
        for lang in Lang::ALL {
            texts.insert(lang, load_language(&folder.join(lang.name()))?);
        }
        let messages = Messages { texts };
        messages.check(folder)?;
        Ok(messages)
    }

    fn check(&self, folder: &Path) -> Result<(), ConfigError> {
        let english = &self.texts[&Lang::En];
        for (lang, map) in &self.texts {
            let path = folder.join(lang.name());
            let fail = |message: String| Err(ConfigError::File { path: path.clone(), message });
            if let Some(key) = english.keys().find(|k| !map.contains_key(*k)) {
                return fail(format!("no text for {key}"));
            }
            if let Some(key) = map.keys().find(|k| !english.contains_key(*k)) {
                return fail(format!("{key} is not an English key"));
            }
            if let Some((key, _)) = map.iter().find(|(k, t)| placeholders(t) != placeholders(&english[*k])) {
                return fail(format!("{key} has other placeholders than the English text"));
            }
        }
        Ok(())
    }

    /// A text, placeholders filled in.
    #[must_use]
    pub fn text(&self, lang: Lang, key: &str, values: &[(&str, String)]) -> String {
        let found = self.texts.get(&lang).and_then(|m| m.get(key));
        let mut text = found.cloned().unwrap_or_else(|| key.to_owned());
        for (name, value) in values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }
}

/// All files of a language, in the order of their names; a key that two of them have is an error.
fn load_language(folder: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    let fail = |path: &Path, message: String| ConfigError::File { path: path.to_owned(), message };
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|e| fail(folder, e.to_string()))?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort_unstable();
    let mut texts = BTreeMap::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|e| fail(&path, e.to_string()))?;
        let map: BTreeMap<String, String> = serde_json::from_str(&text).map_err(|e| fail(&path, e.to_string()))?;
        for (key, text) in map {
            if texts.insert(key.clone(), text).is_some() {
                return Err(fail(&path, format!("{key} is in another file too")));
            }
        }
    }
    Ok(texts)
}

fn placeholders(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_message() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/locales"));
        let messages = Messages::load(folder).unwrap();
        for name in xng_core::record::LogType::NAMES.iter().chain(&["other"]) {
            let key = format!("log_{name}");
            assert_ne!(messages.text(Lang::En, &key, &[]), key, "a text for each kind of movement");
        }
        let english = &messages.texts[&Lang::En];
        for lang in Lang::ALL.into_iter().filter(|l| *l != Lang::En) {
            let same = |k: &&String| messages.texts[&lang][*k] == english[*k] && english[*k].len() > 12;
            let untranslated: Vec<&String> = english.keys().filter(same).collect();
            assert!(untranslated.is_empty(), "{lang:?} left in English: {untranslated:?}");
        }
    }

    #[test]
    fn a_product_adds_files_and_no_text_stands_in_two() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("common.json", r#"{"998":"a"}"#);
        write("seconds.json", r#"{"seconds_limit":"b {max}"}"#);
        write("notes.txt", "not a text");
        assert_eq!(load_language(folder.path()).unwrap().len(), 2);
        write("stocks.json", r#"{"998":"c"}"#);
        let error = load_language(folder.path()).unwrap_err().to_string();
        assert!(error.contains("stocks.json") && error.contains("998 is in another file too"), "{error}");
        assert!(load_language(&folder.path().join("xx")).is_err(), "a language is missing");
    }
}
