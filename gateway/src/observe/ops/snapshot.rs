//! What the console shows, as one JSON text a second.
//!
//! Owns: the fields of it. Never does: ask the cell's thread, but for two figures of products (`snapshot/products.rs`); name a
//! user. Invariants: what is not known is null, not zero. Known limits: percentiles are of the last ten seconds, rates of the
//! last one.

mod products;

use super::running::{self, Running};
use super::sample::{Counts, Sample, Window};
use crate::app::Shared;
use crate::common::time::{Ms, now_ms, now_ns};
use crate::market::board::{Board, read};
use crate::market::contracts::cap_used_ppm;
use crate::observe::metrics::process;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, RwLock};
use xng_core::board::ContractFace;
use xng_core::contract::tickets::HUNDREDTHS;
use xng_core::entity::{Command, MESSAGES_A_KIND};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::market::MarketState;
use xng_core::money::{Amount, Lots};
use xng_core::spot::Side;

/// Orders that are offered to be traced.
const RECENT: usize = 12;

struct Views<'a> {
    now: &'a Sample,
    before: &'a Sample,
    oldest: &'a Sample,
}

impl Views<'_> {
    fn rate(&self, of: impl Fn(&Sample) -> u64) -> f64 {
        self.now.rate(self.before, |sample| of(sample) as f64)
    }

    fn counts(&self, of: impl Fn(&Sample) -> &Counts) -> Counts {
        of(self.now).since(of(self.oldest))
    }
}

fn micros_of_nanos(nanos: Option<f64>) -> Option<f64> {
    nanos.map(|nanos| nanos / 1e3)
}

/// One text; the next one's rates are counted from here.
pub(super) fn make(running: &Running, window: &mut Window) -> Value {
    let (now, before, oldest) = window.add(Sample::take(&running.figures));
    let v = Views { now, before, oldest };
    let mut made = json!({
        "at_ms": now_ms(),
        "build": { "version": crate::RELEASE, "commit": crate::COMMIT },
        "uptime_s": running.shared.health.startup.age().as_secs(),
        "ready": running::unready(running), "warnings": running::warnings(running),
        "actors": actors(running, &v), "cell": cell(running, &v), "journal": journal(running, &v),
        "persister": persister(running, &v), "sockets": sockets(running, &v), "orders": orders(running, &v),
        "feeds": feeds(running, &v), "contracts": contracts(&running.shared), "ledger": ledger(running), "process": machine(&v),
    });
    products::add(running, &mut made);
    made
}

fn actors(running: &Running, v: &Views<'_>) -> Vec<Value> {
    let (meters, now_ns) = (running.cell.meters(), now_ns());
    let one = |kind: &xng_core::entity::EntityKind| {
        let numbers = kind.number * MESSAGES_A_KIND..kind.number * MESSAGES_A_KIND + kind.messages.len();
        let handle = numbers.clone().fold(Counts::default(), |all, n| all.and(&v.counts(|s| &s.handle[n])));
        let messages: Vec<Value> = numbers
            .clone()
            .zip(kind.messages)
            .filter(|(n, _)| v.now.messages[*n] > 0)
            .map(|(n, name)| {
                let handle = v.counts(|s| &s.handle[n]);
                json!({ "msg": name, "total": v.now.messages[n], "rate": v.rate(|s| s.messages[n]),
                    "p99_us": micros_of_nanos(handle.quantile(0.99)) })
            })
            .collect();
        let slowest = meters.slowest(kind.number).map(|slow| {
            let msg = kind.messages.get(slow.message % MESSAGES_A_KIND).copied().unwrap_or("?");
            json!({ "msg": msg, "entity": slow.entity.to_string(), "us": slow.nanos as f64 / 1e3,
                "ago_s": now_ns.saturating_sub(slow.at) as f64 / 1e9 })
        });
        let progress = meters.progress(kind.number);
        json!({
            "type": kind.name, "alive": meters.instances(kind.number), "depth": meters.depth(kind.number),
            "rate": v.rate(|s| s.messages[numbers.clone()].iter().sum()),
            "p50_us": micros_of_nanos(handle.quantile(0.5)), "p99_us": micros_of_nanos(handle.quantile(0.99)),
            "wait_p99_us": micros_of_nanos(v.counts(|s| &s.wait[kind.number]).quantile(0.99)),
            "idle_s": (progress > 0).then(|| now_ns.saturating_sub(progress) as f64 / 1e9),
            "crashes": running.crashes[kind.number], "slowest": slowest, "messages": messages,
        })
    };
    Command::KINDS.iter().map(one).collect()
}

