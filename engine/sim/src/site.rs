//! One cell with its machine, its clients, its store and its auditor.
//!
//! Owns: clients' books of what was asked and answered; every single step that may happen to a cell; the paths that are worth
//! reaching.
//! Invariants: after a crash the journal holds a prefix of what was handed over, in which everything that was answered
//! is there and nothing is there twice.
//! Never does: tell the auditor anything but records. Known limits: what a view shows is not
//! compared with the books of the clients.

use crate::auditor::{Auditor, Finding};
use crate::node::{Disks, Node, SEGMENT_BYTES, Stopped};
use crate::persist::{Persisting, RowsAudit, Step};
use crate::rng::Rng;
use crate::run::Reached;
use crate::store::MemoryStore;
use crate::traffic::{HOUSE, Setting};
use std::collections::BTreeMap;
use xng_cell::{Egress, Envelope, Ingress, Plain, PortId, Ticket, World};
use xng_core::account::facts::AccountFact;
use xng_core::account::{AccountCommand, LegCommand, SpotCommand};
use xng_core::contract::book::effect::Effect;
use xng_core::contract::book::facts::{BookFact, CutReason};
use xng_core::contract::book::order::LegSide;
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::ticket_facts::{CloseReason, TicketsMoved};
use xng_core::entity::{Accepted, Command, CommandClass, Reply};
use xng_core::ids::{AccountId, OrderId, RequestKey};
use xng_core::journal::{Capacity, Lsn};
use xng_core::record::{Cause, CellFact, Fact, Origin, Record};
use xng_core::reject::Reject;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{EndReason, GroupAck};
use xng_persistence::journal::fake_disk::Faults;

const SECOND: u64 = 1_000_000_000;

/// The paths that are worth reaching.
pub const PATHS: &[&str] = &[
    "answered",
    "refused",
    "in flight twice",
    "repeated and known",
    "lost and asked again",
    "traded",
    "self-trade prevented",
    "ended by its owner's own order",
    "an iceberg shows its next slice",
    "an order waits",
    "triggered and filled",
    "a triggered order ends its list",
    "a filled order ends its list",
    "replaced",
    "left, and its successor refused",
    "an order brings others",
    "what an order brings is placed",
    "what an order brings is refused",
    "made smaller",
    "a ticket is opened",
    "a limit ticket waits",
    "a limit ticket is opened",
    "a limit ticket is cancelled",
    "tickets are closed by their owner",
    "a ticket is closed by its stop",
    "an isolated ticket is liquidated",
    "a pool is liquidated",
    "a deficit is left",
    "a deficit is covered",
    "a pool is near its end",
    "results are unsettled",
    "a night is charged",
    "an order of a contract's book is filled",
    "orders of a contract's book are cut",
    "an order of a contract's book leaves for want of money",
    "a leg is turned round",
    "a leg is isolated",
    "a leg of hedge mode",
    "margin of a leg is moved",
    "funding is paid",
    "results are settled",
    "an owner of legs cannot pay",
    "an isolated leg is at its end",
    "a pool with legs is at its end",
    "a pool is at its end beside a stale price",
    "a leg is liquidated in its book",
    "the insurance pays for a liquidation",
    "legs are deleveraged",
    "a liquidation takes more than a step",
    "a liquidation ends",
    "a quota is set apart",
    "quotes set",
    "quotes of a contract's book are set",
    "quotes of a contract's book are taken",
    "market closed by its timer",
    "digest",
    "snapshot",
    "segment recycled",
    "crash between hold and decision",
    "crash with decisions that are not durable",
    "crash with answers at the gate",
    "crash while a group is written",
    "crash while a segment is archived or recycled",
    "crash while a snapshot is written",
    "crash while recovering",
    "failed sync",
    "kill",
    "power loss",
    "acknowledgement looked up after a kill",
    "acknowledgement looked up after a power loss",
    "records lost that nobody was told of",
    "clock set back",
    "clock set forward",
    "a day passed",
    "request keys forgotten",
    "disks full",
    "busy, the journal is nearly full",
    "busy, the journal is full",
    "snapshot on a full disk",
    "start on a full disk",
    "store opened",
    "store wrote a batch",
    "store slow",
    "store failed, tried again",
    "crash while the store writes",
    "crash, and the store wrote on",
    "compared with SQLite",
    "two cells",
];

