//! `load http`: orders over connections that stay open, answers when they are durable: by the app's calls, by signed calls, or
//! over the websocket API.
//!
//! Owns: what is ordered and by whom. Never does: send two requests at once on one connection; repeat one.
//! Invariants: in the open loop a request that finds no free connection waits, and its latency counts from when it should
//! have been sent. Known limits: one thread sends; prices follow the best ones every 200 ms.

use crate::bare;
use crate::connection::{Connection, HttpAnswer};
use crate::engine::NO_ANSWER;
use crate::pace::{Pace, Schedule, keep_to};
use crate::process::{Cpu, listener};
use crate::program::{Key, Talk};
use crate::progress::Progress;
use crate::recorder::Recorder;
use crate::table::{Run, whole};
use crate::target::{Access, Target};
use crate::{Failure, Span, frames};
use clap::Args;
use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use xng_benches::Dice;
use xng_core::money::Amount;

/// What is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Http {
    #[command(flatten)]
    pub(crate) access: Access,
    /// Orders a second, one run each; 0 is a closed loop: every connection sends as soon as it is answered.
    #[arg(long, value_delimiter = ',', default_value = "0")]
    pub(crate) rate: Vec<f64>,
    /// Keep-alive connections.
    #[arg(long, default_value_t = 64)]
    pub(crate) connections: usize,
    /// What is ordered.
    #[arg(long, value_enum, default_value_t = Mix::Both)]
    pub(crate) mix: Mix,
    /// How orders are sent.
    #[arg(long, value_enum, default_value_t = By::App)]
    pub(crate) by: By,
    /// Another seed gives other orders.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Each connection comes from an address of its own, so that the limits of one address are nobody's.
    #[arg(long)]
    pub(crate) spread: bool,
}

/// How orders are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// As the app sends them, with a session.
    App,
    /// As programs send them, each signed.
    Signed,
    /// Over the websocket API, after a logon.
    Websocket,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::App => "http",
            By::Signed => "signed http",
            By::Websocket => "websocket api",
        }
    }
}

/// What is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mix {
    /// Limit orders within five ticks of the other side's best price; half of them may rest.
    Both,
    /// Market orders of the least size: each makes a trade.
    Trades,
}

/// Runs them all, behind a probe of the machine.
pub(crate) fn run(args: &Http, span: Span) -> Result<Vec<Run>, Failure> {
    let mut runs = vec![bare::endpoint(args, span)?];
    let (access, _private) = args.access.begin()?;
    let target = Target::reach(&access)?;
    let keys = if args.by == By::App { Vec::new() } else { Key::of_all(&target, &access.password)? };
    let paces = args.rate.iter().map(|r| if *r > 0.0 { Pace::Open(*r) } else { Pace::Closed(args.connections) });
    for pace in paces {
        runs.push(one(&target, &keys, args, pace, span)?);
    }
    Ok(runs)
}

/// One run.
pub(crate) fn one(target: &Target, keys: &[Key], args: &Http, pace: Pace, span: Span) -> Result<Run, Failure> {
    let name = format!("{}, {} users, {}", args.by.name(), target.tokens.len(), pace.name());
    let start = Instant::now() + Duration::from_millis(100);
    let recorder = Arc::new(Recorder::new(start + span.warm_up, span.seconds));
    let server = listener(target.address.port()).map(Cpu::of);
    let progress = Progress::of(&name, recorder.clone());
    let plan = Plan::new(start, pace, &recorder);
    let mut cores = 0.0;
    let canceled = std::thread::scope(|scope| {
        if let Pace::Open(rate) = pace {
            let plan = plan.clone();
            let connections = args.connections;
            scope.spawn(move || {
                keep_to(Schedule::new(start, rate), plan.count, |due| {
                    plan.may.add_permits((due.end - due.start) as usize)
                });
                // One more for each connection: it finds that nothing is left.
                plan.may.add_permits(connections);
            });
        }
        let cpu = Cpu::of_this_thread();
        let canceled = drive(target, keys, args, &plan, &recorder);
        cores = cpu.cores();
        canceled
    })?;
    drop(progress);
    let mut notes = vec![("connections".into(), args.connections.to_string())];
    if canceled > 0 {
        notes.push(("calls besides, to cancel what rests".into(), whole(canceled as f64)));
    }
    notes.push(("generator's cores".into(), format!("{cores:.2}")));
    if let Some(server) = server {
        notes.push(("server's cores".into(), format!("{:.2}", server.cores())));
    }
    let offered = if let Pace::Open(rate) = pace { Some(rate) } else { None };
    Ok(Run { name, offered, unit: "orders", measured: recorder.measured(), notes })
}

