//! Campaigns of coupons: proposed by one person, approved by another, stopped by one; coupons that people issue and take back.
//!
//! Owns: these calls. Never does: pay a coupon; its owner's use does. Invariants: money is locked for a campaign once two people agreed;
//! who approves signs all of its terms; nobody issues a coupon to their own account. Known limits: what was approved while the exchange
//! did not answer, or had no money for it, is proposed anew. Rules: `docs/back-office.md "Campaigns"`.

use super::asking::{Answer, Ask, Refusal, Signed, Why, now, reason, refused};
use super::cases;
use super::roles::{DecideCampaigns, IssueCoupons, ProposeCampaigns, RevokeCoupons, SeeCampaigns, StopCampaigns};
use crate::api::app::coupon::kind_name;
use crate::api::auth::secrets::hex;
use crate::app::Shared;
use crate::common::decimal;
use crate::common::time::{ms, now_ms, now_ns};
use crate::custody::review::NO_ANSWER;
use crate::orders::lookup::is_written;
use actix_web::HttpResponse;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use xng_core::account::{AccountCommand, CouponCommand};
use xng_core::convert::DAY_NS;
use xng_core::coupon::campaign::{CampaignCommand, CampaignState, CampaignView};
use xng_core::coupon::{CampaignId, CampaignTerms, CodeDigest, CouponId, CouponKind, Issuer, digest_of};
use xng_core::entity::{Command, Reply, View};
use xng_core::ids::{AccountId, Wallet};
use xng_core::money::Amount;
use xng_core::reject::Reject;
use xng_core::seconds::params::DeskParams;
use xng_persistence::office::NewCase;
use xng_persistence::store::{CouponFilter, CouponState, CouponsOf, Slice};

/// The kind of these cases.
const OPEN: &str = "open campaign";
/// Coupons of an account that are told.
const COUPONS: u32 = 200;
/// A durable record is in the fold within this, or something is wrong.
const FOLDED: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(2);
/// Letters and digits of a code.
const CODE: std::ops::RangeInclusive<usize> = 8..=64;
const OWN: &str = "This is your own account: somebody else does it.";

/// A campaign as it is proposed and signed, without its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Proposal {
    name: String,
    #[serde(default = "cash")]
    kind: String,
    asset: String,
    value: String,
    coupons: u32,
    days: u32,
    ends_ms: u64,
    /// Digest of the code, in hexadecimal.
    code: Option<String>,
}

/// What was proposed before there were other kinds.
fn cash() -> String {
    kind_name(CouponKind::Cash).to_owned()
}

fn read_digest(text: &str) -> Option<CodeDigest> {
    let bytes: Option<Vec<u8>> =
        text.as_bytes().chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect();
    bytes?.try_into().ok()
}

impl Proposal {
    fn of_subject(subject: &str) -> Option<Proposal> {
        serde_json::from_str(subject).ok()
    }

    fn subject(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers")
    }

    fn terms(&self, shared: &Shared, campaign: CampaignId) -> Result<CampaignTerms, Refusal> {
        let asset = shared.listed().asset_named(&self.asset).ok_or_else(|| refused(400, "There is no such asset."))?;
        let value = decimal::amount(&self.value).map_err(|_| refused(400, "The value is no amount."))?;
        let kind = CouponKind::ALL.iter().copied().find(|kind| kind_name(*kind) == self.kind);
        let kind = kind.ok_or_else(|| refused(400, "There is no such kind of coupon."))?;
        let takes = |desk: &DeskParams| desk.asset == asset && desk.stake.0 <= value && value <= desk.stake.1;
        if kind == CouponKind::MicroBonus && !shared.listed().desks.values().any(takes) {
            return Err(refused(400, "No option is offered for a stake of this value."));
        }
        let code = match &self.code {
            None => None,
            Some(text) => Some(read_digest(text).ok_or_else(|| refused(400, "The code's digest is none."))?),
        };
        let terms = CampaignTerms {
            campaign,
            name: self.name.clone(),
            kind,
            asset,
            value,
            number: self.coupons,
            lives: u64::from(self.days).saturating_mul(DAY_NS),
            ends: self.ends_ms.saturating_mul(1_000_000),
            code,
        };
        match terms.unfit(now_ns()) {
            None => Ok(terms),
            Some(field) => Err(refused(400, format!("{field}: out of range"))),
        }
    }
}

