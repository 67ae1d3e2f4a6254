//! `POST /upload` (`docs/rules/app-calls.md "Upload"`): one picture a call. Of the kinds `document` and
//! `chat` it is kept sealed, for reviewers and for who answers.
//!
//! Whatever comes is decoded in full and written anew, so that nothing but a picture can be stored: no metadata, no
//! second format behind the first, no markup. Names are random; the ending is ours.
//!
//! Owns: limits, decoding, the new file. Never does: keep a byte as it came. Invariants: decoding is bounded in
//! pixels and memory before it begins. Known limits: JPEG, PNG, GIF and WebP; of an animation the first picture
//! stays.

use super::call::{Call, CallResult};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::config::Config;
use actix_multipart::Multipart;
use actix_web::web::{Bytes, block};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::StreamExt;
use image::codecs::jpeg::JpegEncoder;
use image::{ImageFormat, ImageReader, Limits};
use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;
use xng_core::entity::CommandClass;
use xng_core::ids::AccountId;

/// Bytes of one file.
const MAX_BYTES: usize = 10 << 20;
/// Pixels of one side.
const MAX_SIDE: u32 = 8_000;
/// Bytes that decoding may take: 16 million pixels.
const MAX_DECODED: u64 = 64 << 20;
/// Pictures that are worked on at the same time.
pub const AT_ONCE: usize = 2;
/// A picture's bytes come within this time.
const BODY_WITHIN: Duration = Duration::from_secs(30);
const JPEG_QUALITY: u8 = 88;
/// Pixels of one side of a picture in a conversation: larger ones are made smaller.
const CHAT_SIDE: u32 = 1_600;

/// Where uploads lie.
#[must_use]
pub fn folder(config: &Config) -> PathBuf {
    config.server.data_dir.join("upload")
}

/// Decodes and writes anew, no side longer than that; the ending and the bytes, or nothing for what is no picture.
#[must_use]
pub fn rewrite(bytes: &[u8], most_side: u32) -> Option<(&'static str, Vec<u8>)> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let format = reader.format()?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::Gif | ImageFormat::WebP) {
        return None;
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let is_large = picture.width().max(picture.height()) > most_side;
    let picture = if is_large { picture.thumbnail(most_side, most_side) } else { picture };
    let mut out = Vec::new();
    if format == ImageFormat::Jpeg {
        picture.to_rgb8().write_with_encoder(JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY)).ok()?;
        return Some(("jpg", out));
    }
    picture.write_to(&mut Cursor::new(&mut out), ImageFormat::Png).ok()?;
    (out.len() <= MAX_BYTES).then_some(("png", out))
}

async fn file_of(mut form: Multipart) -> Result<Vec<u8>, Failure> {
    let bad = || Failure::from(Code::BadFile);
    while let Some(field) = form.next().await {
        let mut field = field.map_err(|_| bad())?;
        let wanted = field.name() == Some("file");
        let mut bytes = Vec::new();
        while let Some(chunk) = field.next().await {
            let chunk = chunk.map_err(|_| bad())?;
            if bytes.len() + chunk.len() > MAX_BYTES {
                return Err(bad());
            }
            bytes.extend_from_slice(&chunk);
        }
        if wanted {
            return Ok(bytes);
        }
    }
    Err(Failure::field("file", "missing"))
}

/// Held while a user's picture is on its way.
struct One<'a>(&'a Call, AccountId);

impl One<'_> {
    fn of(call: &Call, account: AccountId) -> Result<One<'_>, Failure> {
        let alone = call.app.shared.uploading.insert(account);
        if alone { Ok(One(call, account)) } else { Err(Code::Busy.into()) }
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.0.app.shared.uploading.remove(&self.1);
    }
}

