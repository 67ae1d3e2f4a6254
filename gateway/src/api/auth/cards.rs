//! Bank cards of users: their forms, sealing, what is shown of them.
//!
//! Owns: which fields a card of each kind has, what each may hold. Never does: pay to one. Invariants: a card leaves this module sealed,
//! or with its account number and phone masked; one is saved by a proof of all its fields, or the pay password. Known limits: no bank is
//! asked whether it has the account; nothing is paid to cards yet. Rules: `docs/rules/app-calls.md "Bank cards"`.

use super::Auth;
use super::office::{away, now};
use super::second_factor::{Surety, entry};
use crate::api::http::errors::{Code, Failure};
use serde_json::json;
use std::net::IpAddr;
use xng_core::ids::AccountId;
pub use xng_persistence::office::CardKind;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Up to 100 letters.
    Words,
    /// An account number or IBAN.
    Account,
    /// A SWIFT code (BIC).
    Swift,
    /// A phone number.
    Phone,
}

/// A field of a card: its name in calls, another one that is taken too, and what it holds.
#[derive(Debug, Clone, Copy)]
pub struct CardField {
    /// Its name. Some have names that other columns once had.
    pub name: &'static str,
    /// Also taken.
    pub alias: Option<&'static str>,
    form: Form,
}

const fn field(name: &'static str, alias: Option<&'static str>, form: Form) -> CardField {
    CardField { name, alias, form }
}

/// Of a domestic card.
pub const DOMESTIC: &[CardField] = &[
    field("real_name", None, Form::Words),
    field("bank_name", None, Form::Words),
    field("bank_account", None, Form::Account),
    field("bank_dizhi", Some("province_city"), Form::Words),
    field("alipay_account", Some("aba_number"), Form::Words),
    field("wechat_nickname", Some("swift_code"), Form::Swift),
    field("wechat_account", Some("cardholder_address"), Form::Words),
    field("bank_branch", Some("branch_network"), Form::Words),
    field("phone", None, Form::Phone),
];

/// Of an international one, which names no fields: their order counts. The names are keys of their texts, after `card_`.
pub const INTERNATIONAL: &[CardField] = &[
    field("account_name", None, Form::Words),
    field("account_number", None, Form::Account),
    field("swift", None, Form::Swift),
    field("bank_name", None, Form::Words),
    field("bank_address", None, Form::Words),
    field("country", None, Form::Words),
    field("holder_address", None, Form::Words),
    field("phone", None, Form::Phone),
];

fn fields(kind: CardKind) -> &'static [CardField] {
    match kind {
        CardKind::Domestic => DOMESTIC,
        CardKind::International => INTERNATIONAL,
    }
}

/// An IBAN's check digits, ISO 13616: of two letters and two digits in front.
fn is_wrong_iban(account: &str) -> bool {
    let bytes = account.as_bytes();
    let is_iban = bytes[..2].iter().all(u8::is_ascii_uppercase) && bytes[2..4].iter().all(u8::is_ascii_digit);
    if !is_iban {
        return false;
    }
    let digits = bytes[4..].iter().chain(&bytes[..4]);
    let rest = digits.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    rest != 1
}

impl CardField {
    /// A text in the form in which it is kept, or what is wrong with it.
    ///
    /// # Errors
    /// Why, in a few words.
    pub fn checked(&self, text: &str) -> Result<String, &'static str> {
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        if text.is_empty() {
            return Err("missing");
        }
        match self.form {
            Form::Words if text.chars().count() > 100 || text.chars().any(char::is_control) => {
                Err("at most 100 letters")
            }
            Form::Words => Ok(text),
            Form::Account => {
                let account: String = text.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
                let account = account.to_ascii_uppercase();
                if !(6..=34).contains(&account.len()) || !account.bytes().all(|b| b.is_ascii_alphanumeric()) {
                    return Err("6 to 34 letters and digits");
                }
                if is_wrong_iban(&account) { Err("not a valid IBAN") } else { Ok(account) }
            }
            Form::Swift => {
                let code = text.to_ascii_uppercase();
                let bytes = code.as_bytes();
                let fits = matches!(bytes.len(), 8 | 11)
                    && bytes.iter().all(u8::is_ascii_alphanumeric)
                    && bytes[4..6].iter().all(u8::is_ascii_uppercase);
                if fits { Ok(code) } else { Err("8 or 11 letters and digits") }
            }
            Form::Phone => {
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                let is_one = text.chars().all(|c| c.is_ascii_digit() || "+-() ".contains(c));
                if (5..=20).contains(&digits) && is_one && text.len() <= 40 { Ok(text) } else { Err("5 to 20 digits") }
            }
        }
    }

    /// As its user is shown it.
    #[must_use]
    pub fn shown(&self, text: &str) -> String {
        match self.form {
            Form::Words | Form::Swift => text.to_owned(),
            Form::Account | Form::Phone => {
                let last: Vec<char> = text.chars().rev().take(4).collect();
                format!("•••• {}", last.into_iter().rev().collect::<String>())
            }
        }
    }
}

/// What a card is sealed for: an older one that somebody puts back does not open as the newer.
fn owner(user: AccountId, kind: CardKind, saved_ms: u64) -> String {
    format!("bank card {} of {}, {saved_ms}", kind as u8, user.0)
}

fn name_of(kind: CardKind) -> &'static str {
    match kind {
        CardKind::Domestic => "domestic",
        CardKind::International => "international",
    }
}

