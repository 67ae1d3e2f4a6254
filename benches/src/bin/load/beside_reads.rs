//! `load beside-reads`: orders at a steady rate, alone and beside one anonymous address that asks one public call as fast
//! as the limits let it; call by call, the heaviest first.
//!
//! A regression says that one stranger slows everybody's orders.
//!
//! Owns: which calls there are, the turns, the ratio. Never does: ask beyond a refusal before its time.
//! Invariants: exchange, victim (this process) and attacker are processes of their own; limits are those of the settings;
//! each turn's attacker comes from an address that used nothing, each of the victim's connections from its own.
//! Known limits: Linux, where every address 127.x.y.z is this machine's.

use crate::http::{self, By, Http, Mix};
use crate::pace::Pace;
use crate::private::{Limits, Private, binary};
use crate::read_flood::{self, ReadFlood};
use crate::table::{Run, ms, say, whole};
use crate::target::Target;
use crate::{Failure, Span};
use clap::Args;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Orders beside an attacker may take so many times as long as alone.
const BAR: f64 = 2.0;

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct BesideReads {
    /// The exchange's binary; without it the one beside this.
    #[arg(long)]
    exchange: Option<PathBuf>,
    /// The settings that it begins from.
    #[arg(long, default_value = "config/exchange.toml")]
    config: PathBuf,
    /// Users of the private exchange that trade.
    #[arg(long, default_value_t = 32)]
    users: usize,
    /// Orders a second.
    #[arg(long, default_value_t = 500.0)]
    rate: f64,
    /// Connections of the victim.
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// Connections of the attacker.
    #[arg(long, default_value_t = 16)]
    attackers: usize,
    /// So many of the heaviest calls; 0: all.
    #[arg(long, default_value_t = 0)]
    heaviest: usize,
    /// Only calls whose path begins so.
    #[arg(long)]
    only: Option<String>,
}

/// Everything that anybody may ask, in its dearest form. `*` is a list of all symbols. A POST names its form behind a space.
const CALLS: &[&str] = &[
    "/api/currency/new_timeshar?symbol=BTC/USDT&period=1min&from=0&to=99999999999",
    "/api/currency/kline_market_Daily?symbol=BTC/USDT&period=1min&limit=1500",
    "/api/currency/depth?symbol=BTC/USDT&limit=5000",
    "/api/currency/deals?symbol=BTC/USDT&limit=1000",
    "/api/currency/quotation_new",
    "/api/currency/list",
    "/api/menu",
    "/api/fiat/rates",
    "/api/getSiteConfig",
    "/api/getSetting?keyword=version",
    "/api/news/index_pop",
    "/api/faq",
    "/api/aboutus",
    "/api/contactus",
    "/api/operational_compliance",
    "/api/news/list limit=100",
    "/api/news/detail id=1",
    "/api/user/login user_string=nobody@example.com&password=wrong-password",
    "/api/user/check_email user_string=nobody@example.com&email_code=123456",
    "/api/sms_mail user_string=nobody@example.com",
    "/udf/config",
    "/udf/time",
    "/udf/symbols?symbol=BTCUSDT",
    "/udf/search?query=&limit=30",
    "/udf/history?symbol=BTCUSDT&resolution=1&from=0&to=99999999999&countback=1500",
    "/udf/quotes?symbols=BTCUSDT,ETHUSDT,BTCUSDT,ETHUSDT,BTCUSDT,ETHUSDT,BTCUSDT,ETHUSDT,BTCUSDT,ETHUSDT,BTCUSDT,ETHUSDT",
    "/udf/marks",
    "/udf/timescale_marks",
    "/openapi.json",
    "/asyncapi.json",
    "/api/v3/ping",
    "/api/v3/time",
    "/api/v3/exchangeInfo",
    "/api/v3/executionRules",
    "/api/v3/referencePrice?symbol=BTCUSDT",
    "/api/v3/depth?symbol=BTCUSDT&limit=5000",
    "/api/v3/trades?symbol=BTCUSDT&limit=1000",
    "/api/v3/historicalTrades?symbol=BTCUSDT&limit=1000&fromId=1",
    "/api/v3/aggTrades?symbol=BTCUSDT&limit=1000",
    "/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=1000",
    "/api/v3/klines?symbol=BTCUSDT&interval=1d&limit=1000&timeZone=5:45",
    "/api/v3/uiKlines?symbol=BTCUSDT&interval=1m&limit=1000",
    "/api/v3/avgPrice?symbol=BTCUSDT",
    "/api/v3/ticker/24hr",
    "/api/v3/ticker/tradingDay?symbols=*&timeZone=5:45",
    "/api/v3/ticker?symbols=*&windowSize=7d",
    "/api/v3/ticker/price",
    "/api/v3/ticker/bookTicker",
    "/sapi/v1/system/status",
    "/fapi/v1/ping",
    "/fapi/v1/time",
    "/fapi/v1/exchangeInfo",
    "/fapi/v1/depth?symbol=BTCUSDT&limit=1000",
    "/fapi/v1/trades?symbol=BTCUSDT&limit=1000",
    "/fapi/v1/historicalTrades?symbol=BTCUSDT&limit=500",
    "/fapi/v1/aggTrades?symbol=BTCUSDT&limit=1000",
    "/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=1500",
    "/fapi/v1/continuousKlines?pair=BTCUSDT&contractType=PERPETUAL&interval=1m&limit=1500",
    "/fapi/v1/markPriceKlines?symbol=BTCUSDT&interval=1m&limit=1500",
    "/fapi/v1/indexPriceKlines?pair=BTCUSDT&interval=1m&limit=1500",
    "/fapi/v1/premiumIndexKlines?symbol=BTCUSDT&interval=1m&limit=1500",
    "/fapi/v1/premiumIndex",
    "/fapi/v1/fundingRate?limit=1000",
    "/fapi/v1/fundingInfo",
    "/fapi/v1/ticker/24hr",
    "/fapi/v1/ticker/price",
    "/fapi/v2/ticker/price",
    "/fapi/v1/ticker/bookTicker",
    "/fapi/v1/openInterest?symbol=BTCUSDT",
    "/fapi/v1/constituents?symbol=BTCUSDT",
    "/dapi/v1/ping",
    "/dapi/v1/time",
    "/dapi/v1/exchangeInfo",
    "/api/v3/unknown",
    "/api/unknown",
    "/h5/",
    "/",
];