/// Steps after which a store that may fail and be slow must have caught up.
const PATIENCE: u32 = 1_000_000;
const START: u64 = 1_700_000_000 * SECOND;

/// A request that was not answered yet, and what it was, so that it can be sent again.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    account: AccountId,
    pub(crate) key: Option<RequestKey>,
    command: Command,
    /// How much the journal took when it was asked.
    capacity: Capacity,
    /// The last record then.
    at: Lsn,
}

/// What was answered: it must be there for ever.
#[derive(Debug, Clone)]
pub(crate) enum Promised {
    Key(AccountId, u128, Lsn),
    Placed(AccountId, OrderId),
    Ended(OrderId),
}

/// See the module's header.
pub(crate) struct Site {
    pub(crate) rng: Rng,
    setting: Setting,
    pub(crate) disks: Disks,
    pub(crate) stubbed: bool,
    /// What the journal's disk and the snapshots' hold at most, while they are full or nearly.
    pub(crate) full: Option<(u64, u64)>,
    pub(crate) node: Node,
    pub(crate) now: u64,
    pub(crate) auditor: Auditor,
    /// Every record that was handed over and may still be there.
    pub(crate) history: Vec<Vec<u8>>,
    pub(crate) asked: BTreeMap<u64, Asked>,
    pub(crate) lost: Vec<Asked>,
    pub(crate) promised: Vec<Promised>,
    next_token: u64,
    next_key: u128,
    pub(crate) store: MemoryStore,
    pub(crate) persisting: Persisting,
    pub(crate) rows: RowsAudit,
    pub(crate) reached: Reached,
}

pub(crate) fn wrong(stopped: Stopped) -> Finding {
    match stopped {
        Stopped::Disk(what) => format!("the disk failed without being told to: {what}"),
        Stopped::Wrong(what) => what,
    }
}

impl Site {
    /// A new exchange, opened. `mirrored`: its store has a real SQLite file beside.
    /// `stubbed`: its disk says that it synced and did not.
    pub(crate) fn new(mut rng: Rng, mirrored: bool, stubbed: bool) -> Result<Site, Finding> {
        let setting = Setting::draw(&mut rng);
        // In some seeds the journal's own limit is near.
        let limit = rng.pick(&[None, None, None, Some(12 * SEGMENT_BYTES)]);
        let disks = Disks { limit, ..Disks::default() };
        disks.journal.set_faults(Faults { sync_is_stubbed: stubbed, ..Faults::default() });
        let node = Node::start(&disks, rng.next_u64(), START, Lsn::ZERO).map_err(wrong)?;
        let store = MemoryStore::new(rng.fork(), mirrored)?;
        let persisting = Persisting::new(&store, node.epoch());
        let mut site = Site {
            rng,
            setting,
            disks,
            stubbed,
            full: None,
            node,
            now: START,
            auditor: Auditor::default(),
            history: Vec::new(),
            asked: BTreeMap::new(),
            lost: Vec::new(),
            promised: Vec::new(),
            next_token: 0,
            next_key: 0,
            store,
            persisting,
            rows: RowsAudit::default(),
            reached: Reached::new(),
        };
        for command in site.setting.opening() {
            site.admit(None, None, command);
        }
        site.settle()?;
        Ok(site)
    }

    /// Records in the journal.
    pub(crate) fn records(&self) -> u64 {
        self.history.len() as u64
    }

    pub(crate) fn count(&mut self, path: &'static str) {
        debug_assert!(PATHS.contains(&path), "{path} is reported nowhere");
        *self.reached.entry(path).or_default() += 1;
    }

    /// What operators do.
    pub(crate) fn operate(&mut self) {
        let command = self.setting.operator(&mut self.rng);
        self.admit(None, None, command);
    }

    fn admit(&mut self, account: Option<AccountId>, key: Option<RequestKey>, command: Command) {
        self.next_token += 1;
        let ticket = Some(Ticket { port: PortId(0), token: self.next_token });
        let envelope = Envelope { ticket, origin: Origin::User, cause: Cause::of(key), command: command.clone() };
        if let Some(account) = account {
            let (capacity, at) = (self.node.capacity(), self.auditor.last());
            self.asked.insert(self.next_token, Asked { account, key, command, capacity, at });
        }
        self.node.cell.admit(Ingress::Command(envelope));
    }

