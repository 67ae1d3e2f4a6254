//! What pages of contracts show: a contract with its prices, tickets, and what they are worth together.
//!
//! Owns: the forms of these answers. Never does: change anything. Invariants: tickets and sums of one answer are of one view of the
//! account and one board. Known limits: ended tickets are those of `crate::orders::tickets`.

use super::rows::{Rows, percent};
use super::{contract, some_contract};
use crate::api::app::call::{Call, CallResult};
use crate::api::app::market::weight;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::Failure;
use crate::common::time::{ms, now_ns};
use crate::market::board::read;
use crate::market::payload::state_name;
use crate::orders::lookup::{DEEP, answered};
use crate::orders::tickets::{ENDED, LIVING, Wanted, merged_tickets};
use crate::orders::worth::Worth;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xng_core::account::AccountView;
use xng_core::board::ContractFace;
use xng_core::contract::brackets::Tier;
use xng_core::contract::tickets::TicketId;
use xng_core::copy::CopyLink;
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::spot::Side;
use xng_persistence::store::{ClosedCopyFilter, Slice, StoredTicket, TicketState};

/// Levels of the pair's book on the page of a contract.
const LEVELS: usize = 5;
/// Own tickets on the page of a contract.
const OWN: usize = 10;
/// Numbers of lots that the page offers, within the contract's limits.
const SHARES: [i64; 6] = [1, 5, 10, 50, 100, 500];

const ALL: Wanted = Wanted { contract: None, living: &LIVING, ended: &ENDED };

/// Tickets in the states that are asked for.
fn wanted(call: &Call, default: i8, contract: Option<MarketId>) -> Result<Wanted, Failure> {
    let (living, ended): (&[TicketState], &[TicketState]) = match call.params.integer("status")?.unwrap_or(default) {
        -1 => (ALL.living, ALL.ended),
        0 => (&[TicketState::Waits], &[]),
        1 => (&[TicketState::Open], &[]),
        // Closing is one decision: nobody sees a ticket in it.
        2 => (&[], &[]),
        3 => (&[], &[TicketState::Closed]),
        4 => (&[], &[TicketState::Canceled]),
        _ => return Err(Failure::field("status", "-1 to 4")),
    };
    Ok(Wanted { contract, living, ended })
}

/// What calls see at one moment.
struct Shown {
    call: Call,
    view: Box<AccountView>,
    board: std::sync::Arc<xng_core::board::Board>,
}

impl Shown {
    fn worth(&self) -> Worth<'_> {
        Worth::new(&self.board, &self.view.balances, &self.view.tickets).beside(self.view.legs.as_deref())
    }

    /// Of which tickets some are copies: own ones that are open, and those that were closed as copies.
    async fn links(&self, tickets: &[StoredTicket]) -> Result<BTreeMap<TicketId, CopyLink>, Failure> {
        let Some(own) = self.view.copying.as_deref() else { return Ok(BTreeMap::new()) };
        let mut links: BTreeMap<TicketId, CopyLink> = own.links.iter().copied().collect();
        let ended = || tickets.iter().filter(|row| row.end.is_some()).map(|row| row.ticket.id());
        if let (Some(first), Some(last)) = (ended().min(), ended().max()) {
            let filter = ClosedCopyFilter { account: self.view.account, tickets: Some((first, last)) };
            let store = &self.call.app.shared.store;
            let closed = answered(store.page(&filter, Slice::Newest, DEEP as u32).await)?;
            links.extend(closed.into_iter().map(|row| (row.ticket, row.link)));
        }
        Ok(links)
    }

    async fn rows(&self, tickets: &[StoredTicket]) -> Result<Vec<Value>, Failure> {
        let links = self.links(tickets).await?;
        let catalog = self.call.app.shared.listed();
        let (messages, lang) = (&self.call.app.shared.messages, self.call.lang);
        let rows = Rows { worth: self.worth(), catalog: &catalog, messages, lang };
        Ok(tickets.iter().map(|row| rows.ticket(row, links.get(&row.ticket.id()).copied())).collect())
    }

    /// A page of tickets; it weighs what is read for it.
    async fn page(&self, wanted: &Wanted) -> Result<(Vec<Value>, Value), Failure> {
        let (number, limit) = self.call.params.paging(10)?;
        self.call.weighs(weight((number * limit).min(DEEP) as usize)).await?;
        let (tickets, total) = merged_tickets(&self.call.app, &self.view, wanted, (number, limit)).await?;
        let rows = self.rows(&tickets).await?;
        Ok((rows.clone(), page(rows, number, limit, total)))
    }
}

fn levels(call: &Call, face: &ContractFace, side: Side) -> Vec<Value> {
    let shared = &call.app.shared;
    let market = shared.listed().by_pair(face.params.base, face.params.settle).map(|info| info.params.market);
    let Some(board) = market.and_then(|market| shared.boards.get(market)) else { return Vec::new() };
    let board = read(&board);
    let level = |level| {
        let (price, number) = board.level(level);
        json!({ "price": price.to_string(), "number": number.to_string() })
    };
    board.depth.levels(side).take(LEVELS).map(level).collect()
}

