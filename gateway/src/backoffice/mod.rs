//! The back office: where people who work at the exchange log in, look, and decide what needs people.
//!
//! Owns: [`Desk`], the routes below `/admin` of its own listener. Never does: set a price, an outcome, a balance, odds or followers;
//! act as a user. Invariants: every call but the page, the login and the enrolment names a permission in its type
//! (`table.rs`); what is decided is in the audit, with who and why, in one transaction with the office's own change and before
//! the engine is asked. Known limits: it speaks no TLS: it is for the loopback, a tunnel or a proxy. Rules:
//! `docs/back-office.md "Roles"`.

mod access;
pub mod anchoring;
mod asking;
mod audit;
mod campaigns;
mod cases;
mod chains;
mod challenges;
mod chat_words;
mod chats;
mod content;
mod door;
pub(crate) mod enrolment_codes;
mod locks;
pub(crate) mod markets;
pub(crate) mod parameters;
mod reconciliation;
mod regions;
mod reports;
pub mod roles;
pub(crate) mod staff;
pub mod table;
pub mod tiers;
pub(crate) mod traders;
mod users;
mod verifications;
mod withdrawals;

use crate::api::auth::Auth;
use crate::api::auth::login_limits::LoginLimits;
use crate::api::http::built;
use crate::api::http::limits::Buckets;
use crate::app::Shared;
use crate::common::passkeys::Site;
use crate::observe::ops::access::Names;
pub use access::check;
use actix_web::web::{Data, Path, ServiceConfig, get, post, redirect};
use actix_web::{HttpRequest, HttpResponse};
use challenges::Challenges;
use ipnet::IpNet;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use xng_persistence::office::Office;

/// Calls of one person a minute.
const CALLS_A_MINUTE: u32 = 600;
/// Contacts that one person is shown in an hour.
const SHOWN_AN_HOUR: u32 = 30;
/// Users that one person looks for or at in an hour.
const LOOKS_AN_HOUR: u32 = 300;
/// Documents that one person begins to review in an hour.
const REVIEWS_AN_HOUR: u32 = 120;
/// Coupons that one person issues in an hour.
const COUPONS_AN_HOUR: u32 = 60;
/// Accounts that a person locks: each takes two people to unlock.
const LOCKS_AN_HOUR: u32 = 30;
/// People whom an owner proposes or disables in an hour.
const STAFF_AN_HOUR: u32 = 20;
/// Codes that open nothing, of one address in a quarter of an hour.
const ENROLMENTS: u32 = 20;

/// See the module's header.
pub struct Desk {
    shared: Arc<Shared>,
    office: Arc<Office>,
    site: Site,
    names: Names,
    addresses: Vec<IpNet>,
    limits: LoginLimits,
    challenges: Challenges,
    calls: Buckets<u64>,
    shown: Buckets<u64>,
    looks: Buckets<u64>,
    reviews: Buckets<u64>,
    coupons: Buckets<u64>,
    locks: Buckets<u64>,
    staff: Buckets<u64>,
    /// Whole audits are read one at a time: users' logins wait for the same database.
    reading: Semaphore,
    /// So are reports made: they read the store of users' histories.
    reporting: Semaphore,
    /// Steps of articles are taken one at a time.
    articles: Mutex<()>,
    /// So are approvals of campaigns.
    campaigns: Mutex<()>,
    enrolments: Buckets<IpAddr>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("site", &self.site).finish_non_exhaustive()
    }
}

impl Desk {
    /// The back office of a running exchange.
    ///
    /// # Panics
    /// With settings that `Config::load` refuses.
    #[must_use]
    pub fn new(shared: &Arc<Shared>) -> Desk {
        let config = &shared.config;
        let site = Site::new(&config.admin_origin()).expect("checked with the settings");
        let hosts = [site.origin().split_once("://").map_or("", |(_, host)| host).to_owned()];
        let parse = |text: &String| text.parse().ok().or_else(|| text.parse().ok().map(|ip: IpAddr| ip.into()));
        Desk {
            office: shared.auth.office(),
            shared: shared.clone(),
            site,
            names: Names::of_port(&config.server.admin_listen, &hosts),
            addresses: config.admin.addresses.iter().filter_map(parse).collect(),
            limits: LoginLimits::default(),
            challenges: Challenges::default(),
            calls: Buckets::new(CALLS_A_MINUTE, Duration::from_secs(60)),
            shown: Buckets::new(SHOWN_AN_HOUR, Duration::from_secs(3_600)),
            looks: Buckets::new(LOOKS_AN_HOUR, Duration::from_secs(3_600)),
            reviews: Buckets::new(REVIEWS_AN_HOUR, Duration::from_secs(3_600)),
            coupons: Buckets::new(COUPONS_AN_HOUR, Duration::from_secs(3_600)),
            locks: Buckets::new(LOCKS_AN_HOUR, Duration::from_secs(3_600)),
            staff: Buckets::new(STAFF_AN_HOUR, Duration::from_secs(3_600)),
            reading: Semaphore::new(1),
            reporting: Semaphore::new(1),
            articles: Mutex::new(()),
            campaigns: Mutex::new(()),
            enrolments: Buckets::new(ENROLMENTS, Duration::from_secs(900)),
        }
    }

    fn auth(&self) -> &Auth {
        &self.shared.auth
    }

    /// Forgets what limits nobody any more.
    pub fn sweep(&self) {
        self.limits.sweep();
        self.challenges.sweep();
        self.calls.sweep();
        self.shown.sweep();
        self.looks.sweep();
        self.reviews.sweep();
        self.coupons.sweep();
        self.locks.sweep();
        self.staff.sweep();
        self.enrolments.sweep();
    }
}

async fn page(desk: Data<Desk>, request: HttpRequest) -> HttpResponse {
    built::page(&desk.shared.config.admin.static_dir, &request).await
}

async fn asset(desk: Data<Desk>, name: Path<String>, request: HttpRequest) -> HttpResponse {
    built::asset(&desk.shared.config.admin.static_dir, &name, &request).await
}

/// Routes of the listener.
pub fn routes(cfg: &mut ServiceConfig) {
    cfg.service(redirect("/", "/admin/")).service(redirect("/admin", "/admin/"));
    cfg.route("/admin/", get().to(page)).route("/admin/assets/{name}", get().to(asset));
    cfg.route("/admin/api/enrol/begin", post().to(door::begin_enrolment));
    cfg.route("/admin/api/enrol/finish", post().to(door::enrol));
    cfg.route("/admin/api/login/begin", post().to(door::begin_login));
    cfg.route("/admin/api/login/finish", post().to(door::login));
    cfg.route("/admin/api/session", get().to(door::session));
    table::attach(cfg);
}