/// Nobody gets two coupons by one code, and what was approved without an answer does not begin twice.
fn not_twice(shared: &Shared, terms: &CampaignTerms) -> Result<(), Refusal> {
    let same = |other: &CampaignTerms| match &terms.code {
        Some(code) => other.code.as_ref() == Some(code),
        None => CampaignTerms { campaign: terms.campaign, ..other.clone() } == *terms,
    };
    match shared.campaigns.all().iter().find(|view| view.runs() && same(&view.terms)) {
        Some(view) => {
            let why = if terms.code.is_some() { "has this code" } else { "is the same" };
            Err(refused(409, format!("Campaign {} {why}, and is not over.", view.terms.campaign)))
        }
        None => Ok(()),
    }
}

/// The next campaign's number.
fn next(shared: &Shared) -> Result<CampaignId, Refusal> {
    shared.campaigns.next().ok_or_else(|| refused(409, "There are as many campaigns as there can be."))
}

fn state_name(state: CampaignState) -> &'static str {
    match state {
        CampaignState::New => "new",
        CampaignState::Open => "open",
        CampaignState::Stopped => "stopped",
        CampaignState::Closed => "closed",
    }
}

fn row(shared: &Shared, view: &CampaignView) -> Value {
    let t = &view.terms;
    json!({ "campaign": t.campaign.0, "name": t.name, "kind": kind_name(t.kind), "asset": shared.listed().asset_name(t.asset),
        "value": t.value.to_string(), "coupons": t.number, "days": t.lives / DAY_NS, "ends_ms": ms(t.ends),
        "by_code": t.code.is_some(), "state": state_name(view.state), "out": view.out(), "used": view.used,
        "revoked": view.revoked, "locked": view.locked().to_string() })
}

/// What campaigns may still be given, by asset.
async fn free(shared: &Shared) -> Result<BTreeMap<String, Amount>, Refusal> {
    let ask = Command::Account(AccountId::PROMOTION, AccountCommand::View);
    match shared.operators.ask(ask).await {
        Some(Reply::View(View::Account(view))) => {
            let spot = view.balances.iter().filter(|b| b.wallet == Wallet::Spot);
            Ok(spot.map(|b| (shared.listed().asset_name(b.asset), b.available)).collect())
        }
        Some(_) => Ok(BTreeMap::new()),
        None => Err(refused(503, NO_ANSWER)),
    }
}

/// `GET /admin/api/campaigns`: campaigns, the newest first, and what is proposed.
pub(super) async fn list(ask: Ask<SeeCampaigns>) -> Answer {
    let (office, shared) = (&ask.desk.office, &ask.desk.shared);
    let cases = cases::listed(office, OPEN, |case, told| {
        // A short code is soon found by its digest: who looks is not told it.
        told["subject"] = Value::Null;
        told["terms"] = Proposal::of_subject(&case.subject).map_or(Value::Null, |terms| {
            let by_code = terms.code.is_some();
            let mut terms = json!(terms);
            terms["code"] = by_code.into();
            terms
        });
    })
    .await?;
    let free = free(shared).await?;
    let free = free.iter().map(|(asset, amount)| json!({ "asset": asset, "available": amount.to_string() }));
    let rows = shared.campaigns.all();
    let rows: Vec<Value> = rows.iter().rev().map(|view| row(shared, view)).collect();
    Ok(HttpResponse::Ok().json(json!({ "campaigns": rows, "cases": cases,
        "free": free.collect::<Vec<Value>>(), "now_ms": now_ms(), "me": ask.me.signs() })))
}

#[derive(Deserialize)]
pub(super) struct New {
    name: String,
    #[serde(default = "cash")]
    kind: String,
    asset: String,
    value: String,
    coupons: u32,
    days: u32,
    ends_ms: u64,
    #[serde(default)]
    code: String,
    reason: String,
}

/// `POST /admin/api/campaigns/propose`: another person has to agree.
pub(super) async fn propose(ask: Ask<ProposeCampaigns, New>) -> Answer {
    let (shared, new) = (&ask.desk.shared, &ask.asked);
    let why = reason(&new.reason)?;
    let letters: String = new.code.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    let fits = CODE.contains(&letters.len()) && letters.chars().all(|c| c.is_ascii_alphanumeric());
    if !letters.is_empty() && !fits {
        return Err(refused(400, "A code has 8 to 64 letters and digits."));
    }
    let code = (!letters.is_empty()).then(|| hex(&digest_of(&letters)));
    let New { name, kind, asset, value, coupons, days, ends_ms, .. } = new;
    let name = reason(name).map_err(|_| refused(400, "A name has 1 to 64 letters and no line breaks."))?;
    let (kind, asset, value) = (kind.clone(), asset.clone(), value.trim().to_owned());
    let proposal = Proposal { name, kind, asset, value, coupons: *coupons, days: *days, ends_ms: *ends_ms, code };
    let terms = proposal.terms(shared, next(shared)?)?;
    not_twice(shared, &terms)?;
    let has = free(shared).await?.get(&proposal.asset).copied().unwrap_or_default();
    let budget = terms.budget().unwrap_or_default();
    if budget > has {
        return Err(refused(409, format!("It takes {budget} {}; there are {has}.", proposal.asset)));
    }
    let audit = ask.entry("propose campaign", proposal.subject(), &json!({ "reason": why }));
    let case = NewCase { kind: OPEN.into(), subject: proposal.subject(), by: ask.me.id, reason: why };
    match ask.desk.office.propose(&case, &audit, now()).await? {
        Some(case) => Ok(HttpResponse::Ok().json(json!({ "case": case }))),
        None => Err(refused(409, "This is proposed already.")),
    }
}

