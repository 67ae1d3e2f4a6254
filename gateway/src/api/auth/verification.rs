//! What users send in to be verified, and pictures of their documents.
//!
//! Owns: the forms of documents, sealing of names, numbers and pictures. Never does: decide; set a tier, the engine's fact is it.
//! Invariants: names, numbers and pictures leave this module sealed, or opened for a reviewer; a picture is served under no address of the
//! app. Known limits: of numbers only the check digit of Chinese identity cards is checked; pictures that were sent in stay for ever;
//! whoever sends a document in first keeps others out until a reviewer looks. Rules: `docs/rules/verification.md`.

use super::Auth;
use super::office::{away, now};
use super::sealing::FileKey;
use super::second_factor::entry;
use super::secrets;
use crate::api::http::errors::{Code, Failure};
use crate::common::areas;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use xng_core::account::Tier;
use xng_core::ids::AccountId;
use xng_persistence::office::{NewVerification, PrivateFile, SentIn, Verification, VerificationState};

/// The folder of private pictures in the data folder.
pub const PRIVATE: &str = "private";
/// What names of private pictures begin with.
const PREFIX: &str = "private/";
/// Kinds of documents.
pub const MOST_ID_TYPE: u8 = 2;
/// Why one fails. `revoked` is not a reviewer's word.
pub const REASONS: [&str; 7] =
    ["unreadable", "expired", "mismatch", "wrong_document", "duplicate", "underage", "other"];

/// A document as its user describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// 0 identity card, 1 passport, 2 driver's licence.
    pub id_type: u8,
    /// Dialling code of the country.
    pub country: String,
    /// Its letters of ISO 3166-1; none: those of the only country with this code.
    pub region: Option<String>,
    /// What of it is sealed.
    pub person: Person,
}

/// Whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Its number.
    pub number: String,
}

/// The last digit of a Chinese identity card's number follows from the others.
fn is_chinese_id(number: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let bytes = number.as_bytes();
    if bytes.len() != 18 || !bytes[..17].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = bytes.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    bytes[17].to_ascii_uppercase() == b"10X98765432"[(sum % 11) as usize]
}

impl Document {
    /// Checks its form.
    ///
    /// # Errors
    /// 1001 with the field.
    pub fn checked(self) -> Result<Document, Failure> {
        let Document { id_type, country, region, person: Person { name, number } } = self;
        let name = name.split_whitespace().collect::<Vec<&str>>().join(" ");
        let letters = name.chars().count();
        let is_letter = |c: char| c.is_alphabetic() || " .'-·’".contains(c) || is_mark(c);
        if !(2..=50).contains(&letters) || !name.chars().all(is_letter) || !name.chars().any(char::is_alphabetic) {
            return Err(Failure::field("name", "2 to 50 letters"));
        }
        let number = number.trim().to_ascii_uppercase();
        if !(6..=30).contains(&number.len()) || !number.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(Failure::field("card_id", "6 to 30 letters and digits"));
        }
        if id_type > MOST_ID_TYPE {
            return Err(Failure::field("id_type", "unknown"));
        }
        let country = country.trim_start_matches('+').to_owned();
        // In one form: a document under two codes would be two.
        if !(1..=4).contains(&country.len()) || country.starts_with('0') || !country.bytes().all(|b| b.is_ascii_digit())
        {
            return Err(Failure::field("country", "a dialling code"));
        }
        if (id_type, country.as_str()) == (0, "86") && !is_chinese_id(&number) {
            return Err(Failure::field("card_id", "its last digit does not fit"));
        }
        let region = region.or_else(|| areas::only_with(&country).map(str::to_owned));
        // Without one the account would live nowhere, and be offered everything.
        let region = region.filter(|region| areas::has_code(region, &country));
        if region.is_none() {
            return Err(Failure::field("region", "the letters of a country with this dialling code"));
        }
        Ok(Document { id_type, country, region, person: Person { name, number } })
    }
}

/// Marks that belong to the letter before: vowels and tones of scripts that write them so.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}')
        || matches!(c, '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

/// How far a level of a user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was sent in.
    Nothing = 0,
    /// A reviewer has to look.
    UnderReview = 1,
    /// The account has the tier.
    Passed = 2,
    /// It failed, or was revoked.
    Failed = 3,
}

