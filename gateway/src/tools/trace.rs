//! `exchange trace`: one order, from the facts to the store's rows, and its times while the server that took it runs.
//!
//! Owns: what is said of an order, in which order. Never does: write. Invariants: facts come from the journal, rows from
//! the store, times from the running server: none is made up from another; `ops.token` goes nowhere, for whoever listens
//! where the server should would have it. Known limits: reads the whole journal; times of a process that ended are gone
//! with it; who may not read the data folder's key file is not told times.

use super::data_folder::survey;
use super::error::ToolError;
use super::ops_port::ask;
use super::stored::Stored;
use crate::config::Config;
use crate::observe::ops::access::key_file;
use crate::observe::render;
use crate::observe::render::line;
use serde_json::{Value, json};
use std::io::Write;
use xng_core::account::order_effects::concerns;
use xng_core::ids::{AccountId, OrderId};
use xng_core::journal::Lsn;
use xng_core::record::{Fact, Record};
use xng_core::spot::facts::{OrdersChanged, SpotFact};
use xng_persistence::journal::survey::Survey;

/// Which order.
#[derive(Debug, clap::Args)]
pub struct Trace {
    /// The order's number.
    order: u64,
    /// JSON objects, one a line.
    #[arg(long)]
    json: bool,
}

/// A record that concerns the order.
struct Mention {
    lsn: Lsn,
    record: Record,
}

impl Trace {
    pub(super) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
        let order = OrderId(self.order);
        let survey = survey(&config.server.data_dir)?;
        let found = mentions(&survey, order)?;
        let Some(account) = found.iter().find_map(|m| owner(&m.record.fact, order)) else {
            return Err(ToolError::Refused(format!("no record of the journal names an order {order}")));
        };
        let mut shown = Shown { out, json: self.json };
        for Mention { lsn, record } in &found {
            shown.record(*lsn, record, order)?;
        }
        match Stored::open(config)? {
            Some(stored) => stored_rows(&stored, account, order, &mut shown)?,
            None => shown.say("store", "there is none")?,
        }
        if !survey.is_written() {
            return shown.say("times", "no server runs on these data: what it knew of times ended with it");
        }
        match live(config, order, found[0].lsn) {
            Ok(traced) => shown.stages(&traced),
            Err(why) => shown.say("times", &format!("the server's ops port does not tell: {why}")),
        }
    }
}

fn mentions(survey: &Survey, order: OrderId) -> Result<Vec<Mention>, ToolError> {
    let (oldest, last) = survey.range()?;
    let (mut found, mut reader) = (Vec::new(), survey.reader(oldest)?);
    while let Some(batch) = reader.next_batch(last)? {
        for (lsn, bytes) in batch.records() {
            let record = Record::decode(bytes)
                .map_err(|error| ToolError::Found(format!("record {lsn} cannot be read: {error}")))?;
            if concerns(&record, order) {
                found.push(Mention { lsn, record });
            }
        }
    }
    Ok(found)
}

/// An order that is neither of the other parties to what was placed is the account's own.
fn owner_changed(f: &OrdersChanged, order: OrderId) -> Option<AccountId> {
    let met = f.placed.iter().flat_map(|placed| &placed.trades);
    let maker = met.into_iter().find(|trade| trade.maker_order == order).map(|trade| trade.maker);
    Some(maker.unwrap_or(f.account))
}

/// What a fact did to an order that it concerns, for people.
fn what_happened(fact: &SpotFact, order: OrderId) -> String {
    match fact {
        SpotFact::OrderPlaced(f) if f.order == order => {
            let (price, amount) = (f.units.price(f.ticks), f.units.base_amount(f.lots));
            let (rest, trades) = (f.units.base_amount(f.rest), f.trades.len());
            format!(
                "placed by account {} on market {}: {:?} {:?} {amount} at {price}, {trades} trades, {rest} rests, {:?}",
                f.account, f.units.market, f.kind, f.side, f.status
            )
        }
        SpotFact::OrderPlaced(f) if f.prevented.iter().any(|p| p.order == order) => "was in its owner's own way".into(),
        SpotFact::OrderPlaced(_) | SpotFact::QuotesSet(_) => "filled as maker".to_owned(),
        SpotFact::OrdersCanceled(f) => format!("cancelled: {:?}", f.reason),
        SpotFact::OrdersChanged(f) => changed(f, order),
        SpotFact::MarketListed(_)
        | SpotFact::MarketParamsChanged(_)
        | SpotFact::MarketStateChanged(_)
        | SpotFact::TradeIdsReserved(_) => fact.name().to_owned(),
    }
}