    pub(crate) fn ask(&mut self) {
        for _ in 0..1 + self.rng.below(6) {
            let (account, command, keyed) = self.setting.command(&mut self.rng, &self.auditor);
            let key = (keyed && self.rng.chance(9, 10)).then(|| {
                self.next_key += 1;
                RequestKey { key: self.next_key, body: 1 }
            });
            self.admit(Some(account), key, command.clone());
            if key.is_some() && self.rng.chance(1, 20) {
                self.admit(Some(account), key, command);
            }
        }
        // Who never heard asks again, sooner or later, with the same key.
        if !self.lost.is_empty() && self.rng.chance(1, 2) {
            let at = self.rng.below(self.lost.len() as u64) as usize;
            let Asked { account, key, command, .. } = self.lost.swap_remove(at);
            self.count("lost and asked again");
            self.admit(Some(account), key, command);
        }
    }

    pub(crate) fn handle_some(&mut self) {
        self.node.cell.enqueue_due();
        for _ in 0..1 + self.rng.below(8) {
            self.node.cell.handle_next();
        }
    }

    pub(crate) fn write_group(&mut self) -> Result<(), Finding> {
        self.take_handed()?;
        self.node.commit().map_err(wrong)?;
        if self.rng.chance(1, 20) {
            self.node.seal().map_err(wrong)?;
        }
        Ok(())
    }

    pub(crate) fn keep(&mut self) -> Result<(), Finding> {
        if self.node.keep().map_err(wrong)? {
            self.count("segment recycled");
        }
        Ok(())
    }

    /// One step of the persister: reads a few blocks, or goes on with what it does.
    pub(crate) fn persist(&mut self) -> Result<Step, Finding> {
        let durable = self.node.durable();
        let blocks = 1 + self.rng.below(6);
        let records = match self.persisting.wants() {
            Some(next) if next <= durable => self.node.read_some(next, blocks).map_err(wrong)?,
            Some(_) | None => Vec::new(),
        };
        let step = self.persisting.step(durable, records)?;
        match step {
            Step::Idle => {}
            Step::Opened(at) => {
                self.count("store opened");
                self.node.floor = at;
            }
            Step::Waits => self.count("store slow"),
            Step::Failed => self.count("store failed, tried again"),
            Step::Wrote(to) => {
                self.count("store wrote a batch");
                self.node.floor = to;
                self.store.look(|rows| self.rows.follow(rows, &self.history))?;
            }
        }
        Ok(step)
    }

    /// The store comes to where the journal is.
    pub(crate) fn persist_all(&mut self) -> Result<(), Finding> {
        for _ in 0..PATIENCE {
            if self.persist()? == Step::Idle && self.node.floor == self.node.durable() {
                return self.store.look(|rows| self.rows.whole(rows, &self.history));
            }
        }
        Err(format!("the store stays at {} although the journal is at {}", self.node.floor, self.node.durable()))
    }

    pub(crate) fn snapshot(&mut self) -> Result<(), Finding> {
        let before = self.node.saved();
        match self.node.snapshot() {
            Err(Stopped::Disk(_)) if self.full.is_some() => {
                self.count("snapshot on a full disk");
                return Ok(());
            }
            outcome => outcome.map_err(wrong)?,
        }
        if self.node.saved() != before {
            self.count("snapshot");
        }
        Ok(())
    }

    pub(crate) fn pass_time(&mut self) {
        let by = match self.rng.below(20) {
            0 => self.rng.below(7_200 * SECOND),
            1..=4 => self.rng.below(6 * SECOND),
            _ => self.rng.below(SECOND / 10),
        };
        match self.rng.below(40) {
            0 => {
                self.now = self.now.saturating_sub(by).max(START);
                self.count("clock set back");
            }
            1 => {
                self.now += 7_200 * SECOND;
                self.count("clock set forward");
            }
            2 => {
                // What is kept for a day is old then.
                self.now += 25 * 3_600 * SECOND;
                self.count("a day passed");
            }
            _ => self.now += by,
        }
        self.node.cell.clock().0 = self.now;
    }

