//! What is told to users by mail or text, and in which words.
//!
//! Owns: which texts each letter has, and the form of a mail in HTML. Never does: send. Invariants: nothing that a user wrote is in a
//! letter but the anti-phishing text of the mail's own reader, which is letters and digits. Known limits: the texts are in
//! `config/locales`, in the app's ten languages.

use crate::api::http::i18n::{Lang, Messages};
use xng_persistence::office::Purpose;

/// Something that is told to a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letter<'a> {
    /// A code, and what it is for.
    Code(Purpose, &'a str),
    /// Somebody wanted a code for a contact that has an account already.
    AccountExists,
    /// Somebody wanted a code for the account of a contact that has none.
    NoAccount,
    /// Another contact was bound to the account.
    ContactBound,
    /// A login from an address that the user has not logged in from of late.
    LoginElsewhere(&'a str),
    /// What the audit says was done to the account, and from which address.
    Done(&'a str, &'a str),
}

impl Letter<'_> {
    /// Its subject and its text.
    pub(super) fn words(&self, texts: &Messages, lang: Lang) -> (String, String) {
        let done;
        let (subject, text, value) = match self {
            Letter::Code(purpose, code) => ("mail_code_title", code_text(*purpose), *code),
            Letter::AccountExists => ("mail_exists_title", "mail_exists_text", ""),
            Letter::NoAccount => ("mail_unknown_title", "mail_unknown_text", ""),
            Letter::ContactBound => ("mail_contact_title", "mail_contact_text", ""),
            Letter::LoginElsewhere(ip) => ("mail_login_title", "mail_login_text", *ip),
            Letter::Done(action, ip) => {
                let (title, text) = audit_text_keys(action);
                done = (format!("message_{title}"), format!("message_{text}_text"));
                (done.0.as_str(), done.1.as_str(), *ip)
            }
        };
        let values = [("code", value.to_owned()), ("ip", value.to_owned())];
        let text = texts.text(lang, text, &values);
        // Not after a lock: the account is locked already.
        let advises = matches!(self, Letter::Done(action, _) if *action != "lock account");
        let advice = if advises { format!("\n{}", texts.text(lang, "mail_not_you", &[])) } else { String::new() };
        (texts.text(lang, subject, &[]), text + &advice)
    }
}

/// Keys of the title and the text, below `message_`, by which a user is told what the audit says was done to the account.
#[must_use]
pub fn audit_text_keys(action: &str) -> (&'static str, &'static str) {
    let text = match action {
        "lock account" => return ("account_locked", "account_locked"),
        "unlock account" => return ("account_active", "account_active"),
        "reset password" => "password",
        "set pay password" => "pay_password",
        "add authenticator" => "authenticator_added",
        "remove authenticator" => "authenticator_removed",
        "remove factors" => "factors_removed",
        "add passkey" => "passkey_added",
        "remove passkey" => "passkey_removed",
        "add withdraw address" => "address_added",
        "switch withdraw whitelist" => "whitelist",
        "bind contact" => "contact",
        "create api key" => "key_created",
        "change api key" => "key_changed",
        "delete api key" => "key_deleted",
        "confirm api key" => "key_confirmed",
        "change mail phrase" => "mail_phrase",
        "save bank card" => "card_saved",
        "remove bank card" => "card_removed",
        // An action that is told has a text of its own; a test looks.
        _ => "security",
    };
    ("security", text)
}

/// A mail's text with its reader's anti-phishing text.
pub(super) fn with_phrase(texts: &Messages, lang: Lang, text: String, phrase: Option<String>) -> String {
    match phrase {
        Some(phrase) => format!("{text}\n{}", texts.text(lang, "mail_phrase", &[("phrase", phrase)])),
        None => text,
    }
}

fn code_text(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Register => "mail_code_register",
        Purpose::Forget => "mail_code_forget",
        Purpose::Pay => "mail_code_pay",
        Purpose::Bind => "mail_code_bind",
        Purpose::Withdraw => "mail_code_withdraw",
        Purpose::BindNew => "mail_code_bind_new",
    }
}

/// The language's name in documents.
fn tag(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "en",
        Lang::Zh => "zh-Hans",
        Lang::Hk => "zh-Hant",
        Lang::Jp => "ja",
        Lang::Kr => "ko",
        Lang::Spa => "es",
        Lang::Fra => "fr",
        Lang::Th => "th",
        Lang::Tr => "tr",
        Lang::Vi => "vi",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A mail's text as a page.
pub(super) fn page(lang: &str, subject: &str, text: &str) -> String {
    let (tag, subject) = (tag(Lang::parse(lang)), escaped(subject));
    let paragraphs: String = text.lines().map(|line| format!("<p>{}</p>", escaped(line))).collect();
    format!(
        "<!doctype html><html lang=\"{tag}\"><head><meta charset=\"utf-8\"><title>{subject}</title></head>\
         <body>{paragraphs}</body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;
    use xng_persistence::office::mailed;

    #[test]
    fn each_purpose_has_words_of_its_own_in_each_language_and_tells_the_code_once() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/locales"));
        let texts = Messages::load(folder).unwrap();
        let mut said = BTreeSet::new();
        for lang in Lang::ALL {
            for purpose in Purpose::ALL {
                let (subject, text) = Letter::Code(purpose, "493817").words(&texts, lang);
                assert_eq!(text.matches("493817").count(), 1, "{lang:?} {purpose:?}: {text}");
                // Whoever looks for the code takes the first six digits in a row.
                assert!(text.find("493817") == text.find(|c: char| c.is_ascii_digit()), "{text}");
                assert!(!subject.contains("493817") && !subject.starts_with("mail_"), "{subject}");
                assert!(said.insert(text), "{lang:?} {purpose:?}");
            }
            let done = mailed().map(|action| Letter::Done(action, "198.51.100.7"));
            let plain = [
                Letter::AccountExists,
                Letter::NoAccount,
                Letter::ContactBound,
                Letter::LoginElsewhere("198.51.100.7"),
            ];
            for letter in plain.into_iter().chain(done) {
                let (subject, text) = letter.words(&texts, lang);
                assert!(!subject.starts_with("mail_") && !text.starts_with("mail_") && !text.contains('{'), "{text}");
                assert!(
                    !text.contains("message_") && !text.contains("mail_not_you") && !subject.contains("message_"),
                    "{text}"
                );
            }
            let told = with_phrase(&texts, lang, "text".into(), Some("cherry7".into()));
            assert!(told.starts_with("text\n") && told.ends_with("cherry7") && !told.contains("mail_phrase"), "{told}");
        }
    }

    #[test]
    fn what_is_mailed_has_a_text_of_its_own() {
        let texts: BTreeSet<_> = mailed().map(audit_text_keys).collect();
        assert_eq!(texts.len(), mailed().count());
        assert!(!texts.contains(&("security", "security")));
    }

    #[test]
    fn a_page_names_its_language_and_holds_no_markup_of_texts() {
        let page = page("jp", "a & b", "one\n<b>two</b>");
        assert!(page.contains("<html lang=\"ja\">") && page.contains("<title>a &amp; b</title>"), "{page}");
        assert!(page.contains("<p>one</p><p>&lt;b&gt;two&lt;/b&gt;</p>"), "{page}");
    }
}
