//! Settings: one TOML file, every key may be overridden by `XNG__SECTION__KEY`. Unknown keys are errors.
//!
//! Owns: the keys, and the valid values of each. Never does: show a password, in `Debug` or in an error.
//! Invariants: the numbers of a `Config` are in their valid ranges. Known limits: lists cannot be overridden by variables.

use crate::common::passkeys;
use crate::custody::settings::ChainSettings;
use crate::messenger::settings::{MailSettings, SmsSettings};
use actix_web::http::Uri;
use ipnet::IpNet;
use serde::{Deserialize, Deserializer};
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use thiserror::Error;
use xng_persistence::journal::format::MOST_SEGMENT_BYTES;
use xng_persistence::redis::RedisUrl;
use xng_persistence::store::StoreUrl;

/// Levels of one side of a ladder: the market takes both sides in one decision.
const MOST_LEVELS: u64 = 2_048;

/// Stands in `server.cors_origins` for every origin.
pub const ANY_ORIGIN: &str = "*";

/// Whether browsers may name a page's origin so: scheme, host in small letters and perhaps port, nothing more.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-._:[]".contains(&b);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(fits)) && text.parse::<Uri>().is_ok()
}

/// Whether browsers have passkeys for a page's origin.
fn check_site(setting: &str, url: &str) -> Result<(), ConfigError> {
    if !is_origin(url) || passkeys::Site::new(url).is_none() {
        let what = format!("{setting}: {url} is no origin with a name, as https://office.example");
        return Err(ConfigError::Conflict(what));
    }
    let host = url.strip_prefix("http://").map(|rest| rest.split(':').next().unwrap_or_default());
    match host {
        None | Some("localhost") => Ok(()),
        Some(_) => {
            let what = format!("{setting}: browsers have no passkeys for {url}: only for https:// and localhost");
            Err(ConfigError::Conflict(what))
        }
    }
}

/// Characters of the operators' token at least.
const LEAST_TOKEN: usize = 16;

/// Why the settings cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A file cannot be read or has an unknown or ill-typed key.
    #[error("settings: {0}")]
    Settings(String),
    /// Settings that do not fit together.
    #[error("settings: {0}")]
    Conflict(String),
    /// A file of seeds.
    #[error("{path}: {message}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

/// What an installation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// To look at: opening balances, demo users, dev mailbox.
    Demo,
    /// For real.
    Production,
}

/// All settings; `config/exchange.toml` says what each is for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Config {
    pub profile: Profile,
    pub server: Server,
    pub clock: Clock,
    pub site: Site,
    pub files: Files,
    pub auth: Auth,
    pub limits: Limits,
    pub api: Api,
    pub feed: Feed,
    pub house: House,
    pub demo: Demo,
    pub ops: Ops,
    /// As shipped, in settings of a release without a back office.
    #[serde(default)]
    pub admin: Admin,
    pub store: Store,
    pub redis: Redis,
    pub journal: Journal,
    /// As shipped, in settings of a release without withdrawals.
    #[serde(default)]
    pub withdrawals: Withdrawals,
    /// None is sent, in settings of a release without these.
    #[serde(default)]
    pub mail: MailSettings,
    #[serde(default)]
    pub sms: SmsSettings,
    /// Chains whose coins come in; none unless the settings name one.
    #[serde(default)]
    pub chain: Vec<ChainSettings>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Server {
    pub listen: String,
    pub ops_listen: String,
    #[serde(default)]
    pub admin_listen: String,
    pub workers: usize,
    #[serde(default = "shipped_slice")]
    pub slice_us: u64,
    pub data_dir: PathBuf,
    pub static_dir: PathBuf,
    pub origins: Vec<String>,
    pub cors_origins: Vec<String>,
    pub behind_tls: bool,
    pub frame_sources: Vec<String>,
    pub trusted_proxies: Vec<String>,
}

fn shipped_slice() -> u64 {
    100
}

