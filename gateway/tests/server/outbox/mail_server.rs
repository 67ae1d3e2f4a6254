//! A mail server of a test: takes, refuses or holds mails, and shows what came.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// How a recipient is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Takes,
    /// Says this to the recipient.
    Refuses(&'static str),
    /// Reads the mail and says nothing.
    Holds,
}

#[derive(Debug)]
struct Seen {
    manner: Mutex<Manner>,
    mails: Mutex<Vec<Mail>>,
    logins: Mutex<Vec<String>>,
    stops: AtomicBool,
}

pub(crate) struct MailServer {
    pub(crate) port: u16,
    seen: Arc<Seen>,
}

/// A mail as it came.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    pub(crate) recipients: Vec<String>,
    pub(crate) text: String,
}

impl MailServer {
    pub(crate) fn start(manner: Manner) -> MailServer {
        MailServer::start_at(0, manner)
    }

    pub(crate) fn start_at(port: u16, manner: Manner) -> MailServer {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (mails, logins, stops) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
        let seen = Arc::new(Seen { manner: Mutex::new(manner), mails, logins, stops });
        let theirs = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if theirs.stops.load(Ordering::Relaxed) {
                    return;
                }
                let (stream, seen) = (stream.unwrap(), theirs.clone());
                // Whoever hangs up in the middle ends the conversation.
                thread::spawn(move || drop(converse(&stream, &seen)));
            }
        });
        MailServer { port, seen }
    }

    pub(crate) fn behave(&self, manner: Manner) {
        *self.seen.manner.lock().unwrap() = manner;
    }

    /// What came, in order.
    pub(crate) fn mails(&self) -> Vec<Mail> {
        self.seen.mails.lock().unwrap().clone()
    }

    /// What logins said of themselves.
    pub(crate) fn logins(&self) -> Vec<String> {
        self.seen.logins.lock().unwrap().clone()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.seen.stops.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn converse(stream: &TcpStream, seen: &Seen) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let say = |text: &str| (&mut &*stream).write_all(format!("{text}\r\n").as_bytes());
    let mut recipients = Vec::new();
    say("220 mail.example ESMTP")?;
    while let Some(line) = lines.next() {
        let line = line?;
        let manner = *seen.manner.lock().unwrap();
        let word: String = line.chars().take(4).collect::<String>().to_ascii_uppercase();
        match (word.as_str(), manner) {
            ("EHLO", _) => say("250-mail.example\r\n250 AUTH PLAIN")?,
            ("AUTH", _) => {
                let told = STANDARD.decode(line.split(' ').nth(2).unwrap_or_default()).unwrap_or_default();
                seen.logins.lock().unwrap().push(String::from_utf8(told).unwrap_or_default());
                say("235 welcome")?;
            }
            ("RCPT", Manner::Refuses(answer)) => say(answer)?,
            ("RCPT", _) => {
                recipients.push(line.trim_start_matches("RCPT TO:").trim_matches(['<', '>']).to_owned());
                say("250 fine")?;
            }
            ("DATA", _) => {
                say("354 go on")?;
                let mut text = String::new();
                for line in lines.by_ref() {
                    match line?.as_str() {
                        "." => break,
                        line => text.extend([line, "\r\n"]),
                    }
                }
                seen.mails.lock().unwrap().push(Mail { recipients: std::mem::take(&mut recipients), text });
                if manner != Manner::Holds {
                    say("250 taken")?;
                }
            }
            ("QUIT", _) => return say("221 bye"),
            _ => say("250 fine")?,
        }
    }
    Ok(())
}

impl Mail {
    /// The value of a header, as it stands there.
    pub(crate) fn header(&self, name: &str) -> String {
        let start = format!("{name}: ");
        let line = self.text.lines().take_while(|line| !line.is_empty()).find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("no {name}: {}", self.text)).to_owned()
    }

    /// A part of a kind, decoded.
    pub(crate) fn part(&self, kind: &str) -> String {
        let at = self.text.find(&format!("Content-Type: {kind}")).unwrap_or_else(|| panic!("no {kind}: {}", self.text));
        let (head, rest) = self.text[at..].split_once("\r\n\r\n").unwrap();
        let body = rest.split_once("\r\n--").map_or(rest, |(body, _)| body);
        if head.contains("base64") {
            let letters: String = body.split_whitespace().collect();
            return String::from_utf8(STANDARD.decode(letters).unwrap()).unwrap();
        }
        if head.contains("quoted-printable") { unquoted(body) } else { body.to_owned() }
    }
}

/// Quoted-printable, decoded.
fn unquoted(text: &str) -> String {
    let joined = text.replace("=\r\n", "");
    let mut parts = joined.split('=');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}