/// Whose order it is, by a fact that concerns it.
fn owner(fact: &Fact, order: OrderId) -> Option<AccountId> {
    let Fact::Spot(fact) = fact else { return None };
    let (trades, quoted) = match fact {
        SpotFact::OrdersChanged(f) => return owner_changed(f, order),
        SpotFact::OrderPlaced(f) if f.order == order => return Some(f.account),
        SpotFact::OrderPlaced(f) => (f.trades.as_slice(), [].as_slice()),
        SpotFact::QuotesSet(f) => ([].as_slice(), f.trades.as_slice()),
        SpotFact::OrdersCanceled(f) => return f.orders.iter().find(|o| o.order == order).map(|o| o.account),
        SpotFact::MarketListed(_)
        | SpotFact::MarketParamsChanged(_)
        | SpotFact::MarketStateChanged(_)
        | SpotFact::TradeIdsReserved(_) => return None,
    };
    let all = trades.iter().chain(quoted.iter().map(|quote| &quote.trade));
    let traded = all.into_iter().find(|trade| trade.maker_order == order).map(|trade| trade.maker);
    let placed = if let SpotFact::OrderPlaced(f) = fact { Some(f) } else { None };
    let in_the_way = || placed.and_then(|f| f.prevented.iter().find(|p| p.order == order)).map(|p| p.account);
    traded.or_else(in_the_way)
}

/// What a change was for an order, in words.
fn changed(f: &OrdersChanged, order: OrderId) -> String {
    if f.gone_ids().any(|gone| gone == order) {
        let why = f.refused.map_or_else(String::new, |refused| format!(", {refused:?}"));
        return format!("left: {:?}{why}", f.reason);
    }
    if f.pending.iter().any(|pending| pending.order == order) {
        return "is to be placed once the first order of its list is filled".into();
    }
    if let Some(waiting) = f.waiting.iter().find(|waiting| waiting.order == order) {
        let (u, t) = (&f.units, &waiting.trigger);
        return format!("waits for {} ({:?}, trails {} bips)", u.price(t.ticks), t.kind, t.trail_bips);
    }
    if f.amended.iter().any(|amended| amended.order == order) {
        return "made smaller in its place".into();
    }
    match &f.placed {
        Some(placed) if placed.order == order => {
            let how = match (f.triggered, f.activated) {
                (Some(_), _) => "triggered",
                (None, Some(_)) => "its turn in its list came",
                (None, None) => "placed",
            };
            format!("{how}: {} trades, {:?}", placed.trades.len(), placed.status)
        }
        _ => "filled as maker".into(),
    }
}

fn stored_rows(stored: &Stored, account: AccountId, order: OrderId, shown: &mut Shown<'_>) -> Result<(), ToolError> {
    let checkpoint = stored.checkpoint.lsn;
    match stored.order(order)? {
        Some(row) => {
            let o = row.order;
            let (price, open) = (o.units.price(o.ticks), o.units.base_amount(o.open));
            let words = format!(
                "account {}, {:?} at {price}, open {open}, {:?}, last changed {}",
                row.account,
                o.side,
                o.status,
                render::time(o.updated)
            );
            shown.row("order row", &words)?;
        }
        None => shown.say("store", &format!("no row of it up to record {checkpoint}"))?,
    }
    for fill in stored.fills_of(account, order) {
        let f = fill?.fill;
        let (price, amount) = (f.units.price(f.ticks), f.units.base_amount(f.lots));
        shown.row("fill row", &format!("trade {}: {amount} at {price}, fee {}", f.trade, f.fee))?;
    }
    for row in stored.ledger(account) {
        let row = row?;
        if row.reference == order.0 {
            let words = format!(
                "record {}: {} of asset {}: available {}, locked {}, afterwards {} and {}",
                row.lsn,
                row.wallet.name(),
                row.asset,
                row.available,
                row.locked,
                row.available_after,
                row.locked_after
            );
            shown.row("ledger row", &words)?;
        }
    }
    Ok(())
}