/// Who sends what when.
#[derive(Debug, Clone)]
struct Plan {
    schedule: Option<Schedule>,
    /// Requests of an open loop, the warm-up's among them.
    count: u64,
    next: Arc<AtomicU64>,
    may: Arc<Semaphore>,
    starts: Instant,
    ends: Instant,
}

impl Plan {
    fn new(start: Instant, pace: Pace, recorder: &Recorder) -> Plan {
        let schedule = if let Pace::Open(rate) = pace { Some(Schedule::new(start, rate)) } else { None };
        Plan {
            count: schedule.map_or(u64::MAX, |s| s.count_before(recorder.ends())),
            schedule,
            next: Arc::default(),
            may: Arc::new(Semaphore::new(0)),
            starts: start,
            ends: recorder.ends(),
        }
    }

    /// The next request's number and the time from which it counts; none when there is no more.
    async fn next(&self) -> Option<(u64, Instant)> {
        let Some(schedule) = &self.schedule else {
            let now = Instant::now();
            return (now < self.ends).then(|| (self.next.fetch_add(1, Ordering::Relaxed), now));
        };
        self.may.acquire().await.ok()?.forget();
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        (n < self.count).then(|| (n, schedule.due(n)))
    }
}

/// Best bid and ask in ticks.
type Best = Rc<Cell<(i64, i64)>>;

fn drive(target: &Target, keys: &[Key], args: &Http, plan: &Plan, recorder: &Arc<Recorder>) -> Result<u64, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let shared = Rc::new(Traders {
        target: target.clone(),
        mix: args.mix,
        by: args.by,
        keys: keys.to_vec(),
        best: Best::default(),
        dice: RefCell::new(Dice(args.seed)),
        resting: target.tokens.iter().map(|_| Cell::new(0)).collect(),
        open: Cell::new(0),
        canceled: Cell::new(0),
        connections_per_user: args.connections.div_ceil(target.tokens.len()) as u64,
    });
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let mut looking = Connection::open(target.address, None).await?;
        while shared.best.get().0 == 0 {
            if Instant::now() > plan.starts + NO_ANSWER {
                return Err("the book is empty".into());
            }
            look(&shared, &mut looking).await?;
        }
        let follower = shared.clone();
        let follow = tokio::task::spawn_local(async move {
            // The last prices do until the next look.
            while look(&follower, &mut looking).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
        tokio::time::sleep_until(plan.starts.into()).await;
        let mut working = JoinSet::new();
        for n in 0..args.connections {
            let who = (n % target.tokens.len(), args.spread.then(|| address_of(n)));
            working.spawn_local(trader(shared.clone(), who, plan.clone(), recorder.clone()));
        }
        let all = async { while working.join_next().await.is_some() {} };
        let late = tokio::time::sleep_until((plan.ends + NO_ANSWER).into());
        tokio::select! {
            () = all => {}
            () = late => recorder.batch().errors("no answer", shared.open.get()),
        }
        follow.abort();
        Ok(shared.canceled.get())
    })
}

/// What the connections share.
struct Traders {
    target: Target,
    mix: Mix,
    by: By,
    keys: Vec<Key>,
    best: Best,
    dice: RefCell<Dice>,
    /// Orders of each user that may rest since the last time all were cancelled.
    resting: Vec<Cell<u64>>,
    open: Cell<u64>,
    canceled: Cell<u64>,
    connections_per_user: u64,
}

async fn look(shared: &Traders, connection: &mut Connection) -> Result<(), Failure> {
    let path = format!("/api/v3/ticker/bookTicker?symbol={}", shared.target.market.symbol);
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", shared.target.host);
    let answer = connection.ask(request.as_bytes()).await?;
    let told: serde_json::Value = serde_json::from_slice(answer.body)?;
    let ticks = |key: &str| -> Result<i64, Failure> {
        let price = Amount::from_str(told[key].as_str().ok_or_else(|| format!("no {key}: {told}"))?)?;
        Ok(i64::try_from(price.0 / shared.target.market.tick.0.max(1))?)
    };
    let best = (ticks("bidPrice")?, ticks("askPrice")?);
    if best.0 > 0 && best.1 > 0 {
        shared.best.set(best);
    }
    Ok(())
}

