//! What names, addresses and passwords must look like (`docs/rules/authentication.md "Contacts"`, "Passwords").
//!
//! Owns: the shapes. Never does: ask whether an account exists. Invariants: an e-mail address is kept in lower case.
//! Known limits: an address that looks right need not exist.

use crate::api::http::errors::{Code, Failure};

/// Where a code or a login goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contact {
    /// An e-mail address, lower-cased.
    Email(String),
    /// An area code and a number.
    Phone {
        /// Digits without `+`.
        area: String,
        /// Digits.
        number: String,
    },
}

/// Characters that account names may not have.
const SPECIAL: &str = "`~!#$^&*()=|{}':;,[]<>/?~！￥…（）—【】‘’“”。，、？";

impl Contact {
    /// Reads what a user typed: an address, or a number with its area code.
    pub fn parse(text: &str, area: Option<&str>) -> Result<Contact, Failure> {
        let bad = || Failure::text(Code::Parameter, "bad_account");
        if text.chars().any(|c| SPECIAL.contains(c) || c.is_control() || c.is_whitespace()) {
            return Err(Failure::text(Code::Parameter, "special_characters"));
        }
        if text.contains('@') {
            return email(text).map(Contact::Email).ok_or_else(bad);
        }
        let area = area.unwrap_or("86").trim_start_matches('+');
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(text) || !digits(area) || area.len() > 4 {
            return Err(bad());
        }
        let mainland = text.len() == 11 && text.starts_with('1') && matches!(text.as_bytes()[1], b'3'..=b'9');
        let fits = if area == "86" { mainland } else { (5..=15).contains(&text.len()) };
        if fits { Ok(Contact::Phone { area: area.into(), number: text.into() }) } else { Err(bad()) }
    }

    /// One text for one destination.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Contact::Email(address) => address.clone(),
            Contact::Phone { area, number } => format!("+{area}{number}"),
        }
    }
}

/// An address with one `@`, a name before it and a dotted domain after it.
fn email(text: &str) -> Option<String> {
    let (name, domain) = text.split_once('@')?;
    let part = |p: &str| !p.is_empty() && !p.starts_with('-') && !p.ends_with('-');
    let label = |p: &str| part(p) && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let named = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_+%".contains(&b))
        && !name.starts_with('.')
        && !name.ends_with('.')
        && !name.contains("..");
    let housed = domain.len() <= 253 && domain.contains('.') && domain.split('.').all(label);
    (named && housed).then(|| text.to_ascii_lowercase())
}

/// Passwords that anybody would try first.
const COMMON: &str = include_str!("common_passwords.txt");

/// A password: `min` to 64 printable characters, not one of the most common, both times the same.
pub fn password<'a>(first: &'a str, second: &str, min: usize) -> Result<&'a str, Failure> {
    let length = first.chars().count();
    if length < min || length > 64 {
        return Err(Failure::text(Code::Parameter, "password_length").with("min", min));
    }
    if first.chars().any(char::is_control) {
        return Err(Failure::text(Code::Parameter, "password_characters"));
    }
    if first != second {
        return Err(Failure::text(Code::Parameter, "passwords_differ"));
    }
    let lower = first.to_lowercase();
    if COMMON.lines().any(|common| common == lower) {
        return Err(Failure::text(Code::Parameter, "password_common"));
    }
    Ok(first)
}

/// Characters of an anti-phishing text.
const PHRASE: std::ops::RangeInclusive<usize> = 4..=20;

/// An anti-phishing text: letters and digits of any script, with the marks that are written over letters, so that it is neither a link
/// nor markup. Letters that nobody sees are none.
pub fn mail_phrase(text: &str) -> Result<&str, Failure> {
    let is_mark = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{e47}'..='\u{e4e}');
    let is_unseen = |c: char| matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
    let is_good = |c: char| (c.is_alphanumeric() || is_mark(c)) && !is_unseen(c);
    let fits = PHRASE.contains(&text.chars().count()) && text.chars().all(is_good);
    if fits { Ok(text) } else { Err(Failure::text(Code::Parameter, "mail_phrase_form")) }
}

/// A verification code's shape.
pub fn code(text: &str) -> Result<&str, Failure> {
    if text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit()) { Ok(text) } else { Err(Code::BadCode.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anti_phishing_text_is_letters_and_digits() {
        for good in ["abcd", "Kirschbaum2026", "早上好呀", "น้ำตก12", "cafe\u{301}", "đồngNai"] {
            assert!(mail_phrase(good).is_ok(), "{good}");
        }
        let unseen = ["zero\u{200b}width", "a\nbcd", "\u{3164}\u{3164}\u{3164}\u{3164}"];
        for bad in
            ["", "abc", "a b c d", "http://x.y", "<b>bold</b>", "abcdefghijklmnopqrstu"].into_iter().chain(unseen)
        {
            assert!(mail_phrase(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_and_numbers_are_read_or_refused() {
        assert_eq!(Contact::parse("A.b+c@Example.COM", None), Ok(Contact::Email("a.b+c@example.com".into())));
        let phone = Contact::parse("13800138000", Some("86")).unwrap();
        assert_eq!(phone.key(), "+8613800138000");
        assert!(Contact::parse("812345678", Some("66")).is_ok());
        for bad in ["", "a@", "@b.c", "a@b", "a b@c.de", "a@b..c", "12800138000", "x<y@z.de", "a@b@c.de", "138"] {
            assert!(Contact::parse(bad, Some("86")).is_err(), "{bad}");
        }
    }

    #[test]
    fn passwords_have_seven_to_sixty_four_characters_and_are_not_common() {
        assert!(password("x7$kkkk", "x7$kkkk", 7).is_ok());
        assert!(password("ünïcödé 字", "ünïcödé 字", 7).is_ok());
        for (bad, again) in [("short1", "short1"), ("password1", "password1"), ("longenough", "different")] {
            assert!(password(bad, again, 7).is_err(), "{bad}");
        }
        let long = "x".repeat(65);
        assert!(password(&long, &long, 7).is_err());
    }
}