    pub(crate) fn prices(&mut self) {
        let (params, middle) = self.setting.market(&mut self.rng);
        let near = middle + self.rng.below(5) as i64 - 2;
        // Now and then further, so that positions end.
        let far = self.rng.chance(1, 10);
        let (market, middle) =
            (params.market, if far { near + (self.rng.below(181) as i64 - 90) * near / 1_000 } else { near });
        let tick = self.setting.tick(market, middle);
        self.admit(None, None, tick);
        if self.rng.chance(2, 3) {
            let ladder = self.setting.ladder(&mut self.rng, &self.auditor);
            self.admit(None, None, ladder);
        }
    }

    pub(crate) fn whole_turn(&mut self) -> Result<(), Finding> {
        let mut left = Vec::new();
        self.node.cell.turn(|_, egress| left.push(egress));
        self.take_handed()?;
        self.hear(left)
    }

    pub(crate) fn answers(&mut self) -> Result<(), Finding> {
        let mut left = Vec::new();
        self.node.cell.open_gate(|_, egress| left.push(egress));
        self.take_handed()?;
        self.hear(left)
    }

    /// The disks fill up, or the operator frees them.
    pub(crate) fn fill_or_free(&mut self) {
        if self.full.is_some() {
            return self.free();
        }
        let room = self.rng.below(3 * SEGMENT_BYTES);
        self.full = Some((self.disks.journal.used() + room, self.disks.snapshots.used() + room));
        self.count("disks full");
        self.set_faults();
    }

    pub(crate) fn free(&mut self) {
        self.full = None;
        self.set_faults();
    }

    /// The disks do what they do all the time, and nothing else.
    pub(crate) fn set_faults(&self) {
        self.disks.journal.set_faults(self.faults());
        let capacity = self.full.map(|(_, snapshots)| snapshots);
        self.disks.snapshots.set_faults(Faults { capacity, ..Faults::default() });
    }

    /// What the journal's disk does all the time.
    pub(crate) fn faults(&self) -> Faults {
        let capacity = self.full.map(|(journal, _)| journal);
        Faults { capacity, sync_is_stubbed: self.stubbed, ..Faults::default() }
    }

    /// Runs until nothing waits any more.
    pub(crate) fn settle(&mut self) -> Result<(), Finding> {
        self.free();
        loop {
            self.whole_turn()?;
            while self.node.commit().map_err(wrong)? {}
            self.answers()?;
            if self.node.cell.queued() == 0 && self.node.cell.gated() == 0 {
                return Ok(());
            }
        }
    }

    /// Shows what was handed to the journal to the auditor.
    pub(crate) fn take_handed(&mut self) -> Result<(), Finding> {
        for (lsn, bytes) in self.node.take_handed() {
            let record = Record::decode(&bytes).map_err(|error| format!("record {lsn} does not read: {error}"))?;
            self.auditor.read(lsn, &record)?;
            self.note(&record);
            self.history.push(bytes);
        }
        Ok(())
    }

    fn note(&mut self, record: &Record) {
        match &record.fact {
            Fact::Spot(fact) => self.note_spot(fact, record.cause),
            Fact::Account(AccountFact::RequestsForgotten(_)) => self.count("request keys forgotten"),
            Fact::Cell(CellFact::Digest(_)) => self.count("digest"),
            Fact::Contract(fact) => self.note_contract(fact),
            Fact::Book(fact) => self.note_book(fact),
            Fact::Account(_) | Fact::Registry(_) | Fact::Price(_) => {}
        }
    }