impl Auth {
    /// Keeps a card, whose texts were checked, in the order of its fields.
    ///
    /// # Errors
    /// 1022, 1010, 1018 as proofs have it; 1020.
    pub async fn save_card(&self, kind: CardKind, texts: &[String], surety: &Surety<'_>) -> Result<(), Failure> {
        let user = surety.session.account;
        let proof = self.authorize(surety).await?;
        let plain = serde_json::to_vec(texts).expect("texts are JSON");
        let saved_ms = now();
        let sealed = self.keys.sealer.seal(&owner(user, kind, saved_ms), &plain);
        let audit = entry(user, "save bank card", &json!({ "kind": name_of(kind) }), surety.ip);
        let saved = self.office.save_card((user, kind, &sealed), &proof, (&audit, saved_ms)).await;
        if saved.map_err(away)? { Ok(()) } else { self.stale(user).await }
    }

    /// A card as its user is shown it, in the order of its fields; none without one. When it was saved, milliseconds since the epoch.
    ///
    /// # Errors
    /// 1020.
    pub async fn shown_card(&self, user: AccountId, kind: CardKind) -> Result<Option<(Vec<String>, u64)>, Failure> {
        let Some(kept) = self.office.card(user, kind).await.map_err(away)? else { return Ok(None) };
        let plain = self.keys.sealer.open_sealed(&owner(user, kind, kept.saved_ms), &kept.sealed);
        let texts: Option<Vec<String>> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        let Some(texts) = texts.filter(|texts| texts.len() == fields(kind).len()) else {
            tracing::error!(user = user.0, "a bank card does not open: it is another office.key's, or was changed");
            return Ok(None);
        };
        let shown = fields(kind).iter().zip(&texts).map(|(field, text)| field.shown(text)).collect();
        Ok(Some((shown, kept.saved_ms)))
    }

    /// Removes a card.
    ///
    /// # Errors
    /// 1003 without one; 1020.
    pub async fn remove_card(&self, user: AccountId, kind: CardKind, ip: IpAddr) -> Result<(), Failure> {
        let audit = entry(user, "remove bank card", &json!({ "kind": name_of(kind) }), ip);
        let removed = self.office.remove_card((user, kind), (&audit, now())).await.map_err(away)?;
        if removed { Ok(()) } else { Err(Code::NotFound.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::auth::challenges::Action;

    #[test]
    fn a_proof_is_of_all_that_a_card_has_under_every_name() {
        let domestic = DOMESTIC.iter().flat_map(|field| [Some(field.name), field.alias]).flatten().map(str::to_owned);
        let parts = (0..INTERNATIONAL.len()).map(|at| format!("data[{at}]"));
        for name in domestic.chain(parts).chain(["data".to_owned()]) {
            assert!(Action::SaveCard.subject().contains(&name.as_str()), "{name}");
        }
    }

    fn checked(name: &str, text: &str) -> Result<String, &'static str> {
        DOMESTIC.iter().find(|field| field.name == name).unwrap().checked(text)
    }

    #[test]
    fn account_numbers_have_one_form_and_ibans_their_check_digits() {
        for (text, kept) in [
            ("6222 0000-1111 2222", "6222000011112222"),
            ("de89 3704 0044 0532 0130 00", "DE89370400440532013000"),
            ("GB82WEST12345698765432", "GB82WEST12345698765432"),
            ("AB12CD", "AB12CD"),
        ] {
            let told = checked("bank_account", text);
            // Two letters and two digits in front make an IBAN, and this one is none.
            let expected = if text == "AB12CD" { Err("not a valid IBAN") } else { Ok(kept.to_owned()) };
            assert_eq!(told, expected, "{text}");
        }
        for wrong in ["12345", "1234567890123456789012345678901234567", "12_34567", "１２３４５６"] {
            assert_eq!(checked("bank_account", wrong), Err("6 to 34 letters and digits"), "{wrong}");
        }
        assert_eq!(checked("bank_account", "DE88370400440532013000"), Err("not a valid IBAN"));
    }

    #[test]
    fn other_fields_have_their_forms() {
        assert_eq!(checked("real_name", "  Anna \n Weber "), Ok("Anna Weber".into()));
        assert_eq!(checked("real_name", " \t"), Err("missing"));
        assert_eq!(checked("bank_name", &"é".repeat(100)), Ok("é".repeat(100)));
        assert_eq!(checked("bank_name", &"é".repeat(101)), Err("at most 100 letters"));
        assert_eq!(checked("bank_name", "a\u{7}b"), Err("at most 100 letters"));
        assert_eq!(checked("wechat_nickname", "deutdeff500"), Ok("DEUTDEFF500".into()));
        for wrong in ["DEUTDEF", "DEUT12FF", "DEUTDEFF50", "DEUT-DEFF"] {
            assert_eq!(checked("wechat_nickname", wrong), Err("8 or 11 letters and digits"), "{wrong}");
        }
        assert_eq!(checked("phone", "+49 (30) 123-456"), Ok("+49 (30) 123-456".into()));
        for wrong in ["1234", "call me", "123456789012345678901", "((((((((((((((((((((((((((((((((((((((12345"] {
            assert_eq!(checked("phone", wrong), Err("5 to 20 digits"), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_masked_and_words_are_not() {
        let shown = |at: usize, text| INTERNATIONAL[at].shown(text);
        assert_eq!(shown(0, "Anna Weber"), "Anna Weber");
        assert_eq!(shown(1, "DE89370400440532013000"), "•••• 3000");
        assert_eq!(shown(7, "+49 30 123456"), "•••• 3456");
    }
}
