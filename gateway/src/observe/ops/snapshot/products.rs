//! What the console shows of conversion, seconds options, copy trading, coupons, stocks and chains.
//!
//! Owns: the fields of them. Never does: name a user: a trader is the number of an account, as operators name it. Invariants: a
//! product that is off or empty is null or an empty list; the cell is asked only for what nobody else has, and waited for no
//! longer than [`PATIENCE`]. Known limits: shares of profits are null with more than [`MOST_ASKED`] follows and copies.

use super::super::chains::held;
use super::super::running::Running;
use crate::app::Shared;
use crate::common::time::{Ms, ms, now_ns};
use crate::custody::chains::ChainStatus;
use crate::market::board::read;
use crate::market::catalog::{Catalog, MarketInfo};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;
use xng_cell::{Hosting, World};
use xng_core::board::ConvertFace;
use xng_core::convert::params::{ConvertAsset, ConvertParams};
use xng_core::copy::{CopyResults, TraderTerms, next_monday};
use xng_core::coupon::campaign::{CampaignState, CampaignView};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId};
use xng_core::money::Amount;
use xng_core::seconds::desk::DeskOffer;
use xng_core::seconds::rules::OptionResult;
use xng_runtime::shell::Actors;

/// An answer of the cell that takes longer is not known this time. The ops port answers nothing else meanwhile.
const PATIENCE: Duration = Duration::from_millis(20);
/// Follows and copies of which the cell is asked at most: it looks at each of them, and decides nothing meanwhile.
const MOST_ASKED: usize = 1_000;
/// Traders that are told: those with most followers.
const MOST_TRADERS: usize = 12;

/// Campaigns that are told: the newest.
const MOST_CAMPAIGNS: usize = 12;

/// By what they are paid in: shares of profits that traders would get now, and what is withheld for them.
type Shares = BTreeMap<AssetId, (Amount, Amount)>;

/// What only the cell has.
#[derive(Debug, Default)]
struct FromCell {
    conversion: Option<ConvertFace>,
    shares: Option<Shares>,
}

fn add_share(shares: &mut Shares, offer: &TraderTerms, results: CopyResults) {
    let (due, withheld) = shares.entry(offer.asset).or_default();
    *due += results.settled(offer.share_ppm).0;
    *withheld += results.withheld;
}

/// Of whoever follows, or follows no more and has copies open: all others are settled.
fn shares<H: Hosting>(world: &World<H>) -> Shares {
    let mut shares = Shares::default();
    for (id, trader) in world.traders().iter() {
        let copying: BTreeSet<AccountId> =
            trader.followers().chain(trader.links().map(|(_, account)| account)).collect();
        let own = copying.iter().filter_map(|account| world.accounts().get(*account)?.copying()?.follow(id));
        own.for_each(|own| add_share(&mut shares, &own.offer, own.results));
    }
    shares
}

fn ask(running: &Running, asks_shares: bool) -> FromCell {
    // One that hangs answers nothing, and questions to it would pile up.
    if running.shared.health.cell.is_stuck() {
        return FromCell::default();
    }
    let job = move |world: &mut World<Actors>| FromCell {
        conversion: world.board().conversion().cloned(),
        shares: asks_shares.then(|| shares(world)),
    };
    running.cell.with_world(job).recv_timeout(PATIENCE).unwrap_or_default()
}

/// Seconds from one time to another, 0 when that is over.
fn seconds_to(from: Ms, to: Ms) -> f64 {
    (to - from).max(0) as f64 / 1e3
}

fn convert(shared: &Shared, catalog: &Catalog, face: Option<&ConvertFace>, now: TimeNs) -> Value {
    let Some(params) = &catalog.convert else { return Value::Null };
    let ConvertParams { version, spread_ppm, fee_ppm, assets, .. } = params;
    let one = |listed: &ConvertAsset| {
        json!({ "asset": catalog.asset_name(listed.asset), "cap": listed.daily_cap.to_string(),
            "given": face.map(|face| face.given(listed.asset, now).to_string()) })
    };
    json!({
        "version": version, "spread_ppm": spread_ppm, "fee_ppm": fee_ppm,
        "done": shared.conversions.done.load(Ordering::Relaxed),
        "refused": shared.conversions.refused.load(Ordering::Relaxed),
        "assets": assets.iter().map(one).collect::<Vec<Value>>(),
    })
}

/// When the index of a market was stamped.
fn index_at(shared: &Shared, market: MarketId) -> Option<Ms> {
    let board = shared.boards.get(market)?;
    let index = read(&board).index;
    index.map(|(_, at)| at)
}