/// `POST /admin/api/campaign-cases/{id}/decide/begin`: what is to be signed.
pub(super) async fn begin_decision(ask: Ask<DecideCampaigns, cases::Decision>) -> Answer {
    cases::begin(&ask, OPEN).await
}

async fn order(shared: &Shared, command: Command) -> Result<(), Refusal> {
    let why = match shared.operators.ask(command).await {
        Some(Reply::Accepted(_)) => return Ok(()),
        Some(Reply::Rejected(reject)) => reject,
        Some(other) => return Err(refused(409, format!("refused: {other:?}"))),
        None => return Err(refused(503, NO_ANSWER)),
    };
    let said = [
        (Reject::InsufficientBalance, "The account promotion has not that much: propose it anew."),
        (Reject::BadParameters, "Its end has passed, or its terms do not fit: propose it anew."),
        (Reject::CampaignOver, "The campaign is over, or was stopped."),
        (Reject::CampaignEmpty, "All coupons of the campaign are out."),
        (Reject::CouponTaken, "The account got one before."),
        (Reject::TooManyCoupons, "The account has as many unused coupons as it may."),
        (Reject::UnknownCoupon, "The account has no such unused coupon."),
        (Reject::CouponOver, "The coupon has expired."),
    ];
    let text = said.iter().find(|(of, _)| *of == why).map(|(_, text)| (*text).to_owned());
    Err(refused(409, text.unwrap_or_else(|| format!("refused: {why:?}"))))
}

/// `POST /admin/api/campaign-cases/{id}/decide`: the signature; what was approved begins.
pub(super) async fn decide(ask: Ask<DecideCampaigns, Signed>) -> Answer {
    let decided = cases::decide(&ask, OPEN).await?;
    if decided.approves {
        let shared = &ask.desk.shared;
        let proposal = Proposal::of_subject(&decided.case.subject);
        let proposal = proposal.ok_or_else(|| refused(409, "Its terms cannot be read: propose it anew."))?;
        // One campaign begins at a time, so that each is known to the next one.
        let _one = ask.desk.campaigns.lock().await;
        let terms = proposal.terms(shared, next(shared)?)?;
        not_twice(shared, &terms)?;
        let (campaign, by) = (terms.campaign, vec![decided.proposer, ask.me.signs()]);
        let fund = AccountCommand::Coupon(CouponCommand::Fund { terms: Box::new(terms), by });
        order(shared, Command::Account(AccountId::PROMOTION, fund)).await?;
        // It is durable, and folded in a moment.
        let folded = async {
            while shared.campaigns.get(campaign).is_none() {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(FOLDED, folded).await.is_err() {
            tracing::warn!(%campaign, "a campaign is not seen yet");
        }
    }
    Ok(HttpResponse::Ok().json(json!({ "done": decided.action })))
}

/// The campaign in the address.
fn campaign<P, B>(ask: &Ask<P, B>) -> Result<CampaignId, Refusal> {
    let id = u16::try_from(ask.number()?).ok().map(CampaignId);
    let known = id.filter(|id| ask.desk.shared.campaigns.get(*id).is_some());
    known.ok_or_else(|| refused(404, "There is no such campaign."))
}

/// `POST /admin/api/campaigns/{id}/stop`: at once, by one person.
pub(super) async fn stop(ask: Ask<StopCampaigns, Why>) -> Answer {
    let (campaign, why) = (campaign(&ask)?, reason(&ask.asked.reason)?);
    let audit = ask.entry("stop campaign", format!("campaign:{campaign}"), &json!({ "reason": why }));
    ask.desk.office.append_audit(&audit, now()).await?;
    let stop = CampaignCommand::Stop { by: ask.me.signs() };
    order(&ask.desk.shared, Command::Campaign(campaign, stop)).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "stopped" })))
}

#[derive(Deserialize)]
pub(super) struct About {
    account: u64,
    reason: String,
}

