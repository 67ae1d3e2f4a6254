//! Mails over SMTP.
//!
//! Owns: the form of a mail, and what a server's refusals mean. Never does: decide when to send. Invariants: a mail has one recipient,
//! whose address is parsed anew, so that nothing in it begins another line; over the network nothing is told unencrypted.
//! Known limits: a connection a mail; what the server says in words is not kept, its codes are.

use super::letter::page;
use super::settings::{MailSettings, MailTls};
use super::way::{Outgoing, Unsent, Way};
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SmtpTransport};
use lettre::{Address, Message, Transport};
use std::time::{Duration, UNIX_EPOCH};

/// Each step of a conversation takes so long at most.
const STEP: Duration = Duration::from_secs(20);
/// The server refuses us and not the mail: a login that it asks for or does not take (RFC 4954).
const OF_US: [u16; 4] = [530, 534, 535, 538];

/// A mail server.
#[derive(Debug)]
pub(super) struct Smtp {
    transport: SmtpTransport,
    from: Mailbox,
}

impl Smtp {
    /// The server of the settings, with the password that its file holds. Nothing is connected yet.
    ///
    /// # Errors
    /// What is wrong with the settings, for people.
    pub(super) fn new(settings: &MailSettings, password: Option<String>) -> Result<Smtp, String> {
        let from = settings.sender()?;
        let parameters =
            || TlsParameters::new_rustls(settings.host.clone()).map_err(|error| format!("mail.host: {error}"));
        let tls = match settings.tls {
            MailTls::StartTls => Tls::Required(parameters()?),
            MailTls::Tls => Tls::Wrapper(parameters()?),
            MailTls::None => Tls::None,
        };
        let mut builder = SmtpTransport::builder_dangerous(&settings.host)
            .port(settings.port)
            .tls(tls)
            .timeout(Some(STEP))
            .hello_name(ClientId::Domain(from.email.domain().to_owned()));
        if let Some(password) = password {
            builder = builder.credentials(Credentials::new(settings.user.clone(), password));
        }
        Ok(Smtp { transport: builder.build(), from })
    }

    fn mail(&self, message: &Outgoing) -> Result<Message, Unsent> {
        let wrong = |what: &str| Unsent::ForEver(what.to_owned());
        let to: Address = message.to.parse().map_err(|_| wrong("the recipient's address is none"))?;
        let subject: String = message.subject.chars().filter(|c| !c.is_control()).collect();
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let built = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject.clone())
            .date(UNIX_EPOCH + Duration::from_millis(message.created_ms))
            .message_id(Some(format!("<{}@{}>", message.id, self.from.email.domain())))
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .multipart(MultiPart::alternative_plain_html(
                message.text.clone(),
                page(&message.lang, &subject, &message.text),
            ));
        built.map_err(|_| wrong("the mail has no form that servers take"))
    }
}

impl Way for Smtp {
    fn send(&self, message: &Outgoing) -> Result<(), Unsent> {
        let mail = self.mail(message)?;
        self.transport.send(&mail).map(drop).map_err(|error| meaning(&error))
    }
}

/// A server's 5xx is its last word, unless it is about us.
fn meaning(error: &Error) -> Unsent {
    if let Some(code) = error.status() {
        let code: u16 = code.into();
        let what = format!("the mail server answered {code}");
        return if error.is_permanent() && !OF_US.contains(&code) {
            Unsent::ForEver(what)
        } else {
            Unsent::ForNow(what)
        };
    }
    let what = if error.is_tls() {
        "no TLS with the mail server"
    } else if error.is_timeout() {
        "the mail server did not answer in time"
    } else if error.is_response() {
        "the mail server's answer is none of SMTP"
    } else if error.is_client() {
        "the mail server does not offer what is needed"
    } else {
        "the mail server is not reached"
    };
    Unsent::ForNow(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smtp() -> Smtp {
        let (host, from) = ("127.0.0.1".to_owned(), "Example <no-reply@example.com>".to_owned());
        Smtp::new(&MailSettings { host, from, tls: MailTls::None, ..MailSettings::default() }, None).unwrap()
    }

    fn outgoing(to: &str, subject: &str) -> Outgoing {
        Outgoing {
            id: "7.1700000000000".into(),
            to: to.into(),
            lang: "fra".into(),
            subject: subject.into(),
            text: "Votre code est 123456.".into(),
            created_ms: 1_700_000_000_000,
            expires_ms: 1_700_000_600_000,
        }
    }

    #[test]
    fn a_mail_has_a_lasting_id_and_a_part_of_each_kind() {
        let mail = |to| String::from_utf8(smtp().mail(&outgoing(to, "Vérification")).unwrap().formatted()).unwrap();
        let first = mail("ann@example.org");
        for line in [
            "Message-ID: <7.1700000000000@example.com>\r\n",
            "To: ann@example.org\r\n",
            "From: Example <no-reply@example.com>\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n",
            "Content-Type: text/plain; charset=utf-8\r\n",
            "Content-Type: text/html; charset=utf-8\r\n",
        ] {
            assert!(first.contains(line), "{line}{first}");
        }
        assert!(first.is_ascii(), "{first}");
    }

    #[test]
    fn no_address_and_no_subject_begins_a_line_of_its_own() {
        for to in ["ann@example.org\r\nBcc: eve@example.org", "ann@example.org\nX: y", "a\r\n@example.org", "ann", ""] {
            let refused = smtp().mail(&outgoing(to, "Code")).err();
            assert_eq!(refused, Some(Unsent::ForEver("the recipient's address is none".into())), "{to:?}");
        }
        let mail = smtp().mail(&outgoing("ann@example.org", "Code\r\nBcc: eve@example.org")).unwrap();
        let text = String::from_utf8(mail.formatted()).unwrap();
        assert!(text.contains("Subject: CodeBcc: eve@example.org\r\n") && !text.contains("\nBcc:"), "{text}");
        assert_eq!(mail.envelope().to().len(), 1);
    }
}