/// A turn's figures.
struct Turn {
    path: String,
    bytes: usize,
    alone: [f64; 2],
    beside: [f64; 2],
}

/// The attacker's process; it ends with its turn.
struct Attacker(Child);

impl Attacker {
    fn start(flood: &ReadFlood) -> Result<Attacker, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(flood.arguments()).stdout(Stdio::piped());
        Ok(Attacker(command.spawn()?))
    }

    /// What it says it did.
    fn summary(mut self) -> Result<String, Failure> {
        use std::io::Read;
        let mut text = String::new();
        if let Some(mut out) = self.0.stdout.take() {
            out.read_to_string(&mut text)?;
        }
        self.0.wait()?;
        Ok(text.trim().to_owned())
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The calls with the length of their answers, the longest first.
fn weighed(host: &str, symbols: &[String], only: Option<&str>) -> Result<Vec<(String, usize)>, Failure> {
    let list = format!("[{}]", symbols.iter().map(|s| format!("\"{s}\"")).collect::<Vec<_>>().join(","));
    let list = list.replace('[', "%5B").replace(']', "%5D").replace('"', "%22");
    let wanted = CALLS.iter().filter(|path| only.is_none_or(|only| path.starts_with(only)));
    let mut weighed = Vec::new();
    for path in wanted.map(|path| path.replace('*', &list)) {
        let bytes = read_flood::length(host, &path)?;
        weighed.push((path, bytes));
    }
    weighed.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    Ok(weighed)
}

/// Runs them all.
pub(crate) fn run(args: &BesideReads, span: Span) -> Result<Vec<Run>, Failure> {
    say("a private exchange starts");
    let private = Private::start(&binary(args.exchange.as_deref())?, &args.config, args.users, Limits::Shipped)?;
    let access = private.access();
    let target = Target::reach(&access)?;
    let mut calls = weighed(&target.host, &read_flood::symbols(&target.host)?, args.only.as_deref())?;
    if args.heaviest > 0 {
        calls.truncate(args.heaviest);
    }
    let orders = Http {
        access,
        rate: vec![args.rate],
        connections: args.connections,
        mix: Mix::Both,
        by: By::App,
        seed: 1,
        spread: true,
    };
    let (mut runs, mut turns) = (Vec::new(), Vec::new());
    for (n, (path, bytes)) in calls.into_iter().enumerate() {
        let place = u8::try_from(n % 250).unwrap_or_default() + 2;
        let flood = ReadFlood {
            url: format!("http://{}", target.host),
            path: path.clone(),
            from: IpAddr::from([127, 0, 0, place]),
            connections: args.attackers,
            seconds: (span.warm_up + span.seconds).as_secs_f64(),
        };
        let measure = |name: String| -> Result<Run, Failure> {
            Ok(Run { name, ..http::one(&target, &[], &orders, Pace::Open(args.rate), span)? })
        };
        let short = path.split(['?', ' ']).next().unwrap_or_default().to_owned();
        let alone = measure(format!("alone, before {short}"))?;
        // It begins with what counts: what it may ask at once is a part of what it does.
        let attacker = Attacker::start(&flood)?;
        let mut beside = measure(format!("beside {short}"))?;
        beside.notes.push(("attacker".into(), attacker.summary()?));
        let both = |run: &Run| [run.measured.at(0.5), run.measured.at(0.99)];
        turns.push(Turn { path: short, bytes, alone: both(&alone), beside: both(&beside) });
        if let Some(turn) = turns.last() {
            say(&line(turn));
        }
        runs.extend([alone, beside]);
    }
    if let Some(last) = runs.last_mut() {
        last.notes.extend(turns.iter().map(|turn| ("turn".to_owned(), line(turn))));
        let over = turns.iter().filter(|turn| turn.ratio() > BAR).count();
        last.notes.push(("calls beyond the bar of 2".into(), format!("{over} of {}", turns.len())));
    }
    Ok(runs)
}

impl Turn {
    fn ratio(&self) -> f64 {
        self.beside[1] / self.alone[1].max(f64::MIN_POSITIVE)
    }
}

fn line(turn: &Turn) -> String {
    format!(
        "{} ({} bytes): p50 {} beside {}, p99 {} beside {}, ratio {:.2}",
        turn.path,
        whole(turn.bytes as f64),
        ms(turn.alone[0]),
        ms(turn.beside[0]),
        ms(turn.alone[1]),
        ms(turn.beside[1]),
        turn.ratio()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_gateway::api::binance::call::Security;
    use xng_gateway::api::binance::table::all;

    #[test]
    fn every_call_of_programs_that_asks_for_no_key_is_among_them() {
        for call in all().filter(|call| call.security == Security::None) {
            let named = |path: &&str| path.split(['?', ' ']).next() == Some(call.path);
            assert!(CALLS.iter().any(named), "{}", call.path);
        }
    }
}