fn cell(running: &Running, v: &Views<'_>) -> Value {
    let (stats, admission) = (running.cell.stats(), &running.admission);
    json!({
        "lsn": stats.lsn, "ingress": running.cell.waiting(), "queue": stats.queued, "gate": stats.gated,
        "entities": stats.entities, "commands_rate": v.rate(|s| s.commands), "rejects_rate": v.rate(|s| s.rejects),
        "busy_rate": v.rate(|s| s.busy), "digests": stats.counters.digests, "clock_offset_ms": running.clock.ms(),
        "credits": { "orders": admission.orders.left(), "cancels": admission.cancels.left(),
            "reads": admission.reads.left() },
        "halted": running.halted.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn journal(running: &Running, v: &Views<'_>) -> Value {
    let (journal, health) = (&running.journal, &running.shared.health);
    let (last, durable) = (journal.metrics().last.load(Ordering::Relaxed), journal.durable().0);
    let (groups, fsync) = (v.counts(|s| &s.groups), v.counts(|s| &s.fsync));
    json!({
        "last": last, "durable": durable, "pending": last.saturating_sub(durable),
        "rate": v.rate(|s| s.records), "bytes_rate": v.rate(|s| s.bytes), "syncs_rate": v.rate(|s| s.fsync.total()),
        "group_mean": groups.mean(), "group_p99": groups.quantile(0.99),
        "fsync_p50_us": fsync.quantile(0.5), "fsync_p99_us": fsync.quantile(0.99),
        "capacity": running::capacity_name(journal.capacity()), "spares": journal.spare_segments(),
        "segment_bytes": journal.segment_bytes(), "free_bytes": journal.free_bytes().ok(),
        "snapshot_age_s": health.snapshot.age().map(|age| age.as_secs()),
    })
}

fn persister(running: &Running, v: &Views<'_>) -> Value {
    let (persister, batches) = (&running.persister, v.counts(|s| &s.batches));
    json!({
        "watermark": persister.persisted().0, "lag_records": persister.lag_records(),
        "lag_s": persister.lag(now_ns()).as_secs_f64(), "rows_rate": v.rate(|s| s.rows),
        "batch_p50_us": batches.quantile(0.5), "batch_p99_us": batches.quantile(0.99),
        "errors": persister.metrics().errors.load(Ordering::Relaxed), "stopped": persister.has_failed(),
        "failing_s": persister.failing_for().map(|time| time.as_secs_f64()),
    })
}

fn sockets(running: &Running, v: &Views<'_>) -> Value {
    let (meters, fanout) = (&running.shared.meters.sockets, v.counts(|s| &s.fanout));
    let open: Vec<Value> = meters
        .open()
        .iter()
        .map(|(kind, open)| json!({ "kind": kind, "sessions": open.sessions, "bytes": open.bytes }))
        .collect();
    let dropped: Vec<Value> = meters.all_dropped().map(|(reason, n)| json!({ "reason": reason, "count": n })).collect();
    json!({
        "open": open, "dropped": dropped, "conflated_rate": v.rate(|s| s.conflated),
        "fanout_p50_us": fanout.quantile(0.5), "fanout_p99_us": fanout.quantile(0.99),
        "requests_rate": v.rate(|s| s.requests),
    })
}

fn orders(running: &Running, v: &Views<'_>) -> Value {
    let ack = v.counts(|s| &s.ack);
    let ends: Vec<Value> = running
        .shared
        .meters
        .orders
        .ends()
        .filter(|(_, _, n)| *n > 0)
        .map(|(kind, result, n)| json!({ "type": kind, "result": result, "count": n }))
        .collect();
    let recent: Vec<u64> = running.shared.health.trail.latest(RECENT).into_iter().map(|order| order.0).collect();
    json!({
        "rate": v.rate(|s| s.orders), "ack_p50_us": ack.quantile(0.5), "ack_p99_us": ack.quantile(0.99),
        "ends": ends, "recent": recent,
    })
}

fn feeds(running: &Running, v: &Views<'_>) -> Vec<Value> {
    let now = now_ms();
    let boards = running.shared.boards.all();
    let one = |board: &Arc<RwLock<Board>>| {
        let board = read(board);
        let mut row = market(&running.shared, &board, now);
        row["trades_rate"] = v.rate(|s| s.trades.get(&board.params.symbol).copied().unwrap_or_default()).into();
        row
    };
    boards.iter().map(one).collect()
}

/// A market, and what the house has in it.
pub(crate) fn market(shared: &Shared, board: &Board, now: Ms) -> Value {
    let quoting = shared.house.of(board.params.market);
    // Quotes of a market that is not open left its book, and nobody quotes it that would say so.
    let is_open = board.state == MarketState::Trading;
    let (quotes, levels) = if is_open { (quoting.quotes, quoting.levels) } else { (false, 0) };
    let best = [Side::Buy, Side::Sell].map(|side| board.best(side).map(|level| level.0));
    let spread = if let [Some(bid), Some(ask)] = best { Some((ask - bid).to_string()) } else { None };
    json!({
        "symbol": board.params.symbol, "source": board.source, "state": format!("{:?}", board.state),
        "age_s": board.index.map(|(_, at)| (now - at).max(0) as f64 / 1e3),
        "price": board.last_price().map(|price| price.to_string()), "spread": spread,
        "house": { "quotes": quotes, "levels": levels, "inventory": quoting.inventory.to_string(),
            "age_s": (quoting.quoted_ms > 0).then(|| (now - quoting.quoted_ms).max(0) as f64 / 1e3) },
    })
}

/// Contracts with what is open in them, and the money behind them.
pub(crate) fn contracts(shared: &Shared) -> Value {
    let (board, books, now) = (shared.contracts.now(), shared.contracts.books(), now_ns());
    let (tally, catalog) = (shared.contracts.tally(), shared.listed());
    let one = |(id, face): (MarketId, &ContractFace)| {
        let counts = tally.tickets.get(&id).copied().unwrap_or_default();
        let side = |lots: Lots| {
            let value = Fraction::value(face.index.0, face.params.base_of(lots)).round8();
            json!({ "lots": lots.0 as f64 / HUNDREDTHS as f64, "notional": value.to_string() })
        };
        json!({
            "symbol": face.params.symbol, "settle": catalog.asset_name(face.params.settle),
            "state": format!("{:?}", face.state), "live": face.is_live(now),
            "age_s": (face.index.1 > 0).then(|| now.saturating_sub(face.index.2) as f64 / 1e9),
            "mark": (face.index.1 > 0).then(|| face.mark.to_string()), "open": counts.open, "waiting": counts.waiting,
            "liquidated": counts.liquidated, "long": side(face.tickets.0), "short": side(face.tickets.1),
            "cap_used": cap_used_ppm(face) as f64 / 1e6,
            "house": face.book.is_some().then(|| {
                let quoting = shared.house.of(id);
                json!({ "quotes": quoting.quotes, "levels": quoting.levels, "position": quoting.inventory.to_string() })
            }),
            "book": books.get(&id).map(|book| {
                let [legs, orders, waiting] = book.counts;
                let liquidated = tally.legs.get(&id).copied().unwrap_or_default();
                json!({
                    "legs": legs, "orders": orders, "waiting": waiting, "quota": book.quota.to_string(),
                    "open": face.params.book_units().base(book.open).to_string(),
                    "steps": liquidated.steps, "deleveraged": liquidated.deleveraged,
                })
            }),
        })
    };
    let funds = shared.health.ledger.last().map(|(counted, _)| {
        let named = |(account, _, asset, amount): &(AccountId, Wallet, AssetId, Amount)| {
            let account = if *account == AccountId::INSURANCE { "insurance" } else { "house" };
            json!({ "account": account, "asset": catalog.asset_name(*asset), "amount": amount.to_string() })
        };
        counted.funds.iter().filter(|fund| fund.1 == Wallet::Futures).map(named).collect::<Vec<Value>>()
    });
    json!({ "list": board.contracts().map(one).collect::<Vec<Value>>(), "funds": funds })
}

fn ledger(running: &Running) -> Value {
    let Some((counted, age)) = running.shared.health.ledger.last() else { return Value::Null };
    let catalog = running.shared.listed();
    let assets: Vec<Value> = counted
        .sums
        .iter()
        .map(|(asset, sum)| {
            let name = catalog.assets.get(asset).map_or_else(|| asset.0.to_string(), |known| known.name.clone());
            json!({ "asset": name, "sum": Amount(*sum).to_string() })
        })
        .collect();
    let balanced = counted.sums.values().all(|sum| *sum == 0);
    json!({ "lsn": counted.lsn.0, "age_s": age.as_secs_f64(), "accounts": counted.accounts, "balanced": balanced,
        "assets": assets })
}

fn machine(v: &Views<'_>) -> Value {
    let mut threads: Vec<(&String, f64)> = v
        .now
        .threads
        .keys()
        .map(|name| (name, v.now.rate(v.oldest, |s| s.threads.get(name).copied().unwrap_or_default())))
        .collect();
    threads.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = threads.iter().map(|(_, cpu)| cpu).sum();
    let busiest: Vec<Value> = threads.iter().take(10).map(|(name, cpu)| json!({ "name": name, "cpu": cpu })).collect();
    json!({ "cpu": all, "rss_bytes": process::resident(), "fds": process::open_files(),
        "max_fds": process::most_files(), "threads": busiest })
}
