//! The routes of the staff, with what each of them needs.
//!
//! Owns: this table. Never does: answer. Invariants: a route's permission is the one that its handler's type names; what is served and
//! what is told of it are one list. Known limits: none.

use super::asking::{Answer, Ask};
use super::roles::{Needs, Permission};
use super::{
    audit, campaigns, chains, chats, content, door, locks, markets, parameters, reconciliation, regions, reports,
    staff, traders, users, verifications, withdrawals,
};
use actix_web::http::Method;
use actix_web::web::{ServiceConfig, method};
use serde::de::DeserializeOwned;
use std::future::Future;

/// A route of the staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Its path.
    pub path: &'static str,
    /// What it needs.
    pub permission: Permission,
}

/// Takes routes one after the other.
trait Take {
    fn take<P: Needs, B: DeserializeOwned + 'static, F: Future<Output = Answer> + 'static>(
        &mut self,
        method: &'static str,
        path: &'static str,
        handler: fn(Ask<P, B>) -> F,
    );
}

impl Take for &mut ServiceConfig {
    fn take<P: Needs, B: DeserializeOwned + 'static, F: Future<Output = Answer> + 'static>(
        &mut self,
        name: &'static str,
        path: &'static str,
        handler: fn(Ask<P, B>) -> F,
    ) {
        let named = Method::from_bytes(name.as_bytes()).expect("a method");
        self.route(path, method(named).to(handler));
    }
}

impl Take for Vec<Route> {
    fn take<P: Needs, B: DeserializeOwned + 'static, F: Future<Output = Answer> + 'static>(
        &mut self,
        method: &'static str,
        path: &'static str,
        _: fn(Ask<P, B>) -> F,
    ) {
        self.push(Route { method, path, permission: P::PERMISSION });
    }
}

