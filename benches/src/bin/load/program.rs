//! Orders as programs send them: signed over HTTP, or over the websocket API after a logon.
//!
//! Owns: keys, signatures, and one websocket connection's requests and answers. Never does: decide what is ordered.
//! Invariants: a signature is made for every request that has one, and its cost is the generator's. Known limits: one request
//! at a time on a connection; events that nobody asked for are passed over.

use crate::Failure;
use crate::connection::Connection;
use crate::frames::{self, CLOSE, Frames, PING, TEXT};
use crate::target::Target;
use ring::hmac;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{Error, ErrorKind};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A user's key.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) name: String,
    secret: hmac::Key,
}

impl Key {
    /// A new one for each user of a target.
    pub(crate) fn of_all(target: &Target, password: &str) -> Result<Vec<Key>, Failure> {
        target.tokens.iter().map(|token| Key::make(target, token, password)).collect()
    }

    fn make(target: &Target, token: &str, password: &str) -> Result<Key, Failure> {
        let url = format!("http://{}/api/user/api_keys/create", target.host);
        let form = [("label", "load"), ("kind", "hmac"), ("scopes", "read,trade"), ("pay_password", password)];
        let mut reply = ureq::post(url).header("authorization", token).send_form(form)?;
        let reply: Value = serde_json::from_str(&reply.body_mut().read_to_string()?)?;
        let text =
            |name: &str| reply["data"][name].as_str().map(str::to_owned).ok_or_else(|| format!("no key: {reply}"));
        let secret = hmac::Key::new(hmac::HMAC_SHA256, text("secret")?.as_bytes());
        Ok(Key { name: text("api_key")?, secret })
    }

    /// Appends time and signature.
    pub(crate) fn sign(&self, query: &mut String) {
        let written = write!(query, "&timestamp={}", frames::epoch_micros());
        let signature = hmac::sign(&self.secret, query.as_bytes());
        query.push_str("&signature=");
        debug_assert!(written.is_ok(), "a text takes any text");
        for byte in signature.as_ref() {
            query.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            query.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        }
    }

    /// The frame that logs a connection on.
    fn logon(&self) -> String {
        let time = frames::epoch_micros();
        let signed = format!("apiKey={}&timestamp={time}", self.name);
        let signature = hmac::sign(&self.secret, signed.as_bytes());
        let hex: String = signature.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!(
            r#"{{"id":0,"method":"session.logon","params":{{"apiKey":"{}","timestamp":{time},"signature":"{hex}"}}}}"#,
            self.name
        )
    }
}

/// A connection of the websocket API that has logged on.
pub(crate) struct Talk {
    stream: TcpStream,
    frames: Frames,
    read: Vec<u8>,
}

impl Talk {
    pub(crate) async fn open(address: SocketAddr, host: &str, key: &Key) -> std::io::Result<Talk> {
        let mut plain = Connection::open(address, None).await?;
        let hello = frames::handshake(host, "/ws-api/v3?returnRateLimits=false");
        if plain.ask(hello.as_bytes()).await?.status != 101 {
            return Err(Error::new(ErrorKind::ConnectionRefused, "no websocket"));
        }
        let (stream, _) = plain.into_parts()?;
        let stream = TcpStream::from_std(stream)?;
        let mut talk = Talk { stream, frames: Frames::default(), read: vec![0; 16_384] };
        match talk.ask(&key.logon()).await? {
            None => Ok(talk),
            Some(refusal) => Err(Error::new(ErrorKind::PermissionDenied, refusal)),
        }
    }

    /// Sends a request and waits for an answer; a refusal as a kind of error.
    pub(crate) async fn ask(&mut self, request: &str) -> std::io::Result<Option<String>> {
        self.stream.write_all(&frames::client_frame(TEXT, request.as_bytes())).await?;
        loop {
            let read = self.stream.read(&mut self.read).await?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let (mut answer, mut pongs, mut closed) = (None, Vec::new(), false);
            self.frames.take(&self.read[..read], |kind, payload| match kind {
                TEXT => answer = Some(refusal(payload)),
                PING => pongs.extend_from_slice(&frames::pong(payload)),
                CLOSE => closed = true,
                _ => {}
            });
            if !pongs.is_empty() {
                self.stream.write_all(&pongs).await?;
            }
            if closed {
                return Err(ErrorKind::ConnectionAborted.into());
            }
            if let Some(answer) = answer {
                return Ok(answer);
            }
        }
    }
}

/// Why an answer is no success.
fn refusal(payload: &[u8]) -> Option<String> {
    const OK: &[u8] = br#""status":200"#;
    // Success is what is looked for most, so nothing else is read of it.
    if payload.windows(OK.len()).any(|part| part == OK) {
        return None;
    }
    let reply: Value = serde_json::from_slice(payload).unwrap_or_default();
    Some(format!("code {} {}", reply["error"]["code"], reply["error"]["msg"].as_str().unwrap_or_default()))
}
