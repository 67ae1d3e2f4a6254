//! Content: the menu, news and articles, fiat rates: from files, and of articles what people of the office wrote.
//!
//! Owns: what pages say that no fact does, and what of it is shown now. Never does: write; read a file after the start. Invariants: a
//! language without a text gets the English one; a file that the app could not read ends the start; of an article the newest version
//! whose time has come is shown, those of the office before that of a file. Known limits: menu and rates change with a restart.

use crate::api::http::i18n::Lang;
use crate::common::time::{Ms, now_ms, parse_ts, ts};
use crate::config::{ConfigError, Files};
use arc_swap::ArcSwap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use xng_core::money::Amount;
use xng_persistence::office::{ArticleVersion, VersionState};

/// Categories of articles: 4 news, 5 banner, 32 popup, 18 FAQ, 19 about, 33 contact, 34 compliance.
pub const CATEGORIES: [u32; 7] = [4, 5, 18, 19, 32, 33, 34];

/// Texts of an article by language.
pub type Texts = BTreeMap<String, ArticleText>;

/// One article in all languages that it was written in.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    pub texts: Texts,
    /// The same moment as `create_time`, to the millisecond.
    #[serde(skip)]
    pub published_ms: Ms,
}

impl Article {
    /// In this language, or in English; none when it has neither.
    #[must_use]
    pub fn text(&self, lang: Lang) -> Option<&ArticleText> {
        self.texts.get(lang.name()).or_else(|| self.texts.get(Lang::En.name()))
    }
}

/// An article in one language. The content is HTML of our own files or of the office, cleaned; never of users.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

/// A version of an article that people of the office approved.
#[derive(Debug)]
struct Version {
    article: Arc<Article>,
    publish_ms: i64,
    is_withdrawn: bool,
}

