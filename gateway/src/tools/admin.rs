//! `exchange admin`: what operators decide, asked of the running server.
//!
//! Owns: how it is asked. Never does: write into the data folder. Invariants: who decides and why is said with each decision. Known
//! limits: the key file of the data folder is the right to decide.

use super::error::ToolError;
use super::ops_port::{ask, tell};
use crate::config::Config;
use crate::observe::ops::access::key_file;
use serde_json::{Value, json};
use std::io::Write;

/// What is decided.
#[derive(Debug, clap::Subcommand)]
pub enum Admin {
    /// Traders whom others follow
    #[command(subcommand)]
    Trader(TraderAction),
    /// A market or contract: halt it, or hand it back to its price and quotes
    #[command(subcommand)]
    Market(MarketAction),
    /// Stocks: splits and dividends
    #[command(subcommand)]
    Stock(StockAction),
    /// Trading calendars: days without sessions, early closes
    #[command(subcommand)]
    Calendar(CalendarAction),
    /// Users: lost authenticators
    #[command(subcommand)]
    User(UserAction),
    /// Chains: what is read of them, halts
    #[command(subcommand)]
    Chain(ChainAction),
    /// Withdrawals that people have to agree to
    #[command(subcommand)]
    Withdrawal(WithdrawalAction),
    /// People who work in the back office
    #[command(subcommand)]
    Staff(StaffAction),
    /// The office's audit
    #[command(subcommand)]
    Audit(AuditAction),
    /// Terms of conversion, seconds options and copy trading, as the settings have them
    #[command(subcommand)]
    Terms(TermsAction),
}

/// By whom, and why.
#[derive(Debug, clap::Args)]
pub struct Reason {
    /// Why, for the audit.
    #[arg(long)]
    reason: String,
    /// Who decides, for the audit.
    #[arg(long)]
    by: String,
}

