//! Who is asking, from where, and with which headers we answer.
//!
//! Owns: addresses, origins, headers. Never does: read a body. Invariants: a forwarded address counts
//! only from a proxy that is trusted. Known limits: of several proxies only the last is believed.

use crate::config::Config;
use actix_web::HttpRequest;
use actix_web::http::header;
use actix_web::middleware::DefaultHeaders;
use actix_web::rt::net::TcpStream;
use std::any::Any;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::AsFd;
use std::sync::Arc;

/// A second handle of a connection, by which a stalled reader can be cut off.
#[derive(Debug)]
pub struct SocketHandle(Arc<std::net::TcpStream>);

impl SocketHandle {
    /// Keeps a handle of a new connection and bounds what the kernel keeps for it, `send_buffer` bytes: a reader that
    /// stalls is noticed by that, and many of them cost little. What is written leaves at once: otherwise the end of a larger
    /// answer waits for the client's delayed acknowledgement, 40 ms.
    pub fn keep(io: &dyn Any, send_buffer: usize) -> Option<SocketHandle> {
        let stream = io.downcast_ref::<TcpStream>()?;
        if let Err(error) = socket2::SockRef::from(stream).set_send_buffer_size(send_buffer) {
            tracing::debug!(%error, "a connection keeps its own send buffer");
        }
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection waits for acknowledgements");
        }
        stream.as_fd().try_clone_to_owned().ok().map(|fd| SocketHandle(Arc::new(fd.into())))
    }

    /// The same handle: one file more a connection is enough.
    #[must_use]
    pub fn share(&self) -> Arc<std::net::TcpStream> {
        self.0.clone()
    }
}

/// The client's address: the peer's, or what a trusted proxy says.
#[must_use]
pub fn client_ip(request: &HttpRequest, config: &Config) -> IpAddr {
    // An IPv4 peer of an IPv6 listener is still an IPv4 peer.
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |a| a.ip().to_canonical());
    if !config.server.trusted_proxies.iter().any(|p| p.parse() == Ok(peer)) {
        return peer;
    }
    let forwarded = request.headers().get_all("x-forwarded-for").last().and_then(|v| v.to_str().ok());
    // The last entry of the last line is the one that our own proxy added.
    let client = forwarded.and_then(|list| list.rsplit(',').next()).and_then(|ip| ip.trim().parse().ok());
    client.map_or(peer, |ip: IpAddr| ip.to_canonical())
}

/// A browser's page may open a socket only from our own origin or an allowed one; programs send no origin.
#[must_use]
pub fn origin_allowed(request: &HttpRequest, config: &Config) -> bool {
    let Some(origin) = request.headers().get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let host = request.headers().get(header::HOST).and_then(|h| h.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").is_some_and(|(_, rest)| rest == host);
    own || config.server.origins.iter().any(|o| o == origin)
}

/// Headers on every answer (`docs/rules/reliability.md "Security headers"`).
#[must_use]
pub fn headers(config: &Config) -> DefaultHeaders {
    let frames = config.server.frame_sources.iter().fold("'self'".to_owned(), |all, one| format!("{all} {one}"));
    let policy = format!(
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         frame-src {frames}; worker-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'; \
         object-src 'none'"
    );
    let headers = DefaultHeaders::new();
    let headers = if config.server.behind_tls {
        headers.add((header::STRICT_TRANSPORT_SECURITY, "max-age=63072000; includeSubDomains"))
    } else {
        headers
    };
    headers
        .add((header::CONTENT_SECURITY_POLICY, policy))
        .add((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .add((header::X_FRAME_OPTIONS, "DENY"))
        .add((header::REFERRER_POLICY, "no-referrer"))
        .add(("permissions-policy", "geolocation=(), microphone=(), payment=()"))
        .add(("cross-origin-opener-policy", "same-origin"))
}

/// Headers on every answer of the ops port: nothing there is for other sites or for a cache.
#[must_use]
pub fn strict_headers() -> DefaultHeaders {
    let policy = "default-src 'self'; img-src 'self' data:; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
                  form-action 'self'; object-src 'none'";
    DefaultHeaders::new()
        .add((header::CONTENT_SECURITY_POLICY, policy))
        .add((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .add((header::X_FRAME_OPTIONS, "DENY"))
        .add((header::REFERRER_POLICY, "no-referrer"))
        .add((header::CACHE_CONTROL, "no-store"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn what_is_written_to_a_connection_leaves_at_once() {
        let listener = actix_web::rt::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let kept = SocketHandle::keep(&stream, 65_536).unwrap();
        assert!(stream.nodelay().unwrap() && kept.share().nodelay().unwrap());
    }

    #[test]
    fn an_address_is_the_same_however_the_proxy_writes_it() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
        let mut config = Config::load(std::path::Path::new(path)).unwrap();
        config.server.trusted_proxies = vec!["127.0.0.1".into()];
        for forwarded in ["1.2.3.4", "::ffff:1.2.3.4", "9.9.9.9, ::ffff:1.2.3.4"] {
            let request = actix_web::test::TestRequest::default()
                .peer_addr("127.0.0.1:9".parse().unwrap())
                .insert_header(("x-forwarded-for", forwarded));
            assert_eq!(client_ip(&request.to_http_request(), &config), IpAddr::from([1, 2, 3, 4]), "{forwarded}");
        }
    }
}
