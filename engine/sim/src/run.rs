//! One run: a seeded scheduler that drives a node step by step, breaks it, starts it again, and asks the auditor after
//! every step.
//!
//! Owns: clients' books of what was asked and answered, the mix of a seed, the counters of what was reached.
//! Invariants: everything follows from the seed; after a crash the journal holds a prefix of what was handed over, in
//! which everything that was answered is there and nothing is there twice.

use crate::auditor::{Auditor, Finding};
use crate::dice::Dice;
use crate::node::{Disks, Node, Stopped};
use crate::traffic::Setting;
use std::collections::BTreeMap;
use xng_cell::{Egress, Envelope, Ingress, Plain, PortId, Ticket, World};
use xng_core::account::Answer;
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, OrderId, RequestKey};
use xng_core::journal::Lsn;
use xng_core::record::{Origin, Record};
use xng_core::reject::Reject;
use xng_persistence::journal::fake_disk::{Faults, Loss};

/// Steps between two full audits.
const FULL_AUDIT_EVERY: u64 = 200;
const SECOND: u64 = 1_000_000_000;
const START: u64 = 1_700_000_000 * SECOND;

/// How often what happens; each seed draws its own.
#[derive(Debug, Clone)]
struct Mix([u64; 12]);

impl Mix {
    fn draw(dice: &mut Dice) -> Mix {
        let mut weights = [30, 20, 10, 20, 10, 8, 4, 3, 10, 6, 2, 3];
        for weight in &mut weights {
            *weight = *weight * dice.pick(&[1, 1, 2, 4]) / dice.pick(&[1, 1, 2]);
        }
        // Some seeds crash all the time, some never.
        weights[11] = dice.pick(&[0, 1, 3, 10]);
        weights[0] = weights[0].max(1);
        Mix(weights)
    }
}

/// A request that was not answered yet, and what it was, so that it can be sent again.
#[derive(Debug, Clone)]
struct Asked {
    account: AccountId,
    key: Option<RequestKey>,
    command: Command,
}

/// What was answered: it must be there for ever.
#[derive(Debug, Clone)]
enum Told {
    Key(AccountId, u128),
    Placed(AccountId, OrderId),
    Ended(OrderId),
}

/// What a run reached. A path that no run reaches is reported.
pub type Reached = BTreeMap<&'static str, u64>;

/// The paths that are worth reaching.
pub const PATHS: &[&str] = &[
    "answered",
    "refused",
    "in flight twice",
    "repeated and known",
    "lost and asked again",
    "traded",
    "self-trade prevented",
    "quotes set",
    "market closed by its timer",
    "digest",
    "snapshot",
    "segment recycled",
    "crash with questions on their way",
    "crash with decisions that are not durable",
    "crash with answers at the gate",
    "crash while a group is written",
    "crash while a segment is archived or recycled",
    "crash while a snapshot is written",
    "crash while recovering",
    "failed sync",
    "kill",
    "power loss",
    "records lost that nobody was told of",
    "clock set back",
    "clock set forward",
];

/// One run.
pub struct Run {
    dice: Dice,
    mix: Mix,
    setting: Setting,
    disks: Disks,
    node: Node,
    now: u64,
    auditor: Auditor,
    /// Every record that was handed over and may still be there.
    history: Vec<Vec<u8>>,
    asked: BTreeMap<u64, Asked>,
    lost: Vec<Asked>,
    told: Vec<Told>,
    next_token: u64,
    next_key: u128,
    step: u64,
    reached: Reached,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "run at step {}", self.step)
    }
}

fn wrong(stopped: Stopped) -> Finding {
    match stopped {
        Stopped::Disk(what) => format!("the disk failed without being told to: {what}"),
        Stopped::Wrong(what) => what,
    }
}

impl Run {
    /// Sets a seed's exchange up.
    pub fn new(seed: u64) -> Result<Run, Finding> {
        let mut dice = Dice::new(seed);
        let (mix, setting, disks) = (Mix::draw(&mut dice), Setting::draw(&mut dice), Disks::default());
        let node = Node::start(&disks, dice.roll(), START, Lsn::ZERO).map_err(wrong)?;
        let mut run = Run {
            dice,
            mix,
            setting,
            disks,
            node,
            now: START,
            auditor: Auditor::default(),
            history: Vec::new(),
            asked: BTreeMap::new(),
            lost: Vec::new(),
            told: Vec::new(),
            next_token: 0,
            next_key: 0,
            step: 0,
            reached: Reached::new(),
        };
        for command in run.setting.opening() {
            run.admit(None, None, command);
        }
        run.settle()?;
        Ok(run)
    }

