//! Content from files: menu, news and articles, fiat rates. Read once at the start.
//!
//! Owns: what pages say that no fact does. Never does: write; read a file after the start. Invariants: a language
//! without a text gets the English one; a file that the app could not read ends the start. Known limits: changes need a restart.

use crate::api::http::i18n::Lang;
use crate::config::{ConfigError, Files};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use xng_core::money::Amount;

/// One article in all languages that it was written in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Article {
    /// Its id.
    pub id: u64,
    /// Category (`docs/rules/app-calls.md "Content"`): 4 news, 5 banner, 32 popup, 18 faq, 19 about, 33 contact, 34 compliance.
    pub c_id: u32,
    /// When, `YYYY-MM-DD HH:MM:SS` UTC.
    pub create_time: String,
    /// Order in lists, highest first.
    #[serde(default)]
    pub sorts: i64,
    /// Picture.
    #[serde(default)]
    pub cover: String,
    /// Where a banner leads.
    #[serde(default)]
    pub url: String,
    /// Texts by language.
    pub texts: BTreeMap<String, ArticleText>,
}

/// An article in one language. The content is HTML of our own files, never of users.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ArticleText {
    pub title: String,
    #[serde(rename = "abstract", default)]
    pub summary: String,
    #[serde(default)]
    pub content: String,
}

/// An entry of the menu, as calls answer it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct MenuEntry {
    pub id: u64,
    /// Names the app's text.
    pub title: String,
    pub icon: String,
    pub url: String,
    pub open_type: OpenType,
    #[serde(with = "off_or_on")]
    pub show: bool,
    pub sort: u32,
}

/// How the app opens an entry.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub enum OpenType {
    NavigateTo,
    SwitchTab,
    WebView,
    /// Not yet.
    None,
}

/// Flags that are numbers in the app's calls.
mod off_or_on {
    use serde::de::{Error, Unexpected};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(on: &bool, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(u8::from(*on))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        match u64::deserialize(from)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(D::Error::invalid_value(Unexpected::Unsigned(other), &"0 or 1")),
        }
    }
}

/// Everything that is read from files.
#[derive(Debug)]
pub struct Content {
    articles: Vec<Article>,
    /// The menu.
    pub menu: Vec<MenuEntry>,
    /// Fiat units for one USDT, by code.
    pub rates: BTreeMap<String, String>,
}

impl Content {
    /// Reads menu, rates and all articles.
    pub fn load(files: &Files) -> Result<Content, ConfigError> {
        let mut articles: Vec<Article> = Vec::new();
        let folder = &files.news;
        let fail = |path: &Path, e: String| ConfigError::File { path: path.to_owned(), message: e };
        let entries = std::fs::read_dir(folder).map_err(|e| fail(folder, e.to_string()))?;
        for entry in entries {
            let path = entry.map_err(|e| fail(folder, e.to_string()))?.path();
            if path.extension().is_some_and(|e| e == "json") {
                articles.push(read_json(&path)?);
            }
        }
        articles.sort_by(|a, b| (b.sorts, &b.create_time, b.id).cmp(&(a.sorts, &a.create_time, a.id)));
        let rates: BTreeMap<String, String> = read_json(&files.rates)?;
        for (code, rate) in &rates {
            if !crate::common::decimal::amount(rate).is_ok_and(|rate| rate.is_positive()) {
                return Err(fail(&files.rates, format!("{code}: {rate} is no rate")));
            }
        }
        Ok(Content { articles, menu: read_json(&files.menu)?, rates })
    }

    fn row(article: &Article, lang: Lang, whole: bool) -> Option<Value> {
        let text = article.texts.get(lang.name()).or_else(|| article.texts.get(Lang::En.name()))?;
        let mut row = json!({
            "id": article.id, "c_id": article.c_id, "title": text.title, "abstract": text.summary,
            "cover": article.cover, "url": article.url, "create_time": article.create_time, "sorts": article.sorts,
        });
        if whole {
            row["content"] = text.content.clone().into();
            row["author"] = "".into();
            row["views"] = 0.into();
        }
        Some(row)
    }

    /// Fiat units for one USDT; zero for a code without a rate.
    #[must_use]
    pub fn rate(&self, code: &str) -> Amount {
        self.rates.get(code).and_then(|rate| crate::common::decimal::amount(rate).ok()).unwrap_or_default()
    }

    /// Articles of a category, newest first.
    #[must_use]
    pub fn list(&self, category: u32, lang: Lang) -> Vec<Value> {
        self.articles.iter().filter(|a| a.c_id == category).filter_map(|a| Self::row(a, lang, false)).collect()
    }

    /// One article by id.
    #[must_use]
    pub fn article(&self, id: u64, lang: Lang) -> Option<Value> {
        self.articles.iter().find(|a| a.id == id).and_then(|a| Self::row(a, lang, true))
    }

    /// The newest article of a category.
    #[must_use]
    pub fn newest(&self, category: u32, lang: Lang) -> Option<Value> {
        self.articles.iter().find(|a| a.c_id == category).and_then(|a| Self::row(a, lang, true))
    }
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    let fail = |message: String| ConfigError::File { path: path.to_owned(), message };
    let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| fail(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(menu: &str, rates: &str) -> Result<Content, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (news, locales, markets) = (path("news"), path("locales"), path("markets.toml"));
        let calendars = path("calendars.toml");
        let files = Files { menu: path("menu.json"), rates: path("rates.json"), calendars, news, locales, markets };
        std::fs::create_dir(&files.news).unwrap();
        std::fs::write(&files.menu, menu).unwrap();
        std::fs::write(&files.rates, rates).unwrap();
        Content::load(&files).map_err(|error| error.to_string())
    }

    #[test]
    fn a_menu_or_a_rate_that_the_app_cannot_read_ends_the_start() {
        let entry = r#"[{"id":1,"title":"spot","icon":"","url":"/","open_type":"switchTab","show":1,"sort":2}]"#;
        let read = load(entry, r#"{"CNY":"7.12"}"#).unwrap();
        assert_eq!(serde_json::to_string(&read.menu).unwrap(), entry);
        assert_eq!(read.rate("CNY").to_string(), "7.12");
        for (wrong, why) in [("switchTab", "unknown variant"), ("\"show\":1", "0 or 1"), ("icon", "unknown field")] {
            let other = wrong.replace("switchTab", "open").replace(":1", ":2").replace("icon", "picture");
            let error = load(&entry.replace(wrong, &other), "{}").unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        for rate in ["seven", "0", "-1"] {
            let error = load("[]", &format!(r#"{{"CNY":"{rate}"}}"#)).unwrap_err();
            assert!(error.contains("CNY"), "{error}");
        }
    }
}
