//! Who pays withdrawals: has transactions made, signed, sent and replaced.
//!
//! Owns: the thread of each chain that pays, when each transaction was sent last. Never does: decide who is paid or with which
//! coins, the engine's chain does; hold a private key, the signer does.
//! Invariants: a transaction is signed once its plan is durable, and sent once its bytes are; what the signer gives is checked
//! before it is recorded; after a crash the same transactions are signed and sent again, which pays nobody twice.
//! Rules: `docs/rules/custody.md "Transactions"`. Known limits: one signer a chain; a transaction that the signer refuses for ever
//! waits for people.

use super::asking::{ANSWER, Asking, LOOK};
use super::chains::{Chains, OpenPlan};
use super::keys::{Keys, PlannedTransaction};
use super::node::Node;
use super::settings::ChainSettings;
use crate::common::critical_task;
use crate::common::time::now_ms;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::chain::{ChainCommand, ChainId, PlanId, TxId};
use xng_core::entity::Reply;
use xng_core::reject::Reject;
use xng_custody::port::{BroadcastError, ChainError, Found, Taken};
use xng_custody::signer::{Signer, SignerError};
use xng_runtime::CellHandle;

/// How often it is looked for something to do.
const NEWS: Duration = Duration::from_secs(1);
/// After something that does not pass by itself.
const LATER: Duration = Duration::from_secs(10);
/// The signer's answer may take so long.
const SIGNS_WITHIN: Duration = Duration::from_secs(10);
/// A transaction that is not final is sent again after so long: a node forgets what its pool has no room for.
const AGAIN: Duration = Duration::from_secs(600);

/// A replacement that the chain did not make is asked for again after so long.
const BUMP_AGAIN: Duration = Duration::from_secs(60);

/// What keeps withdrawals from being paid.
#[derive(Debug)]
enum Stop {
    /// Not now: no answer in time, or the chain is halted.
    Later,
    Node(ChainError),
    Signer(SignerError),
    /// What people have to see.
    Wrong(String),
}

impl Stop {
    /// The signer signs nothing else now, either: it is away, or what it lets leave in an hour is used up, which goes to those
    /// that wait longest. On a chain of accounts each asset has an hour's cap of its own.
    fn is_of_all(&self, keys: &Keys) -> bool {
        match self {
            Stop::Signer(SignerError::Unreachable(_)) => true,
            Stop::Signer(SignerError::Refused { code, .. }) => {
                code == "above_hour_cap" && matches!(keys, Keys::Bitcoin(..))
            }
            Stop::Signer(SignerError::Shape(_)) | Stop::Later | Stop::Node(_) | Stop::Wrong(_) => false,
        }
    }
}

impl From<ChainError> for Stop {
    fn from(error: ChainError) -> Stop {
        Stop::Node(error)
    }
}

/// Pays the withdrawals of one chain.
struct Payer {
    chain: ChainId,
    node: Node,
    chains: Arc<Chains>,
    asking: Asking,
    signer: Signer,
    keys: Keys,
    /// When each transaction was sent.
    sent: HashMap<(PlanId, usize), Instant>,
    /// When a replacement was asked for.
    bumped: HashMap<PlanId, Instant>,
}

