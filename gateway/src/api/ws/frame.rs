//! Websocket frames as the server writes them (RFC 6455 section 5.2).
//!
//! Owns: heads of frames. Never does: read one. Invariants: whole frames, not masked. Known limits: texts and closes.

use actix_web::web::{BufMut, BytesMut};

const LAST: u8 = 0x80;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
/// Payloads below this length have it in one byte.
const SHORT: usize = 126;

/// A text.
pub fn put_text(out: &mut BytesMut, text: &str) {
    out.reserve(text.len() + 10);
    out.put_u8(LAST | TEXT);
    match text.len() {
        len if len < SHORT => out.put_u8(len as u8),
        len => match u16::try_from(len) {
            Ok(len) => {
                out.put_u8(126);
                out.put_u16(len);
            }
            Err(_) => {
                out.put_u8(127);
                out.put_u64(len as u64);
            }
        },
    }
    out.extend_from_slice(text.as_bytes());
}

/// The end, with its code and a reason of less than 124 bytes.
pub fn put_close(out: &mut BytesMut, code: u16, reason: &str) {
    debug_assert!(reason.len() + 2 < SHORT, "control frames are short");
    out.put_u8(LAST | CLOSE);
    out.put_u8(reason.len() as u8 + 2);
    out.put_u16(code);
    out.extend_from_slice(reason.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_in_the_shortest_form() {
        for (len, head) in [
            (0, &[0x81, 0][..]),
            (125, &[0x81, 125]),
            (126, &[0x81, 126, 0, 126]),
            (65_535, &[0x81, 126, 0xff, 0xff]),
            (65_536, &[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            let mut out = BytesMut::new();
            put_text(&mut out, &"x".repeat(len));
            assert_eq!((&out[..head.len()], out.len()), (head, head.len() + len));
        }
    }

    #[test]
    fn a_close_tells_code_and_reason() {
        let mut out = BytesMut::new();
        put_close(&mut out, 1_013, "later");
        assert_eq!(&out[..], b"\x88\x07\x03\xf5later");
    }
}