async fn store(call: &Call, form: Multipart) -> CallResult {
    let session = call.session().await?;
    let (is_private, most_side) = match call.params.get("kind") {
        None => (false, MAX_SIDE),
        Some("document") => (true, MAX_SIDE),
        Some("chat") => (true, CHAT_SIDE),
        Some(_) => return Err(Failure::field("kind", "unknown")),
    };
    if !call.app.shared.uploads.take(session.account) {
        return Err(Code::TooMany.into());
    }
    // One of a user at a time, and it has to come at a pace: slow ones keep nobody else out.
    let _alone = One::of(call, session.account)?;
    let body = actix_web::rt::time::timeout(BODY_WITHIN, file_of(form)).await;
    let bytes = body.map_err(|_| Failure::from(Code::Busy))??;
    let slot = call.app.shared.upload_slots.acquire().await;
    let rewritten = block(move || rewrite(&bytes, most_side)).await.map_err(|_| Failure::from(Code::Busy))?;
    drop(slot);
    let (ending, bytes) = rewritten.ok_or(Code::BadFile)?;
    let quota = call.app.shared.config.limits.upload_mib_per_user << 20;
    call.app.shared.auth.reserve_upload(session.account, bytes.len() as u64, quota).await?;
    if is_private {
        let data_dir = &call.app.shared.config.server.data_dir;
        let name = call.app.shared.auth.keep_picture(data_dir, session.account, (ending, bytes)).await?;
        return Ok(Answer::ok(name.into()));
    }
    let name = format!("{}.{ending}", crate::api::auth::secrets::file_name());
    let path = folder(&call.app.shared.config).join(&name);
    let written = block(move || {
        // A full disk leaves half of it.
        std::fs::write(&path, bytes).inspect_err(|_| drop(std::fs::remove_file(&path)))
    });
    let written = written.await;
    match written {
        Ok(Ok(())) => Ok(Answer::ok(format!("/upload/{name}").into())),
        _ => Err(Code::Busy.into()),
    }
}

/// `POST /upload`.
pub async fn upload(request: HttpRequest, form: Multipart) -> HttpResponse {
    let call = match Call::read(&request, &Bytes::new(), CommandClass::Consumes) {
        Ok(call) => call,
        Err((lang, failure)) => return super::call::failed(&request, lang, &failure),
    };
    match store(&call, form).await {
        Ok(answer) => answer.response(),
        Err(failure) => super::call::failed(&request, call.lang, &failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, RgbaImage};

    fn picture(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        let image = DynamicImage::ImageRgba8(RgbaImage::from_pixel(8, 8, image::Rgba([1, 2, 3, 255])));
        let image = if format == ImageFormat::Jpeg { DynamicImage::ImageRgb8(image.to_rgb8()) } else { image };
        image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    #[test]
    fn pictures_are_written_anew_without_what_was_hidden_in_them() {
        for (format, ending) in [
            (ImageFormat::Png, "png"),
            (ImageFormat::Jpeg, "jpg"),
            (ImageFormat::Gif, "png"),
            (ImageFormat::WebP, "png"),
        ] {
            let mut bytes = picture(format);
            bytes.extend_from_slice(b"<script>alert(1)</script><?php ?>");
            let (found, rewritten) = rewrite(&bytes, MAX_SIDE).unwrap();
            assert_eq!(found, ending);
            assert!(!rewritten.windows(7).any(|w| w == b"<script"), "{format:?}");
        }
    }

    #[test]
    fn a_picture_with_a_long_side_is_made_smaller_and_keeps_its_form() {
        let mut bytes = Vec::new();
        let image = DynamicImage::ImageRgba8(RgbaImage::from_pixel(80, 20, image::Rgba([1, 2, 3, 255])));
        image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        let (_, smaller) = rewrite(&bytes, 40).unwrap();
        let smaller = image::load_from_memory(&smaller).unwrap();
        assert_eq!((smaller.width(), smaller.height()), (40, 10));
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let svg = br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#;
        for bad in [b"".as_slice(), b"GIF89a", b"\x89PNG\r\n\x1a\n", svg, b"<?php echo 1;", b"MZ\x90\0"] {
            assert!(rewrite(bad, MAX_SIDE).is_none());
        }
        let mut huge = picture(ImageFormat::Png);
        // 20,000 by 20,000 in the header.
        huge[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
        assert!(rewrite(&huge, MAX_SIDE).is_none(), "a bomb is not decoded");
    }
}