    fn note_contract(&mut self, fact: &ContractFact) {
        match fact {
            ContractFact::TicketOpened(_) => self.count("a ticket is opened"),
            ContractFact::TicketReserved(_) => self.count("a limit ticket waits"),
            ContractFact::TicketCanceled(_) => self.count("a limit ticket is cancelled"),
            ContractFact::TicketsMoved(f) => self.note_moved(f),
            ContractFact::NightCharged(f) if !f.nights.is_empty() => self.count("a night is charged"),
            ContractFact::RiskWarned(_) => self.count("a pool is near its end"),
            ContractFact::DeficitCovered(f) if f.paid.is_positive() => self.count("a deficit is covered"),
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_)
            | ContractFact::TicketStopsSet(_)
            | ContractFact::NightCharged(_)
            | ContractFact::DeficitCovered(_) => {}
        }
    }

    fn note_book(&mut self, fact: &BookFact) {
        match fact {
            BookFact::ContractOrderPlaced(f) => {
                let effect = |is_it: &dyn Fn(&Effect) -> bool| f.effects().any(|(_, effect)| is_it(effect));
                let cut = |reason| f.cuts.iter().any(|cut| cut.reason == reason);
                let turned = effect(&|e| !e.closed.is_zero() && !e.opened.is_zero());
                for (happened, name) in [
                    (!f.trades.is_empty(), "an order of a contract's book is filled"),
                    (f.trades.iter().any(|t| t.maker == HOUSE), "quotes of a contract's book are taken"),
                    (cut(CutReason::LegShrank), "orders of a contract's book are cut"),
                    (cut(CutReason::Unpaid), "an order of a contract's book leaves for want of money"),
                    (turned, "a leg is turned round"),
                    (effect(&|e| e.mode == MarginMode::Isolated), "a leg is isolated"),
                    (effect(&|e| e.leg != LegSide::Both), "a leg of hedge mode"),
                ] {
                    if happened {
                        self.count(name);
                    }
                }
            }
            BookFact::BookQuotesSet(_) => self.count("quotes of a contract's book are set"),
            BookFact::LegMarginMoved(_) => self.count("margin of a leg is moved"),
            BookFact::FundingPaid(f) if !f.legs.is_empty() => self.count("funding is paid"),
            BookFact::ResultsSettled(f) => {
                self.count("results are settled");
                if f.deficit.is_positive() {
                    self.count("an owner of legs cannot pay");
                }
            }
            BookFact::LiquidationStarted(f) => {
                let of_pool = f.scope.leg.is_none();
                self.count(if of_pool { "a pool with legs is at its end" } else { "an isolated leg is at its end" });
                if f.worth.prices.iter().any(|seen| !seen.fresh) {
                    self.count("a pool is at its end beside a stale price");
                }
            }
            BookFact::LegLiquidated(f) => {
                for (happened, name) in [
                    (!f.trades.is_empty(), "a leg is liquidated in its book"),
                    (f.insured.is_positive(), "the insurance pays for a liquidation"),
                    (f.deleverage.is_some(), "legs are deleveraged"),
                    (f.step > 1, "a liquidation takes more than a step"),
                ] {
                    if happened {
                        self.count(name);
                    }
                }
            }
            BookFact::LiquidationEnded(_) => self.count("a liquidation ends"),
            BookFact::QuotaSet(f) if f.quota.is_positive() => self.count("a quota is set apart"),
            BookFact::BookListed(_)
            | BookFact::BookParamsChanged(_)
            | BookFact::ContractOrdersCanceled(_)
            | BookFact::ContractOrderAmended(_)
            | BookFact::LegTermsSet(_)
            | BookFact::PositionModeSet(_)
            | BookFact::FundingSet(_)
            | BookFact::FundingPaid(_)
            | BookFact::QuotaSet(_) => {}
        }
    }

    fn note_moved(&mut self, f: &TicketsMoved) {
        let by = |reason| f.closed.iter().any(move |closed| closed.reason == reason);
        let liquidated = f.closed.iter().filter(|closed| closed.reason == CloseReason::Liquidation);
        // Of an isolated ticket its owner never pays more than the margin.
        let of_pool = liquidated.clone().any(|closed| closed.credit.is_negative() || !closed.unsettled.is_zero());
        for (happened, name) in [
            (!f.activated.is_empty(), "a limit ticket is opened"),
            (by(CloseReason::User) || by(CloseReason::Batch), "tickets are closed by their owner"),
            (by(CloseReason::TakeProfit) || by(CloseReason::StopLoss), "a ticket is closed by its stop"),
            (of_pool, "a pool is liquidated"),
            (!of_pool && by(CloseReason::Liquidation), "an isolated ticket is liquidated"),
            (f.deficits().next().is_some(), "a deficit is left"),
            (f.closed.iter().any(|closed| closed.unsettled.is_negative()), "results are unsettled"),
        ] {
            if happened {
                self.count(name);
            }
        }
    }

    fn note_spot(&mut self, fact: &SpotFact, cause: Cause) {
        match fact {
            SpotFact::OrderPlaced(f) => {
                if !f.trades.is_empty() {
                    self.count("traded");
                }
                if !f.prevented.is_empty() {
                    self.count("self-trade prevented");
                }
                if f.stopper.is_some() {
                    self.count("ended by its owner's own order");
                }
                if f.trades.iter().any(|trade| !trade.refill.is_zero()) {
                    self.count("an iceberg shows its next slice");
                }
            }
            SpotFact::OrdersChanged(f) => {
                let filled = f.placed.as_ref().is_some_and(|placed| !placed.trades.is_empty());
                for (happened, name) in [
                    (!f.waiting.is_empty(), "an order waits"),
                    (f.triggered.is_some() && filled, "triggered and filled"),
                    (f.triggered.is_some() && !f.gone.is_empty(), "a triggered order ends its list"),
                    (f.triggered.is_none() && f.reason == EndReason::OtherLeg, "a filled order ends its list"),
                    (f.reason == EndReason::Replaced && !f.gone.is_empty() && f.refused.is_none(), "replaced"),
                    (f.refused.is_some() && f.reason == EndReason::Replaced, "left, and its successor refused"),
                    (!f.pending.is_empty(), "an order brings others"),
                    (f.activated.is_some(), "what an order brings is placed"),
                    (f.reason == EndReason::Refused, "what an order brings is refused"),
                    (!f.amended.is_empty(), "made smaller"),
                ] {
                    if happened {
                        self.count(name);
                    }
                }
            }
            SpotFact::QuotesSet(_) => self.count("quotes set"),
            SpotFact::MarketStateChanged(_) if cause == Cause::Timer => self.count("market closed by its timer"),
            SpotFact::MarketListed(_)
            | SpotFact::MarketParamsChanged(_)
            | SpotFact::MarketStateChanged(_)
            | SpotFact::OrdersCanceled(_)
            | SpotFact::TradeIdsReserved(_) => {}
        }
    }

    /// What leaves the exchange must be durable, and must stay so.
    fn hear(&mut self, left: Vec<Egress>) -> Result<(), Finding> {
        for egress in left {
            let Egress::Reply(token, reply) = egress else { continue };
            let Some(asked) = self.asked.remove(&token) else { continue };
            self.count("answered");
            let account = asked.account;
            let known = matches!(reply, Reply::Known(_));
            match reply {
                Reply::Accepted(Accepted::Placed(ack)) => self.placed(account, ack.order)?,
                Reply::Accepted(Accepted::Canceled(orders)) => self.canceled(&orders)?,
                Reply::Accepted(Accepted::GroupPlaced(ack)) => self.placed_group(account, &ack)?,
                Reply::Known(answer) => {
                    self.count("repeated and known");
                    match answer {
                        Accepted::Placed(ack) => self.placed(account, ack.order)?,
                        Accepted::Canceled(orders) => self.canceled(&orders)?,
                        Accepted::GroupPlaced(ack) => self.placed_group(account, &ack)?,
                        // Their record is found by the request's key.
                        Accepted::Ticket(_) | Accepted::Done => {}
                    }
                }
                Reply::Rejected(reject) => {
                    self.count(if reject == Reject::RequestInFlight { "in flight twice" } else { "refused" });
                    continue;
                }
                Reply::Account(_) | Reply::TradeIds { .. } => continue,
                Reply::Busy => {
                    self.busy(&asked)?;
                    continue;
                }
                Reply::Accepted(Accepted::Ticket(_) | Accepted::Done) => {}
            }
            if let Some(key) = asked.key
                && !matches!(
                    asked.command,
                    Command::Account(
                        _,
                        AccountCommand::Spot(SpotCommand::CancelAll(_))
                            | AccountCommand::Legs(LegCommand::CancelAll(_))
                    )
                )
            {
                let record = self.record_of(&asked, key.key, known);
                self.durably(record, || format!("request {} of account {account}", key.key))?;
                self.promised.extend(record.map(|lsn| Promised::Key(account, key.key, lsn)));
            }
        }
        Ok(())
    }

    /// The record that a request's answer tells of: one after it was asked, or, when the answer was known, what stood when it
    /// was asked. Until that is heard a day may pass, and the same key make another record.
    fn record_of(&self, asked: &Asked, key: u128, known: bool) -> Option<Lsn> {
        let before = self.auditor.keyed(asked.account, key).rev().find(|lsn| known && *lsn <= asked.at);
        before.or_else(|| self.auditor.keyed(asked.account, key).find(|lsn| *lsn > asked.at))
    }

    /// Busy is an answer only where the journal has no room for such a command.
    fn busy(&mut self, asked: &Asked) -> Result<(), Finding> {
        match (asked.capacity, asked.command.class()) {
            (Capacity::Low, CommandClass::Consumes) => self.count("busy, the journal is nearly full"),
            (Capacity::Exhausted, CommandClass::Consumes | CommandClass::Releases) => {
                self.count("busy, the journal is full")
            }
            (capacity, class) => {
                return Err(format!("busy for {class:?} with {capacity:?} capacity: {:?}", asked.command));
            }
        }
        Ok(())
    }

    fn placed(&mut self, account: AccountId, order: OrderId) -> Result<(), Finding> {
        let owner = self.auditor.owner(order).filter(|(owner, _)| *owner == account);
        self.durably(owner.map(|(_, lsn)| lsn), || format!("order {order} of account {account}"))?;
        self.promised.push(Promised::Placed(account, order));
        Ok(())
    }

    fn placed_group(&mut self, account: AccountId, ack: &GroupAck) -> Result<(), Finding> {
        self.canceled(&ack.canceled)?;
        ack.orders.iter().try_for_each(|order| self.placed(account, order.order))
    }

    fn canceled(&mut self, orders: &[OrderId]) -> Result<(), Finding> {
        for order in orders {
            self.durably(self.auditor.ended(*order), || format!("the end of order {order}"))?;
            self.promised.push(Promised::Ended(*order));
        }
        Ok(())
    }

    fn durably(&self, at: Option<Lsn>, what: impl Fn() -> String) -> Result<(), Finding> {
        let durable = self.node.durable();
        match at {
            None => Err(format!("{} was answered and is in no record", what())),
            Some(lsn) if lsn > durable => {
                Err(format!("{} was answered, record {lsn} is not durable ({durable} is)", what()))
            }
            Some(_) => Ok(()),
        }
    }

    /// Every account that the last records named: the engine's state is the auditor's.
    pub(crate) fn audit_step(&mut self) -> Result<(), Finding> {
        self.node.cell.hand_over();
        self.take_handed()?;
        for account in self.auditor.take_touched() {
            self.auditor.agrees_on(account, self.node.cell.world().accounts().get(account))?;
        }
        Ok(())
    }

    pub(crate) fn audit_all(&mut self) -> Result<(), Finding> {
        self.audit_step()?;
        self.auditor.agrees(self.node.cell.world())?;
        self.audit_holds()?;
        self.store.look(|rows| self.rows.whole(rows, &self.history))?;
        if self.store.compare_with_file()? {
            self.count("compared with SQLite");
        }
        self.audit_hash()
    }

    /// When no question is on its way, nobody holds anything for one.
    fn audit_holds(&self) -> Result<(), Finding> {
        let holds = |(_, account): &(AccountId, &xng_core::account::Account)| account.asking() > 0;
        if self.node.cell.queued() == 0
            && let Some((id, account)) = self.node.cell.world().accounts().iter().find(holds)
        {
            return Err(format!("account {id} holds for {} questions, none is on its way", account.asking()));
        }
        Ok(())
    }

    /// The live state is the fold of its records, to the byte.
    fn audit_hash(&mut self) -> Result<(), Finding> {
        let mut folded: World<Plain> = World::default();
        for (n, bytes) in self.history.iter().enumerate() {
            folded.fold(Lsn(n as u64 + 1), bytes).map_err(|error| error.to_string())?;
        }
        let (live, replayed) = (self.node.cell.state_hash(), folded.state_hash());
        if live != replayed {
            return Err(format!("the live state hashes to {live:016x}, its records to {replayed:016x}"));
        }
        if !folded.save().eq(self.node.cell.world().save()) {
            return Err("the live state saves other bytes than its records' fold".into());
        }
        Ok(())
    }
}