fn all(to: &mut impl Take) {
    to.take("POST", "/admin/api/logout", door::logout);
    to.take("GET", "/admin/api/withdrawals", withdrawals::list);
    to.take("GET", "/admin/api/withdrawals/{id}", withdrawals::detail);
    to.take("POST", "/admin/api/withdrawals/{id}/vote/begin", withdrawals::begin_vote);
    to.take("POST", "/admin/api/withdrawals/{id}/vote", withdrawals::vote);
    to.take("GET", "/admin/api/chains", chains::list);
    to.take("POST", "/admin/api/chains/{id}/halt", chains::halt);
    to.take("POST", "/admin/api/chains/{id}/check", chains::check);
    to.take("POST", "/admin/api/chains/{id}/propose-resume", chains::propose_resume);
    to.take("POST", "/admin/api/cases/{id}/decide/begin", chains::begin_decision);
    to.take("POST", "/admin/api/cases/{id}/decide", chains::decide);
    to.take("GET", "/admin/api/verifications", verifications::list);
    to.take("POST", "/admin/api/verifications/revoke", verifications::propose_revocation);
    to.take("GET", "/admin/api/verifications/{id}", verifications::detail);
    to.take("POST", "/admin/api/verifications/{id}/claim", verifications::claim);
    to.take("GET", "/admin/api/verifications/{id}/pictures/{side}", verifications::picture);
    to.take("POST", "/admin/api/verifications/{id}/decide", verifications::decide);
    to.take("POST", "/admin/api/revocations/{id}/decide/begin", verifications::begin_revocation);
    to.take("POST", "/admin/api/revocations/{id}/decide", verifications::decide_revocation);
    to.take("GET", "/admin/api/content", content::list);
    to.take("POST", "/admin/api/content/write", content::write);
    to.take("GET", "/admin/api/content/{id}", content::detail);
    to.take("POST", "/admin/api/content/{id}/step", content::step);
    to.take("GET", "/admin/api/campaigns", campaigns::list);
    to.take("POST", "/admin/api/campaigns/propose", campaigns::propose);
    to.take("POST", "/admin/api/campaign-cases/{id}/decide/begin", campaigns::begin_decision);
    to.take("POST", "/admin/api/campaign-cases/{id}/decide", campaigns::decide);
    to.take("POST", "/admin/api/campaigns/{id}/stop", campaigns::stop);
    to.take("POST", "/admin/api/campaigns/{id}/issue", campaigns::issue);
    to.take("GET", "/admin/api/coupons", campaigns::of_account);
    to.take("POST", "/admin/api/coupons/{id}/revoke", campaigns::revoke);
    to.take("GET", "/admin/api/chats", chats::list);
    to.take("GET", "/admin/api/chats/{id}", chats::detail);
    to.take("POST", "/admin/api/chats/{id}/claim", chats::claim);
    to.take("POST", "/admin/api/chats/{id}/send", chats::send);
    to.take("POST", "/admin/api/chats/{id}/read", chats::read);
    to.take("POST", "/admin/api/chats/{id}/typing", chats::typing);
    to.take("POST", "/admin/api/chats/{id}/hand-over", chats::hand_over);
    to.take("POST", "/admin/api/chats/{id}/close", chats::close);
    to.take("GET", "/admin/api/chats/{id}/pictures/{message}", chats::picture);
    to.take("GET", "/admin/api/users", users::search);
    to.take("GET", "/admin/api/users/{id}", users::detail);
    to.take("POST", "/admin/api/users/{id}/contacts", users::show_contacts);
    to.take("POST", "/admin/api/users/{id}/lock", locks::lock);
    to.take("POST", "/admin/api/users/{id}/propose-unlock", locks::propose);
    to.take("GET", "/admin/api/unlocks", locks::list);
    to.take("POST", "/admin/api/unlocks/{id}/decide/begin", locks::begin_decision);
    to.take("POST", "/admin/api/unlocks/{id}/decide", locks::decide);
    to.take("GET", "/admin/api/markets", markets::list);
    to.take("POST", "/admin/api/markets/{id}/halt", markets::halt);
    to.take("POST", "/admin/api/markets/{id}/cancel-only", markets::set_cancel_only);
    to.take("POST", "/admin/api/markets/{id}/propose-resume", markets::propose_resume);
    to.take("POST", "/admin/api/market-cases/{id}/decide/begin", markets::begin_decision);
    to.take("POST", "/admin/api/market-cases/{id}/decide", markets::decide);
    to.take("GET", "/admin/api/parameters", parameters::list);
    to.take("POST", "/admin/api/parameters/{id}/preview", parameters::preview_of_market);
    to.take("POST", "/admin/api/parameters/{id}/propose", parameters::propose);
    to.take("GET", "/admin/api/parameter-cases/{id}/preview", parameters::preview_of_case);
    to.take("POST", "/admin/api/parameter-cases/{id}/decide/begin", parameters::begin_decision);
    to.take("POST", "/admin/api/parameter-cases/{id}/decide", parameters::decide);
    to.take("POST", "/admin/api/parameter-cases/{id}/take-back", parameters::take_back);
    to.take("GET", "/admin/api/regions", regions::list);
    to.take("POST", "/admin/api/regions/bar", regions::bar);
    to.take("POST", "/admin/api/regions/propose-allow", regions::propose);
    to.take("POST", "/admin/api/region-cases/{id}/decide/begin", regions::begin_decision);
    to.take("POST", "/admin/api/region-cases/{id}/decide", regions::decide);
    to.take("GET", "/admin/api/traders", traders::list);
    to.take("POST", "/admin/api/traders/{id}/approve", traders::approve);
    to.take("POST", "/admin/api/traders/{id}/refuse", traders::refuse);
    to.take("POST", "/admin/api/traders/{id}/end", traders::end);
    to.take("GET", "/admin/api/reports", reports::show);
    to.take("GET", "/admin/api/reports/file", reports::file);
    to.take("GET", "/admin/api/reconciliation", reconciliation::show);
    to.take("GET", "/admin/api/audit", audit::list);
    to.take("GET", "/admin/api/audit/check", audit::check);
    to.take("GET", "/admin/api/audit.csv", audit::export);
    to.take("GET", "/admin/api/staff", staff::list);
    to.take("POST", "/admin/api/staff/propose", staff::propose);
    to.take("POST", "/admin/api/staff-cases/{id}/decide/begin", staff::begin_decision);
    to.take("POST", "/admin/api/staff-cases/{id}/decide", staff::decide);
    to.take("POST", "/admin/api/staff/{id}/disable", staff::disable);
    to.take("POST", "/admin/api/staff/{id}/stop-enrolment", staff::stop_enrolment);
}

/// All routes that need a session.
#[must_use]
pub fn table() -> Vec<Route> {
    let mut routes = Vec::new();
    all(&mut routes);
    routes
}

/// The same, served.
pub(super) fn attach(mut cfg: &mut ServiceConfig) {
    all(&mut cfg);
}
