//! The app's files: how long browsers may keep them, and the compressed copies that the build made.
//!
//! Never does: leave the app's folder; compress itself (the build did it better and once).
//! Owns: headers of files, and the choice of the compressed copy. Invariants: a copy has an entity tag of its own. Known
//! limits: gzip and Brotli only.

use super::guard::client_ip;
use super::limits::network;
use crate::app::App;
use actix_files::NamedFile;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    AcceptEncoding, CACHE_CONTROL, ContentEncoding, Encoding, Header, HeaderValue, RETRY_AFTER, VARY,
};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpResponse};
use std::path::{Component, Path, PathBuf};

/// Bytes of a file that weigh as much as a call.
const BYTES_A_WEIGHT: u64 = 64 * 1_024;

/// Counts files by their size against the second of who asks.
pub async fn counted(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(app) = request.app_data::<Data<App>>().cloned() else {
        return next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    };
    let (pace, from) = (&app.shared.pace, network(client_ip(request.request(), &app.shared.config)));
    if pace.turn(from, 1).await.is_err() {
        let refused = HttpResponse::TooManyRequests().insert_header((RETRY_AFTER, "1")).finish();
        return Ok(request.into_response(refused));
    }
    let answer = next.call(request).await?;
    if let BodySize::Sized(bytes) = answer.response().body().size() {
        pace.charge(from, bytes / BYTES_A_WEIGHT);
    }
    Ok(answer.map_into_boxed_body())
}

/// Files with a hash in their name may be kept for ever, pictures for a day, the others not without asking.
pub async fn caching(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let path = request.path();
    let hashed = path.starts_with("/h5/assets/");
    let picture = ["/h5/icons/", "/h5/coins/", "/h5/banners/"].iter().any(|folder| path.starts_with(folder));
    let mut response = next.call(request).await?;
    let keep = match response.status().is_success() {
        true if hashed => "public, max-age=31536000, immutable",
        true if picture => "public, max-age=86400",
        _ => "no-cache",
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    Ok(response)
}

/// Answers with the twin `<file>.br` or `<file>.gz` where there is one and the client takes it. The twin's entity tag is
/// its own.
pub async fn twins(
    folder: PathBuf,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if let Some((twin, encoding, original)) = twin_of(&folder, &request)
        && let Ok(file) = NamedFile::open_async(&twin).await
    {
        let kind = actix_files::file_extension_to_mime(original.extension().and_then(|e| e.to_str()).unwrap_or(""));
        let kind = if kind.type_() == "text" { format!("{kind}; charset=utf-8").parse().unwrap_or(kind) } else { kind };
        let file = file.set_content_type(kind).set_content_encoding(encoding).disable_content_disposition();
        let mut response = file.into_response(request.request());
        response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        return Ok(request.into_response(response));
    }
    next.call(request).await.map(ServiceResponse::map_into_boxed_body)
}

/// Path and encoding of the twin that fits a request best, and the file that it stands for.
fn twin_of(folder: &Path, request: &ServiceRequest) -> Option<(PathBuf, ContentEncoding, PathBuf)> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let file = app_file(folder, request.path())?;
    let accepted = AcceptEncoding::parse(request).ok()?;
    // The denser one first: the client's order says nothing about that.
    let takes =
        |encoding: Encoding| accepted.negotiate([encoding.clone(), Encoding::identity()].iter()) == Some(encoding);
    let encoding = match () {
        () if takes(Encoding::brotli()) => ContentEncoding::Brotli,
        () if takes(Encoding::gzip()) => ContentEncoding::Gzip,
        () => return None,
    };
    let suffix = if encoding == ContentEncoding::Brotli { "br" } else { "gz" };
    let name = format!("{}.{suffix}", file.file_name()?.to_str()?);
    Some((file.with_file_name(name), encoding, file))
}

/// The file that a path below `/h5/` names; none when it would leave the folder.
fn app_file(folder: &Path, path: &str) -> Option<PathBuf> {
    let below = path.strip_prefix("/h5/")?;
    let below = if below.is_empty() { "index.html" } else { below };
    let plain = Path::new(below).components().all(|c| matches!(c, Component::Normal(_)));
    (plain && !below.contains('%')).then(|| folder.join(below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn wanted(path: &str, accept: &str) -> Option<(PathBuf, ContentEncoding)> {
        let request = TestRequest::get().uri(path).insert_header(("accept-encoding", accept)).to_srv_request();
        twin_of(Path::new("/app"), &request).map(|(twin, encoding, _)| (twin, encoding))
    }

    #[test]
    fn the_densest_twin_that_the_client_takes_is_chosen() {
        let br = Some(("/app/index.html.br".into(), ContentEncoding::Brotli));
        let gz = Some(("/app/index.html.gz".into(), ContentEncoding::Gzip));
        assert_eq!(wanted("/h5/", "gzip, deflate, br"), br);
        assert_eq!(wanted("/h5/index.html", "br"), br);
        assert_eq!(wanted("/h5/", "gzip"), gz);
        assert_eq!(wanted("/h5/", "br;q=0, gzip"), gz);
        assert_eq!(wanted("/h5/", "gzip;q=0"), None);
        assert_eq!(wanted("/h5/", "br;q=0"), None);
        assert_eq!(wanted("/h5/", "identity"), None);
        assert_eq!(wanted("/h5/", "deflate"), None);
    }

    #[test]
    fn no_path_leaves_the_folder() {
        for path in ["/h5/../secret", "/h5/a/../../secret", "/h5/%2e%2e/secret", "/h5//etc/passwd", "/other"] {
            assert_eq!(wanted(path, "br"), None, "{path}");
        }
    }
}
