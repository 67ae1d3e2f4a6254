//! Where a store is.
//!
//! Owns: the forms `sqlite:PATH` and `postgres://…`. Never does: show a password, connect.
//! Invariants: what `Debug` and the errors say holds neither password nor query. Known limits: none.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use sqlx::postgres::PgConnectOptions;

use super::StoreError;
use crate::postgres::shown;

/// What may follow the question mark of a Postgres url.
const PARAMETERS: [&str; 10] =
    ["host", "port", "dbname", "user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey", "application_name"];

/// The url of a store: `sqlite:PATH`, or `postgres://user:password@host/database?parameters`; with
/// `postgres:///database?host=/folder` the server is asked through its unix socket.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreUrl(String);

/// What a url names.
pub(super) enum Place {
    Sqlite(PathBuf),
    Postgres(Box<PgConnectOptions>),
}

impl StoreUrl {
    /// Reads a url.
    ///
    /// # Errors
    /// [`StoreError::Url`] when it has no known form.
    pub fn parse(url: &str) -> Result<Self, StoreError> {
        let url = Self(url.trim().to_owned());
        url.place().map(|_| url)
    }

    /// A SQLite file.
    #[must_use]
    pub fn sqlite(path: &Path) -> Self {
        Self(format!("sqlite:{}", path.display()))
    }

    /// The file, when it is one.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        self.0.strip_prefix("sqlite:").map(PathBuf::from)
    }

    pub(super) fn place(&self) -> Result<Place, StoreError> {
        let wrong = |what: &str| Err(StoreError::Url(what.to_owned()));
        if let Some(path) = self.0.strip_prefix("sqlite:") {
            return if path.is_empty() { wrong("sqlite: names no file") } else { Ok(Place::Sqlite(path.into())) };
        }
        if !self.0.starts_with("postgres://") && !self.0.starts_with("postgresql://") {
            return wrong("it begins neither with sqlite: nor with postgres://");
        }
        let parameters = self.0.split_once('?').map_or("", |(_, parameters)| parameters);
        let mut names = parameters.split('&').map(|parameter| parameter.split('=').next().unwrap_or_default());
        if let Some(name) = names.find(|name| !name.is_empty() && !PARAMETERS.contains(name)) {
            // What is no name may be the rest of a password.
            let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            return wrong(&format!("unknown parameter {}", if is_name { name } else { "" }));
        }
        if self.0.split('?').next().is_some_and(|place| place.matches('@').count() > 1 || has_late_at(place)) {
            return wrong("a password's / ? and @ are written %2F %3F and %40");
        }
        match self.0.parse() {
            Ok(options) => Ok(Place::Postgres(Box::new(options))),
            Err(error) => Err(StoreError::Url(error.to_string())),
        }
    }
}

/// An `@` after the first `/` behind the host: then the `/` was meant to be in the password.
fn has_late_at(place: &str) -> bool {
    let behind = place.split_once("://").map_or("", |(_, behind)| behind);
    behind.split_once('/').is_some_and(|(_, path)| path.contains('@'))
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Ok(Place::Sqlite(path)) => write!(f, "sqlite:{}", path.display()),
            Ok(Place::Postgres(options)) => f.write_str(&shown(&options)),
            Err(_) => f.write_str("no store"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_files_and_servers_and_nothing_else() {
        for good in [
            "sqlite:data/store.db",
            "postgres://exchange@localhost/exchange",
            "postgresql://u:p@db:5433/x?sslmode=require",
            "postgres:///exchange?host=/run/postgresql&user=exchange",
        ] {
            StoreUrl::parse(good).unwrap_or_else(|e| panic!("{good}: {e}"));
        }
        for bad in ["", "sqlite:", "store.db", "mysql://x/y", "postgres://u@h/x?sslmode=maybe", "postgres://u@h:port/x"]
        {
            assert!(matches!(StoreUrl::parse(bad), Err(StoreError::Url(_))), "{bad}");
        }
    }

    #[test]
    fn neither_debug_nor_an_error_shows_a_password() {
        let url = StoreUrl::parse("postgres://trader:hunter2@db.example/exchange?password=hunter2").expect("a url");
        assert_eq!(format!("{url:?}"), "postgres at db.example, database exchange");
        for bad in [
            "postgres://trader:hunter2@db:port/exchange",
            "postgres://trader:hunter2@db/exchange?pasword=hunter2",
            "postgres://trader:hunter2@db/exchange?sslmode=hunter2x",
            "mysql://trader:hunter2@db",
            "postgres://trader:12/hunter2@db/exchange",
            "postgres://trader:hunter2?hunter2@db/exchange",
            "postgres://trader:hunter2@x@db/exchange",
        ] {
            let error = StoreUrl::parse(bad).expect_err("is wrong").to_string();
            assert!(!error.contains("trader") && !error.contains("hunter2@"), "{error}");
        }
    }
}