fn described((id, face): (MarketId, &ContractFace), level: u8) -> Value {
    let (p, (index, seq, at)) = (&face.params, face.index);
    let bracket = |tier: Tier| {
        json!({ "ceiling": tier.bracket.ceiling.to_string(), "max_multiple": tier.bracket.max_multiple,
            "maintenance": percent(tier.bracket.rate_ppm), "amount": tier.amount.to_string() })
    };
    json!({
        "id": id.0, "symbol": p.symbol, "status": state_name(face.state), "live": face.is_live(now_ns()),
        "index": (seq > 0).then(|| index.to_string()), "index_ms": (seq > 0).then(|| ms(at)),
        "stale_after_ms": p.stale_after_ms, "tick": p.tick.to_string(), "lot": p.lot.to_string(),
        "spread": percent(p.tickets.spread_ppm), "trade_fee": percent(p.ticket_fee(level).0),
        "overnight": percent(p.tickets.overnight_ppm), "account_cap": p.tickets.account_cap.to_string(),
        "brackets": p.brackets.tiers().map(bracket).collect::<Vec<Value>>(),
    })
}

/// `POST /lever/deal`: what the page of a contract shows. Who is logged in sees their own tickets too.
pub(super) async fn deal(call: Call) -> CallResult {
    let board = call.app.shared.contracts.now();
    let (id, face) = contract(&call, &board)?;
    let view = match call.token() {
        Some(_) => Some(call.view(call.session().await?.account).await?),
        None => None,
    };
    let shared = &call.app.shared;
    let (p, catalog) = (face.params.clone(), shared.listed());
    let level = view.as_ref().map_or(0, |view| view.level);
    let spot = catalog.by_pair(p.base, p.settle).and_then(|info| shared.boards.get(info.params.market));
    let last = spot.and_then(|board| read(&board).last_price()).unwrap_or_default();
    let (low, high) = p.tickets.lots;
    let value = |value: Value| json!({ "value": value });
    let shares = SHARES.iter().filter(|share| (low.0..=high.0).contains(share));
    let multiples = p.tickets.multiples.iter().map(|multiple| value((*multiple).into()));
    let mut message = json!({
        "lever_transaction": { "in": levels(&call, face, Side::Buy), "out": levels(&call, face, Side::Sell) },
        "my_transaction": [], "lever_share_limit": { "min": low.0, "max": high.0 },
        "multiple": { "muit": multiples.collect::<Vec<Value>>(),
            "share": shares.map(|share| value((*share).into())).collect::<Vec<Value>>() },
        "last_price": last.to_string(), "mark_price": face.mark.to_string(), "user_lever": "0", "all_levers": "0",
        "ustd_price": shared.usdt_price(&catalog, p.settle).to_string(),
        "ExRAte": shared.content.rate("CNY").to_string(), "contract": described((id, face), level),
    });
    if let Some(view) = view {
        let shown = Shown { call, view, board: board.clone() };
        let wanted = Wanted { contract: Some(id), living: &LIVING, ended: &[] };
        let (tickets, _) = merged_tickets(&shown.call.app, &shown.view, &wanted, (1, OWN as u64)).await?;
        message["my_transaction"] = shown.rows(&tickets).await?.into();
        message["user_lever"] = shown.worth().cash(p.settle).to_string().into();
        message["all_levers"] = shown.worth().sums(|ticket| ticket.terms.settle == p.settle).value.to_string().into();
    }
    Ok(Answer::ok(message))
}

async fn shown(call: Call) -> Result<Shown, Failure> {
    let session = call.session().await?;
    let view = call.view(session.account).await?;
    let board = call.app.shared.contracts.now();
    Ok(Shown { call, view, board })
}

/// `POST /lever/dealall`: tickets of a contract and what all are worth together.
pub(super) async fn deal_all(call: Call) -> CallResult {
    let shown = shown(call).await?;
    let (id, face) = contract(&shown.call, &shown.board)?;
    let settle = face.params.settle;
    let wanted = wanted(&shown.call, 1, Some(id))?;
    let (_, order) = shown.page(&wanted).await?;
    let worth = shown.worth();
    let all = worth.sums(|ticket| ticket.terms.settle == settle);
    let own = worth.sums(|ticket| ticket.terms.contract == id);
    Ok(Answer::ok(json!({
        "balance": worth.cash(settle).to_string(),
        "hazard_rate": worth.risk(settle).map_or_else(|| "0".to_owned(), |rate| rate.to_string()),
        "caution_money_total": all.margin.to_string(), "origin_caution_money_total": all.origin.to_string(),
        "profits_total": all.profits.to_string(), "caution_money": own.margin.to_string(),
        "origin_caution_money": own.origin.to_string(), "profits": own.profits.to_string(), "order": order,
    })))
}

/// `POST /lever/my_trade`: tickets, newest first.
pub(super) async fn my_trade(call: Call) -> CallResult {
    let shown = shown(call).await?;
    let contract = some_contract(&shown.call, &shown.board)?;
    let wanted = wanted(&shown.call, -1, contract)?;
    let (data, message) = shown.page(&wanted).await?;
    let worth = shown.worth();
    let catalog = shown.call.app.shared.listed();
    let profits = worth.settles().into_iter().map(|settle| {
        let profits = worth.sums(|ticket| ticket.terms.settle == settle).profits;
        shown.call.app.shared.usdt_value(&catalog, settle, profits)
    });
    let profits: Amount = profits.sum();
    Ok(Answer::ok(json!({
        "rate_profits_total": { "hazard_rate": worth.lowest_risk(), "profits_total": profits.to_string() },
        "message": message, "data": data,
    })))
}
