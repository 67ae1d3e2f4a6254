//! `[mail]` and `[sms]` in the settings: by which server mails leave, and which hook sends texts to phones.
//!
//! Owns: the form of these settings, and what fits together. Never does: keep a secret, whose file is named alone; connect.
//! Invariants: nothing leaves this machine unencrypted. Known limits: certificates are checked against the public authorities alone.

use actix_web::http::Uri;
use lettre::message::Mailbox;
use serde::Deserialize;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

/// Bytes of the hook's secret at least.
pub(super) const LEAST_SECRET: usize = 16;

/// How a connection to the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// It begins in the clear and is encrypted before anything is told.
    StartTls,
    /// From the first byte.
    Tls,
    /// Not at all: to this machine alone.
    None,
}

/// `[mail]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)]
pub struct MailSettings {
    pub host: String,
    pub port: u16,
    pub tls: MailTls,
    pub user: String,
    pub password_file: PathBuf,
    pub from: String,
}

impl Default for MailSettings {
    fn default() -> MailSettings {
        let (host, user, from) = (String::new(), String::new(), String::new());
        MailSettings { host, port: 587, tls: MailTls::StartTls, user, password_file: PathBuf::new(), from }
    }
}

/// `[sms]`.
#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SmsSettings {
    pub url: String,
    pub secret_file: PathBuf,
    pub areas: Vec<String>,
    pub most_an_hour: u32,
}

impl Default for SmsSettings {
    fn default() -> SmsSettings {
        SmsSettings { url: String::new(), secret_file: PathBuf::new(), areas: Vec::new(), most_an_hour: 1_000 }
    }
}

impl fmt::Debug for SmsSettings {
    /// Without the address, which may hold a secret: settings are logged at the start.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hook = if self.is_on() { "on" } else { "off" };
        f.debug_struct("SmsSettings")
            .field("hook", &hook)
            .field("secret_file", &self.secret_file)
            .field("areas", &self.areas)
            .field("most_an_hour", &self.most_an_hour)
            .finish_non_exhaustive()
    }
}

/// Whether a host is this machine, whatever a resolver says.
fn is_here(host: &str) -> bool {
    let digits = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || digits.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

impl MailSettings {
    /// Whether mails leave.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.host.is_empty()
    }

    /// Who mails are from.
    pub(super) fn sender(&self) -> Result<Mailbox, String> {
        let wrong = |_| "mail.from is no address, as \"Example <no-reply@example.com>\"".to_owned();
        self.from.parse().map_err(wrong)
    }

    /// What does not fit together, for people.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !self.is_on() {
            return if self.user.is_empty() { Ok(()) } else { Err("mail.user is set, and mail.host is not".into()) };
        }
        if self.host.contains(|c: char| c.is_whitespace() || c.is_control() || "/@:".contains(c))
            && !is_here(&self.host)
        {
            return Err("mail.host is no name of a server".into());
        }
        if self.port == 0 {
            return Err("mail.port is 0".into());
        }
        if self.tls == MailTls::None && !is_here(&self.host) {
            return Err("mail.tls = \"none\" is for a mail server on this machine alone".into());
        }
        if self.user.is_empty() == self.password_file.as_os_str().is_empty() {
            self.sender().map(drop)
        } else {
            Err("mail.user and mail.password_file come together".into())
        }
    }
}

impl SmsSettings {
    /// Whether texts to phones leave.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.url.is_empty()
    }

    /// Whether texts go to phones of this area.
    pub(super) fn is_served(&self, area: &str) -> bool {
        self.areas.is_empty() || self.areas.iter().any(|served| served == area)
    }

    /// What does not fit together, for people.
    pub(crate) fn check(&self) -> Result<(), String> {
        let wrong =
            |area: &&String| area.is_empty() || area.len() > 4 || !area.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(area) = self.areas.iter().find(wrong) {
            return Err(format!("sms.areas: {area} is no area code, as \"44\""));
        }
        let has_secret = !self.secret_file.as_os_str().is_empty();
        if !self.is_on() {
            return if has_secret { Err("sms.secret_file is set, and sms.url is not".into()) } else { Ok(()) };
        }
        // What it says may be a secret.
        let wrong = || {
            Err("sms.url is no https:// address (http:// to this machine alone), without a name and password".into())
        };
        let Ok(url) = self.url.parse::<Uri>() else { return wrong() };
        let Some(authority) = url.authority() else { return wrong() };
        let is_closed =
            url.scheme_str() == Some("https") || url.scheme_str() == Some("http") && is_here(authority.host());
        if !is_closed || authority.as_str().contains('@') {
            return wrong();
        }
        if has_secret { Ok(()) } else { Err("sms.secret_file names no file".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(change: impl FnOnce(&mut MailSettings)) -> Result<(), String> {
        let mut settings = MailSettings { host: "mail.example".into(), ..MailSettings::default() };
        settings.from = "Example <no-reply@example.com>".into();
        change(&mut settings);
        settings.check()
    }

    fn sms(url: &str) -> Result<(), String> {
        SmsSettings { url: url.into(), secret_file: "secret".into(), ..SmsSettings::default() }.check()
    }

    #[test]
    fn mails_leave_this_machine_encrypted_and_from_an_address() {
        assert_eq!(MailSettings::default().check(), Ok(()), "none are sent");
        assert_eq!(mail(|_| ()), Ok(()));
        for host in ["127.0.0.1", "localhost", "::1"] {
            let open = |s: &mut MailSettings| (s.host, s.tls) = (host.into(), MailTls::None);
            assert_eq!(mail(open), Ok(()), "{host}");
        }
        let refused = [
            mail(|s| s.tls = MailTls::None),
            mail(|s| s.from.clear()),
            mail(|s| s.from = "a@b.c\r\nbcc: d@e.f".into()),
            mail(|s| s.port = 0),
            mail(|s| s.user = "exchange".into()),
            mail(|s| s.password_file = "password".into()),
            mail(|s| s.host = "https://mail.example".into()),
            MailSettings { user: "exchange".into(), ..MailSettings::default() }.check(),
        ];
        for (n, refused) in refused.into_iter().enumerate() {
            assert!(refused.is_err_and(|why| why.starts_with("mail.")), "{n}");
        }
    }

    #[test]
    fn a_hook_is_asked_over_tls_or_on_this_machine_and_has_a_secret() {
        assert_eq!(SmsSettings::default().check(), Ok(()), "none are sent");
        for good in ["https://sms.example/send?to=1", "http://127.0.0.1:9/send", "http://[::1]:9", "http://localhost/"]
        {
            assert_eq!(sms(good), Ok(()), "{good}");
        }
        for wrong in
            ["http://sms.example/", "https://user:hunter2@sms.example/", "sms.example", "ftp://a.b", "https://"]
        {
            let why = sms(wrong).expect_err(wrong);
            assert!(why.starts_with("sms.url") && !why.contains("hunter2"), "{why}");
        }
        let bare = SmsSettings { url: "https://sms.example/".into(), ..SmsSettings::default() };
        assert!(bare.check().is_err_and(|why| why.starts_with("sms.secret_file")));
        for wrong in ["", "+44", "44000"] {
            let settings = SmsSettings { areas: vec!["1".into(), wrong.into()], ..SmsSettings::default() };
            assert!(settings.check().is_err_and(|why| why.starts_with("sms.areas")), "{wrong}");
        }
    }
}