/// From where a start's time goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockStart {
    /// From the wall clock, which must not lie before the journal's last stamp.
    Wall,
    /// From that stamp, when the wall clock lies before it.
    LastStamp,
}

fn shipped_wait() -> u64 {
    60
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Clock {
    pub start: ClockStart,
    /// As shipped, in settings of a release whose starts did not wait.
    #[serde(default = "shipped_wait")]
    pub wait_s: u64,
    /// A clock that jumped ahead is taken only with the operator's word: in production.
    #[serde(skip)]
    pub wants_consent: bool,
    /// That word: `--accept-clock`.
    #[serde(skip)]
    pub accepts_jump: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Site {
    pub site_name: String,
    pub url: String,
    pub site_logo: String,
    pub down_logo: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Files {
    pub markets: PathBuf,
    pub calendars: PathBuf,
    pub locales: PathBuf,
    pub news: PathBuf,
    pub menu: PathBuf,
    pub rates: PathBuf,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Auth {
    pub argon_memory_kib: u32,
    pub argon_passes: u32,
    pub argon_workers: usize,
    pub argon_queue: usize,
    pub session_idle_hours: u32,
    pub session_absolute_hours: u32,
    pub sessions_per_user: u32,
    pub password_min: usize,
    pub invitation_required: bool,
    pub dev_mailbox: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Limits {
    pub body_kib: usize,
    pub orders_in_flight: u32,
    pub cancels_in_flight: u32,
    pub calls_per_minute_user: u32,
    pub calls_per_minute_ip: u32,
    pub weight_per_second_ip: u32,
    pub sockets_per_ip: u32,
    pub socket_opens_per_ip: u32,
    pub socket_life_seconds: u64,
    pub send_buffer_kib: usize,
    pub uploads_per_hour: u32,
    pub upload_mib_per_user: u64,
    pub request_seconds: u64,
}

/// What a program may ask of the API, by address and by account.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Api {
    pub weight_per_minute: u32,
    pub requests_per_5_minutes: u32,
    pub orders_per_10_seconds: u32,
    pub orders_per_day: u32,
}

/// Where prices come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeedKind {
    /// The seeded simulator.
    Simulator,
    /// Recorded files.
    Replay,
    /// A venue in Binance's format.
    Live,
}

impl FeedKind {
    /// How pages and calls label a price.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            FeedKind::Simulator => "simulated",
            FeedKind::Replay => "replayed",
            FeedKind::Live => "live",
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Feed {
    pub kind: FeedKind,
    pub source: String,
    #[serde(default)]
    pub rest: String,
    /// Of the simulator; none: one for the history is drawn at the first start, one for what comes at each.
    pub seed: Option<u64>,
}

/// The operators' console.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Ops {
    pub token: String,
    pub static_dir: PathBuf,
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// Where the back office is, and who reaches it.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Admin {
    pub url: String,
    pub static_dir: PathBuf,
    pub addresses: Vec<String>,
}

impl Default for Admin {
    fn default() -> Admin {
        Admin { url: String::new(), static_dir: "h5/dist-admin".into(), addresses: Vec::new() }
    }
}

impl std::fmt::Debug for Ops {
    /// Without the token: settings are logged at the start.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let console = if self.token.is_empty() { "off" } else { "on" };
        f.debug_struct("Ops")
            .field("console", &console)
            .field("static_dir", &self.static_dir)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct House {
    pub levels: usize,
    pub inventory_usdt: String,
    /// What campaigns of coupons are paid from; nothing in settings of a release that had none.
    #[serde(default)]
    pub promotion_usdt: String,
    /// As shipped, in settings of a release whose contracts had no books.
    #[serde(default)]
    pub contracts: HouseContracts,
}

/// How the house quotes in contracts' books.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HouseContracts {
    /// Levels a side at most.
    pub levels: usize,
    /// What it begins with for margins, in USDT.
    pub futures_usdt: String,
    /// How much of the source's quantities it quotes, in parts per million.
    pub share_ppm: u32,
    /// How much farther from the middle than the source, in parts per million of the price.
    pub margin_ppm: u32,
    /// How far its ladder leans against what it has at the cap, in parts per million of the price.
    pub lean_ppm: u32,
    /// Value of what it has in one contract beyond its target at most, in whole units of the settle asset.
    pub cap: u64,
}

impl Default for HouseContracts {
    fn default() -> HouseContracts {
        let futures_usdt = "100000000".to_owned();
        let (share_ppm, margin_ppm, lean_ppm) = (1_000_000, 50, 200);
        HouseContracts { levels: 20, futures_usdt, share_ppm, margin_ppm, lean_ppm, cap: 5_000_000 }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Demo {
    pub users: Vec<String>,
    /// Those of them whom others may follow.
    #[serde(default)]
    pub traders: Vec<String>,
    pub password: String,
    pub spot_usdt: String,
    pub funding_usdt: String,
    /// Nothing, in settings of a release that had no contracts.
    #[serde(default)]
    pub futures_usdt: String,
    /// Code of a campaign that is there from the beginning on; none without one.
    #[serde(default)]
    pub coupon_code: String,
    /// Value of its coupons.
    #[serde(default)]
    pub coupon_usdt: String,
}

impl std::fmt::Debug for Demo {
    /// Without the password: settings are logged at the start.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Demo");
        shown.field("users", &self.users).field("spot_usdt", &self.spot_usdt).field("funding_usdt", &self.funding_usdt);
        shown.field("futures_usdt", &self.futures_usdt).field("coupon_usdt", &self.coupon_usdt);
        shown.finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Store {
    #[serde(deserialize_with = "store_url")]
    pub url: Option<StoreUrl>,
    pub batch_records: usize,
    pub batch_ms: u64,
    pub burst_seconds: u64,
}

/// An empty text is the default. Neither the settings' `Debug` nor an error shows a password.
fn store_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StoreUrl>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let url = (!text.trim().is_empty()).then(|| StoreUrl::parse(&text));
    url.transpose().map_err(serde::de::Error::custom)
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Redis {
    #[serde(deserialize_with = "redis_url")]
    pub url: Option<RedisUrl>,
}

/// An empty text is none. Neither the settings' `Debug` nor an error shows a password.
fn redis_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RedisUrl>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let url = (!text.trim().is_empty()).then(|| RedisUrl::parse(text.trim()));
    url.transpose().map_err(|error| serde::de::Error::custom(format!("redis.url: {error}")))
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Journal {
    pub segment_mib: u64,
    pub spares: usize,
    pub max_mib: u64,
    pub min_free_mib: u64,
    pub snapshot_every_records: u64,
}

/// How coins are paid out.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdrawals {
    /// So long a new address of a user's book waits before it is paid, seconds.
    pub new_address_wait_s: u64,
}

impl Default for Withdrawals {
    fn default() -> Withdrawals {
        Withdrawals { new_address_wait_s: 86_400 }
    }
}

/// What is wrong, without the text that is: it may be a password.
#[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum, which may grow")]
fn without_values(error: &config::ConfigError) -> String {
    match error {
        config::ConfigError::FileParse { uri, cause } => {
            let cause = cause.to_string();
            let file = uri.as_deref().unwrap_or("the file");
            format!("{file}: {}", cause.lines().next().unwrap_or("it does not read"))
        }
        config::ConfigError::Type { key, expected, origin, .. } => {
            let (key, origin) = (key.as_deref().unwrap_or("a key"), origin.as_deref().unwrap_or("the settings"));
            format!("{key} in {origin} is not {expected}")
        }
        config::ConfigError::At { error, key, .. } => {
            format!("{}: {}", key.as_deref().unwrap_or("a key"), without_values(error))
        }
        other => other.to_string(),
    }
}

impl Config {
    /// Reads `path` and the environment, and checks that the settings fit together.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let environment = config::Environment::with_prefix("XNG").prefix_separator("__").separator("__");
        let environment = environment.try_parsing(true);
        let built = config::Config::builder()
            .add_source(config::File::from(path))
            .add_source(environment)
            .build()
            .and_then(config::Config::try_deserialize);
        let mut config: Config = built.map_err(|error| ConfigError::Settings(without_values(&error)))?;
        config.check()?;
        config.clock.wants_consent = config.profile == Profile::Production;
        Ok(config)
    }

    /// Where the store is: what `store.url` says, or a SQLite file in the data folder.
    #[must_use]
    pub fn store_url(&self) -> StoreUrl {
        self.store.url.clone().unwrap_or_else(|| StoreUrl::sqlite(&self.server.data_dir.join("store.db")))
    }

    /// The origin by which browsers reach the back office.
    #[must_use]
    pub fn admin_origin(&self) -> String {
        let port = self.server.admin_listen.rsplit_once(':').map_or("", |(_, port)| port);
        if self.admin.url.is_empty() { format!("http://localhost:{port}") } else { self.admin.url.clone() }
    }

    /// The site that users' passkeys are for; none where there are none.
    #[must_use]
    pub fn passkey_site(&self) -> Option<passkeys::Site> {
        let port = self.server.listen.rsplit_once(':').map_or("", |(_, port)| port);
        match (self.site.url.as_str(), self.profile) {
            ("", Profile::Demo) => passkeys::Site::new(&format!("http://localhost:{port}")),
            ("", Profile::Production) => None,
            (url, _) => passkeys::Site::new(url),
        }
    }

    fn check(&self) -> Result<(), ConfigError> {
        let conflict = |what: String| Err(ConfigError::Conflict(what));
        let demo_only = [
            (self.auth.dev_mailbox, "auth.dev_mailbox"),
            (!self.demo.users.is_empty(), "demo.users"),
            (self.feed.kind != FeedKind::Live, "feed.kind other than \"live\""),
            (self.withdrawals.new_address_wait_s == 0, "withdrawals.new_address_wait_s = 0"),
        ];
        let wrong = demo_only.iter().find(|(on, _)| *on && self.profile == Profile::Production);
        if let Some((_, what)) = wrong {
            return conflict(format!("the production profile does not start with {what}"));
        }
        if self.feed.kind != FeedKind::Simulator && self.feed.source.is_empty() {
            return conflict("feed.source names no folder or address".into());
        }
        for (value, range, name) in self.ranges() {
            if value < *range.start() {
                return conflict(format!("{name} is below {}", range.start()));
            }
            if value > *range.end() {
                return conflict(format!("{name} is above {}", range.end()));
            }
        }
        if (1..LEAST_TOKEN).contains(&self.ops.token.chars().count()) {
            return conflict(format!("ops.token is shorter than {LEAST_TOKEN} characters"));
        }
        if !self.server.admin_listen.is_empty() {
            check_site("admin.url", &self.admin_origin())?;
        }
        if !self.site.url.is_empty() {
            check_site("site.url", &self.site.url)?;
        }
        let plain = |text: &&String| text.parse::<IpAddr>().is_ok() || text.parse::<IpNet>().is_ok();
        if let Some(wrong) = self.admin.addresses.iter().find(|text| !plain(text)) {
            return conflict(format!("admin.addresses: {wrong} is no address and no network"));
        }
        self.mail.check().and_then(|()| self.sms.check()).map_err(ConfigError::Conflict)?;
        let journal = &self.journal;
        let needed = journal.segment_mib.saturating_mul(journal.spares as u64 + 2);
        if journal.max_mib < needed {
            return conflict(format!("journal.max_mib is below {needed}: two segments and the spares"));
        }
        let plain = |source: &String| source.starts_with("https://") && !source.contains([';', ',', ' ', '\'', '"']);
        if let Some(source) = self.server.frame_sources.iter().find(|source| !plain(source)) {
            return conflict(format!("server.frame_sources: {source} is no https:// origin"));
        }
        let mut others = self.server.cors_origins.iter().filter(|origin| *origin != ANY_ORIGIN);
        if let Some(origin) = others.find(|origin| !is_origin(origin)) {
            return conflict(format!("server.cors_origins: {origin} is no origin as browsers send them"));
        }
        Ok(())
    }

    /// What each number may be. The upper ends are far above sense and below what arithmetic or memory bears.
    fn ranges(&self) -> [(u64, RangeInclusive<u64>, &'static str); 38] {
        let Config { auth, limits, api, server, house, store, journal, withdrawals, clock, .. } = self;
        let calls = 1..=u64::from(u32::MAX);
        [
            (u64::from(auth.argon_memory_kib), 8..=4 << 20, "auth.argon_memory_kib"),
            (u64::from(auth.argon_passes), 1..=1_000, "auth.argon_passes"),
            (auth.argon_workers as u64, 1..=1_024, "auth.argon_workers"),
            (auth.argon_queue as u64, 1..=1_000_000, "auth.argon_queue"),
            (u64::from(auth.session_idle_hours), 0..=87_600, "auth.session_idle_hours"),
            (u64::from(auth.session_absolute_hours), 1..=87_600, "auth.session_absolute_hours"),
            (u64::from(auth.sessions_per_user), 1..=1_000, "auth.sessions_per_user"),
            (auth.password_min as u64, 7..=64, "auth.password_min"),
            (server.workers as u64, 1..=1_024, "server.workers"),
            (server.slice_us, 0..=100_000, "server.slice_us"),
            (limits.body_kib as u64, 1..=65_536, "limits.body_kib"),
            (u64::from(limits.orders_in_flight), 1..=1_000_000, "limits.orders_in_flight"),
            (u64::from(limits.cancels_in_flight), 1..=1_000_000, "limits.cancels_in_flight"),
            (u64::from(limits.calls_per_minute_user), calls.clone(), "limits.calls_per_minute_user"),
            (u64::from(api.weight_per_minute), calls.clone(), "api.weight_per_minute"),
            (u64::from(api.requests_per_5_minutes), calls.clone(), "api.requests_per_5_minutes"),
            (u64::from(api.orders_per_10_seconds), calls.clone(), "api.orders_per_10_seconds"),
            (u64::from(api.orders_per_day), calls.clone(), "api.orders_per_day"),
            (u64::from(limits.calls_per_minute_ip), calls.clone(), "limits.calls_per_minute_ip"),
            // A second must have room for the dearest call.
            (u64::from(limits.weight_per_second_ip), 250..=u64::from(u32::MAX), "limits.weight_per_second_ip"),
            (u64::from(limits.sockets_per_ip), 0..=u64::from(u32::MAX), "limits.sockets_per_ip"),
            (u64::from(limits.socket_opens_per_ip), calls.clone(), "limits.socket_opens_per_ip"),
            (limits.socket_life_seconds, 1..=1 << 32, "limits.socket_life_seconds"),
            (limits.send_buffer_kib as u64, 1..=65_536, "limits.send_buffer_kib"),
            (u64::from(limits.uploads_per_hour), calls, "limits.uploads_per_hour"),
            (limits.upload_mib_per_user, 10..=1 << 30, "limits.upload_mib_per_user"),
            (limits.request_seconds, 1..=3_600, "limits.request_seconds"),
            (house.levels as u64, 1..=MOST_LEVELS, "house.levels"),
            (store.batch_records as u64, 1..=1_000_000, "store.batch_records"),
            (store.batch_ms, 0..=3_600_000, "store.batch_ms"),
            (store.burst_seconds, 0..=3_600, "store.burst_seconds"),
            (journal.segment_mib, 1..=MOST_SEGMENT_BYTES >> 20, "journal.segment_mib"),
            (journal.spares as u64, 3..=10_000, "journal.spares"),
            (journal.max_mib, 1..=1 << 40, "journal.max_mib"),
            (journal.min_free_mib, 0..=1 << 40, "journal.min_free_mib"),
            (journal.snapshot_every_records, 1..=1 << 40, "journal.snapshot_every_records"),
            (withdrawals.new_address_wait_s, 0..=31_536_000, "withdrawals.new_address_wait_s"),
            (clock.wait_s, 0..=3_600, "clock.wait_s"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> String {
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml")).unwrap()
    }

    #[test]
    fn a_number_outside_its_range_is_refused_by_name_on_either_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exchange.toml");
        std::fs::write(&path, shipped()).unwrap();
        let ranges = Config::load(&path).expect("what is shipped is good").ranges();
        let mut tried = 0;
        for (_, range, name) in ranges {
            let key = name.split('.').next_back().unwrap();
            let line = shipped().lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap().to_owned();
            for wrong in [range.start().checked_sub(1), range.end().checked_add(1)].into_iter().flatten() {
                std::fs::write(&path, shipped().replace(&line, &format!("{key} = {wrong}"))).unwrap();
                let Err(error) = Config::load(&path) else { panic!("{name} = {wrong} is taken") };
                tried += usize::from(error.to_string().contains(name));
                // A number that its type does not hold is refused by the reader.
                assert!(error.to_string().contains(key), "{name} = {wrong}: {error}");
            }
        }
        assert!(tried > 40, "{tried}");
    }

    #[test]
    fn production_does_not_pay_new_addresses_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("exchange.toml");
        let production = shipped()
            .replace("profile = \"demo\"", "profile = \"production\"")
            .replace("dev_mailbox = true", "dev_mailbox = false")
            .replace("users = [\"demo\", \"demo2\", \"trader\"]", "users = []")
            .replace("kind = \"simulator\"", "kind = \"live\"")
            .replace("source = \"\"", "source = \"wss://venue.example\"");
        std::fs::write(&path, &production).unwrap();
        assert_eq!(Config::load(&path).unwrap().withdrawals.new_address_wait_s, 86_400);
        std::fs::write(&path, production.replace("new_address_wait_s = 86400", "new_address_wait_s = 0")).unwrap();
        assert!(Config::load(&path).unwrap_err().to_string().contains("new_address_wait_s"));
        std::fs::write(&path, shipped().replace("new_address_wait_s = 86400", "new_address_wait_s = 0")).unwrap();
        assert_eq!(Config::load(&path).unwrap().withdrawals.new_address_wait_s, 0, "a demo may");
    }

    #[test]
    fn an_origin_that_no_browser_sends_is_refused() {
        for good in ["https://app.example", "http://localhost:5173", "http://[::1]:8080"] {
            assert!(is_origin(good), "{good}");
        }
        for wrong in
            ["app.example", "https://", "https://App.example", "https://app.example/", "ftp://a.b", "null", "*"]
        {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }

    #[test]
    fn errors_name_the_place_and_never_the_value() {
        let folder = tempfile::tempdir().unwrap();
        let good = shipped();
        let wrong = [
            ("[store]\n", "[store]\nbroken = \"postgres://u:hunter2@db/x\n"),
            ("batch_records = 5000", "batch_records = \"hunter2\""),
            ("[redis]\n", "[redis]\nhunter2 = 1\nurl = \"hunter2\"\n"),
        ];
        for (was, is) in wrong {
            assert!(good.contains(was), "{was}");
            let path = folder.path().join("exchange.toml");
            std::fs::write(&path, good.replacen(was, is, 1)).unwrap();
            let error = Config::load(&path).unwrap_err().to_string();
            assert!(!error.contains("hunter2@") && !error.contains("\"hunter2\""), "{error}");
            assert!(error.len() > 20, "{error}");
        }
    }
}