    /// Runs `steps` steps and ends with everything settled and audited.
    pub fn run(&mut self, steps: u64) -> Result<(), (u64, Finding)> {
        for _ in 0..steps {
            self.step += 1;
            self.one().map_err(|finding| (self.step, finding))?;
        }
        self.settle().and_then(|()| self.audit_all()).map_err(|finding| (self.step, finding))
    }

    /// What was reached so far.
    #[must_use]
    pub fn reached(&self) -> &Reached {
        &self.reached
    }

    /// Records in the journal.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.history.len() as u64
    }

    fn count(&mut self, path: &'static str) {
        *self.reached.entry(path).or_default() += 1;
    }

    fn one(&mut self) -> Result<(), Finding> {
        match self.dice.weighted(&self.mix.0) {
            0 => self.ask(),
            1 => self.handle_some(),
            2 => self.node.cell.hand_over(),
            3 => self.write_group()?,
            4 => self.answers()?,
            5 => self.whole_turn()?,
            6 => self.keep()?,
            7 => self.snapshot()?,
            8 => self.pass_time(),
            9 => self.prices(),
            10 => {
                let command = self.setting.operator(&mut self.dice);
                self.admit(None, None, command);
            }
            _ => self.crash()?,
        }
        self.audit_step()?;
        if self.step.is_multiple_of(FULL_AUDIT_EVERY) {
            self.audit_all()?;
        }
        Ok(())
    }

    fn admit(&mut self, account: Option<AccountId>, key: Option<RequestKey>, command: Command) {
        self.next_token += 1;
        let ticket = Some(Ticket { port: PortId(0), token: self.next_token });
        let envelope = Envelope { ticket, origin: Origin::User, request: key, command: command.clone() };
        if let Some(account) = account {
            self.asked.insert(self.next_token, Asked { account, key, command });
        }
        self.node.cell.admit(Ingress::Command(envelope));
    }

    fn ask(&mut self) {
        for _ in 0..1 + self.dice.below(6) {
            let (account, command, keyed) = self.setting.command(&mut self.dice, &self.auditor);
            let key = (keyed && self.dice.chance(9, 10)).then(|| {
                self.next_key += 1;
                RequestKey { key: self.next_key, body: 1 }
            });
            self.admit(Some(account), key, command.clone());
            if key.is_some() && self.dice.chance(1, 20) {
                self.admit(Some(account), key, command);
            }
        }
        // Who never heard asks again, sooner or later, with the same key.
        if !self.lost.is_empty() && self.dice.chance(1, 2) {
            let at = self.dice.below(self.lost.len() as u64) as usize;
            let Asked { account, key, command } = self.lost.swap_remove(at);
            self.count("lost and asked again");
            self.admit(Some(account), key, command);
        }
    }

    fn handle_some(&mut self) {
        self.node.cell.line_up();
        for _ in 0..1 + self.dice.below(8) {
            self.node.cell.handle_next();
        }
    }

    fn write_group(&mut self) -> Result<(), Finding> {
        self.take_handed()?;
        self.node.commit().map_err(wrong)?;
        if self.dice.chance(1, 20) {
            self.node.seal().map_err(wrong)?;
        }
        Ok(())
    }

    fn keep(&mut self) -> Result<(), Finding> {
        self.node.floor = self.node.durable();
        if self.node.keep().map_err(wrong)? {
            self.count("segment recycled");
        }
        Ok(())
    }

    fn snapshot(&mut self) -> Result<(), Finding> {
        let before = self.node.saved();
        self.node.snapshot().map_err(wrong)?;
        if self.node.saved() != before {
            self.count("snapshot");
        }
        Ok(())
    }

    fn pass_time(&mut self) {
        let by = match self.dice.below(20) {
            0 => self.dice.below(7_200 * SECOND),
            1..=4 => self.dice.below(6 * SECOND),
            _ => self.dice.below(SECOND / 10),
        };
        match self.dice.below(40) {
            0 => {
                self.now = self.now.saturating_sub(by).max(START);
                self.count("clock set back");
            }
            1 => {
                self.now += 7_200 * SECOND;
                self.count("clock set forward");
            }
            _ => self.now += by,
        }
        self.node.cell.clock().0 = self.now;
    }

    fn prices(&mut self) {
        let (params, middle) = self.setting.market(&mut self.dice);
        let (market, middle) = (params.market, middle + self.dice.below(5) as i64 - 2);
        let tick = self.setting.tick(market, middle);
        self.admit(None, None, tick);
        if self.dice.chance(2, 3) {
            let ladder = self.setting.ladder(&mut self.dice, &self.auditor);
            self.admit(None, None, ladder);
        }
    }

    fn whole_turn(&mut self) -> Result<(), Finding> {
        let mut left = Vec::new();
        self.node.cell.turn(|_, egress| left.push(egress));
        self.take_handed()?;
        self.hear(left)
    }

    fn answers(&mut self) -> Result<(), Finding> {
        let mut left = Vec::new();
        self.node.cell.open_gate(|_, egress| left.push(egress));
        self.take_handed()?;
        self.hear(left)
    }

    /// Runs until nothing waits any more.
    fn settle(&mut self) -> Result<(), Finding> {
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
    fn take_handed(&mut self) -> Result<(), Finding> {
        for (lsn, bytes) in self.node.take_handed() {
            let record = Record::decode(&bytes).map_err(|error| format!("record {lsn} does not read: {error}"))?;
            self.auditor.read(lsn, &record)?;
            self.note(&record);
            self.history.push(bytes);
        }
        Ok(())
    }

    fn note(&mut self, record: &Record) {
        use xng_core::record::Fact;
        match &record.fact {
            Fact::OrderPlaced(f) => {
                if !f.trades.is_empty() {
                    self.count("traded");
                }
                if !f.prevented.is_empty() {
                    self.count("self-trade prevented");
                }
            }
            Fact::QuotesSet(_) => self.count("quotes set"),
            Fact::MarketStateChanged(_) if record.cause == xng_core::record::Cause::Timer => {
                self.count("market closed by its timer");
            }
            Fact::Digest(_) => self.count("digest"),
            _ => {}
        }
    }

    /// What leaves the exchange must be durable, and must stay so.
    fn hear(&mut self, left: Vec<Egress>) -> Result<(), Finding> {
        for egress in left {
            let Egress::Reply(token, reply) = egress else { continue };
            let Some(asked) = self.asked.remove(&token) else { continue };
            self.count("answered");
            let account = asked.account;
            match reply {
                Reply::Placed(ack) => self.placed(account, ack.order)?,
                Reply::Canceled(orders) => self.canceled(&orders)?,
                Reply::Known(answer) => {
                    self.count("repeated and known");
                    match answer {
                        Answer::Placed(ack) => self.placed(account, ack.order)?,
                        Answer::Canceled(orders) => self.canceled(&orders)?,
                        Answer::Done => {}
                    }
                }
                Reply::Rejected(reject) => {
                    self.count(if reject == Reject::RequestInFlight { "in flight twice" } else { "refused" });
                    continue;
                }
                Reply::Account(_) | Reply::TradeIds { .. } => continue,
                Reply::Busy => return Err("busy with all the room in the world".into()),
                Reply::Done => {}
            }
            if let Some(key) = asked.key
                && !matches!(
                    asked.command,
                    Command::Account(
                        _,
                        xng_core::account::AccountCommand::Spot(xng_core::account::SpotCommand::CancelAll(_))
                    )
                )
            {
                self.durably(self.auditor.key(account, key.key), || {
                    format!("request {} of account {account}", key.key)
                })?;
                self.told.push(Told::Key(account, key.key));
            }
        }
        Ok(())
    }

    fn placed(&mut self, account: AccountId, order: OrderId) -> Result<(), Finding> {
        let owner = self.auditor.owner(order).filter(|(owner, _)| *owner == account);
        self.durably(owner.map(|(_, lsn)| lsn), || format!("order {order} of account {account}"))?;
        self.told.push(Told::Placed(account, order));
        Ok(())
    }

    fn canceled(&mut self, orders: &[OrderId]) -> Result<(), Finding> {
        for order in orders {
            self.durably(self.auditor.ended(*order), || format!("the end of order {order}"))?;
            self.told.push(Told::Ended(*order));
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
    fn audit_step(&mut self) -> Result<(), Finding> {
        self.node.cell.hand_over();
        self.take_handed()?;
        for account in self.auditor.take_touched() {
            self.auditor.agrees_on(account, self.node.cell.world().accounts().get(account))?;
        }
        Ok(())
    }

    fn audit_all(&mut self) -> Result<(), Finding> {
        self.audit_step()?;
        self.auditor.agrees(self.node.cell.world())?;
        self.audit_hash()
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

    fn crash(&mut self) -> Result<(), Finding> {
        self.take_handed()?;
        let operations = |disk: &xng_persistence::journal::fake_disk::FakeDisk| disk.counts().operations;
        let soon = 1 + self.dice.below(6);
        match self.dice.below(8) {
            0 | 1 => {
                let crash_at = Some(operations(&self.disks.journal) + soon);
                self.disks.journal.set_faults(Faults { crash_at, ..Faults::default() });
                if let Err(Stopped::Disk(_)) = self.commit_and_seal() {
                    self.count("crash while a group is written");
                }
            }
            2 => {
                self.node.floor = self.node.durable();
                let crash_at = Some(operations(&self.disks.journal) + soon);
                self.disks.journal.set_faults(Faults { crash_at, ..Faults::default() });
                let kept = (0..4).find_map(|_| self.node.keep().err());
                if let Some(Stopped::Disk(_)) = kept {
                    self.count("crash while a segment is archived or recycled");
                }
            }
            3 | 4 => {
                let crash_at = Some(operations(&self.disks.snapshots) + 1 + self.dice.below(14));
                self.disks.snapshots.set_faults(Faults { crash_at, ..Faults::default() });
                if let Err(Stopped::Disk(_)) = self.node.snapshot() {
                    self.count("crash while a snapshot is written");
                }
            }
            5 => {
                let fail_syncs = [self.disks.journal.counts().syncs + 1].into();
                self.disks.journal.set_faults(Faults { fail_syncs, ..Faults::default() });
                if let Err(Stopped::Disk(_)) = self.node.commit() {
                    self.count("failed sync");
                }
            }
            _ => {}
        }
        self.die_and_recover()
    }

    fn commit_and_seal(&mut self) -> Result<(), Stopped> {
        while self.node.commit()? {}
        self.node.seal()
    }

    fn die_and_recover(&mut self) -> Result<(), Finding> {
        let told_durable = self.node.durable();
        if self.node.cell.queued() > 0 {
            self.count("crash with questions on their way");
        }
        if self.history.len() as u64 > told_durable.0 {
            self.count("crash with decisions that are not durable");
        }
        if self.node.cell.gated() > 0 {
            self.count("crash with answers at the gate");
        }
        let mut broken = self.dice.chance(1, 2);
        loop {
            self.disks = if broken {
                self.count("power loss");
                let (a, b) = (self.dice.roll(), self.dice.roll());
                let loss = |seed: u64| match seed % 4 {
                    0 => Loss::Everything,
                    1 => Loss::Nothing,
                    _ => Loss::Random(seed),
                };
                let journal = self.disks.journal.power_loss(loss(a));
                Disks { journal, snapshots: self.disks.snapshots.power_loss(loss(b)) }
            } else {
                self.count("kill");
                Disks { journal: self.disks.journal.kill(), snapshots: self.disks.snapshots.kill() }
            };
            self.disks.journal.set_faults(Faults::default());
            self.disks.snapshots.set_faults(Faults::default());
            if self.dice.chance(1, 6) {
                let crash_at = Some(self.disks.journal.counts().operations + 1 + self.dice.below(8));
                self.disks.journal.set_faults(Faults { crash_at, ..Faults::default() });
            }
            // The clock of a machine that was set back too far is refused; it is set right.
            self.now = self.now.max(self.auditor.time());
            match Node::start(&self.disks, self.dice.roll(), self.now, told_durable) {
                Ok(node) => {
                    self.node = node;
                    self.disks.journal.set_faults(Faults::default());
                    break;
                }
                Err(Stopped::Disk(_)) if self.disks.journal.has_crashed() => {
                    self.count("crash while recovering");
                    broken = self.dice.chance(1, 2);
                }
                Err(stopped) => return Err(wrong(stopped)),
            }
        }
        self.after_recovery(told_durable)
    }

    fn after_recovery(&mut self, told_durable: Lsn) -> Result<(), Finding> {
        let found = self.node.read(Lsn(1)).map_err(wrong)?;
        let last = found.len() as u64;
        if last < told_durable.0 {
            return Err(format!("records up to {told_durable} were durable, {last} are left"));
        }
        let prefix = found.iter().zip(&self.history).all(|((_, bytes), before)| bytes == before);
        if !prefix || found.len() > self.history.len() {
            return Err(format!("the {last} records found are no prefix of the {} written", self.history.len()));
        }
        if found.len() < self.history.len() {
            self.count("records lost that nobody was told of");
        }
        self.history.truncate(found.len());
        self.auditor = Auditor::default();
        for (lsn, bytes) in &found {
            let record = Record::decode(bytes).map_err(|error| format!("record {lsn} does not read: {error}"))?;
            self.auditor.read(*lsn, &record)?;
        }
        for told in &self.told {
            let there = match told {
                Told::Key(account, key) => self.auditor.key(*account, *key).is_some(),
                Told::Placed(account, order) => self.auditor.owner(*order).is_some_and(|(owner, _)| owner == *account),
                Told::Ended(order) => self.auditor.ended(*order).is_some(),
            };
            if !there {
                return Err(format!("{told:?} was answered and is gone"));
            }
        }
        let unanswered = std::mem::take(&mut self.asked);
        self.lost.extend(unanswered.into_values().filter(|asked| asked.key.is_some()));
        self.audit_all()
    }
}
