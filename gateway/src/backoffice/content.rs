//! Articles: written by one person, looked at by another, shown from their time on.
//!
//! Owns: these calls, and what of HTML may stand in an article. Never does: show an article to users. Invariants: nobody approves their
//! own; what is approved is cleaned HTML; one person takes an article back at once. Known limits: the newest 500 versions are listed;
//! texts are written as HTML. Rules: `docs/back-office.md "Content"`.

use super::asking::{Answer, Ask, Refusal, now, refused};
use super::roles::{SeeContent, WriteContent};
use crate::api::app::content::{ArticleText, CATEGORIES, Texts};
use crate::api::http::i18n::Lang;
use actix_web::HttpResponse;
use ammonia::{Builder, UrlRelative};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use xng_persistence::office::{ArticleVersion, NewVersion, VersionState, VersionStep, signature_name};

/// Versions that are listed at once.
const ROWS: u32 = 500;
/// Letters of a title, an abstract and a note; bytes of all texts.
const MOST_TITLE: usize = 120;
const MOST_ABSTRACT: usize = 300;
const MOST_NOTE: usize = 200;
const MOST_CONTENT: usize = 48 * 1_024;

/// Tags that the app shows (`h5/src/components/article/richText.tsx` has the same list).
pub(crate) const TAGS: [&str; 30] = [
    "p",
    "br",
    "b",
    "strong",
    "i",
    "em",
    "u",
    "s",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "blockquote",
    "code",
    "pre",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "hr",
    "a",
    "img",
    "span",
    "div",
    "section",
];

/// The HTML without what the app would not show.
fn cleaned(html: &str) -> String {
    let mut builder = Builder::default();
    builder.tags(HashSet::from(TAGS)).link_rel(Some("noopener noreferrer"));
    builder.generic_attributes(HashSet::new());
    builder.tag_attributes([("a", HashSet::from(["href"])), ("img", HashSet::from(["src", "alt"]))].into());
    builder.url_schemes(HashSet::from(["https", "mailto", "tel"]));
    // Of the app and of what was uploaded; nothing that begins with another host.
    builder.url_relative(UrlRelative::Custom(Box::new(own_link)));
    builder.clean(html).to_string()
}

/// A link within the exchange.
fn own_link(url: &str) -> Option<Cow<'_, str>> {
    ["#/pages/", "/upload/"].iter().any(|start| url.starts_with(start)).then_some(Cow::Borrowed(url))
}

async fn names<P, B>(ask: &Ask<P, B>) -> Result<BTreeMap<u64, String>, Refusal> {
    let all = ask.desk.office.all_staff().await?;
    Ok(all.into_iter().map(|one| (one.id, signature_name(one.id, &one.name))).collect())
}

fn row(version: &ArticleVersion, names: &BTreeMap<u64, String>) -> Value {
    let texts: Texts = serde_json::from_str(&version.written.texts).unwrap_or_default();
    let w = &version.written;
    let missing: Vec<&str> = Lang::ALL.map(Lang::name).into_iter().filter(|lang| !texts.contains_key(*lang)).collect();
    json!({ "version": version.id, "article": version.article, "category": w.category, "sorts": w.sorts, "cover": w.cover,
        "url": w.url, "publish_ms": w.publish_ms, "state": version.state.name(), "author": names.get(&w.author),
        "created_ms": version.created_ms, "decided_by": version.decided_by.and_then(|id| names.get(&id)),
        "decided_ms": version.decided_ms, "note": version.note, "missing": missing,
        "title": texts.get(Lang::En.name()).map(|text| text.title.as_str()) })
}

/// `GET content`: versions, the newest first.
pub(super) async fn list(ask: Ask<SeeContent>) -> Answer {
    let (names, found) = (names(&ask).await?, ask.desk.office.article_versions(None, ROWS).await?);
    let rows: Vec<Value> = found.iter().map(|version| row(version, &names)).collect();
    let files = ask.desk.shared.content.files();
    let files: Vec<Value> = files.iter().map(|article| json!(**article)).collect();
    Ok(HttpResponse::Ok().json(json!({ "rows": rows, "files": files, "me": ask.me.signs() })))
}

