//! What `/metrics` answers: the metrics of this file by name, and those of the files beside it.
//!
//! Names and units follow `docs/rules/reliability.md "Metrics"`. This exchange is one cell, so there is
//! no fabric, no partition and no label for them. Actors answer "busy" at once instead of waiting for each other, so
//! there is no back-pressure time but a count of what was refused. A digest that does not match stops the process: it
//! shows as a process that is gone, not as a number.
//!
//! Owns: in which order files are asked, and the metrics of actors, cell, journal, snapshots, persister, gateway, prices and
//! Redis. Never does: count; wait for the cell. Invariants: each family is written once.
//! Known limits: figures of one scrape are read one after the other.

use super::process;
use super::text::Text;
use crate::app::Shared;
use crate::common::time::{now_ms, now_ns};
use crate::market::board::read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xng_core::entity::Command;
use xng_core::money::Amount;
use xng_persistence::journal::JournalControl;
use xng_persistence::store::PersisterHandle;
use xng_runtime::clock::ClockOffset;
use xng_runtime::{Admission, CellHandle};

/// Where the figures are.
#[derive(Debug, Clone)]
pub struct Figures {
    /// What calls share.
    pub shared: Arc<Shared>,
    /// The cell and its actors.
    pub cell: CellHandle,
    /// Credits.
    pub admission: Admission,
    /// The journal.
    pub journal: JournalControl,
    /// The persister.
    pub persister: PersisterHandle,
    /// Crashes on record, by number of the entity's kind.
    pub crashes: [u64; Command::KIND_NUMBERS],
    /// How far the cell's clock is off the wall.
    pub clock: ClockOffset,
}

const MICROS: f64 = 1e6;
const NANOS: f64 = 1e9;

fn load(n: &AtomicU64) -> u64 {
    n.load(Ordering::Relaxed)
}

/// The whole text.
#[must_use]
pub fn render(figures: &Figures) -> String {
    let mut t = Text::default();
    actors(&mut t, figures);
    cell(&mut t, figures);
    journal(&mut t, figures);
    snapshots(&mut t, figures);
    persister(&mut t, figures);
    gateway(&mut t, figures);
    sockets(&mut t, figures);
    business(&mut t, figures);
    super::contracts::write(&mut t, &figures.shared);
    super::convert::write(&mut t, &figures.shared);
    super::seconds::write(&mut t, &figures.shared);
    super::copying::write(&mut t, &figures.shared);
    super::coupons::write(&mut t, &figures.shared);
    super::stock::write(&mut t, &figures.shared);
    super::chain::write(&mut t, &figures.shared);
    super::outbox::write(&mut t, &figures.shared);
    super::chat::write(&mut t, &figures.shared);
    super::office::write(&mut t, &figures.shared);
    super::ticks::write(&mut t, figures);
    histories(&mut t, figures);
    ledger(&mut t, figures);
    redis(&mut t, figures);
    clock(&mut t, figures);
    machine(&mut t);
    t.finish()
}

fn actors(t: &mut Text, f: &Figures) {
    let meters = f.cell.meters();
    let mut family = t.gauge("xng_actor_instances", "Actors alive, by kind.");
    for kind in Command::KINDS {
        family.sample(&[("type", kind.name)], meters.instances(kind.number));
    }
    let mut family = t.gauge("xng_actor_mailbox_depth", "Messages sent to actors of a kind and not handled yet.");
    for kind in Command::KINDS {
        family.sample(&[("type", kind.name)], meters.depth(kind.number));
    }
    let mut family = t.counter("xng_actor_messages_total", "Messages handled, by kind of actor and message.");
    for kind in Command::KINDS {
        for (n, msg) in kind.messages.iter().enumerate() {
            family.sample(&[("type", kind.name), ("msg", msg)], meters.messages(kind.message(n)));
        }
    }
    let mut family = t.histogram(
        "xng_actor_handle_seconds",
        "Time of handling a message: deciding, applying, encoding. One message in 251 is measured, at rest one in 7.",
    );
    for kind in Command::KINDS {
        for (n, msg) in kind.messages.iter().enumerate() {
            let histogram = &meters.handle_nanos[kind.message(n)];
            family.buckets(&[("type", kind.name), ("msg", msg)], histogram, NANOS);
        }
    }
    let mut family = t.histogram(
        "xng_actor_queue_wait_seconds",
        "Time from sending a command that somebody awaits until the cell takes it in. One in 61 is measured.",
    );
    for kind in Command::KINDS {
        family.buckets(&[("type", kind.name)], &meters.wait_nanos[kind.number], NANOS);
    }
    let mut family = t.gauge("xng_actor_last_progress_timestamp_seconds", "When a message was last handled.");
    for kind in Command::KINDS {
        family.sample(&[("type", kind.name)], meters.progress(kind.number) as f64 / NANOS);
    }
    let mut family = t.counter("xng_actor_restarts_total", "Crashes on record: each stopped the process once.");
    for kind in Command::KINDS {
        family.sample(&[("type", kind.name), ("reason", "panic")], f.crashes[kind.number]);
    }
}

