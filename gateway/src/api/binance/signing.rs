//! Signed requests (`docs/rules/program-api.md "Signing"`): what is signed, and whether it is fresh.
//!
//! Owns: the signed bytes, the window of time. Never does: decode what was signed before it is checked; know who may do
//! what. Invariants: the bytes that are checked are those that were sent, in their order, without the signature's pair.
//! Known limits: no RSA keys.

use super::errors::ApiError;
use super::params::Args;
use crate::common::time::now_ns;

/// A window of a request that names none, in microseconds.
const WINDOW_US: i64 = 5_000_000;
/// A client's clock may be ahead of ours by less than this.
const AHEAD_US: i64 = 1_000_000;

/// The signed bytes of a request and its signature as it was sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Signed {
    /// Query and body without separator, without the signature's pair.
    pub payload: Vec<u8>,
    /// Decoded once: clients encode what base64 has and a query may not.
    pub signature: String,
}

impl Signed {
    /// Takes the signature's pair out of query and body.
    ///
    /// # Errors
    /// -1102 without a signature, -1101 with two.
    pub fn of(query: &[u8], body: &[u8]) -> Result<Signed, ApiError> {
        let (mut payload, mut found) = (Vec::with_capacity(query.len() + body.len()), None);
        for part in [query, body] {
            let mut first = true;
            for pair in part.split(|byte| *byte == b'&') {
                if let Some(value) = pair.strip_prefix(b"signature=") {
                    if found.replace(value).is_some() {
                        return Err(ApiError::duplicate("signature"));
                    }
                    continue;
                }
                if !first {
                    payload.push(b'&');
                }
                first = false;
                payload.extend_from_slice(pair);
            }
        }
        let signature = found.filter(|value| !value.is_empty()).ok_or_else(|| ApiError::missing("signature"))?;
        Ok(Signed { payload, signature: decoded(signature).ok_or_else(ApiError::signature)? })
    }
}

/// Percent-decoded; a plus stays one, it is a digit of base64.
fn decoded(bytes: &[u8]) -> Option<String> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|b| char::from(*b).to_digit(16));
                out.push((digit()? * 16 + digit()?) as u8);
            }
            other => out.push(*other),
        }
    }
    String::from_utf8(out).ok()
}

/// How long a request may still be begun: asked when it comes in, and again right before the exchange is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    timestamp_us: i64,
    window_us: i64,
}

impl Deadline {
    /// Of a signed call's `timestamp` and `recvWindow`.
    ///
    /// # Errors
    /// -1102 without a timestamp.
    pub fn of(args: &Args) -> Result<Deadline, ApiError> {
        let timestamp_us = args.whole("timestamp").ok_or_else(|| ApiError::missing("timestamp"))?;
        Ok(Deadline { timestamp_us, window_us: args.whole("recvWindow").unwrap_or(WINDOW_US) })
    }

    /// Whether it is not over yet, and was not sent from the future.
    ///
    /// # Errors
    /// -1021.
    pub fn check(&self) -> Result<(), ApiError> {
        self.check_at((now_ns() / 1_000) as i64)
    }

    fn check_at(&self, now_us: i64) -> Result<(), ApiError> {
        if self.timestamp_us >= now_us.saturating_add(AHEAD_US) {
            return Err(ApiError::ahead());
        }
        if now_us.saturating_sub(self.timestamp_us) > self.window_us {
            return Err(ApiError::outside_window());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::auth::signatures::Verifier;
    use ring::hmac;

    /// The example of the convention's own documents.
    const SECRET: &[u8] = b"NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
    const SENT: &str = "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559";
    const SIGNATURE: &str = "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71";

    fn is_good(signed: &Signed) -> bool {
        Verifier::Hmac(hmac::Key::new(hmac::HMAC_SHA256, SECRET)).accepts(&signed.payload, &signed.signature)
    }

    #[test]
    fn the_official_example_is_good_wherever_its_parts_are_sent() {
        let end = format!("&signature={SIGNATURE}");
        let (query, body) = SENT.split_at(SENT.find("&quantity").unwrap());
        let body = &body[1..];
        for (query, body) in [
            (format!("{SENT}{end}"), String::new()),
            (String::new(), format!("{SENT}{end}")),
            (SENT.to_owned(), end[1..].to_owned()),
            (format!("signature={SIGNATURE}&{SENT}"), String::new()),
            (SENT.to_owned(), format!("signature={}", SIGNATURE.to_uppercase())),
        ] {
            let signed = Signed::of(query.as_bytes(), body.as_bytes()).unwrap();
            assert_eq!(signed.payload, SENT.as_bytes());
            assert!(is_good(&signed), "{query} {body}");
        }
        // The example's own mixed request: nothing stands between query and body.
        let mixed = Signed::of(query.as_bytes(), format!("{body}{end}").as_bytes()).unwrap();
        assert_eq!(mixed.payload, format!("{query}{body}").as_bytes());
        assert!(!is_good(&mixed), "another text has another signature");
    }

    #[test]
    fn bytes_are_signed_as_they_were_sent() {
        let signed = Signed::of(b"symbol=%EF%BC%91&a=1+2&signature=a%2Bb%3D", b"").unwrap();
        assert_eq!((&*signed.payload, &*signed.signature), (b"symbol=%EF%BC%91&a=1+2".as_slice(), "a+b="));
        assert_eq!(Signed::of(b"a=1", b"").unwrap_err().code, -1102);
        assert_eq!(Signed::of(b"a=1&signature=", b"").unwrap_err().code, -1102);
        assert_eq!(Signed::of(b"signature=a", b"signature=a").unwrap_err().code, -1101);
        assert_eq!(Signed::of(b"signature=%zz", b"").unwrap_err().code, -1022);
    }

    #[test]
    fn the_window_is_open_from_a_second_before_to_its_end() {
        let now = 1_700_000_000_000_000;
        let check = |ahead_us: i64, window_us| {
            Deadline { timestamp_us: now + ahead_us, window_us }.check_at(now).map_err(|error| error.msg.into_owned())
        };
        assert!(check(0, 0).is_ok() && check(999_999, 0).is_ok() && check(-5_000_000, 5_000_000).is_ok());
        assert!(check(1_000_000, 5_000_000).unwrap_err().contains("1000ms ahead"));
        assert!(check(-5_000_001, 5_000_000).unwrap_err().contains("outside of the recvWindow"));
    }
}
