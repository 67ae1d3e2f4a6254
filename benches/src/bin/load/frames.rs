//! Websocket frames as a client reads and writes them, as cheaply as may be: the generator shares its cores with the
//! server, and at a million messages a second a general library would be what is measured.
//!
//! Owns: the handshake, frames in and out, the event time in a payload. Never does: check a payload.
//! Invariants: a frame that is cut anywhere is read when its rest is there. Known limits: no fragments, no extensions.

use std::time::{SystemTime, UNIX_EPOCH};

/// Kinds of frames.
pub(crate) const TEXT: u8 = 1;
pub(crate) const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
const PONG: u8 = 10;

/// Where a frame's head may look for its event time.
const LOOK_AT: usize = 256;

/// The request that opens a socket.
pub(crate) fn handshake(host: &str, path: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: bG9hZCBnZW5lcmF0b3IhIQ==\r\n\r\n"
    )
}

/// What came before is kept until a frame is whole.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    rest: Vec<u8>,
}

/// Kind, begin and end of the payload of the frame at the begin, when it is whole.
fn whole_frame(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let (kind, short) = (bytes.first()? & 0x0f, usize::from(bytes.get(1)? & 0x7f));
    let (from, len): (usize, usize) = match short {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?),
        len => (2, len),
    };
    let to = from.checked_add(len)?;
    (bytes.len() >= to).then_some((kind, from, to))
}

impl Frames {
    /// Takes bytes and hands each frame that they complete, its kind and payload, to `each`.
    pub(crate) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(u8, &[u8])) {
        let joined;
        let mut left = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.rest);
            &joined
        };
        while let Some((kind, from, to)) = whole_frame(left) {
            each(kind, &left[from..to]);
            left = &left[to..];
        }
        self.rest.extend_from_slice(left);
    }
}

/// A client's frame; its mask is zero, which masks nothing and is allowed.
pub(crate) fn client_frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(8 + payload.len());
    frame.push(0x80 | kind);
    match u8::try_from(payload.len()).ok().filter(|len| *len < 126) {
        Some(short) => frame.push(0x80 | short),
        None => {
            let len = u16::try_from(payload.len()).expect("frames are of 64 KiB at most");
            frame.push(0x80 | 126);
            frame.extend_from_slice(&len.to_be_bytes());
        }
    }
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(payload);
    frame
}

/// The answer to a ping.
pub(crate) fn pong(payload: &[u8]) -> Vec<u8> {
    client_frame(PONG, payload)
}

/// A server's text frame of so many bytes with the time of now, in the form of the public streams.
pub(crate) fn put_timed(out: &mut Vec<u8>, bytes: usize) {
    let head = format!(r#"{{"e":"probe","E":{},"x":""#, epoch_micros() / 1_000);
    let len = bytes.clamp(head.len() + 2, 60_000);
    out.push(0x80 | TEXT);
    match u8::try_from(len).ok().filter(|len| *len < 126) {
        Some(short) => out.push(short),
        None => {
            out.push(126);
            out.extend_from_slice(&(len as u16).to_be_bytes());
        }
    }
    out.extend_from_slice(head.as_bytes());
    out.resize(out.len() + len - head.len() - 2, b'.');
    out.extend_from_slice(b"\"}");
}

/// The event time of a payload, milliseconds since the epoch; none when it does not tell one.
pub(crate) fn event_ms(payload: &[u8]) -> Option<u64> {
    let head = &payload[..payload.len().min(LOOK_AT)];
    let at = head.windows(4).position(|four| four == b"\"E\":")? + 4;
    let digits = head[at..].iter().take_while(|b| b.is_ascii_digit());
    let ms = digits.fold(0_u64, |sum, digit| sum.wrapping_mul(10) + u64::from(digit - b'0'));
    (ms > 0).then_some(ms)
}

/// Microseconds since the epoch, by the clock that event times are of.
pub(crate) fn epoch_micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_all_lengths_are_read_however_they_are_cut() {
        let mut bytes = Vec::new();
        for len in [60, 125, 126, 130, 70_000] {
            put_timed(&mut bytes, len);
        }
        bytes.extend_from_slice(&[0x80 | PING, 2, b'h', b'i']);
        for step in [1, 7, 1_000, bytes.len()] {
            let (mut frames, mut seen) = (Frames::default(), Vec::new());
            for chunk in bytes.chunks(step) {
                frames.take(chunk, |kind, payload| seen.push((kind, payload.len(), event_ms(payload).is_some())));
            }
            let texts = [60, 125, 126, 130, 60_000].map(|len| (TEXT, len, true));
            assert_eq!(seen, [&texts[..], &[(PING, 2, false)]].concat());
        }
    }

    #[test]
    fn the_event_time_is_found_in_plain_and_wrapped_payloads() {
        assert_eq!(event_ms(br#"{"e":"trade","E":1700000000123,"s":"BTCUSDT"}"#), Some(1_700_000_000_123));
        assert_eq!(event_ms(br#"{"stream":"btcusdt@trade","data":{"e":"trade","E":17}}"#), Some(17));
        assert_eq!(event_ms(br#"{"u":1,"s":"BTCUSDT"}"#), None);
    }
}
