//! Content from files: menu, news and articles, fiat rates. Read once at the start.
//!
//! Owns: what pages say that no fact does. Never does: write; read a file after the start. Invariants: a language
//! without a text gets the English one. Known limits: changes need a restart.

use crate::api::http::i18n::Lang;
use crate::config::{Config, ConfigError};
use serde::Deserialize;
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

/// Everything that is read from files.
#[derive(Debug)]
pub struct Content {
    articles: Vec<Article>,
    /// The menu as calls answer it.
    pub menu: Value,
    /// Fiat units for one USDT, by code.
    pub rates: BTreeMap<String, String>,
}

impl Content {
    /// Reads menu, rates and all articles.
    pub fn load(config: &Config) -> Result<Content, ConfigError> {
        let mut articles: Vec<Article> = Vec::new();
        let folder = &config.files.news;
        let fail = |path: &Path, e: String| ConfigError::File { path: path.to_owned(), message: e };
        let entries = std::fs::read_dir(folder).map_err(|e| fail(folder, e.to_string()))?;
        for entry in entries {
            let path = entry.map_err(|e| fail(folder, e.to_string()))?.path();
            if path.extension().is_some_and(|e| e == "json") {
                articles.push(read_json(&path)?);
            }
        }
        articles.sort_by(|a, b| (b.sorts, &b.create_time, b.id).cmp(&(a.sorts, &a.create_time, a.id)));
        Ok(Content { articles, menu: read_json(&config.files.menu)?, rates: read_json(&config.files.rates)? })
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