/// The loopback address that is a connection's own.
fn address_of(connection: usize) -> IpAddr {
    let [.., high, low] = (connection as u32 + 1).to_be_bytes();
    IpAddr::from([127, 1, high, low])
}

/// A user, and where the connection comes from when that matters.
type Who = (usize, Option<IpAddr>);

/// Sends on one connection until there is no more; one that breaks is opened again.
async fn trader(shared: Rc<Traders>, who: Who, plan: Plan, recorder: Arc<Recorder>) {
    let user = who.0;
    let (mut connection, mut request) = (None, String::new());
    while let Some((n, counted_from)) = plan.next().await {
        if shared.resting[user].get() >= shared.most_resting() {
            shared.resting[user].set(0);
            shared.put_cancel_all(user, &mut request);
            shared.canceled.set(shared.canceled.get() + 1);
            // An order that finds no room says so itself.
            drop(ask(&shared, who, &mut connection, &request).await);
        }
        shared.put_order(n, user, &mut request);
        shared.open.set(shared.open.get() + 1);
        let asked = ask(&shared, who, &mut connection, &request).await;
        let at = Instant::now();
        shared.open.set(shared.open.get() - 1);
        let mut noting = recorder.batch();
        noting.open(shared.open.get());
        match asked {
            Ok(None) => noting.done(counted_from, at, 1),
            Ok(Some(refusal)) => noting.error(&refusal),
            Err(error) => noting.error(&format!("connection: {}", error.kind())),
        }
    }
}

/// An open connection of either kind.
enum Line {
    Plain(Connection),
    Talk(Box<Talk>),
}

impl Line {
    async fn open(shared: &Traders, (user, from): Who) -> std::io::Result<Line> {
        let (address, host) = (shared.target.address, &shared.target.host);
        match shared.by {
            By::App | By::Signed => Ok(Line::Plain(Connection::open_from(from, address, None).await?)),
            By::Websocket => Ok(Line::Talk(Box::new(Talk::open(address, host, &shared.keys[user]).await?))),
        }
    }
}

/// Asks on a connection that is opened when there is none; a refusal as a kind of error.
async fn ask(shared: &Traders, who: Who, line: &mut Option<Line>, request: &str) -> std::io::Result<Option<String>> {
    let mut open = match line.take() {
        Some(open) => open,
        None => Line::open(shared, who).await?,
    };
    let refusal = match &mut open {
        Line::Plain(connection) => {
            let answer = connection.ask(request.as_bytes()).await?;
            if shared.by == By::App { refusal(answer) } else { refusal_of_program(answer) }
        }
        Line::Talk(talk) => talk.ask(request).await?,
    };
    *line = Some(open);
    Ok(refusal)
}

/// Why an answer to a program is no success.
fn refusal_of_program(answer: HttpAnswer<'_>) -> Option<String> {
    if answer.status == 200 {
        return None;
    }
    let told: serde_json::Value = serde_json::from_slice(answer.body).unwrap_or_default();
    Some(format!("status {} code {} {}", answer.status, told["code"], told["msg"].as_str().unwrap_or_default()))
}

/// Why an answer is no success.
fn refusal(answer: HttpAnswer<'_>) -> Option<String> {
    const OK: &[u8] = br#""type":"ok""#;
    if answer.status != 200 {
        return Some(format!("status {}", answer.status));
    }
    // Success is what is looked for most, so nothing else is read of it.
    if answer.body.windows(OK.len()).any(|part| part == OK) {
        return None;
    }
    let told: serde_json::Value = serde_json::from_slice(answer.body).unwrap_or_default();
    Some(format!("code {} {}", told["code"], told["message"].as_str().unwrap_or_default()))
}

/// Whether it buys, how much, and price and time in force of a limit order.
type Order<'o> = (bool, Amount, Option<(Amount, &'o str)>);

impl Traders {
    /// A user's orders are cancelled before they are too many, however many connections send one more.
    fn most_resting(&self) -> u64 {
        (self.target.market.max_open / 2).saturating_sub(self.connections_per_user).max(1)
    }

