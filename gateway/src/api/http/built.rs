//! Pages of builds that have a listener of their own: the operators' console and the back office.
//!
//! Owns: how their files are found. Never does: know who asks. Invariants: a name leads nowhere but into the build's own folder of
//! assets. Known limits: none.

use actix_files::NamedFile;
use actix_web::{HttpRequest, HttpResponse};
use std::path::Path;

/// The page of a build.
pub(crate) async fn page(folder: &Path, request: &HttpRequest) -> HttpResponse {
    match NamedFile::open_async(folder.join("index.html")).await {
        Ok(file) => file.into_response(request),
        Err(_) => HttpResponse::NotFound()
            .body("This page was not built: `make h5/dist/index.html` builds it beside the app.\n"),
    }
}

/// A file of a build.
pub(crate) async fn asset(folder: &Path, name: &str, request: &HttpRequest) -> HttpResponse {
    // Names of a build are plain; anything else is nobody's file.
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    if !plain || name.starts_with('.') {
        return HttpResponse::NotFound().finish();
    }
    match NamedFile::open_async(folder.join("assets").join(name)).await {
        Ok(file) => file.into_response(request),
        Err(_) => HttpResponse::NotFound().finish(),
    }
}
