//! Calls of copy trading (`docs/rules/app-calls.md "Copy trading"`): traders and their figures, following one, own copies, applying
//! to become a trader.
//!
//! Owns: texts to commands, and what a refusal is told as. Never does: make a figure; the traders' own entities do. Invariants:
//! figures are those that were published last, but for the number of followers, which is that of now. Known limits: none.

mod figures;
pub(crate) mod rows;
mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::lever::rows::Rows as TicketRows;
use crate::api::app::market::weight;
use crate::api::auth::Application;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::orders::lookup::{DEEP, answered, written};
use crate::orders::worth::Worth;
use figures::{Figure, Sort};
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, AccountView, CopyCommand, OwnCopying, OwnFollow, Ticket};
use xng_core::contract::tickets::TicketId;
use xng_core::copy::{FollowKind, FollowTerms, LARGEST_NUMBER, THOUSANDTHS};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::{Amount, ONE};
use xng_core::record::Origin;
use xng_persistence::store::{CopyEventFilter, Slice, StoredTicket, StoredTrader, TicketFilter, TicketState};

/// Rows of a page, unless the request says how many.
const PAGE: u64 = 15;
/// What an applicant must have in the futures wallet.
const NEEDED: Amount = Amount::whole(500);
/// Tickets that an applicant must have closed.
const NEEDED_CLOSED: u64 = 10;
/// Letters of an application's text.
const MOST_INTRO: usize = 500;
const CLOSED: &[TicketState] = &[TicketState::Closed];

/// The account, if somebody is logged in.
async fn maybe(call: &Call) -> Option<AccountId> {
    call.token()?;
    call.session().await.ok().map(|session| session.account)
}

async fn followed(call: &Call) -> Result<Vec<OwnFollow>, Failure> {
    let Some(account) = maybe(call).await else { return Ok(Vec::new()) };
    let view = call.view(account).await?;
    Ok(view.copying.map_or_else(Vec::new, |own| own.follows))
}

/// A user as everybody may see them.
async fn person(call: &Call, account: AccountId) -> Result<Value, Failure> {
    let user = call.app.shared.auth.user(account).await?;
    Ok(json!({
        "id": account.0, "nickname": user.nickname, "head_portrait": user.avatar, "signature": user.signature,
    }))
}

/// Name and picture alone.
async fn named(call: &Call, account: AccountId) -> Result<Value, Failure> {
    let user = call.app.shared.auth.user(account).await?;
    Ok(json!({ "id": account.0, "nickname": user.nickname, "head_portrait": user.avatar }))
}