/// What becomes of the audit.
#[derive(Debug, clap::Subcommand)]
pub enum AuditAction {
    /// Take it for right as it is, although the journal says otherwise: after an older copy of the office was brought back
    Accept {
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of a market.
#[derive(Debug, clap::Subcommand)]
pub enum MarketAction {
    /// Take no orders any more; cancels go on
    Halt(OfMarket),
    /// Open again, with the next price and quotes
    Resume(OfMarket),
}

/// Which market, by whom, and why.
#[derive(Debug, clap::Args)]
pub struct OfMarket {
    /// As BTCUSDT.
    symbol: String,
    /// The contract of this symbol, and not its market.
    #[arg(long)]
    contract: bool,
    #[command(flatten)]
    why: Reason,
}

/// What becomes of a user.
#[derive(Debug, clap::Subcommand)]
pub enum UserAction {
    /// Take away the second factors of somebody who lost them, and end all sessions
    RemoveFactors {
        /// The account's number.
        account: u64,
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of a chain.
#[derive(Debug, clap::Subcommand)]
pub enum ChainAction {
    /// How far each was read, and what its node says
    List,
    /// Credit nothing any more
    Halt {
        /// As Bitcoin.
        chain: String,
        #[command(flatten)]
        why: Reason,
    },
    /// Go on from where it was halted
    Resume {
        /// As Bitcoin.
        chain: String,
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of people who work here.
#[derive(Debug, clap::Subcommand)]
pub enum StaffAction {
    /// Everybody, with role and whether they are enrolled
    List,
    /// Add a person; prints the link with which they enrol, once; once two owners have enrolled it opens after 72 hours
    Add {
        /// A name that is theirs for ever: small letters, digits, dots, dashes.
        name: String,
        /// support, compliance, finance, risk, listing, content, audit or owner.
        #[arg(long)]
        role: String,
        /// The person's own account here, about which they decide nothing.
        #[arg(long)]
        account: Option<u64>,
        #[command(flatten)]
        why: Reason,
    },
    /// Let a person enrol anew who lost the passkey or forgot the password; both and all sessions end
    Renew {
        /// Their name.
        name: String,
        #[command(flatten)]
        why: Reason,
    },
    /// Nothing opens for a person any more
    Disable {
        /// Their name.
        name: String,
        #[command(flatten)]
        why: Reason,
    },
}

/// What people say of withdrawals.
#[derive(Debug, clap::Subcommand)]
pub enum WithdrawalAction {
    /// Those that are open, what is unusual about each, and who agreed
    List,
    /// Let it be paid, once as many people agreed as it needs
    Agree {
        /// Its number.
        withdrawal: u64,
        #[command(flatten)]
        why: Reason,
    },
    /// Give its owner the money back; the owner reads the reason
    Refuse {
        /// Its number.
        withdrawal: u64,
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of the terms in the server's own settings.
#[derive(Debug, clap::Subcommand)]
pub enum TermsAction {
    /// What of them is not in force; changes nothing
    Check,
    /// Read them again and put them into force
    Reload {
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of a stock, outside of its sessions.
#[derive(Debug, clap::Subcommand)]
pub enum StockAction {
    /// Stocks with their sessions and the number of their last action
    List,
    /// New shares for old ones; open orders leave, parts of a board lot are paid for
    Split {
        /// As AAPLUSDT.
        symbol: String,
        /// As 4:1.
        ratio: String,
        /// One more than that of the last action: the same number again does nothing.
        #[arg(long)]
        number: u32,
        #[command(flatten)]
        why: Reason,
    },
    /// Money for each share, in what the stock is quoted in
    Dividend {
        /// As AAPLUSDT.
        symbol: String,
        /// As 0.25.
        per_share: String,
        /// Parts per million that are withheld.
        #[arg(long, default_value_t = 0)]
        withheld_ppm: u32,
        /// One more than that of the last action: the same number again does nothing.
        #[arg(long)]
        number: u32,
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of a day of a calendar, in its own time zone.
#[derive(Debug, clap::Subcommand)]
pub enum CalendarAction {
    /// No sessions on a day; one that is under way ends
    Cancel {
        /// As HKEX.
        calendar: String,
        /// As 2026-11-27.
        date: String,
        #[command(flatten)]
        why: Reason,
    },
    /// Sessions of a day end at a time
    CloseEarly {
        /// As HKEX.
        calendar: String,
        /// As 2026-11-27.
        date: String,
        /// As 12:00.
        time: String,
        #[command(flatten)]
        why: Reason,
    },
}

/// What becomes of a trader.
#[derive(Debug, clap::Subcommand)]
pub enum TraderAction {
    /// Applications that wait
    List,
    /// Make a user a trader
    Approve(Decision),
    /// Refuse an application
    Refuse(Decision),
    /// Make a trader an ordinary user again: copies become their owners' own
    End(Decision),
}

/// About whom, by whom, and why.
#[derive(Debug, clap::Args)]
pub struct Decision {
    /// The user's number.
    account: u64,
    /// Why, for the audit and the user.
    #[arg(long)]
    reason: String,
    /// Who decides, for the audit.
    #[arg(long)]
    by: String,
}

fn key(config: &Config) -> Result<String, ToolError> {
    let file = key_file(&config.server.data_dir);
    std::fs::read_to_string(&file).map_err(|e| ToolError::Refused(format!("its key {}: {e}", file.display())))
}

fn decide(config: &Config, what: &str, decision: &Decision, out: &mut dyn Write) -> Result<(), ToolError> {
    let path = format!("/admin/trader/{}/{what}", decision.account);
    order(config, &path, json!({ "by": decision.by, "reason": decision.reason }), out)
}

/// What is decided, with who decides and why.
fn order(config: &Config, path: &str, body: Value, out: &mut dyn Write) -> Result<(), ToolError> {
    match tell(config, path, &key(config)?, &body).map_err(ToolError::Refused)? {
        (200, Value::Array(rows)) => lines(&rows, out),
        (200, said) => Ok(writeln!(out, "{said}")?),
        (_, said) => Err(ToolError::Refused(said["error"].as_str().map_or_else(|| said.to_string(), str::to_owned))),
    }
}

fn lines(rows: &[Value], out: &mut dyn Write) -> Result<(), ToolError> {
    rows.iter().try_for_each(|row| Ok(writeln!(out, "{row}")?))
}

/// Rows of a list, one a line.
fn rows(config: &Config, path: &str, out: &mut dyn Write) -> Result<(), ToolError> {
    match ask(config, path, Some(&key(config)?)).map_err(ToolError::Refused)? {
        (200, Value::Array(rows)) => lines(&rows, out),
        (status, said) => Err(ToolError::Refused(format!("status {status}: {said}"))),
    }
}

impl Reason {
    fn with(&self, mut body: Value) -> Value {
        body["by"] = self.by.as_str().into();
        body["reason"] = self.reason.as_str().into();
        body
    }
}

fn market(config: &Config, action: &MarketAction, out: &mut dyn Write) -> Result<(), ToolError> {
    let (what, of) = match action {
        MarketAction::Halt(of) => ("halt", of),
        MarketAction::Resume(of) => ("resume", of),
    };
    let kind = if of.contract { "contract" } else { "market" };
    order(config, &format!("/admin/{kind}/{}/{what}", of.symbol), of.why.with(json!({})), out)
}

fn stock(config: &Config, action: &StockAction, out: &mut dyn Write) -> Result<(), ToolError> {
    match action {
        StockAction::List => rows(config, "/admin/stocks", out),
        StockAction::Split { symbol, ratio, number, why } => {
            let shares = ratio.split_once(':').and_then(|(new, old)| Some((new.parse().ok()?, old.parse().ok()?)));
            let (new, old): (u32, u32) = shares.ok_or_else(|| ToolError::Refused("a ratio is as 4:1".into()))?;
            let body = why.with(json!({ "number": number, "new": new, "old": old }));
            order(config, &format!("/admin/market/{symbol}/split"), body, out)
        }
        StockAction::Dividend { symbol, per_share, withheld_ppm, number, why } => {
            let body = json!({ "number": number, "per_share": per_share, "withheld_ppm": withheld_ppm });
            order(config, &format!("/admin/market/{symbol}/dividend"), why.with(body), out)
        }
    }
}

fn chain(config: &Config, action: &ChainAction, out: &mut dyn Write) -> Result<(), ToolError> {
    let (what, chain, why) = match action {
        ChainAction::List => return rows(config, "/admin/chains", out),
        ChainAction::Halt { chain, why } => ("halt", chain, why),
        ChainAction::Resume { chain, why } => ("resume", chain, why),
    };
    order(config, &format!("/admin/chain/{chain}/{what}"), why.with(json!({})), out)
}

fn withdrawal(config: &Config, action: &WithdrawalAction, out: &mut dyn Write) -> Result<(), ToolError> {
    let (what, withdrawal, why) = match action {
        WithdrawalAction::List => return rows(config, "/admin/withdrawals", out),
        WithdrawalAction::Agree { withdrawal, why } => ("agree", withdrawal, why),
        WithdrawalAction::Refuse { withdrawal, why } => ("refuse", withdrawal, why),
    };
    order(config, &format!("/admin/withdrawal/{withdrawal}/{what}"), why.with(json!({})), out)
}

fn staff(config: &Config, action: &StaffAction, out: &mut dyn Write) -> Result<(), ToolError> {
    match action {
        StaffAction::List => rows(config, "/admin/staff", out),
        StaffAction::Add { name, role, account, why } => {
            let body = why.with(json!({ "role": role, "account": account }));
            order(config, &format!("/admin/staff/{name}"), body, out)
        }
        StaffAction::Renew { name, why } => {
            order(config, &format!("/admin/staff/{name}/renew"), why.with(json!({})), out)
        }
        StaffAction::Disable { name, why } => {
            order(config, &format!("/admin/staff/{name}/disable"), why.with(json!({})), out)
        }
    }
}

/// Rows of what differs, or a line that nothing does.
fn terms(config: &Config, action: &TermsAction, out: &mut dyn Write) -> Result<(), ToolError> {
    let mut said = Vec::new();
    match action {
        TermsAction::Check => rows(config, "/admin/terms", &mut said)?,
        TermsAction::Reload { why } => order(config, "/admin/terms/reload", why.with(json!({})), &mut said)?,
    }
    if said.is_empty() {
        writeln!(out, "the terms of [convert], [seconds] and [copy] in the settings are those in force")?;
    }
    Ok(out.write_all(&said)?)
}

fn calendar(config: &Config, action: &CalendarAction, out: &mut dyn Write) -> Result<(), ToolError> {
    let (path, body) = match action {
        CalendarAction::Cancel { calendar, date, why } => {
            (format!("/admin/calendar/{calendar}/cancel"), why.with(json!({ "date": date })))
        }
        CalendarAction::CloseEarly { calendar, date, time, why } => {
            (format!("/admin/calendar/{calendar}/close-early"), why.with(json!({ "date": date, "time": time })))
        }
    };
    order(config, &path, body, out)
}

impl Admin {
    pub(super) fn run(&self, config: &Config, out: &mut dyn Write) -> Result<(), ToolError> {
        match self {
            Admin::Trader(action) => match action {
                TraderAction::Approve(decision) => decide(config, "approve", decision, out),
                TraderAction::Refuse(decision) => decide(config, "refuse", decision, out),
                TraderAction::End(decision) => decide(config, "end", decision, out),
                TraderAction::List => rows(config, "/admin/traders", out),
            },
            Admin::Market(action) => market(config, action, out),
            Admin::Stock(action) => stock(config, action, out),
            Admin::Calendar(action) => calendar(config, action, out),
            Admin::User(UserAction::RemoveFactors { account, why }) => {
                order(config, &format!("/admin/user/{account}/remove-factors"), why.with(json!({})), out)
            }
            Admin::Chain(action) => chain(config, action, out),
            Admin::Withdrawal(action) => withdrawal(config, action, out),
            Admin::Staff(action) => staff(config, action, out),
            Admin::Audit(AuditAction::Accept { why }) => order(config, "/admin/audit/accept", why.with(json!({})), out),
            Admin::Terms(action) => terms(config, action, out),
        }
    }
}