fn histories(t: &mut Text, f: &Figures) {
    let histories = &f.shared.histories;
    let behind = f.journal.durable().0.saturating_sub(histories.position().0);
    t.gauge("xng_histories_lag_records", "Durable records that are not in the accounts' histories yet.").is(behind);
    t.gauge("xng_histories_bytes", "Bytes of done orders and fills in memory.").is(histories.bytes());
}

fn cell(t: &mut Text, f: &Figures) {
    let stats = f.cell.stats();
    t.gauge("xng_cell_ingress_depth", "Items on their way into the cell.").is(f.cell.waiting());
    t.gauge("xng_cell_queue_depth", "Items in the cell's run queue after its last turns.").is(stats.queued);
    t.gauge("xng_cell_gate_depth", "Answers that wait for the journal.").is(stats.gated);
    t.counter("xng_cell_commands_total", "Commands decided.").is(stats.counters.commands);
    t.counter("xng_cell_rejects_total", "Commands refused by an entity.").is(stats.counters.rejects);
    t.counter("xng_cell_busy_total", "Commands not taken for want of room.").is(stats.counters.busy);
    t.counter("xng_digests_total", "Digests of the state appended.").is(stats.counters.digests);
    let mut family = t.gauge("xng_credits_left", "Commands that may still be sent before callers are told busy.");
    for (class, pool) in
        [("orders", &f.admission.orders), ("cancels", &f.admission.cancels), ("reads", &f.admission.reads)]
    {
        family.sample(&[("class", class)], pool.left());
    }
}

fn journal(t: &mut Text, f: &Figures) {
    let metrics = f.journal.metrics();
    let (last, durable) = (load(&metrics.last), f.journal.durable().0);
    t.counter("xng_journal_append_total", "Records handed to the journal.").is(load(&metrics.appended_records));
    t.counter("xng_journal_bytes_total", "Bytes of records made durable.").is(load(&metrics.written_bytes));
    t.counter("xng_journal_block_bytes_total", "Bytes written to segments, headers and padding included.")
        .is(load(&metrics.block_bytes));
    t.histogram("xng_journal_group_size", "Records a group commit.").buckets(&[], &metrics.group_records, 1.0);
    t.histogram("xng_journal_fsync_seconds", "Duration of the sync of a group.").buckets(
        &[],
        &metrics.fsync_micros,
        MICROS,
    );
    t.gauge("xng_journal_pending_records", "Records handed over and not durable.").is(last.saturating_sub(durable));
    t.gauge("xng_journal_pending_bytes", "Their bytes.").is(f.journal.pending_bytes());
    t.gauge("xng_journal_last_seq", "LSN of the last record handed over.").is(last);
    t.gauge("xng_journal_durable_seq", "LSN up to which records survive a power loss.").is(durable);
    t.gauge("xng_journal_spare_segments", "Zeroed segments ready for use.").is(f.journal.spare_segments());
    t.gauge("xng_journal_live_segments", "Segments in use.").is(load(&metrics.live_segments));
    t.gauge("xng_journal_segment_bytes", "Bytes of segments in use and spares.").is(f.journal.segment_bytes());
    t.gauge("xng_journal_subscriber_backlog", "Groups that wait for the slowest view.")
        .is(load(&metrics.subscriber_backlog));
    if let Ok(free) = f.journal.free_bytes() {
        t.gauge("xng_journal_free_bytes", "Bytes free on the journal's disk.").is(free);
    }
}

fn snapshots(t: &mut Text, f: &Figures) {
    let health = &f.shared.health;
    // Without a snapshot the journal is folded from its beginning: its age is that of the process.
    let started = health.startup.look();
    let age = health.snapshot.age().unwrap_or_else(|| health.startup.age());
    t.gauge("xng_snapshot_age_seconds", "Age of the newest snapshot, or of the process when it has seen none.")
        .is(age.as_secs_f64());
    t.gauge("xng_snapshot_seconds", "How long the last snapshot took to write and load again.")
        .is(load(&health.snapshot_micros) as f64 / MICROS);
    t.counter("xng_snapshot_failures_total", "Snapshots that failed.").is(health.snapshot_failures.get());
    t.gauge("xng_recovery_seconds", "How long the start took.").is(started.elapsed.as_secs_f64());
    t.counter("xng_recovery_records_total", "Records folded at the start.").is(started.folded);
}