/// `GET /follow/index`: traders with their figures.
pub async fn index(call: Call) -> CallResult {
    let sort = Sort::parse(call.params.get("sort"))?;
    let only_open = call.params.integer::<u8>("only_position")?.unwrap_or_default() == 1;
    let (number, limit) = call.params.paging(PAGE)?;
    // Each row asks for its user.
    call.weighs(limit.min(DEEP)).await?;
    let follows = followed(&call).await?;
    let published = call.app.shared.traders.figures();
    let counts = call.app.shared.traders.follower_counts();
    let figure = |view| Figure::of(view, published.time, &counts);
    let mut all: Vec<Figure<'_>> = published.traders.values().map(figure).collect();
    all.retain(|figure| !only_open || figure.view.open_tickets > 0);
    all.sort_by(|a, b| sort.compare(a, b));
    let total = all.len() as u64;
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for figure in all.into_iter().skip(skip).take(limit as usize) {
        let trader = figure.view.trader;
        let mut row = person(&call, trader).await?;
        let is_followed = follows.iter().any(|own| own.trader == trader && own.is_active());
        rows::merge(&mut row, figure.row(published.lsn));
        row["is_followed"] = is_followed.into();
        rows.push(row);
    }
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// The trader that a request names, with since when it is one or was.
async fn trader(call: &Call) -> Result<StoredTrader, Failure> {
    let account = AccountId(call.params.need_integer("trader_user_id")?);
    written(&call.app).await?;
    let filter = xng_persistence::store::TraderFilter { account };
    let found = answered(call.app.shared.store.page(&filter, Slice::Oldest, 1).await)?;
    found.into_iter().next().ok_or_else(|| Failure::text(Code::NotFound, "copy_no_trader"))
}

/// `GET /follow/traderDetail`.
pub async fn detail(call: Call) -> CallResult {
    let stored = trader(&call).await?;
    let follows = followed(&call).await?;
    let own = follows.iter().find(|own| own.trader == stored.account);
    let published = call.app.shared.traders.figures();
    let mut info = person(&call, stored.account).await?;
    info["is_trader"] = u8::from(stored.terms.is_some()).into();
    let view = published.traders.get(&stored.account);
    let counts = call.app.shared.traders.follower_counts();
    let data = Figure::detail(view.map(|view| Figure::of(view, published.time, &counts)), &published);
    let is_followed = own.is_some_and(OwnFollow::is_active);
    Ok(Answer::ok(json!({
        "trader_info": info, "data": data, "is_followed": is_followed,
        "follow": own.filter(|own| own.is_active()).map(rows::follow),
        "share_ratio": rows::share(stored.terms.map_or(0, |terms| terms.share_ppm)),
    })))
}

/// `GET /follow/historyTrade`: tickets that a trader closed since the account is one, newest first. What is closed later is nobody
/// else's business.
pub async fn history(call: Call) -> CallResult {
    let stored = trader(&call).await?;
    let (number, limit) = call.params.paging(PAGE)?;
    if stored.terms.is_none() {
        return Ok(Answer::ok(page(Vec::new(), number, limit, 0)));
    }
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    let closed =
        TicketFilter { states: Some(CLOSED), ended_from: Some(stored.time), ..TicketFilter::of(stored.account) };
    let found = answered(call.app.shared.store.page(&closed, Slice::Newest, reach as u32).await)?;
    let total = answered(call.app.shared.store.count(&closed).await)?;
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    let catalog = call.app.shared.listed();
    let board = call.app.shared.contracts.now();
    let newest = found.iter().rev().skip(skip).take(limit as usize);
    let rows = newest.map(|row| rows::trade(row, &catalog, &board)).collect();
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// What a follower chose: a number with at most three decimals, or whole lots.
fn terms(call: &Call) -> Result<FollowTerms, Failure> {
    let kind = match call.params.need_integer::<u8>("type")? {
        1 => FollowKind::Multiple,
        2 => FollowKind::Lots,
        _ => return Err(Failure::text(Code::Parameter, "copy_bad_type")),
    };
    let number = call.params.need_positive("number")?;
    let (unit, too_large) = match kind {
        FollowKind::Multiple => (ONE / i128::from(THOUSANDTHS), "copy_multiple_high"),
        FollowKind::Lots => (ONE, "copy_lots_high"),
    };
    if number > Amount::whole(LARGEST_NUMBER.into()) {
        return Err(Failure::text(Code::Limit, too_large).with("limit", LARGEST_NUMBER));
    }
    if number.0 % unit != 0 {
        return Err(Failure::field("number", "too many decimals"));
    }
    Ok(FollowTerms { kind, number: u32::try_from(number.0 / unit).unwrap_or(u32::MAX) })
}

/// Hands over a command; what it says when it was taken.
async fn change(call: &Call, account: AccountId, command: CopyCommand, said: &str) -> CallResult {
    let key = call.request_key()?;
    let command = Command::Account(account, AccountCommand::Copy(command));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Accepted(Accepted::Done) => Ok(call.said(said)),
        Reply::Known(Accepted::Done) => Ok(call.said(said).and(json!({ "repeated": true }))),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a follow changes or not, not {other:?}")
        }
    }
}

/// `POST /follow/follow`: a second time it is another choice for copies to come.
pub async fn follow(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let trader = AccountId(call.params.need_integer("trader_user_id")?);
    let terms = terms(&call)?;
    change(&call, account, CopyCommand::Follow { trader, terms }, "copy_followed").await
}

/// `POST /follow/cancel`: copies that are open go on.
pub async fn cancel(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let trader = AccountId(call.params.need_integer("follow_user_id")?);
    change(&call, account, CopyCommand::Unfollow { trader }, "copy_unfollowed").await
}

/// `POST /follow/selfHolding`: a copy becomes an own ticket.
pub async fn self_holding(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let ticket = TicketId(call.params.need_integer("transaction_id")?);
    change(&call, account, CopyCommand::Detach(ticket), "copy_detached").await
}

/// `GET /follow/my`: whom the account follows, and its copies that are open, newest first.
pub async fn my(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (number, limit) = call.params.paging(PAGE)?;
    let view = call.view(account).await?;
    let nothing = OwnCopying::default();
    let own = view.copying.as_deref().unwrap_or(&nothing);
    let mut follows = Vec::new();
    for follow in &own.follows {
        let open = own.links.iter().filter(|(_, link)| link.trader == follow.trader).count();
        if !follow.is_active() && open == 0 && follow.results.withheld.is_zero() {
            continue;
        }
        let mut row = rows::follow(follow);
        row["trader"] = named(&call, follow.trader).await?;
        row["open_count"] = open.into();
        follows.push(row);
    }
    let (copies, total) = open_copies(&call, &view, own, (number, limit));
    let mut answer = page(copies, number, limit, total);
    answer["follows"] = follows.into();
    Ok(Answer::ok(answer))
}