/// `GET content/{id}`: a version with its texts.
pub(super) async fn detail(ask: Ask<SeeContent>) -> Answer {
    let version = ask.desk.office.article_version(ask.number()?).await?;
    let version = version.ok_or_else(|| refused(404, "There is no such version."))?;
    let mut told = row(&version, &names(&ask).await?);
    told["texts"] = serde_json::from_str(&version.written.texts).unwrap_or_default();
    Ok(HttpResponse::Ok().json(told))
}

/// What somebody writes.
#[derive(Deserialize)]
pub(super) struct Written {
    /// A draft that is written again.
    version: Option<u64>,
    /// The article of which it is a version.
    article: Option<u64>,
    category: u32,
    #[serde(default)]
    sorts: i64,
    #[serde(default)]
    cover: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    publish_ms: u64,
    texts: BTreeMap<String, ArticleText>,
}

fn is_line(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(char::is_control)
}

impl Written {
    /// The texts, cleaned.
    fn texts(&self) -> Result<Texts, Refusal> {
        let known = |lang: &str| Lang::ALL.iter().any(|one| one.name() == lang);
        if self.texts.values().map(|text| text.content.len()).sum::<usize>() > MOST_CONTENT {
            return Err(refused(400, "All texts together have at most 48 KiB."));
        }
        let mut texts = Texts::new();
        for (lang, text) in &self.texts {
            let said = |what: &str| refused(400, format!("{lang}: {what}"));
            if !known(lang) {
                return Err(said("this language is not known."));
            }
            let (title, summary) = (text.title.trim(), text.summary.trim());
            if title.is_empty() || !is_line(title, MOST_TITLE) {
                return Err(said("a title has 1 to 120 letters and no line breaks."));
            }
            if !is_line(summary, MOST_ABSTRACT) {
                return Err(said("an abstract has at most 300 letters and no line breaks."));
            }
            let content = cleaned(&text.content);
            texts.insert(lang.clone(), ArticleText { title: title.into(), summary: summary.into(), content });
        }
        if !texts.contains_key(Lang::En.name()) {
            return Err(refused(400, "The English text is missing: it stands in for all that are."));
        }
        Ok(texts)
    }

    fn check(&self) -> Result<(), Refusal> {
        if !CATEGORIES.contains(&self.category) {
            return Err(refused(400, "This category is not known."));
        }
        let leads = self.url.is_empty() || self.url.starts_with("/pages/") || self.url.starts_with("https://");
        let shows = self.cover.is_empty() || self.cover.starts_with("/upload/");
        if !leads || !shows || !is_line(&self.url, 500) || !is_line(&self.cover, 200) {
            return Err(refused(
                400,
                "A link is a page of the app (/pages/…) or https://…, a picture lies under /upload/.",
            ));
        }
        if !(-1_000_000..=1_000_000).contains(&self.sorts) || self.publish_ms > now() + 10 * 366 * 86_400_000 {
            return Err(refused(400, "The order is at most a million, the time at most ten years away."));
        }
        Ok(())
    }
}

/// `POST content/write`: a draft.
pub(super) async fn write(ask: Ask<WriteContent, Written>) -> Answer {
    ask.asked.check()?;
    let texts = ask.asked.texts()?;
    let w = &ask.asked;
    // What is written again is of the article that it was of.
    let article = match w.version {
        Some(version) => ask.desk.office.article_version(version).await?.map(|version| version.article),
        None => w.article,
    };
    let is_there = |article: u64| ask.desk.shared.content.files().iter().any(|file| file.id == article);
    if let (None, Some(article)) = (w.version, article)
        && !is_there(article)
        && ask.desk.office.article_versions(Some(article), 1).await?.is_empty()
    {
        return Err(refused(404, "There is no such article."));
    }
    let new = NewVersion {
        article,
        category: w.category,
        sorts: w.sorts,
        cover: w.cover.clone(),
        url: w.url.clone(),
        texts: json!(texts).to_string(),
        publish_ms: w.publish_ms,
        author: ask.me.id,
    };
    let subject = article.map_or_else(|| "article:new".to_owned(), |article| format!("article:{article}"));
    let languages: Vec<&String> = texts.keys().collect();
    let audit = ask.entry("write article", subject, &json!({ "version": w.version, "languages": languages }));
    let Some(id) = ask.desk.office.write_article(&new, w.version, (&audit, now())).await? else {
        return Err(refused(409, "This is no draft of yours any more."));
    };
    Ok(HttpResponse::Ok().json(json!({ "version": id })))
}