/// Asks the running server.
fn live(config: &Config, order: OrderId, lsn: Lsn) -> Result<Value, String> {
    let file = key_file(&config.server.data_dir);
    let key = std::fs::read_to_string(&file).map_err(|e| format!("its key {}: {e}", file.display()))?;
    match ask(config, &format!("/trace/{order}?lsn={lsn}"), Some(&key))? {
        (200, traced) => Ok(traced),
        (status, said) => Err(format!("status {status}: {said}")),
    }
}

struct Shown<'a> {
    out: &'a mut dyn Write,
    json: bool,
}

impl Shown<'_> {
    fn line(&mut self, value: &Value, words: &str) -> Result<(), ToolError> {
        if self.json {
            writeln!(self.out, "{value}")?
        } else {
            writeln!(self.out, "{words}")?
        }
        Ok(())
    }

    fn say(&mut self, what: &str, words: &str) -> Result<(), ToolError> {
        self.line(&json!({ what: words }), &format!("{what}: {words}"))
    }

    fn row(&mut self, what: &str, words: &str) -> Result<(), ToolError> {
        self.line(&json!({ "row": what, "text": words }), &format!("{what}: {words}"))
    }

    fn record(&mut self, lsn: Lsn, record: &Record, order: OrderId) -> Result<(), ToolError> {
        if self.json {
            writeln!(self.out, "{}", line(lsn, record))?;
            return Ok(());
        }
        let what = if let Fact::Spot(fact) = &record.fact {
            what_happened(fact, order)
        } else {
            record.fact.name().to_owned()
        };
        writeln!(self.out, "record {lsn} at {}: {what}", render::time(record.time))?;
        Ok(())
    }

    fn stages(&mut self, traced: &Value) -> Result<(), ToolError> {
        if self.json {
            return self.line(&json!({ "stages": traced["stages"] }), "");
        }
        let stages = traced["stages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let at = |stage: &Value| stage["at_ns"].as_u64().unwrap_or_default();
        let Some(first) = stages.first().map(at) else {
            return self.say("times", "the server no longer knows them");
        };
        for stage in stages {
            let micros = i128::from(at(stage)) - i128::from(first);
            let (name, detail) = (stage["stage"].as_str().unwrap_or("?"), stage["detail"].as_str().unwrap_or(""));
            writeln!(self.out, "{:>12.1} µs  {name:<15} {detail}", micros as f64 / 1e3)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, ErrorKind};
    use std::net::TcpListener;
    use std::path::Path;

    /// Settings with a token, and who listens at the ops port although it is no server.
    fn stranger(data: &Path) -> (Config, TcpListener) {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml");
        let (mut config, listener) =
            (Config::load(Path::new(path)).unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        config.server.ops_listen = listener.local_addr().unwrap().to_string();
        config.server.data_dir = data.to_owned();
        config.ops.token = "the operators' own secret".into();
        (config, listener)
    }

    #[test]
    fn without_the_key_of_the_running_process_nobody_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let (config, listener) = stranger(folder.path());
        let why = live(&config, OrderId(1), Lsn(1)).unwrap_err();
        assert!(why.contains("ops.key"), "{why}");
        listener.set_nonblocking(true).unwrap();
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nobody came");
    }

    #[test]
    fn who_listens_in_the_servers_place_is_not_told_the_token() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(key_file(folder.path()), "the key of this process").unwrap();
        let (config, listener) = stranger(folder.path());
        let heard = std::thread::scope(|scope| {
            let heard = scope.spawn(|| {
                let (connection, _) = listener.accept().unwrap();
                let lines = BufReader::new(connection).lines().map_while(Result::ok);
                lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
            });
            assert!(live(&config, OrderId(1), Lsn(1)).is_err(), "it does not answer");
            heard.join().unwrap()
        });
        assert!(heard.contains("Bearer the key of this process") && !heard.contains(&config.ops.token), "{heard}");
    }
}