/// Of the account in the body, which is not the person's own.
fn account<P>(ask: &Ask<P, About>) -> Result<AccountId, Refusal> {
    let account = AccountId(ask.asked.account);
    if ask.me.account == Some(account) { Err(refused(409, OWN)) } else { Ok(account) }
}

/// `POST /admin/api/campaigns/{id}/issue`: a coupon to one account.
pub(super) async fn issue(ask: Ask<IssueCoupons, About>) -> Answer {
    let (campaign, account, why) = (campaign(&ask)?, account(&ask)?, reason(&ask.asked.reason)?);
    if ask.desk.shared.auth.user(account).await.is_err() {
        return Err(refused(404, "There is no such user."));
    }
    if !ask.desk.coupons.take(ask.me.id) {
        return Err(refused(429, "You have issued many coupons. Wait an hour."));
    }
    let detail = json!({ "campaign": campaign.0, "reason": why });
    let audit = ask.entry("issue coupon", format!("account:{account}"), &detail);
    ask.desk.office.append_audit(&audit, now()).await?;
    let issuer = Issuer::Staff(ask.me.signs());
    let receive = AccountCommand::Coupon(CouponCommand::Receive { campaign, issuer });
    order(&ask.desk.shared, Command::Account(account, receive)).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "issued" })))
}

/// `POST /admin/api/coupons/{id}/revoke`: one that was not used.
pub(super) async fn revoke(ask: Ask<RevokeCoupons, About>) -> Answer {
    let (coupon, account, why) = (CouponId(ask.number()?), account(&ask)?, reason(&ask.asked.reason)?);
    let detail = json!({ "coupon": coupon.0, "reason": why });
    let audit = ask.entry("revoke coupon", format!("account:{account}"), &detail);
    ask.desk.office.append_audit(&audit, now()).await?;
    let revoke = AccountCommand::Coupon(CouponCommand::Revoke { coupon, by: ask.me.signs() });
    order(&ask.desk.shared, Command::Account(account, revoke)).await?;
    Ok(HttpResponse::Ok().json(json!({ "done": "revoked" })))
}

#[derive(Deserialize)]
pub(super) struct Of {
    account: u64,
}

/// `GET /admin/api/coupons`: of one account, the newest first.
pub(super) async fn of_account(ask: Ask<SeeCampaigns, Of>) -> Answer {
    let shared = &ask.desk.shared;
    if !is_written(&shared.persister, FOLDED).await {
        return Err(refused(503, "The store is behind. Try again."));
    }
    let filter = CouponFilter { account: AccountId(ask.asked.account), which: CouponsOf::All };
    let found = shared.store.page(&filter, Slice::Newest, COUPONS).await.map_err(|error| {
        tracing::warn!(%error, "the store did not answer");
        refused(503, "The store does not answer.")
    })?;
    let bonuses = match shared.operators.ask(Command::Account(filter.account, AccountCommand::View)).await {
        Some(Reply::View(View::Account(view))) => view.bonuses,
        Some(_) => Vec::new(),
        None => return Err(refused(503, NO_ANSWER)),
    };
    let rows = found.iter().rev().map(|stored| {
        let c = &stored.coupon;
        let state = match stored.state {
            CouponState::Used => "used",
            CouponState::Revoked => "revoked",
            CouponState::Unused => {
                if c.is_live(now_ns()) && bonuses.iter().any(|bonus| bonus.coupon == c.coupon) {
                    "paid"
                } else if c.is_live(now_ns()) {
                    "unused"
                } else {
                    "expired"
                }
            }
        };
        json!({ "coupon": c.coupon.0, "campaign": c.coupon.campaign().0, "kind": kind_name(c.kind),
            "asset": shared.listed().asset_name(c.asset), "value": c.value.to_string(), "state": state, "issued_ms": ms(c.issued), "expires_ms": ms(c.expires) })
    });
    Ok(HttpResponse::Ok().json(json!({ "rows": rows.collect::<Vec<Value>>() })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_is_read_back_as_it_was_signed() {
        let code = Some(hex(&digest_of("WELCOME-26")));
        let proposal = Proposal {
            name: "Welcome \"2026\"".into(),
            kind: cash(),
            asset: "USDT".into(),
            value: "10".into(),
            coupons: 3,
            days: 30,
            ends_ms: 1,
            code,
        };
        let read = Proposal::of_subject(&proposal.subject()).unwrap();
        assert_eq!(read, proposal);
        assert_eq!(read_digest(read.code.as_deref().unwrap()), Some(digest_of("welcome 26")));
        for wrong in ["", "zz", "00", "é"] {
            assert_eq!(read_digest(wrong), None, "{wrong}");
        }
    }
}
