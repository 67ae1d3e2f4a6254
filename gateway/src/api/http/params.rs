//! Parameters of a call: from the query, a form, a JSON object or multipart fields, all as texts.
//!
//! Owns: one flat map of texts. Never does: guess a type. Invariants: of a parameter that comes twice the first
//! counts; how many there are is bounded. Known limits: values of JSON are texts and numbers, null is left out,
//! anything else is refused.

use super::errors::{Code, Failure};
use crate::common::decimal::{self, BadNumber};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;
use xng_core::money::Amount;

/// Fields that a body may have.
const MAX_FIELDS: usize = 64;

/// Names and texts; a name that comes twice keeps its first text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    /// In the order of their names. A list, because a call has a handful of fields.
    fields: Vec<(String, String)>,
}

impl Params {
    /// Adds url-encoded pairs; bad UTF-8 and too many fields are refused.
    pub fn add_form(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        for pair in bytes.split(|b| *b == b'&').filter(|p| !p.is_empty()) {
            let at = pair.iter().position(|b| *b == b'=').unwrap_or(pair.len());
            let (name, value) = (url_decode(&pair[..at])?, url_decode(pair.get(at + 1..).unwrap_or_default())?);
            self.add(&name, value)?;
        }
        Ok(())
    }

    /// Adds the scalars of a JSON object.
    pub fn add_json(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        // Numbers stay the texts that they are: no float ever touches an amount.
        let Ok(map) = serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(bytes) else {
            return Err(Failure::field("body", "not a JSON object"));
        };
        for (name, value) in map {
            let text = match value.get().as_bytes().first() {
                Some(b'"') => serde_json::from_str(value.get()).ok(),
                Some(b'-' | b'0'..=b'9') => Some(value.get().to_owned()),
                Some(b'n') => continue,
                _ => None,
            };
            let text: String = text.ok_or_else(|| Failure::field(&name, "not a text or number"))?;
            self.add(&name, text.into())?;
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.fields.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    fn add(&mut self, name: &str, value: Cow<'_, str>) -> Result<(), Failure> {
        if self.fields.len() >= MAX_FIELDS {
            return Err(Failure::field("body", "too many fields"));
        }
        if let Err(at) = self.find(name) {
            self.fields.insert(at, (name.to_owned(), value.into_owned()));
        }
        Ok(())
    }

    /// A field that is there and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name).ok().map(|at| self.fields[at].1.as_str()).filter(|t| !t.is_empty())
    }

    /// Whether a field was sent, also as an empty one.
    #[must_use]
    pub fn was_sent(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// A field that must be there.
    pub fn need(&self, name: &str) -> Result<&str, Failure> {
        self.get(name).ok_or_else(|| Failure::field(name, "missing"))
    }

    /// A whole number, when there.
    pub fn integer<T: FromStr>(&self, name: &str) -> Result<Option<T>, Failure> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Failure::field(name, "not a whole number"));
        }
        text.parse().map(Some).map_err(|_| Failure::field(name, "out of range"))
    }

    /// A whole number that must be there.
    pub fn need_integer<T: FromStr>(&self, name: &str) -> Result<T, Failure> {
        self.integer(name)?.ok_or_else(|| Failure::field(name, "missing"))
    }

    /// An amount, when there.
    pub fn amount(&self, name: &str) -> Result<Option<Amount>, Failure> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let reason = |bad| match bad {
            BadNumber::Shape => "not a plain decimal number",
            BadNumber::Range => "too many digits or too large",
            BadNumber::Step => "not a multiple of the step",
        };
        decimal::amount(text).map(Some).map_err(|bad| Failure::field(name, reason(bad)))
    }

    /// An amount above zero that must be there.
    pub fn need_positive(&self, name: &str) -> Result<Amount, Failure> {
        let amount = self.amount(name)?.ok_or_else(|| Failure::field(name, "missing"))?;
        if amount.is_positive() { Ok(amount) } else { Err(Failure::field(name, "not greater than zero")) }
    }

    /// Page and limit: page from 1, limit up to 100 (`docs/rules/app-calls.md "Paging"`).
    pub fn paging(&self, default_limit: u64) -> Result<(u64, u64), Failure> {
        let page = self.integer::<u64>("page")?.unwrap_or(1);
        let limit = self.integer::<u64>("limit")?.unwrap_or(default_limit);
        if page == 0 || limit == 0 || page > 1_000_000 {
            return Err(Failure::field("page", "out of range"));
        }
        Ok((page, limit.min(100)))
    }

    /// All fields but the language and what proves who asks, in order of name: what a request key covers. Its digest is in the
    /// journal, where nothing of a password may be; and who proves anew asks for the same.
    #[must_use]
    pub fn canonical(&self) -> String {
        const LEFT_OUT: [&str; 3] = ["lang", "pay_password", "proof"];
        let fields = self.fields.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
        fields.map(|(name, value)| format!("{}:{name}={}:{value};", name.len(), value.len())).collect()
    }
}

/// A url-encoded text; a plus is a space.
///
/// # Errors
/// A parameter error when it is not UTF-8 or badly encoded.
pub fn url_decode(bytes: &[u8]) -> Result<Cow<'_, str>, Failure> {
    let no_text = |_| Failure::field("body", "not UTF-8");
    if !bytes.iter().any(|b| matches!(b, b'+' | b'%')) {
        return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(no_text);
    }
    let bad = || Failure::from(Code::Parameter);
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(b) = rest.next() {
        match b {
            b'+' => out.push(b' '),
            b'%' => {
                let mut digit = || rest.next().and_then(|b| char::from(*b).to_digit(16)).ok_or_else(bad);
                let (high, low) = (digit()?, digit()?);
                out.push((high * 16 + low) as u8);
            }
            other => out.push(*other),
        }
    }
    String::from_utf8(out).map(Cow::Owned).map_err(|error| no_text(error.utf8_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_objects_give_the_same_fields() {
        let (mut form, mut object) = (Params::default(), Params::default());
        form.add_form(b"a=1.5&b=%E4%BD%A0+x&empty=").unwrap();
        object.add_json(r#"{"a":1.5,"b":"你 x","empty":""}"#.as_bytes()).unwrap();
        assert_eq!(form, object);
        assert_eq!(form.get("empty"), None);
    }

    #[test]
    fn json_numbers_are_read_digit_by_digit() {
        let mut p = Params::default();
        p.add_json(br#"{"a":1234567890.12345678,"b":1e3,"c":null,"d":-0.5}"#).unwrap();
        assert_eq!(p.get("a"), Some("1234567890.12345678"));
        assert_eq!(p.amount("b").unwrap_err().code, Code::Parameter, "no exponents");
        assert_eq!((p.get("c"), p.get("d")), (None, Some("-0.5")));
        assert!(p.add_json(br#"{"e":true}"#).is_err() && p.add_json(br#"{"e":[1]}"#).is_err());
    }

    #[test]
    fn ill_numbers_are_parameter_errors() {
        for bad in ["NaN", "1e9", "+1", "-", "0x10", "1.", "９", " 1", &"1".repeat(40)] {
            let mut p = Params::default();
            p.add("n", bad.into()).unwrap();
            assert_eq!(p.amount("n").unwrap_err().code, Code::Parameter, "{bad}");
        }
    }

    #[test]
    fn bad_utf8_is_a_parameter_error() {
        assert!(Params::default().add_form(b"a=%ff%fe").is_err());
        assert!(Params::default().add_form(b"a=%f").is_err());
    }
}