fn seconds(shared: &Shared, catalog: &Catalog, now: TimeNs) -> Vec<Value> {
    let (desks, results) = shared.desks.all(now);
    let one = |desk: &DeskOffer| {
        let p = &desk.params;
        let ended = |result| results.get(&(p.desk, result)).copied().unwrap_or_default();
        json!({
            "symbol": catalog.symbol(p.pair()).map_or_else(|| p.pair().to_string(), str::to_owned),
            "seconds": p.seconds, "asset": catalog.asset_name(p.asset), "open": desk.open,
            "rise_open": desk.rise_open, "fall_open": desk.fall_open, "options": desk.options,
            "worst_loss": desk.worst_loss.to_string(), "minute_cap": p.minute_cap.to_string(),
            "lost": desk.lost.to_string(), "day_cap": p.day_cap.to_string(),
            "age_s": index_at(shared, p.pair()).map(|at| seconds_to(at, ms(now))),
            "fresh_s": f64::from(p.fresh_ms) / 1e3,
            "won": ended(OptionResult::Win), "lost_stakes": ended(OptionResult::Loss),
            "tied": ended(OptionResult::Tie), "void": ended(OptionResult::Void),
        })
    };
    desks.iter().map(one).collect()
}

fn copying(shared: &Shared, catalog: &Catalog, due: Option<&Shares>, now: TimeNs) -> Value {
    let counts = shared.traders.counts();
    if (counts.traders, counts.followers, counts.open, counts.left) == (0, 0, 0, 0) {
        return Value::Null;
    }
    let (figures, followers) = (shared.traders.figures(), shared.traders.follower_counts());
    let mut traders: Vec<_> = figures
        .traders
        .iter()
        .map(|(account, view)| (followers.get(account).copied().unwrap_or_default(), account, view))
        .collect();
    traders.sort_by_key(|(followers, ..)| Reverse(*followers));
    let list = traders.iter().take(MOST_TRADERS).map(|(followers, account, view)| {
        json!({ "account": account.0, "followers": followers, "tickets": view.open_tickets,
            "opened": view.statistics.copies, "skipped": view.statistics.skips })
    });
    let skips = shared.traders.skips().into_iter().map(|(reason, count)| json!({ "reason": reason, "count": count }));
    let share = |(asset, (due, withheld)): (&AssetId, &(Amount, Amount))| {
        let asset = catalog.asset_name(*asset);
        json!({ "asset": asset, "due": due.to_string(), "withheld": withheld.to_string() })
    };
    json!({
        "traders": counts.traders, "followers": counts.followers, "open": counts.open, "left": counts.left,
        "opened": counts.copies.0, "skipped": counts.copies.1, "skips": skips.collect::<Vec<Value>>(),
        "shares": due.map(|due| due.iter().map(share).collect::<Vec<Value>>()),
        "settles_s": seconds_to(ms(now), ms(next_monday(now))),
        "list": list.collect::<Vec<Value>>(), "list_age_s": seconds_to(ms(figures.time), ms(now)),
    })
}

/// Campaigns that lock money, the newest first.
fn coupons(shared: &Shared, catalog: &Catalog) -> Value {
    let all = shared.campaigns.all();
    if all.is_empty() {
        return Value::Null;
    }
    let sum = |count: fn(&CampaignView) -> u32| all.iter().map(|view| u64::from(count(view))).sum::<u64>();
    let running = all.iter().filter(|view| view.runs()).count();
    let row = |view: &CampaignView| {
        let t = &view.terms;
        json!({ "campaign": t.campaign.0, "name": t.name, "asset": catalog.asset_name(t.asset), "open": view.state == CampaignState::Open,
            "out": view.out(), "coupons": t.number, "locked": view.locked().to_string() })
    };
    let list = all.iter().rev().filter(|view| view.runs()).take(MOST_CAMPAIGNS).map(row);
    json!({ "running": running, "issued": sum(|view| view.issued), "used": sum(|view| view.used), "revoked": sum(|view| view.revoked),
        "list": list.collect::<Vec<Value>>() })
}