fn persister(t: &mut Text, f: &Figures) {
    let (persister, metrics) = (&f.persister, f.persister.metrics());
    t.gauge("xng_persist_lag_records", "Durable records whose rows are not in the store.").is(persister.lag_records());
    t.gauge("xng_persist_lag_seconds", "Age of the oldest of them.").is(persister.lag(now_ns()).as_secs_f64());
    t.counter("xng_persist_rest_seconds_total", "Time that it left the processor to bursts of orders.").is(load(
        &metrics.rest_micros,
    )
        as f64
        / MICROS);
    t.histogram("xng_persist_batch_rows", "Rows a transaction.").buckets(&[], &metrics.batch_rows, 1.0);
    t.histogram("xng_persist_batch_seconds", "Time of a batch: loading, folding, writing.").buckets(
        &[],
        &metrics.batch_micros,
        MICROS,
    );
    t.counter("xng_persist_records_total", "Records written to the store.").is(load(&metrics.records));
    t.counter("xng_persist_rows_total", "Rows written to the store.").is(load(&metrics.rows));
    let (all, reopened) = (load(&metrics.errors), load(&metrics.reopened));
    t.counter("xng_persist_errors_total", "Attempts that failed: written again, or begun anew from the checkpoint.")
        .sample(&[("kind", "retried")], all.saturating_sub(reopened))
        .sample(&[("kind", "reopened")], reopened);
    t.gauge("xng_persist_watermark_seq", "LSN up to which the store's rows go.").is(persister.persisted().0);
    t.gauge("xng_persist_stopped", "1 once the persister has stopped for good.").is(u8::from(persister.has_failed()));
}

fn gateway(t: &mut Text, f: &Figures) {
    let (shared, meters) = (&f.shared, &f.shared.meters);
    let mut family = t.counter(
        "xng_http_requests_total",
        "Requests answered, by route and code: the envelope's where there is one (1 is success), else the status.",
    );
    for (route, code, n) in meters.http.answers() {
        family.sample(&[("route", route), ("code", &code.to_string())], n);
    }
    let mut family = t.histogram("xng_http_seconds", "Time of a request, by route.");
    meters.http.times(|route, histogram| {
        family.buckets(&[("route", route)], histogram, MICROS);
    });
    let api = &shared.api_limits;
    t.counter("xng_rate_limited_total", "Requests refused by a limit.")
        .sample(&[("class", "user")], shared.user_calls.refused())
        .sample(&[("class", "address")], shared.ip_calls.refused())
        .sample(&[("class", "pace")], shared.pace.refused())
        .sample(&[("class", "stream")], shared.ip_streams.refused())
        .sample(&[("class", "socket")], shared.ip_sockets.refused())
        .sample(&[("class", "upload")], shared.uploads.refused())
        .sample(&[("class", "api_weight")], api.refusals.weight.get())
        .sample(&[("class", "api_requests")], api.refusals.requests.get())
        .sample(&[("class", "api_orders")], api.refusals.orders.get())
        .sample(&[("class", "api_banned")], api.refusals.banned.get());
    t.gauge("xng_api_banned_addresses", "Addresses banned from the programmatic API now.").is(api.banned());
    t.gauge("xng_api_listen_keys", "Listen keys that live.").is(shared.listen_keys.len());
}

fn sockets(t: &mut Text, f: &Figures) {
    let meters = &f.shared.meters.sockets;
    let open = meters.open();
    let mut family = t.gauge("xng_ws_sessions", "Websockets open, by how frames are wrapped.");
    for (kind, found) in open {
        family.sample(&[("kind", kind)], found.sessions);
    }
    let mut family = t.gauge("xng_ws_out_queue_bytes", "Bytes that wait for sockets.");
    for (kind, found) in open {
        family.sample(&[("kind", kind)], found.bytes);
    }
    let mut family = t.counter("xng_ws_conflated_total", "Publications joined with one that still waited.");
    for (channel, n) in meters.all_conflated() {
        family.sample(&[("channel", channel)], n);
    }
    let mut family = t.counter("xng_ws_dropped_sessions_total", "Sessions that the exchange ended.");
    for (reason, n) in meters.all_dropped() {
        family.sample(&[("reason", reason)], n);
    }
    t.histogram("xng_ws_fanout_seconds", "From a trade's record to its frame at a socket, durability included.")
        .buckets(&[], &meters.fanout_micros, MICROS);
    t.gauge("xng_view_inputs", "Inputs that wait for the market view.").is(f.shared.view.len());
}

