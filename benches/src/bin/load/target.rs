//! The exchange that is under load, from outside: its users, its market, what its price is.
//!
//! Owns: logins and what must be known before the first order. Never does: register users.
//! Invariants: users are the demo's or given ones. Known limits: one market.

use crate::Failure;
use crate::private::{Limits, Private, binary};
use crate::table::say;
use clap::Args;
use serde_json::Value;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};
use xng_core::money::Amount;

/// A market that does not open within this time is not waited for.
const OPEN_WITHIN: Duration = Duration::from_secs(60);

/// Where the exchange is and who trades there.
#[derive(Debug, Clone, Args)]
pub(crate) struct Access {
    /// The exchange's public address.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
    /// Users that log in; connections share them.
    #[arg(long, value_delimiter = ',', default_value = "demo,demo2,trader")]
    pub(crate) users: Vec<String>,
    /// Their password.
    #[arg(long, default_value = "demo1234")]
    pub(crate) password: String,
    /// The market.
    #[arg(long, default_value = "BTCUSDT")]
    pub(crate) symbol: String,
    /// What each user spends on something to sell, before the first order.
    #[arg(long, default_value = "4000")]
    pub(crate) stock_usdt: String,
    /// Loads an exchange of its own with so many users instead, which is started and ends with the runs.
    #[arg(long)]
    pub(crate) private: Option<usize>,
    /// Its binary; without it the one beside this.
    #[arg(long)]
    pub(crate) exchange: Option<PathBuf>,
    /// The settings that it begins from.
    #[arg(long, default_value = "config/exchange.toml")]
    pub(crate) config: PathBuf,
}

impl Access {
    /// As given; with a private exchange, when there is to be one.
    pub(crate) fn begin(&self) -> Result<(Access, Option<Private>), Failure> {
        let Some(users) = self.private else { return Ok((self.clone(), None)) };
        say("a private exchange starts");
        let private = Private::start(&binary(self.exchange.as_deref())?, &self.config, users, Limits::Lifted)?;
        Ok((private.access(), Some(private)))
    }
}

/// A user buys so much at once, in the quote.
const STOCK_PART: Amount = Amount::whole(1_000);
/// Times that all users buy a part before the market is given up.
const STOCK_ROUNDS: usize = 200;

/// The market that is traded.
#[derive(Debug, Clone)]
pub(crate) struct Market {
    pub(crate) symbol: String,
    pub(crate) currency: u64,
    pub(crate) legal: u64,
    pub(crate) tick: Amount,
    pub(crate) step: Amount,
    /// Least worth of an order.
    pub(crate) min_notional: Amount,
    /// Orders of one user that may rest.
    pub(crate) max_open: u64,
}

/// An exchange that can be traded on.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) host: String,
    pub(crate) address: SocketAddr,
    pub(crate) tokens: Vec<String>,
    pub(crate) market: Market,
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(20)));
    config.http_status_as_error(false).build().into()
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Failure> {
    value[key].as_str().ok_or_else(|| format!("no text `{key}` in {value}").into())
}

fn number(value: &Value, key: &str) -> Result<u64, Failure> {
    value[key].as_u64().ok_or_else(|| format!("no number `{key}` in {value}").into())
}

fn amount(value: &Value, key: &str) -> Result<Amount, Failure> {
    Ok(Amount::from_str(text(value, key)?)?)
}

/// Host and address of an `http://` url.
pub(crate) fn host_of(url: &str) -> Result<(String, SocketAddr), Failure> {
    let host = url.strip_prefix("http://").ok_or("the url must begin with http://")?.trim_end_matches('/');
    let named = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let address = named.to_socket_addrs()?.next().ok_or("the url names no host")?;
    Ok((host.to_owned(), address))
}