fn stocks(shared: &Shared, catalog: &Catalog, now: TimeNs) -> Value {
    let counts = shared.stocks.counts(now);
    if counts.venues.is_empty() {
        return Value::Null;
    }
    let venue = |(name, _, sessions): &(String, bool, usize)| {
        let venue = shared.stocks.venue(shared.stocks.named(name)?.calendar, now)?;
        Some(json!({ "name": name, "zone": venue.zone, "phase": venue.phase.name(), "sessions": sessions,
            "until_s": venue.until_ms.map(|until| seconds_to(ms(now), until)) }))
    };
    let last = shared.stocks.last_actions();
    let market = |info: &MarketInfo| {
        let p = &info.params;
        let terms = p.stock.as_ref()?;
        Some(json!({
            "symbol": p.symbol, "venue": shared.stocks.venue(terms.calendar, now).map(|venue| venue.name),
            "state": format!("{:?}", info.state),
            "age_s": index_at(shared, p.market).map(|at| seconds_to(at, ms(now))),
            "stale_s": f64::from(p.stale_after_ms) / 1e3,
            "action": last.get(&p.market), "under_way": shared.stocks.is_under_way(p.market),
            "holders": counts.applied.get(&p.market).copied().unwrap_or_default(),
        }))
    };
    json!({
        "venues": counts.venues.iter().filter_map(venue).collect::<Vec<Value>>(),
        "markets": catalog.markets.values().filter_map(market).collect::<Vec<Value>>(),
    })
}

/// When the oldest open withdrawal was asked for.
fn oldest(chain: &ChainStatus) -> Option<Ms> {
    let counts = chain.withdrawals;
    [(counts.pending, counts.pending_since_ms), (counts.approved, counts.approved_since_ms)]
        .into_iter()
        .filter_map(|(open, since)| (open > 0).then_some(since))
        .min()
}

/// Null unless the settings name a chain.
fn chains(shared: &Shared, now: Ms) -> Value {
    let all = shared.chains.all();
    if all.is_empty() {
        return Value::Null;
    }
    let row = |chain: &ChainStatus| {
        json!({
            "name": chain.params.name,
            "height": chain.cursor.map(|cursor| cursor.height), "node_height": chain.node.map(|node| node.tip),
            "node_age_s": chain.node.map(|node| seconds_to(node.seen_ms, now)),
            "halted": chain.halted.map(|why| format!("{why:?}")), "addresses": chain.addresses,
            "held": held(shared, chain),
            "deposits": chain.credited, "trouble": chain.trouble,
            "withdrawals": chain.pays().then(|| json!({
                "open": chain.takes_withdrawals(), "waiting": chain.withdrawals.pending, "paying": chain.withdrawals.approved,
                "oldest_s": oldest(chain).map(|since| seconds_to(since, now)), "paid": chain.paid,
                "trouble": chain.unpaid })),
        })
    };
    all.iter().map(row).collect()
}

/// Adds all of them to a snapshot.
pub(super) fn add(running: &Running, made: &mut Value) {
    let (shared, now) = (&running.shared, now_ns());
    let (catalog, copies) = (shared.listed(), shared.traders.counts());
    let asks_shares = copies.traders > 0 && copies.followers + copies.open <= MOST_ASKED;
    let asks = asks_shares || catalog.convert.is_some();
    let found = if asks { ask(running, asks_shares) } else { FromCell::default() };
    made["convert"] = convert(shared, &catalog, found.conversion.as_ref(), now);
    made["seconds"] = seconds(shared, &catalog, now).into();
    made["copying"] = copying(shared, &catalog, found.shares.as_ref(), now);
    made["coupons"] = coupons(shared, &catalog);
    made["stocks"] = stocks(shared, &catalog, now);
    made["chains"] = chains(shared, ms(now));
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_cell::Plain;
    use xng_core::convert::DAY_NS;

    fn amount(text: &str) -> Amount {
        text.parse().expect("an amount")
    }

    #[test]
    fn shares_are_added_up_by_what_they_are_paid_in() {
        let offer = |asset, share_ppm| TraderTerms { asset: AssetId(asset), share_ppm };
        let results =
            |sum, mark, withheld| CopyResults { sum: amount(sum), mark: amount(mark), withheld: amount(withheld) };
        let mut shares = Shares::default();
        // The first week of `docs/rules/copy-trading.md "Profit share"`, and a loss that nothing is due of.
        add_share(&mut shares, &offer(3, 100_000), results("50", "0", "60"));
        add_share(&mut shares, &offer(3, 100_000), results("-150", "150", "1.5"));
        add_share(&mut shares, &offer(4, 200_000), results("10", "5", "4"));
        assert_eq!(shares[&AssetId(3)], (amount("5"), amount("61.5")));
        assert_eq!(shares[&AssetId(4)], (amount("1"), amount("4")));
        assert!(super::shares(&World::<Plain>::default()).is_empty(), "nobody follows");
    }

    #[test]
    fn a_boundary_that_is_over_is_no_time_away() {
        assert_eq!((seconds_to(1_000, 3_500), seconds_to(3_500, 1_000)), (2.5, 0.0));
        assert_eq!(seconds_to(ms(0), ms(next_monday(0))), 4.0 * DAY_NS as f64 / 1e9, "from a Thursday");
    }
}