/// How far a level is, and the last that was sent in of it. `cases` are a user's, the newest first.
pub fn standing(level: u8, tier: Tier, cases: &[Verification]) -> (Standing, Option<&Verification>) {
    let last = cases.iter().find(|case| case.level == level);
    let standing = match last.map(|case| case.state) {
        _ if tier as u8 >= level => Standing::Passed,
        None => Standing::Nothing,
        Some(VerificationState::Failed) => Standing::Failed,
        // What passed is the account's a moment later.
        Some(VerificationState::Waits | VerificationState::Passed) => Standing::UnderReview,
    };
    (standing, last)
}

fn owner(user: AccountId) -> String {
    format!("verification of {}", user.0)
}

fn path(data_dir: &Path, name: &str) -> PathBuf {
    data_dir.join(PRIVATE).join(name)
}

fn sent_in(outcome: SentIn) -> Result<(), Failure> {
    match outcome {
        SentIn::Waits(_) => Ok(()),
        SentIn::AlreadyThere => Err(Failure::text(Code::State, "verification_there")),
        SentIn::Taken => Err(Failure::text(Code::Exists, "document_taken")),
        SentIn::NoPicture => Err(Failure::field("front_pic", "not a picture of yours that was not sent in yet")),
    }
}

impl Auth {
    /// Sends in a document.
    ///
    /// # Errors
    /// 1004 while one waits or has passed, 1016 when it is another user's, 1018 after too many of a day.
    pub async fn send_in_document(&self, user: AccountId, document: &Document, ip: IpAddr) -> Result<(), Failure> {
        if !self.documents.take(user) {
            return Err(Code::TooMany.into());
        }
        let Document { id_type, country, region, person } = document;
        let text = serde_json::to_vec(person).expect("two texts");
        // Of whatever kind it is said to be.
        let number = format!("number of a document: {country} {}", person.number);
        let new = NewVerification {
            user,
            level: Tier::Basic as u8,
            id_type: Some(*id_type),
            country: Some(country.clone()),
            region: region.clone(),
            sealed: Some(self.keys.sealer.seal(&owner(user), &text)),
            number_hash: Some(self.keys.sealer.row_mac().of(&number)),
            pictures: None,
        };
        let audit =
            entry(user, "send in a document", &json!({ "id_type": id_type, "country": country, "region": region }), ip);
        sent_in(self.office.send_in(&new, &audit, now()).await.map_err(away)?)
    }

    /// Sends in pictures of the document, by what [`Auth::keep_picture`] said.
    ///
    /// # Errors
    /// 1004 while some wait or have passed, 1001 when they are not pictures of this user that were not sent in yet.
    pub async fn send_in_pictures(&self, user: AccountId, names: [&str; 2], ip: IpAddr) -> Result<(), Failure> {
        let [front, reverse] = names.map(|name| name.strip_prefix(PREFIX).unwrap_or_default().to_owned());
        if front == reverse {
            return Err(Failure::field("reverse_pic", "the same picture"));
        }
        let new = NewVerification {
            user,
            level: Tier::Advanced as u8,
            id_type: None,
            country: None,
            region: None,
            sealed: None,
            number_hash: None,
            pictures: Some([front, reverse]),
        };
        let audit = entry(user, "send in pictures", &json!({}), ip);
        sent_in(self.office.send_in(&new, &audit, now()).await.map_err(away)?)
    }

    /// What a user has sent in, the newest first.
    pub async fn verifications(&self, user: AccountId) -> Result<Vec<Verification>, Failure> {
        self.office.verifications_of(user).await.map_err(away)
    }

    /// Name and number of what was sent in; none of pictures.
    #[must_use]
    pub fn person(&self, verification: &Verification) -> Option<Person> {
        let sealed = verification.sealed.as_deref()?;
        let text = self.keys.sealer.open_sealed(&owner(verification.user), sealed);
        let person = text.and_then(|text| serde_json::from_slice(&text).ok());
        if person.is_none() {
            tracing::error!(verification = verification.id, "what is sealed does not open");
        }
        person
    }

    /// Keeps a picture under a key of its own; what it is named by.
    ///
    /// # Errors
    /// 1020 when the disk or the database does not take it.
    pub async fn keep_picture(
        &self,
        data_dir: &Path,
        user: AccountId,
        (ending, bytes): (&str, Vec<u8>),
    ) -> Result<String, Failure> {
        let (name, key) = (secrets::file_name(), FileKey::new());
        let sealed_key = self.keys.sealer.seal(&name, key.bytes());
        let file = PrivateFile { name: name.clone(), user, ending: ending.into(), sealed_key, side: None };
        // The row first: a file without one would never be looked for.
        self.office.add_private_file(&file, now()).await.map_err(away)?;
        let (place, sealed) = (path(data_dir, &name), name.clone());
        let written = actix_web::web::block(move || write(&place, &key.seal(&sealed, &bytes))).await;
        if matches!(written, Ok(Ok(()))) { Ok(format!("{PREFIX}{name}")) } else { Err(Code::Busy.into()) }
    }

