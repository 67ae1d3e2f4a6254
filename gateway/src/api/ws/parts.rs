//! A text that comes in several frames (RFC 6455 section 5.4).
//!
//! Owns: what came of it so far. Never does: read a frame. Invariants: a text is bounded as a whole, in bytes and in frames, whatever
//! it is made of. Known limits: texts only.

use actix_http::ws::Item;
use actix_web::web::{Bytes, BytesMut};

/// Frames of one text.
const MOST_PARTS: u32 = 1_024;

/// What is wrong with a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It continues nothing, or begins before the last one ended.
    Order,
    /// It is no text.
    Kind,
    /// There are too many, or they are too long together.
    Size,
    /// They are no UTF-8 together.
    Letters,
}

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Parts(Option<(BytesMut, u32)>);

impl Parts {
    /// Takes the next; gives the text with the last one.
    pub(super) fn take(&mut self, item: Item, most_bytes: usize) -> Result<Option<String>, Wrong> {
        match item {
            Item::FirstBinary(_) => Err(Wrong::Kind),
            Item::FirstText(_) if self.0.is_some() => Err(Wrong::Order),
            Item::FirstText(bytes) => {
                self.0 = Some((BytesMut::new(), 0));
                self.add(&bytes, most_bytes).map(|()| None)
            }
            Item::Continue(bytes) => self.add(&bytes, most_bytes).map(|()| None),
            Item::Last(bytes) => {
                self.add(&bytes, most_bytes)?;
                let (text, _) = self.0.take().ok_or(Wrong::Order)?;
                String::from_utf8(text.to_vec()).map(Some).map_err(|_| Wrong::Letters)
            }
        }
    }

    fn add(&mut self, bytes: &Bytes, most_bytes: usize) -> Result<(), Wrong> {
        let (text, count) = self.0.as_mut().ok_or(Wrong::Order)?;
        *count += 1;
        if *count > MOST_PARTS || text.len() + bytes.len() > most_bytes {
            return Err(Wrong::Size);
        }
        text.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    #[test]
    fn parts_become_one_text_and_what_cannot_is_refused() {
        let mut parts = Parts::default();
        assert_eq!(parts.take(Item::FirstText(bytes("a")), 4), Ok(None));
        assert_eq!(parts.take(Item::Continue(bytes("")), 4), Ok(None));
        assert_eq!(parts.take(Item::Last(bytes("bc")), 4), Ok(Some("abc".to_owned())));
        assert_eq!(parts.take(Item::Continue(bytes("x")), 4), Err(Wrong::Order));
        assert_eq!(parts.take(Item::FirstBinary(bytes("x")), 4), Err(Wrong::Kind));
        parts.take(Item::FirstText(bytes("abcd")), 4).unwrap();
        assert_eq!(parts.take(Item::FirstText(bytes("e")), 4), Err(Wrong::Order));
        assert_eq!(parts.take(Item::Last(bytes("e")), 4), Err(Wrong::Size));
        let (first, rest) = "é".as_bytes().split_at(1);
        let mut split = Parts::default();
        split.take(Item::FirstText(Bytes::copy_from_slice(first)), 4).unwrap();
        assert_eq!(split.take(Item::Last(Bytes::copy_from_slice(rest)), 4), Ok(Some("é".to_owned())), "whole letters");
        let mut broken = Parts::default();
        broken.take(Item::FirstText(Bytes::copy_from_slice(first)), 4).unwrap();
        assert_eq!(broken.take(Item::Last(bytes("e")), 4), Err(Wrong::Letters));
        let mut many = Parts::default();
        many.take(Item::FirstText(bytes("")), 4).unwrap();
        let end = (0..MOST_PARTS).find_map(|_| many.take(Item::Continue(bytes("")), 4).err());
        assert_eq!(end, Some(Wrong::Size), "nor does nothing go on for ever");
    }
}