fn open_copies(call: &Call, view: &AccountView, own: &OwnCopying, (number, limit): (u64, u64)) -> (Vec<Value>, u64) {
    let copies: Vec<&Ticket> = view.tickets.iter().filter(|ticket| own.link(ticket.id()).is_some()).rev().collect();
    let total = copies.len() as u64;
    let board = call.app.shared.contracts.now();
    let catalog = call.app.shared.listed();
    let worth = Worth::new(&board, &view.balances, &view.tickets).beside(view.legs.as_deref());
    let rows = TicketRows { worth, catalog: &catalog, messages: &call.app.shared.messages, lang: call.lang };
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    let shown = copies.into_iter().skip(skip).take(limit as usize).map(|ticket| {
        let stored = StoredTicket { account: view.account, settle: ticket.terms.settle, ticket: *ticket, end: None };
        rows.ticket(&stored, own.link(ticket.id()))
    });
    (shown.collect(), total)
}

/// `GET /follow/log`: tickets that were not copied, with the reason, newest first.
pub async fn log(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (number, limit) = call.params.paging(PAGE)?;
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    written(&call.app).await?;
    let skipped = CopyEventFilter { account, skipped: true };
    let found = answered(call.app.shared.store.page(&skipped, Slice::Newest, reach as u32).await)?;
    let total = answered(call.app.shared.store.count(&skipped).await)?;
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    for event in found.iter().rev().skip(skip).take(limit as usize) {
        let Some((source, reason)) = rows::skipped(&event.event) else { continue };
        let ticket = answered(call.app.shared.store.find::<StoredTicket>(source).await)?;
        let symbol = ticket.map(|row| rows::symbol(&row, &call.app.shared.listed(), &call.app.shared.contracts.now()));
        let mut trader = named(&call, event.trader).await?;
        trader.as_object_mut().into_iter().for_each(|fields| drop(fields.remove("head_portrait")));
        let failure = Failure::from(reason).answer(&call.app.shared.messages, call.lang);
        rows.push(rows::skip((event.time, trader), symbol.unwrap_or_default(), source, reason, &failure.message));
    }
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// What an applicant has of what is needed.
struct Standing {
    balance: Amount,
    closed: u64,
}

impl Standing {
    async fn of(call: &Call, account: AccountId) -> Result<Standing, Failure> {
        let view = call.view(account).await?;
        written(&call.app).await?;
        let filter = TicketFilter { states: Some(CLOSED), ..TicketFilter::of(account) };
        let closed = answered(call.app.shared.store.count(&filter).await)?;
        let asset = trader_asset(call);
        let held = view.balances.iter().find(|b| (b.wallet, Some(b.asset)) == (Wallet::Futures, asset));
        Ok(Standing { balance: held.map_or(Amount::ZERO, |b| b.available + b.locked), closed })
    }

    fn is_enough(&self) -> bool {
        self.balance >= NEEDED && self.closed >= NEEDED_CLOSED
    }
}

fn is_trader(view: &AccountView) -> bool {
    view.copying.as_deref().is_some_and(|own| own.trader.is_some())
}

fn follows(view: &AccountView) -> bool {
    view.copying.as_deref().is_some_and(|own| own.follows.iter().any(OwnFollow::is_active))
}

/// What traders' tickets are paid in.
fn trader_asset(call: &Call) -> Option<AssetId> {
    call.app.shared.listed().copy.map(|terms| terms.asset)
}

/// `GET /follow/apply/state`.
pub async fn apply_state(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let standing = Standing::of(&call, account).await?;
    let Application { state, intro, reason } = call.app.shared.auth.trader_application(account).await?;
    let view = call.view(account).await?;
    let (is_trader, follows) = (is_trader(&view), follows(&view));
    let state = if is_trader { 2 } else { state };
    Ok(Answer::ok(json!({
        "state": state, "reason": reason, "intro": intro,
        "lever_balance": standing.balance.to_string(), "lever_needed": NEEDED.to_string(),
        "closed_count": standing.closed, "closed_needed": NEEDED_CLOSED,
        "eligible": standing.is_enough() && !is_trader && !follows && state != 1,
    })))
}

/// `POST /follow/apply`.
pub async fn apply(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let intro = call.params.need("intro")?.trim();
    if intro.is_empty() || intro.chars().count() > MOST_INTRO {
        return Err(Failure::field("intro", "1 to 500 letters"));
    }
    let view = call.view(account).await?;
    if is_trader(&view) {
        return Err(Code::State.into());
    }
    if follows(&view) {
        return Err(Failure::text(Code::NotEligible, "copy_stop_first"));
    }
    if !Standing::of(&call, account).await?.is_enough() {
        let failure = Failure::text(Code::NotEligible, "copy_apply_needs");
        return Err(failure.with("balance", NEEDED).with("closed", NEEDED_CLOSED));
    }
    if !call.app.shared.auth.apply_as_trader(account, intro).await? {
        return Err(Code::State.into());
    }
    Ok(call.said("copy_applied"))
}