/// Starts paying on the chains of the settings that take withdrawals.
///
/// # Errors
/// Settings without a way to a node, or no thread to be had.
pub fn start(settings: &[ChainSettings], chains: &Arc<Chains>, cell: &CellHandle) -> Result<(), String> {
    for chain in settings {
        let Some(socket) = chain.signer() else { continue };
        let mut payer = Payer::new(chain, socket, chains.clone(), cell)?;
        critical_task::spawn("chain payer", move || {
            loop {
                std::thread::sleep(payer.round());
            }
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

impl Payer {
    fn new(settings: &ChainSettings, socket: PathBuf, chains: Arc<Chains>, cell: &CellHandle) -> Result<Payer, String> {
        let chain = settings.chain();
        Ok(Payer {
            chain,
            node: settings.node()?,
            chains,
            asking: Asking::new(chain, cell),
            signer: Signer::new(socket, SIGNS_WITHIN),
            keys: settings.keys()?,
            sent: HashMap::new(),
            bumped: HashMap::new(),
        })
    }

    /// Does what is to be done by now; how long to wait before the next time.
    fn round(&mut self) -> Duration {
        let (what, passes) = match self.pay() {
            Ok(()) => {
                self.chains.can_pay(self.chain);
                return NEWS;
            }
            Err(Stop::Later) => return NEWS,
            Err(Stop::Node(error)) => (error.to_string(), error.is_passing()),
            Err(Stop::Signer(error)) => (error.to_string(), false),
            Err(Stop::Wrong(what)) => (what, false),
        };
        if self.chains.cannot_pay(self.chain, what.clone()) {
            tracing::error!(chain = self.chain.0, what, "withdrawals are not paid");
        }
        if passes { NEWS } else { LATER }
    }

    fn pay(&mut self) -> Result<(), Stop> {
        let status = self.chains.status(self.chain).ok_or(Stop::Later)?;
        // What was paid on a chain that nobody reads is not seen, nor what went another way before it was read. With coins that the
        // node does not show nothing can be paid.
        let is_sure = self.chains.has_caught_up(self.chain) && !self.chains.is_unproven(self.chain);
        if status.halted.is_some() || !status.is_read(now_ms()) || !is_sure {
            return Err(Stop::Later);
        }
        let plans = self.chains.open_plans(self.chain);
        let is_open = |plan: &PlanId| plans.iter().any(|open| open.plan == *plan);
        self.sent.retain(|(plan, _), _| is_open(plan));
        self.bumped.retain(|plan, _| is_open(plan));
        // One that is not sent or signed keeps no other from it, and what is signed goes out whatever the signer says of others.
        let mut stops: Vec<Stop> = plans.iter().filter_map(|plan| self.send_newest(plan).err()).collect();
        for plan in &plans {
            let Err(stop) = self.further(plan) else { continue };
            let is_of_all = stop.is_of_all(&self.keys);
            stops.push(stop);
            if is_of_all {
                break;
            }
        }
        let planned = self.plan_more();
        stops.into_iter().next().map_or(planned, Err)
    }

    /// Signs or replaces what a plan has.
    fn further(&mut self, plan: &OpenPlan) -> Result<(), Stop> {
        let unsigned = plan.attempts.iter().enumerate().find(|(_, attempt)| attempt.signed.is_none());
        match unsigned {
            Some((n, attempt)) => self.sign(plan.plan, n, &attempt.transaction),
            None => self.replace(plan),
        }
    }

    fn send_newest(&mut self, plan: &OpenPlan) -> Result<(), Stop> {
        let signed =
            plan.attempts.iter().enumerate().rev().find_map(|(n, attempt)| Some((n, attempt.signed.as_ref()?)));
        let Some((n, signed)) = signed else { return Ok(()) };
        let due = self.sent.get(&(plan.plan, n)).is_none_or(|sent| sent.elapsed() >= AGAIN);
        if due && !self.is_in_a_block(plan)? {
            self.send(signed.txid, &signed.raw)?;
            self.sent.insert((plan.plan, n), Instant::now());
        }
        Ok(())
    }

    fn replace(&mut self, plan: &OpenPlan) -> Result<(), Stop> {
        let signed = plan.attempts.last().and_then(|last| last.signed.as_ref());
        let Some(signed) = signed else { return Ok(()) };
        let bump_after = self.chains.terms(self.chain, plan.terms_of).map_or(u64::MAX, |terms| terms.bump_after_ms);
        let waited = now_ms().cast_unsigned().saturating_sub(signed.at / 1_000_000);
        let asked = self.bumped.get(&plan.plan).is_some_and(|asked| asked.elapsed() < BUMP_AGAIN);
        if waited < bump_after || asked || self.is_in_a_block(plan)? {
            return Ok(());
        }
        let fee = self.node.fee()?;
        self.bumped.insert(plan.plan, Instant::now());
        self.command(fee.bump(plan.plan))
    }

    fn is_in_a_block(&mut self, plan: &OpenPlan) -> Result<bool, Stop> {
        for attempt in &plan.attempts {
            let Some(signed) = &attempt.signed else { continue };
            if matches!(self.node.find(signed.txid)?, Found::InBlock(_)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn sign(&mut self, plan: PlanId, n: usize, transaction: &PlannedTransaction) -> Result<(), Stop> {
        let attempt = u32::try_from(n).map_err(|_| Stop::Later)?;
        let signed = match (transaction, &self.keys) {
            (PlannedTransaction::Account(of), Keys::Evm(number, _)) => {
                self.signer.sign_evm(plan.0, attempt, *number, of)
            }
            (PlannedTransaction::Coins(of), Keys::Bitcoin(..)) => self.signer.sign(plan.0, attempt, of),
            (PlannedTransaction::Account(_), Keys::Bitcoin(..)) | (PlannedTransaction::Coins(_), Keys::Evm(..)) => {
                return Err(Stop::Wrong("the settings are of a chain of another form".into()));
            }
        };
        let signed = signed.map_err(Stop::Signer)?;
        let wrong = |what: String| Stop::Wrong(format!("what the signer gave for plan {plan}: {what}"));
        let txid = self.keys.verify(&signed.raw, transaction).map_err(wrong)?;
        if txid != signed.txid {
            return Err(wrong("another id than its bytes have".into()));
        }
        self.command(ChainCommand::Signed { plan, attempt, txid, raw: signed.raw })
    }

    fn send(&mut self, txid: TxId, raw: &[u8]) -> Result<(), Stop> {
        match self.node.broadcast(raw) {
            Ok(Taken::InPool | Taken::Known) => {
                tracing::info!(chain = self.chain.0, %txid, "a transaction was sent");
                Ok(())
            }
            Err(BroadcastError::Chain(error)) => Err(Stop::Node(error)),
            // No answer proves that it is void: it may be in a block by now.
            Err(refused) => match self.node.find(txid)? {
                Found::InPool | Found::InBlock(_) => Ok(()),
                Found::Unknown => Err(Stop::Wrong(format!("transaction {txid} is not taken: {refused}"))),
            },
        }
    }

    /// Has a transaction made for what waits.
    fn plan_more(&mut self) -> Result<(), Stop> {
        if !self.chains.wants_plan(self.chain) {
            return Ok(());
        }
        let fee = self.node.fee()?;
        self.command(fee.plan())
    }

    /// Sends a command, and waits until the fold has its record.
    fn command(&mut self, command: ChainCommand) -> Result<(), Stop> {
        let before = self.chains.changes(self.chain);
        match self.asking.ask(command) {
            Some(Reply::Accepted(_) | Reply::Known(_)) => {}
            Some(Reply::Rejected(Reject::ChainClosed | Reject::WithdrawalDone)) | Some(Reply::Busy) | None => {
                return Err(Stop::Later);
            }
            Some(Reply::Rejected(Reject::InsufficientBalance)) => {
                return Err(Stop::Wrong("coins are lacking, or miners ask for more than may be paid".into()));
            }
            Some(Reply::Rejected(reject)) => return Err(Stop::Wrong(format!("it is refused: {reject:?}"))),
            Some(other @ (Reply::View(_) | Reply::TradeIds { .. })) => {
                return Err(Stop::Wrong(format!("it is answered with {other:?}")));
            }
        }
        // Nothing is to be done when nothing changed.
        let began = Instant::now();
        while self.chains.changes(self.chain) == before && began.elapsed() < ANSWER / 10 {
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}