/// Where a version goes.
#[derive(Deserialize)]
pub(super) struct Step {
    to: String,
    #[serde(default)]
    note: String,
}

/// `POST content/{id}/step`: to review, approved, refused, withdrawn.
pub(super) async fn step(ask: Ask<WriteContent, Step>) -> Answer {
    let (id, note) = (ask.number()?, ask.asked.note.trim().to_owned());
    let to = VersionState::ALL.into_iter().find(|state| state.name() == ask.asked.to && *state != VersionState::Draft);
    let to = to.ok_or_else(|| refused(400, "A version goes to review, approved, refused or withdrawn."))?;
    if !is_line(&note, MOST_NOTE) {
        return Err(refused(400, "A note has at most 200 letters and no line breaks."));
    }
    if matches!(to, VersionState::Refused | VersionState::Withdrawn) && note.is_empty() {
        return Err(refused(400, "Say why."));
    }
    let version = ask.desk.office.article_version(id).await?;
    let version = version.ok_or_else(|| refused(404, "There is no such version."))?;
    if to == VersionState::Approved {
        let author = names(&ask).await?.remove(&version.written.author).unwrap_or_default();
        ask.still_here(&[author]).await?;
    }
    let subject = format!("article:{}", version.article);
    let audit = ask.entry(&format!("article {}", to.name()), subject, &json!({ "version": id, "note": note }));
    let step = VersionStep { id, to, by: ask.me.id, note };
    // One at a time from the write to what is shown: of two, the older list would stay.
    let _one = ask.desk.articles.lock().await;
    if !ask.desk.office.step_article(&step, (&audit, now())).await? {
        return Err(refused(409, "It does not stand there any more, or another person has to do this."));
    }
    ask.desk.shared.content.take(&ask.desk.office.approved_articles().await?);
    Ok(HttpResponse::Ok().json(json!({ "version": id })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_run_or_lead_astray_is_taken_out_of_an_article() {
        for (html, left) in [
            ("<p>a<script>alert(1)</script></p>", "<p>a</p>"),
            ("<img src=x onerror=alert(1)>", "<img>"),
            ("<img src=\"//evil.example/a.png\">", "<img>"),
            ("<img src=\"/upload/a.png\" alt=\"a\">", "<img src=\"/upload/a.png\" alt=\"a\">"),
            ("<a href=\"//evil.example\">b</a>", "<a rel=\"noopener noreferrer\">b</a>"),
            (
                "<a href=\"mailto:a@example.org\">b</a>",
                "<a href=\"mailto:a@example.org\" rel=\"noopener noreferrer\">b</a>",
            ),
            (
                "<a href=\"#/pages/fund/assets\">b</a>",
                "<a href=\"#/pages/fund/assets\" rel=\"noopener noreferrer\">b</a>",
            ),
            ("<a href=\"javascript:alert(1)\">b</a>", "<a rel=\"noopener noreferrer\">b</a>"),
            (
                "<a href=\"https://example.org/\" style=\"x\">b</a>",
                "<a href=\"https://example.org/\" rel=\"noopener noreferrer\">b</a>",
            ),
            ("<svg><a xlink:href=\"javascript:1\"></a></svg>", ""),
            ("<iframe src=\"https://example.org\"></iframe>c", "c"),
            ("<p style=\"position:fixed\" class=\"x\" id=\"y\">d</p>", "<p>d</p>"),
        ] {
            let told = cleaned(html);
            assert!(told == left || (left.is_empty() && !told.contains("script")), "{html}: {told}");
        }
    }

    #[test]
    fn the_app_shows_the_same_tags() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../h5/src/components/article/richText.tsx");
        let source = std::fs::read_to_string(path).unwrap();
        let list = source.split("new Set([").nth(1).and_then(|rest| rest.split("])").next()).unwrap();
        let shown: HashSet<&str> =
            list.split(',').map(|tag| tag.trim().trim_matches('\'')).filter(|tag| !tag.is_empty()).collect();
        assert_eq!(HashSet::from(TAGS), shown);
    }
}
