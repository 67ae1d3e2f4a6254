//! `/metrics` of the real binary: its form, its names, and that the figures are those of what happened.

use crate::client::{Server, WHOLE_DEMO};
use crate::prometheus::Scrape;
use crate::socket::Socket;
use crate::wait::{eventually, found};
use serde_json::json;

/// The names that a scrape has (`docs/rules/reliability.md "Metrics"`).
const NAMES: [&str; 72] = [
    "xng_actor_mailbox_depth",
    "xng_actor_messages_total",
    "xng_actor_handle_seconds",
    "xng_actor_queue_wait_seconds",
    "xng_actor_restarts_total",
    "xng_actor_instances",
    "xng_actor_last_progress_timestamp_seconds",
    "xng_journal_append_total",
    "xng_journal_bytes_total",
    "xng_journal_group_size",
    "xng_journal_fsync_seconds",
    "xng_journal_pending_records",
    "xng_journal_last_seq",
    "xng_journal_durable_seq",
    "xng_journal_spare_segments",
    "xng_journal_free_bytes",
    "xng_snapshot_age_seconds",
    "xng_snapshot_seconds",
    "xng_recovery_seconds",
    "xng_recovery_records_total",
    "xng_persist_lag_records",
    "xng_persist_lag_seconds",
    "xng_persist_rest_seconds_total",
    "xng_persist_batch_rows",
    "xng_persist_batch_seconds",
    "xng_persist_errors_total",
    "xng_persist_watermark_seq",
    "xng_http_requests_total",
    "xng_http_seconds",
    "xng_ws_sessions",
    "xng_ws_out_queue_bytes",
    "xng_ws_conflated_total",
    "xng_ws_dropped_sessions_total",
    "xng_ws_fanout_seconds",
    "xng_rate_limited_total",
    "xng_api_banned_addresses",
    "xng_api_listen_keys",
    "xng_orders_total",
    "xng_trades_total",
    "xng_order_ack_seconds",
    "xng_ledger_imbalance",
    "xng_ledger_counted_seq",
    "xng_price_feed_age_seconds",
    "xng_contract_live",
    "xng_tickets",
    "xng_ticket_lots",
    "xng_ticket_notional",
    "xng_ticket_cap_used_ratio",
    "xng_legs",
    "xng_book_orders",
    "xng_open_interest",
    "xng_funding_rate",
    "xng_insurance_quota",
    "xng_leg_liquidation_steps_total",
    "xng_leg_deleveragings_total",
    "xng_leg_insured_total",
    "xng_triggered_refusals_total",
    "xng_liquidations_total",
    "xng_deficits_total",
    "xng_contract_funds",
    "xng_clock_offset_seconds",
    "xng_start_clock_behind_seconds",
    "xng_process_age_seconds",
    "xng_build_info",
    "xng_process_resident_memory_bytes",
    "xng_process_open_fds",
    "xng_process_cpu_seconds_total",
    "xng_process_thread_cpu_seconds_total",
    "xng_digests_total",
    "xng_cell_gate_depth",
    "xng_credits_left",
    "xng_journal_pending_bytes",
];

pub(crate) fn scrape(server: &Server) -> Scrape {
    let mut response = ureq::get(format!("http://127.0.0.1:{}/metrics", server.ops)).call().unwrap();
    let form = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(form.starts_with("text/plain; version=0.0.4"), "{form}");
    Scrape::read(&response.body_mut().read_to_string().unwrap())
}

const BUY: [(&str, &str); 5] =
    [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.01")];
const REST: [(&str, &str); 5] =
    [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
const TOO_MUCH: [(&str, &str); 5] =
    [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "1000")];

#[test]
fn a_scrape_has_every_name_and_its_figures_follow_orders_trades_and_sockets() {
    // The most series that configuration makes.
    let server = Server::start(&[WHOLE_DEMO]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": ["btcusdt@trade"], "id": 1 }));
    socket.until(|frame| frame["id"] == 1);
    let before = scrape(&server);
    assert_eq!(before.sum("xng_ws_sessions", &[("kind", "app")]), 1.0);
    for (order, end) in [(&BUY, "ok"), (&REST, "ok"), (&TOO_MUCH, "error")] {
        let answer = api.post("/coin/trade", order);
        assert_eq!(answer["type"], end, "{answer}");
    }
    let after = found("rows and the ledger's count catch up", || {
        let now = scrape(&server);
        let last = now.sum("xng_journal_last_seq", &[]);
        // What the orders left is in the store, and the count of the ledger is of a later moment.
        let seen = before.sum("xng_journal_last_seq", &[]) + 2.0;
        let through = now.sum("xng_persist_watermark_seq", &[]) >= seen && last >= seen;
        (through && now.families.contains_key("xng_ledger_imbalance") && now.sum("xng_ledger_counted_seq", &[]) >= seen)
            .then_some(now)
    });
    let missing: Vec<&str> = NAMES.into_iter().filter(|name| !after.families.contains_key(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");

    let grown = |name: &str, labels: &[(&str, &str)]| after.sum(name, labels) - before.sum(name, labels);
    assert_eq!(grown("xng_orders_total", &[("type", "market"), ("result", "accepted")]), 1.0);
    assert_eq!(grown("xng_orders_total", &[("type", "limit"), ("result", "accepted")]), 1.0);
    assert_eq!(grown("xng_orders_total", &[("type", "limit"), ("result", "rejected")]), 1.0);
    assert_eq!(grown("xng_order_ack_seconds_count", &[]), 3.0);
    assert!(grown("xng_trades_total", &[("symbol", "BTCUSDT")]) >= 1.0);
    assert_eq!(grown("xng_actor_messages_total", &[("type", "account"), ("msg", "place")]), 3.0);
    assert_eq!(grown("xng_actor_messages_total", &[("type", "market"), ("msg", "submit")]), 2.0);
    assert!(grown("xng_journal_append_total", &[]) >= 2.0 && grown("xng_journal_fsync_seconds_count", &[]) >= 1.0);
    assert_eq!(after.sum("xng_http_requests_total", &[("route", "/api/coin/trade"), ("code", "1")]), 2.0);
    assert_eq!(after.sum("xng_http_requests_total", &[("route", "/api/coin/trade"), ("code", "1005")]), 1.0);
    eventually("a trade reaches the socket", || scrape(&server).sum("xng_ws_fanout_seconds_count", &[]) >= 1.0);

    let assets = &after.families["xng_ledger_imbalance"].samples;
    assert!(assets.len() > 3 && assets.iter().all(|(_, labels, sum)| labels.len() == 1 && *sum == 0.0), "{assets:?}");
    assert!(after.sum("xng_actor_instances", &[("type", "account")]) >= 4.0);
    // Nothing names a user or an order: no label's values are more than what the configuration lists.
    for (name, family) in &after.families {
        let series = family.samples.iter().filter(|(_, labels, _)| !labels.contains_key("le")).count();
        assert!(series < 256, "{name} has {series} series");
    }
}

#[test]
fn the_feeds_prices_show_as_messages_that_are_counted_measured_and_stamped() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    eventually("a price is handled", || {
        let now = scrape(&server);
        now.sum("xng_actor_messages_total", &[("type", "price"), ("msg", "push")]) > 0.0
            && now.sum("xng_actor_handle_seconds_count", &[]) > 0.0
            && now.sum("xng_actor_last_progress_timestamp_seconds", &[("type", "price")]) > 1.6e9
    });
}