/// Everything that is read from files, and what was written since.
#[derive(Debug)]
pub struct Content {
    files: Vec<Arc<Article>>,
    written: ArcSwap<Vec<Version>>,
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
                let mut article: Article = read_json(&path)?;
                article.published_ms = parse_ts(&article.create_time)
                    .ok_or_else(|| fail(&path, format!("{} is no time", article.create_time)))?;
                articles.push(article);
            }
        }
        let rates: BTreeMap<String, String> = read_json(&files.rates)?;
        for (code, rate) in &rates {
            if !crate::common::decimal::amount(rate).is_ok_and(|rate| rate.is_positive()) {
                return Err(fail(&files.rates, format!("{code}: {rate} is no rate")));
            }
        }
        let (menu, files) = (read_json(&files.menu)?, articles.into_iter().map(Arc::new).collect());
        Ok(Content { files, written: ArcSwap::default(), menu, rates })
    }

    fn row(article: &Article, lang: Lang, whole: bool) -> Option<Value> {
        let text = article.text(lang)?;
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

    /// The articles of files.
    #[must_use]
    pub fn files(&self) -> &[Arc<Article>] {
        &self.files
    }

    /// Takes what the office has approved, the oldest version first, in place of what it had before.
    pub fn take(&self, versions: &[ArticleVersion]) {
        let version = |v: &ArticleVersion| {
            let texts: Texts = serde_json::from_str(&v.written.texts)
                .inspect_err(|error| tracing::error!(version = v.id, %error, "an article cannot be read"))
                .ok()?;
            let w = &v.written;
            // It was taken back before anybody could read it: what was shown stays.
            if v.state == VersionState::Withdrawn && v.decided_ms.is_some_and(|at| at < w.publish_ms) {
                return None;
            }
            let (cover, url) = (w.cover.clone(), w.url.clone());
            let publish_ms = w.publish_ms.cast_signed();
            let create_time = ts(publish_ms);
            let published_ms = publish_ms;
            let (id, c_id, sorts) = (v.article, w.category, w.sorts);
            let article = Article { id, c_id, create_time, sorts, cover, url, texts, published_ms };
            Some(Version { article: article.into(), publish_ms, is_withdrawn: v.state == VersionState::Withdrawn })
        };
        self.written.store(Arc::new(versions.iter().filter_map(version).collect()));
    }

    /// What is shown of a category now, newest first.
    #[must_use]
    pub fn articles(&self, category: u32) -> Vec<Arc<Article>> {
        self.shown_at(now_ms(), |article| article.c_id == category)
    }

    fn shown_at(&self, now: i64, is_meant: impl Fn(&Article) -> bool) -> Vec<Arc<Article>> {
        let mut shown: BTreeMap<u64, Option<Arc<Article>>> =
            self.files.iter().map(|article| (article.id, Some(article.clone()))).collect();
        for version in self.written.load().iter().filter(|version| version.publish_ms <= now) {
            let article = (!version.is_withdrawn).then(|| version.article.clone());
            shown.insert(version.article.id, article);
        }
        let mut all: Vec<Arc<Article>> = shown.into_values().flatten().filter(|article| is_meant(article)).collect();
        all.sort_by(|a, b| (b.sorts, &b.create_time, b.id).cmp(&(a.sorts, &a.create_time, a.id)));
        all
    }

    /// Articles of a category in a language, newest first.
    #[must_use]
    pub fn list(&self, category: u32, lang: Lang) -> Vec<Value> {
        self.articles(category).iter().filter_map(|article| Self::row(article, lang, false)).collect()
    }

    /// One article by id.
    #[must_use]
    pub fn article(&self, id: u64, lang: Lang) -> Option<Value> {
        let found = self.shown_at(now_ms(), |article| article.id == id);
        found.first().and_then(|article| Self::row(article, lang, true))
    }

    /// The newest article of a category.
    #[must_use]
    pub fn newest(&self, category: u32, lang: Lang) -> Option<Value> {
        self.articles(category).first().and_then(|article| Self::row(article, lang, true))
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
    use xng_persistence::office::NewVersion;

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

    fn version(id: u64, article: u64, (publish_ms, state): (u64, VersionState), title: &str) -> ArticleVersion {
        let texts = json!({ "en": { "title": title, "abstract": "", "content": "<p>a</p>" } }).to_string();
        let (article_of, category, sorts, author) = (Some(article), 4, 0, 1);
        let (cover, url) = (String::new(), String::new());
        let written = NewVersion { article: article_of, category, sorts, cover, url, texts, publish_ms, author };
        let (created_ms, decided_by, decided_ms, note) = (1, None, None, String::new());
        ArticleVersion { id, written, article, state, created_ms, decided_by, decided_ms, note }
    }

    #[test]
    fn the_newest_version_whose_time_has_come_is_shown_and_one_that_is_withdrawn_hides_its_article() {
        let content = load("[]", "{}").unwrap();
        let approved = |publish_ms| (publish_ms, VersionState::Approved);
        let shown = |now: i64| -> Vec<String> {
            let all = content.shown_at(now, |_| true);
            all.iter().map(|article| article.text(Lang::Zh).unwrap().title.clone()).collect()
        };
        content.take(&[version(1, 1_001, approved(10), "a"), version(2, 1_001, approved(30), "b")]);
        assert_eq!(
            [shown(9), shown(10), shown(29), shown(30)],
            [vec![], vec!["a".to_owned()], vec!["a".into()], vec!["b".into()]]
        );
        content.take(&[version(1, 1_001, approved(10), "a"), version(2, 1_001, (30, VersionState::Withdrawn), "b")]);
        assert_eq!([shown(29), shown(30)], [vec!["a".to_owned()], vec![]]);
        let early = ArticleVersion { decided_ms: Some(20), ..version(2, 1_001, (30, VersionState::Withdrawn), "b") };
        content.take(&[version(1, 1_001, approved(10), "a"), early]);
        assert_eq!(shown(30), ["a"], "it was withdrawn before its time");
        content.take(&[version(1, 1_001, approved(10), "a"), version(2, 1_002, approved(20), "c")]);
        assert_eq!(shown(20), ["c", "a"]);
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
