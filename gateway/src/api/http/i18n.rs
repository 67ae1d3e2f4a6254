//! Server messages in ten languages: `config/locales/<lang>.json`, keyed by error code or text name.
//!
//! Owns: the texts. Never does: format a number. Invariants: every language has every key, or the start fails. Known
//! limits: no plural forms.

use crate::config::ConfigError;
use std::collections::BTreeMap;
use std::path::Path;

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
            let path = folder.join(format!("{}.json", lang.name()));
            let fail = |message: String| ConfigError::File { path: path.clone(), message };
            let text = std::fs::read_to_string(&path).map_err(|e| fail(e.to_string()))?;
            let map: BTreeMap<String, String> = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
            texts.insert(lang, map);
        }
        let messages = Messages { texts };
        messages.check(folder)?;
        Ok(messages)
    }

    fn check(&self, folder: &Path) -> Result<(), ConfigError> {
        let english = &self.texts[&Lang::En];
        for (lang, map) in &self.texts {
            let path = folder.join(format!("{}.json", lang.name()));
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
        let english = &messages.texts[&Lang::En];
        for lang in Lang::ALL.into_iter().filter(|l| *l != Lang::En) {
            let same = |k: &&String| messages.texts[&lang][*k] == english[*k] && english[*k].len() > 12;
            let untranslated: Vec<&String> = english.keys().filter(same).collect();
            assert!(untranslated.is_empty(), "{lang:?} left in English: {untranslated:?}");
        }
    }
}