    /// Opens a picture.
    ///
    /// # Errors
    /// 1003 when its file is gone or was changed.
    pub async fn picture(&self, data_dir: &Path, file: &PrivateFile) -> Result<Vec<u8>, Failure> {
        let (place, name) = (path(data_dir, &file.name), file.name.clone());
        let key = self.keys.sealer.open_sealed(&file.name, &file.sealed_key).and_then(|key| FileKey::of(&key));
        let key = key.ok_or(Code::NotFound)?;
        let opened = actix_web::web::block(move || key.open(&name, &fs::read(place).ok()?)).await;
        opened.map_err(|_| Failure::from(Code::Busy))?.ok_or_else(|| Code::NotFound.into())
    }

    /// Erases pictures that were never sent in.
    ///
    /// # Errors
    /// When the office database does not answer.
    pub async fn erase_pictures(&self, data_dir: &Path) -> Result<(), Failure> {
        let names = self.office.forget_pictures(now()).await.map_err(away)?;
        let places: Vec<PathBuf> = names.iter().map(|name| path(data_dir, name)).collect();
        let erase = move || {
            for place in places {
                // Its key is gone, and with it the picture; the file is only room on the disk.
                if let Err(error) = fs::remove_file(&place) {
                    tracing::warn!(%error, file = %place.display(), "the file of an erased picture stays");
                }
            }
        };
        actix_web::web::block(erase).await.map_err(|_| Code::Busy.into())
    }
}

/// A full disk leaves nothing.
fn write(place: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
    if let Some(folder) = place.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(place);
    let written = file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.inspect_err(|_| drop(fs::remove_file(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id_type: u8, country: &str, name: &str, number: &str) -> Document {
        let person = Person { name: name.into(), number: number.into() };
        Document { id_type, country: country.into(), region: None, person }
    }

    #[test]
    fn a_document_has_a_name_and_a_number_that_fit() {
        for (id_type, country, name, number) in [
            (1, "44", "Ann  O'Neill-Smith", "ab123456"),
            (0, "+86", "王小明", "11010519491231002x"),
            (2, "66", "สมชาย ใจดี", "12345678"),
            (1, "90", "Çağla Işık", "U1234567"),
        ] {
            assert!(document(id_type, country, name, number).checked().is_ok(), "{name}");
        }
        let checked = document(1, "+44", " Ann   Lee ", " ab123456 ").checked().unwrap();
        let wanted = document(1, "44", "Ann Lee", "AB123456");
        assert_eq!(checked, Document { region: Some("GB".into()), ..wanted.clone() });
        // Two countries have it: a reviewer sees whether it is the one that was said.
        let shared = |region: Option<&str>| Document {
            region: region.map(str::to_owned),
            country: "1".into(),
            ..wanted.clone()
        };
        let region = |region| shared(region).checked().map(|document| document.region);
        assert_eq!(region(Some("CA")).unwrap().as_deref(), Some("CA"));
        assert!([None, Some("GB"), Some("xx")].into_iter().all(|wrong| region(wrong).is_err()));
        assert!(document(1, "999", "Ann Lee", "AB123456").checked().is_err(), "nobody has this code");
        for (id_type, country, name, number, field) in [
            (1, "44", "A", "AB123456", "name"),
            (1, "44", "Ann <b>", "AB123456", "name"),
            (1, "44", "--", "AB123456", "name"),
            (1, "44", "Ann", "AB-123456", "card_id"),
            (1, "44", "Ann", "AB123", "card_id"),
            (3, "44", "Ann", "AB123456", "id_type"),
            (1, "GB", "Ann", "AB123456", "country"),
            (0, "086", "王小明", "AB123456", "country"),
            (0, "86", "王小明", "110105194912310021", "card_id"),
            (0, "86", "王小明", "12345678", "card_id"),
        ] {
            let failure = document(id_type, country, name, number).checked().unwrap_err();
            assert_eq!(failure.field.map(|(field, _)| field).as_deref(), Some(field), "{name} {number}");
        }
    }
}