fn business(t: &mut Text, f: &Figures) {
    let meters = &f.shared.meters.orders;
    let mut family = t.counter("xng_orders_total", "Orders handed to the exchange by calls, by kind and end.");
    for (kind, result, n) in meters.ends() {
        family.sample(&[("type", kind), ("result", result)], n);
    }
    t.histogram("xng_order_ack_seconds", "From handing an order to the cell to its durable answer.").buckets(
        &[],
        &meters.ack_micros,
        MICROS,
    );
    let boards = f.shared.boards.all();
    let mut family = t.counter("xng_trades_total", "Own trades, by market.");
    for board in &boards {
        let board = read(board);
        family.sample(&[("symbol", &board.params.symbol)], board.own_trades);
    }
    let mut family = t.counter("xng_tape_trades_total", "Published trades of the reference feed, by market.");
    for board in &boards {
        let board = read(board);
        family.sample(&[("symbol", &board.params.symbol)], board.tape_trades);
    }
    let mut family = t.gauge("xng_house_quotes", "Whether the house quotes a market (1) or not (0).");
    for board in &boards {
        let board = read(board);
        let quotes = f.shared.house.of(board.params.market).quotes;
        family.sample(&[("symbol", &board.params.symbol)], u64::from(quotes));
    }
    let mut family = t.gauge("xng_price_feed_age_seconds", "Age of the newest index price, by market.");
    let now = now_ms();
    for board in &boards {
        let board = read(board);
        // Out of its sessions a stock has no feed.
        let rests = |terms| !f.shared.stocks.trades(board.params.market, &terms, now_ns());
        if board.params.stock.is_some_and(rests) {
            continue;
        }
        if let Some((_, at)) = board.index {
            family.sample(&[("symbol", &board.params.symbol)], (now - at).max(0) as f64 / 1e3);
        }
    }
    let health = &f.shared.health;
    t.counter("xng_feed_dropped_total", "Feed events that the house did not keep up with.")
        .is(health.feed_dropped.get());
    t.counter("xng_house_refused_total", "Quotes of the house that were refused.").is(health.house_refused.get());
}

fn ledger(t: &mut Text, f: &Figures) {
    // Nothing is told before the first count: no number is better than a made-up zero.
    let Some((counted, age)) = f.shared.health.ledger.last() else { return };
    let catalog = f.shared.listed();
    let mut family = t.gauge("xng_ledger_imbalance", "What all accounts together hold of an asset: must be 0.");
    for (asset, sum) in &counted.sums {
        let number = asset.0.to_string();
        let name = catalog.assets.get(asset).map_or(number.as_str(), |known| known.name.as_str());
        family.sample(&[("asset", name)], Amount(*sum));
    }
    t.gauge("xng_ledger_counted_seq", "LSN at which it was counted.").is(counted.lsn.0);
    t.gauge("xng_ledger_counted_age_seconds", "How long ago it was counted.").is(age.as_secs_f64());
}

fn redis(t: &mut Text, f: &Figures) {
    let Some(stats) = f.shared.hot.get().map(crate::redis::Hot::stats) else { return };
    t.gauge("xng_redis_up", "1 while Redis answers.").is(u8::from(stats.up.load(Ordering::Relaxed)));
    t.counter("xng_redis_errors_total", "Attempts at Redis that failed.").is(stats.errors.get());
    t.counter("xng_redis_published_total", "Frames published to further gateways.").is(stats.published.get());
}

fn clock(t: &mut Text, f: &Figures) {
    let started = &f.shared.health.startup;
    t.gauge("xng_clock_offset_seconds", "How far the wall clock is ahead of the exchange's time; negative: behind it.")
        .is(f.clock.ms() as f64 / 1e3);
    t.gauge("xng_start_clock_behind_seconds", "How far the clock lay before the journal's last record at the start.")
        .is(started.behind().as_secs_f64());
    t.gauge("xng_process_age_seconds", "How long the process runs.").is(started.age().as_secs_f64());
}

fn machine(t: &mut Text) {
    t.gauge("xng_build_info", "Which build this is.")
        .sample(&[("version", crate::RELEASE), ("commit", crate::COMMIT)], 1);
    if let Some(bytes) = process::resident() {
        t.gauge("xng_process_resident_memory_bytes", "Resident memory.").is(bytes);
    }
    if let Some(files) = process::open_files() {
        t.gauge("xng_process_open_fds", "Open file descriptors.").is(files);
    }
    if let Some(files) = process::most_files() {
        t.gauge("xng_process_max_fds", "File descriptors that it may open.").is(files);
    }
    if let Some(seconds) = process::processor() {
        t.counter("xng_process_cpu_seconds_total", "Processor time.").is(seconds);
    }
    let threads = process::threads();
    let mut family = t.counter("xng_process_thread_cpu_seconds_total", "Processor time by thread: how busy each is.");
    for (name, (_, seconds)) in &threads {
        family.sample(&[("thread", name)], seconds);
    }
    let mut family = t.gauge("xng_process_threads", "Threads alive.");
    for (name, (alive, _)) in &threads {
        family.sample(&[("thread", name)], alive);
    }
}