impl Target {
    /// Logs the users in, waits until the market trades and gives them something to sell.
    pub(crate) fn reach(access: &Access) -> Result<Target, Failure> {
        let (host, address) = host_of(&access.url)?;
        let (agent, url) = (agent(), access.url.trim_end_matches('/').to_owned());
        let get = |path: &str| -> Result<Value, Failure> {
            Ok(serde_json::from_str(&agent.get(format!("{url}{path}")).call()?.body_mut().read_to_string()?)?)
        };
        let post = |path: &str, token: &str, form: &[(&str, &str)]| -> Result<Value, Failure> {
            let request = agent.post(format!("{url}{path}")).header("authorization", token);
            Ok(serde_json::from_str(&request.send_form(form.iter().copied())?.body_mut().read_to_string()?)?)
        };
        let market = opened(&access.symbol, || get("/api/currency/quotation_new"))?;
        let mut tokens = Vec::new();
        for user in &access.users {
            let form = [("user_string", user.as_str()), ("password", access.password.as_str())];
            let reply = post("/api/user/login", "", &form)?;
            match reply["message"].as_str().filter(|_| reply["type"] == "ok") {
                Some(token) => tokens.push(token.to_owned()),
                None => return Err(format!("{user} is not logged in: {reply}").into()),
            }
        }
        let users: Vec<(&str, &str)> =
            access.users.iter().zip(&tokens).map(|(user, token)| (user.as_str(), token.as_str())).collect();
        stock(&users, &market, Amount::from_str(&access.stock_usdt)?, |token, form| {
            post("/api/coin/trade", token, form)
        })?;
        Ok(Target { host, address, tokens, market })
    }
}

/// The market once it trades.
fn opened(symbol: &str, listed: impl Fn() -> Result<Value, Failure>) -> Result<Market, Failure> {
    let until = Instant::now() + OPEN_WITHIN;
    loop {
        let all = listed()?;
        let groups = all["message"].as_array().ok_or("no list of markets")?;
        let rows = groups.iter().flat_map(|group| group["quotation"].as_array().into_iter().flatten());
        let row = rows.into_iter().find(|row| row["stream"].as_str().is_some_and(|s| s.eq_ignore_ascii_case(symbol)));
        let row = row.ok_or_else(|| format!("there is no market {symbol}"))?;
        if row["status"] == "TRADING" {
            return Ok(Market {
                symbol: symbol.to_ascii_uppercase(),
                currency: number(row, "currency_id")?,
                legal: number(row, "legal_id")?,
                tick: amount(row, "tick")?,
                step: amount(row, "step")?,
                min_notional: amount(row, "min_notional")?,
                max_open: number(row, "max_open_orders")?,
            });
        }
        if Instant::now() > until {
            return Err(format!("{symbol} does not open: {}", row["status"]).into());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Each user buys in small parts, so that the book is never empty: everybody's price comes from it.
fn stock(
    users: &[(&str, &str)],
    market: &Market,
    worth: Amount,
    buy: impl Fn(&str, &[(&str, &str)]) -> Result<Value, Failure>,
) -> Result<(), Failure> {
    let (currency, legal) = (market.currency.to_string(), market.legal.to_string());
    let mut left: Vec<Amount> = users.iter().map(|_| worth).collect();
    for round in 0..STOCK_ROUNDS {
        for ((user, token), left) in users.iter().zip(&mut left).filter(|(_, left)| **left > market.min_notional) {
            let part = Amount(left.0.min(STOCK_PART.0)).to_string();
            let order: [(&str, &str); 5] = [
                ("currency_id", &currency),
                ("legal_id", &legal),
                ("type", "1"),
                ("order_type", "market"),
                ("quote_amount", &part),
            ];
            let bought = buy(token, &order)?;
            if bought["type"] != "ok" {
                return Err(format!("{user} has nothing to sell: {bought}").into());
            }
            *left = Amount(left.0 - amount(&bought["data"], "filled_total")?.0);
        }
        if left.iter().all(|left| *left <= market.min_notional) {
            return Ok(());
        }
        if round > 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    Err("nobody sells enough for the users to have a stock".into())
}
