//! Who may ask the ops port at all: which names it goes by, from which pages, with which key.
//!
//! A browser on the operator's machine reaches the port too, whatever page it shows. So the port answers by its own names
//! only (a foreign name may lead anywhere: DNS rebinding), nothing that another site's page sends, and what tells of
//! orders or changes anything asks for a session of the console or a program's key.
//!
//! Owns: the names, the check of every request, the file with the key of this process for programs on this machine.
//! Never does: know a session; the login does. Invariants: what is refused reaches no handler. Known limits: an address in
//! digits is always ours, since no name server can point it elsewhere.

use super::login::{Doors, Refused};
use crate::config::Config;
use actix_web::dev::RequestHead;
use actix_web::http::header::{self, HeaderMap, HeaderName};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Names by which a port may be called.
#[derive(Debug)]
pub(crate) struct Names(Vec<String>);

/// `host` of `host:port`, without the brackets of an IPv6 address.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(host, _)| host),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

impl Names {
    /// The name of the bound address, those that the settings list, and `localhost`.
    pub(super) fn new(config: &Config) -> Names {
        Names::of_port(&config.server.ops_listen, &config.ops.hosts)
    }

    /// The name of a bound address, further ones with or without a port, and `localhost`.
    pub(crate) fn of_port(bound: &str, hosts: &[String]) -> Names {
        let all = hosts.iter().map(String::as_str).chain([bound, "localhost"]);
        Names(all.map(|name| host_of(name).to_ascii_lowercase()).collect())
    }

    fn has(&self, authority: &str) -> bool {
        let host = host_of(authority);
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        host.parse::<IpAddr>().is_ok() || self.0.contains(&host)
    }

    /// Why a request goes no further.
    pub(crate) fn refusal(&self, head: &RequestHead) -> Option<(StatusCode, &'static str)> {
        // Probes of the oldest protocol name no host; browsers always do.
        let hosts = head.headers.get_all(header::HOST);
        if !hosts.into_iter().all(|host| host.to_str().is_ok_and(|host| self.has(host))) {
            let why =
                "This port does not go by this name; ops.hosts and admin.url in the settings name further ones.\n";
            return Some((StatusCode::MISDIRECTED_REQUEST, why));
        }
        let foreign = Some((StatusCode::FORBIDDEN, "Pages of other sites may not ask here.\n"));
        if let Some(origin) = head.headers.get(header::ORIGIN) {
            let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
            if origin.map(|(_, host)| host) != text(&head.headers, header::HOST) {
                return foreign;
            }
        }
        let changes = !matches!(head.method, Method::GET | Method::HEAD);
        let site = text(&head.headers, HeaderName::from_static("sec-fetch-site"));
        if changes && site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return foreign;
        }
        None
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The answer to who brings neither a program's key nor `ops.token`.
pub(super) fn refuse(doors: &Doors, key: Option<&str>) -> Option<HttpResponse> {
    let why = key.map_or(Err(Refused::Wrong), |key| doors.program(key)).err()?;
    Some(match why {
        Refused::TooMany => HttpResponse::TooManyRequests().insert_header((header::RETRY_AFTER, "60")).finish(),
        Refused::Wrong | Refused::Off => {
            let what = "This asks for the console's login, or for `Authorization: Bearer` with ops.token or the key in \
                        ops.key of the data folder.\n";
            HttpResponse::Unauthorized().insert_header((header::WWW_AUTHENTICATE, "Bearer")).body(what)
        }
    })
}

/// The key that a request brings.
pub(super) fn bearer(request: &HttpRequest) -> Option<&str> {
    text(request.headers(), header::AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// Where programs on this machine find the key of the process that serves these data.
#[must_use]
pub fn key_file(data_dir: &Path) -> PathBuf {
    data_dir.join("ops.key")
}

/// Writes the key for who may read what belongs to the exchange's user.
pub(super) fn write_key(data_dir: &Path, key: &str) -> io::Result<()> {
    let (path, new) = (key_file(data_dir), data_dir.join("ops.key.new"));
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?.write_all(key.as_bytes())?;
    fs::rename(&new, &path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use std::os::unix::fs::PermissionsExt;

    fn names(bound: &str, hosts: &[&str]) -> Names {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
        let mut config = Config::load(Path::new(path)).unwrap();
        config.server.ops_listen = bound.to_owned();
        config.ops.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        Names::new(&config)
    }

    fn answer(names: &Names, method: Method, headers: &[(&str, &str)]) -> Option<u16> {
        let request = TestRequest::default().method(method);
        let request = headers.iter().fold(request, |request, header| request.insert_header(*header));
        names.refusal(request.to_srv_request().head()).map(|(status, _)| status.as_u16())
    }

    #[test]
    fn the_port_goes_by_addresses_and_its_own_names_and_no_other() {
        let names = names("ops.internal:8081", &["Monitor.example"]);
        let ours = ["127.0.0.1:8081", "[::1]:8081", "10.1.2.3", "localhost:9000", "LOCALHOST.", "ops.internal:8081"];
        for host in ours.into_iter().chain(["monitor.example"]) {
            assert_eq!(answer(&names, Method::GET, &[("host", host)]), None, "{host}");
        }
        for host in
            ["evil.example:8081", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1"]
        {
            let seen = answer(&names, Method::GET, &[("host", host)]);
            assert_eq!(seen, Some(421), "{host}");
        }
        assert_eq!(answer(&names, Method::GET, &[]), None, "a probe that names none");
    }

    #[test]
    fn pages_of_other_sites_change_nothing_and_programs_do() {
        let names = names("127.0.0.1:8081", &[]);
        let host = ("host", "127.0.0.1:8081");
        let refused = |method: &Method, header| answer(&names, method.clone(), &[host, header]);
        for method in [Method::GET, Method::POST] {
            assert_eq!(answer(&names, method.clone(), &[host]), None, "a program");
            assert_eq!(refused(&method, ("origin", "http://127.0.0.1:8081")), None, "our own page");
            for origin in ["http://evil.example", "http://127.0.0.1:8080", "null"] {
                assert_eq!(refused(&method, ("origin", origin)), Some(403), "{method} from {origin}");
            }
            let changes = method == Method::POST;
            for (site, good) in
                [("same-origin", true), ("none", true), ("cross-site", !changes), ("same-site", !changes)]
            {
                assert_eq!(refused(&method, ("sec-fetch-site", site)).is_none(), good, "{method} {site}");
            }
        }
    }

    #[test]
    fn the_key_is_for_its_owner_alone_and_the_newest_counts() {
        let folder = tempfile::tempdir().unwrap();
        for key in ["one", "two"] {
            write_key(folder.path(), key).unwrap();
            let path = key_file(folder.path());
            assert_eq!(fs::read_to_string(&path).unwrap(), key);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