    fn put_order(&self, n: u64, user: usize, out: &mut String) {
        let market = &self.target.market;
        let mut dice = self.dice.borrow_mut();
        let buys = dice.below(2) == 0;
        let (bid, ask) = self.best.get();
        let near = dice.below(11) as i64 - 5;
        let ticks = if buys { ask + near } else { bid + near };
        let price = Amount(i128::from(ticks.max(1)) * market.tick.0);
        // The least that an order may be worth, and up to six times as much.
        let least = market.min_notional.0 * 100_000_000 / price.0.max(1) / market.step.0.max(1) + 2;
        let times = if self.mix == Mix::Both { 1 + dice.below(6) } else { 1 };
        let amount = Amount(least * i128::from(times) * market.step.0);
        let rests = dice.below(2) == 0;
        if self.mix == Mix::Both && rests {
            self.resting[user].set(self.resting[user].get() + 1);
        }
        let limit = (self.mix == Mix::Both).then_some((price, if rests { "GTC" } else { "IOC" }));
        match self.by {
            By::App => self.put_app_order(n, user, (buys, amount, limit), out),
            By::Signed | By::Websocket => self.put_program_order(n, user, (buys, amount, limit), out),
        }
    }

    fn put_app_order(&self, n: u64, user: usize, order: Order<'_>, out: &mut String) {
        let (market, (buys, amount, limit)) = (&self.target.market, order);
        let what = match limit {
            None => format!("order_type=market&amount={amount}"),
            Some((price, tif)) => format!("target_price={price}&amount={amount}&tif={tif}"),
        };
        let side = if buys { 1 } else { 2 };
        // Without a request key, of which an account has 4,096 a day; the number keeps apart what is else the same.
        let body = format!("currency_id={}&legal_id={}&type={side}&{what}&n={n}", market.currency, market.legal);
        self.put("/api/coin/trade", user, &body, out);
    }

    fn put_program_order(&self, n: u64, user: usize, order: Order<'_>, out: &mut String) {
        let (symbol, (buys, amount, limit)) = (&self.target.market.symbol, order);
        let side = if buys { "BUY" } else { "SELL" };
        let price = limit.map_or_else(String::new, |(price, _)| price.to_string());
        let quantity = amount.to_string();
        let mut fields = vec![("symbol", symbol.as_str()), ("side", side), ("quantity", &quantity)];
        match limit {
            None => fields.push(("type", "MARKET")),
            Some((_, tif)) => fields.extend([("type", "LIMIT"), ("timeInForce", tif), ("price", &price)]),
        }
        fields.push(("newOrderRespType", "ACK"));
        self.put_call(n, user, ("POST", "order", "order.place"), &fields, out);
    }

    /// A program's call, in either form.
    fn put_call(
        &self,
        n: u64,
        user: usize,
        (verb, path, method): (&str, &str, &str),
        fields: &[(&str, &str)],
        out: &mut String,
    ) {
        use std::fmt::Write;
        out.clear();
        let key = &self.keys[user];
        let written = if self.by == By::Websocket {
            let params: String = fields.iter().map(|(name, value)| format!(r#""{name}":"{value}","#)).collect();
            let time = frames::epoch_micros();
            write!(out, r#"{{"id":{n},"method":"{method}","params":{{{params}"timestamp":{time}}}}}"#)
        } else {
            let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let mut query = pairs.join("&");
            key.sign(&mut query);
            let host = &self.target.host;
            write!(
                out,
                "{verb} /api/v3/{path}?{query} HTTP/1.1\r\nhost: {host}\r\nx-mbx-apikey: {}\r\ncontent-length: 0\r\n\r\n",
                key.name
            )
        };
        debug_assert!(written.is_ok(), "a text takes any text");
    }

    fn put_cancel_all(&self, user: usize, out: &mut String) {
        let market = &self.target.market;
        if self.by != By::App {
            let call = ("DELETE", "openOrders", "openOrders.cancelAll");
            return self.put_call(u64::MAX, user, call, &[("symbol", &market.symbol)], out);
        }
        let body = format!("currency_id={}&legal_id={}", market.currency, market.legal);
        self.put("/api/coin/cancel_all", user, &body, out);
    }

    fn put(&self, path: &str, user: usize, body: &str, out: &mut String) {
        use std::fmt::Write;
        out.clear();
        let (host, token, length) = (&self.target.host, &self.target.tokens[user], body.len());
        let written = write!(
            out,
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: {token}\r\ncontent-type: \
             application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        debug_assert!(written.is_ok(), "a text takes any text");
    }
}
