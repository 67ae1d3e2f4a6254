//! One cell with its machine, its clients, its store and its auditor.
//!
//! Owns: clients' books of what was asked and answered; every single step that may happen to a cell.
//! Invariants: after a crash the journal holds a prefix of what was handed over, in which everything that was answered
//! is there and nothing is there twice.
//! Never does: tell the auditor anything but records. Known limits: what a view shows is not
//! compared with the books of the clients.

use crate::auditor::{Auditor, Finding};
use crate::fake_accounts::{ACCOUNTS, FakeAccounts};
use crate::fake_chain::{CHAIN, FakeChain};
use crate::node::{Disks, Node, SEGMENT_BYTES, Stopped};
use crate::paths::{PATHS, at_the_open, paths_of};
use crate::persist::{Persisting, RowsAudit, Step};
use crate::regions;
use crate::rng::Rng;
use crate::run::Reached;
use crate::store::MemoryStore;
use crate::traffic::{KeyOf, Setting};
use std::collections::BTreeMap;
use xng_cell::{Egress, Envelope, Ingress, Plain, PortId, Ticket, World};
use xng_core::account::{AccountCommand, LegCommand, Property, SpotCommand};
use xng_core::chain::{ChainId, Key, Withdrawal, WithdrawalId};
use xng_core::entity::{Accepted, Command, CommandClass, Reply};
use xng_core::ids::{AccountId, OrderId, RequestKey};
use xng_core::journal::{Capacity, Lsn};
use xng_core::record::{Cause, Origin, Record};
use xng_core::registry::RegistryCommand;
use xng_core::reject::Reject;
use xng_core::spot::GroupAck;
use xng_persistence::journal::fake_disk::Faults;

pub(crate) const SECOND: u64 = 1_000_000_000;

/// Steps after which a store that may fail and be slow must have caught up.
const PATIENCE: u32 = 1_000_000;
/// So many commands are asked once more by two of the back office, to whom nothing of it is allowed.
const STAFF_ASKS_EVERY: u64 = 41;
/// Commands after which all that can be paid must be paid.
const PATIENCE_OF_PAYEES: u32 = 1_000;
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
    Address(ChainId, AccountId, Key),
    Withdrawal(WithdrawalId),
}

/// See the module's header.
pub(crate) struct Site {
    pub(crate) rng: Rng,
    pub(crate) setting: Setting,
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
    /// What a node would show; it goes on while the exchange is down.
    pub(crate) chain: FakeChain,
    /// The same of a chain of accounts.
    pub(crate) accounts: FakeAccounts,
}

pub(crate) fn wrong(stopped: Stopped) -> Finding {
    match stopped {
        Stopped::Disk(what) => format!("the disk failed without being told to: {what}"),
        Stopped::Wrong(what) => what,
    }
}

/// Under which path a refusal is counted.
fn refused_as(reject: Reject) -> &'static str {
    let paths = [
        (Reject::RequestInFlight, "in flight twice"),
        (Reject::QuoteExpired, "a quote is over"),
        (Reject::PriceChanged, "a quote is over"),
        (Reject::RequestKeyClash, "a quote was used already"),
        (Reject::DustTooSoon, "dust is not due"),
        (Reject::TooManyOptions, "too many options are open"),
        (Reject::SideFull, "a side of options is full"),
        (Reject::OptionClosed, "a desk lost its limit of the day"),
        (Reject::TooManyFollows, "too many traders are followed"),
        (Reject::BadStep, "a price is no step of the table"),
        (Reject::CopiedTicket, "the owner of a copy closes it"),
        (Reject::TooManyAddresses, "too many addresses are asked for"),
        (Reject::AboveDailyLimit, "more is withdrawn than a day allows"),
        (Reject::TooManyWithdrawals, "too many withdrawals are open"),
        (Reject::WithdrawalDone, "a withdrawal is decided twice"),
        (Reject::Unverified, "a withdrawal without a tier"),
        (Reject::NotTwoPeople, "one person where two are needed"),
        (Reject::CampaignEmpty, "all coupons of a campaign are out"),
        (Reject::CouponTaken, "a second coupon of a campaign is asked for"),
        (Reject::CouponOver, "a coupon is over"),
        (Reject::UnknownCampaign, "no such campaign or code"),
        (Reject::NotInRegion, "something is opened where it is barred"),
    ];
    paths.into_iter().find(|(of, _)| *of == reject).map_or("refused", |(_, path)| path)
}

impl Site {
    /// A new exchange, opened. `mirrored`: its store has a real SQLite file beside.
    /// `stubbed`: its disk says that it synced and did not.
    pub(crate) fn new(mut rng: Rng, mirrored: bool, stubbed: bool) -> Result<Site, Finding> {
        let mut setting = Setting::draw(&mut rng);
        if mirrored {
            // A comparison with the file asks for the rows of every account.
            setting.users = setting.users.min(200);
        }
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
            chain: FakeChain::default(),
            accounts: FakeAccounts::default(),
        };
        for command in site.setting.opening().into_iter().chain(site.setting.stock_opening(START)) {
            site.admit(None, None, command);
        }
        site.admit(None, None, FakeChain::listing());
        site.admit(None, None, FakeAccounts::listing());
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

    /// A block is found, or whoever reads the chain's node goes on.
    pub(crate) fn read_chain(&mut self) -> Result<(), Finding> {
        let times = if self.setting.of_custody { 4 } else { 1 };
        for _ in 0..times {
            self.read_chain_once()?;
            if self.setting.of_custody || self.rng.chance(1, 2) {
                self.read_accounts()?;
            }
        }
        Ok(())
    }

    fn read_accounts(&mut self) -> Result<(), Finding> {
        self.accounts.grow(&mut self.rng, &self.auditor);
        let mut commands = self.accounts.read(&mut self.rng, &self.auditor);
        let durable = self.node.durable();
        for _ in 0..6 {
            commands.extend(self.accounts.pay(&mut self.rng, &self.auditor, durable)?);
        }
        commands.into_iter().for_each(|command| self.admit(None, None, command));
        self.count_chain();
        Ok(())
    }

    fn read_chain_once(&mut self) -> Result<(), Finding> {
        if self.rng.chance(1, 3) {
            self.chain.grow(&mut self.rng, &self.auditor);
        }
        let mut commands = self.chain.read(&mut self.rng, &self.auditor);
        let durable = self.node.durable();
        for _ in 0..3 {
            commands.extend(self.chain.pay(&mut self.rng, &self.auditor, durable)?);
        }
        commands.into_iter().for_each(|command| self.admit(None, None, command));
        self.count_chain();
        Ok(())
    }

    fn count_chain(&mut self) {
        let of_accounts = std::mem::take(&mut self.accounts.reached);
        self.chain.take_reached().into_iter().chain(of_accounts).for_each(|path| self.count(path));
    }

    /// People let the chain go on, node and signer do all that they have to: then what was planned is paid, and what can be planned is.
    pub(crate) fn pay_all(&mut self) -> Result<(), Finding> {
        for _ in 0..PATIENCE_OF_PAYEES {
            if !self.takes_prices() || !self.chain.is_sound(&self.auditor) {
                return Ok(());
            }
            let Some(command) = self.chain.last_things(&self.auditor)? else { return Ok(()) };
            let before = self.auditor.last();
            self.admit(None, None, Command::Chain(CHAIN, command));
            self.settle()?;
            self.audit_step()?;
            if self.auditor.last() == before {
                self.count("all is paid in the end");
                return self.auditor.all_is_paid(CHAIN);
            }
        }
        Err("there is always something left to pay".into())
    }

    /// The same of the chain of accounts, whose addresses are swept, too.
    pub(crate) fn pay_all_of_accounts(&mut self) -> Result<(), Finding> {
        // It takes four commands for each payment: where nobody looks at custody, now and then is enough.
        if !self.setting.of_custody && !self.rng.chance(1, 4) {
            return Ok(());
        }
        for _ in 0..PATIENCE_OF_PAYEES {
            if !self.takes_prices() || !self.accounts.is_sound(&self.auditor) {
                return Ok(());
            }
            let Some(command) = self.accounts.last_things(&mut self.rng, &self.auditor)? else { return Ok(()) };
            let before = self.auditor.last();
            self.admit(None, None, Command::Chain(ACCOUNTS, command));
            self.settle()?;
            self.audit_step()?;
            if self.auditor.last() == before {
                self.count("all is paid and swept in the end");
                return self.auditor.all_is_paid(ACCOUNTS);
            }
        }
        Err("there is always something left to pay or to sweep".into())
    }

    /// What operators do.
    pub(crate) fn operate(&mut self) {
        self.setting.know(&self.auditor);
        if self.rng.chance(1, 12) {
            let command = Setting::anchor(&mut self.rng);
            return self.admit(None, None, command);
        }
        if self.rng.chance(1, 8) {
            let command = regions::rule(&mut self.rng);
            return self.admit(None, None, command);
        }
        if self.rng.chance(1, 2) {
            let command = self.setting.stock_operator(&mut self.rng, &self.auditor, self.now);
            return self.admit(None, None, command);
        }
        if self.rng.chance(1, 4)
            && let Some(command) = self.setting.other_terms(&mut self.rng, &self.auditor)
        {
            return self.admit(None, None, command);
        }
        let command = self.setting.operator(&mut self.rng);
        self.admit(None, None, command);
    }

    pub(crate) fn admit(&mut self, account: Option<AccountId>, key: Option<RequestKey>, command: Command) {
        self.next_token += 1;
        let ticket = Some(Ticket { port: PortId(0), token: self.next_token });
        // Two of the staff unlock an account, and allow what was barred.
        let by_two = matches!(
            command,
            Command::Account(_, AccountCommand::Set(Property::Status(_)))
                | Command::Registry((), RegistryCommand::Allow(..))
        );
        if self.next_token.is_multiple_of(STAFF_ASKS_EVERY) {
            // Nothing comes of it, or the auditor says what did.
            let origin = Origin::Staff { maker: 1, checker: 2, case: 2 };
            let envelope = Envelope { ticket: None, origin, cause: Cause::of(None), command: command.clone() };
            self.node.cell.admit(Ingress::Command(envelope));
        }
        let bars = matches!(command, Command::Registry((), RegistryCommand::Bar(..)));
        let origin = match (by_two, bars) {
            (true, _) => Origin::Staff { maker: 1, checker: 2, case: 1 },
            (false, true) => Origin::Admin,
            (false, false) => Origin::User,
        };
        let envelope = Envelope { ticket, origin, cause: Cause::of(key), command: command.clone() };
        if let Some(account) = account {
            let (capacity, at) = (self.node.capacity(), self.auditor.last());
            self.asked.insert(self.next_token, Asked { account, key, command, capacity, at });
        }
        self.node.cell.admit(Ingress::Command(envelope));
    }

    pub(crate) fn ask(&mut self) {
        if (self.setting.of_contracts || self.setting.of_stocks) && self.rng.chance(1, 3) {
            self.prices();
        }
        self.setting.know(&self.auditor);
        for _ in 0..1 + self.rng.below(6) {
            let (account, command, keyed) = self.setting.command(&mut self.rng, &self.auditor);
            let key = match keyed {
                KeyOf::Quote(key) => Some(key),
                KeyOf::Request if self.rng.chance(9, 10) => {
                    self.next_key += 1;
                    Some(RequestKey { key: self.next_key, body: 1 })
                }
                KeyOf::Request | KeyOf::Nothing => None,
            };
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
        // Contracts are traded on fresh prices, stocks within sessions.
        let slow = self.setting.of_contracts || self.setting.of_stocks;
        let (rare, long) = if slow { (400, 200) } else { (40, 20) };
        let by = match self.rng.below(long) {
            0 => self.rng.below(7_200 * SECOND),
            1..=4 => self.rng.below(6 * SECOND),
            _ => self.rng.below(SECOND / 10),
        };
        // Shares are paid by the week.
        let rare = if self.setting.of_copying { 30 } else { rare };
        match self.rng.below(rare) {
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
                let days = self.rng.pick(&[1, 8]);
                self.now += days * 25 * 3_600 * SECOND;
                self.count("a day passed");
            }
            _ => self.now += by,
        }
        self.node.cell.clock().0 = self.now;
    }

    pub(crate) fn prices(&mut self) {
        if self.setting.of_stocks || self.rng.chance(1, 2) {
            for command in self.setting.stock_prices(&mut self.rng, &self.auditor, self.now) {
                self.admit(None, None, command);
            }
        }
        let (params, middle) = self.setting.market(&mut self.rng);
        let near = middle + self.rng.below(5) as i64 - 2;
        // Now and then further, so that positions end.
        let far = self.rng.chance(1, self.setting.far);
        // A gap beyond bankruptcy, and one within it.
        let most = if self.setting.of_contracts { self.rng.pick(&[90, 15, 15]) } else { 90 };
        let gap = |rng: &mut Rng| (rng.below(2 * most + 1) as i64 - most as i64) * near / 1_000;
        let (market, middle) = (params.market, if far { near + gap(&mut self.rng) } else { near });
        let tick = self.setting.tick(market, middle);
        self.admit(None, None, tick);
        if self.setting.of_contracts && self.rng.chance(1, 2) {
            self.setting.last_ticks().into_iter().for_each(|tick| self.admit(None, None, tick));
        }
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

    /// Shows what was handed to the journal to the auditor.
    pub(crate) fn take_handed(&mut self) -> Result<(), Finding> {
        for (lsn, bytes) in self.node.take_handed() {
            let record = Record::decode(&bytes).map_err(|error| format!("record {lsn} does not read: {error}"))?;
            at_the_open(&record, &self.auditor, &mut |path| *self.reached.entry(path).or_default() += 1);
            self.chain.judge(&record, &self.auditor)?;
            self.accounts.judge(&record, &self.auditor)?;
            self.auditor.read(lsn, &record)?;
            paths_of(&record, &mut |path| self.count(path));
            self.history.push(bytes);
        }
        self.count_chain();
        Ok(())
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
                        Accepted::Ticket(_)
                        | Accepted::Option(_)
                        | Accepted::Address(_)
                        | Accepted::Withdrawal(_)
                        | Accepted::Done => {}
                    }
                }
                Reply::Accepted(Accepted::Address(key)) => self.promised_address(account, &asked.command, key)?,
                Reply::Rejected(reject) => {
                    self.count(refused_as(reject));
                    continue;
                }
                Reply::View(_) | Reply::TradeIds { .. } => continue,
                Reply::Busy => {
                    self.busy(&asked)?;
                    continue;
                }
                Reply::Accepted(Accepted::Withdrawal(withdrawal)) => {
                    if !self.auditor.knows_withdrawal(withdrawal) {
                        return Err(format!("account {account} was told of withdrawal {withdrawal}, which never was"));
                    }
                    self.is_as_asked(withdrawal, &asked)?;
                    self.promised.push(Promised::Withdrawal(withdrawal));
                }
                Reply::Accepted(Accepted::Ticket(_) | Accepted::Option(_) | Accepted::Done) => {}
            }
            if let Some(key) = asked.key
                && !matches!(
                    asked.command,
                    Command::Account(
                        _,
                        AccountCommand::Spot(SpotCommand::CancelAll(_))
                            | AccountCommand::Legs(LegCommand::CancelAll(_) | LegCommand::CancelConditionals(_))
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

    /// An open withdrawal is what was asked for.
    fn is_as_asked(&self, id: WithdrawalId, asked: &Asked) -> Result<(), Finding> {
        let Command::Account(account, AccountCommand::Withdraw { wanted, .. }) = &asked.command else { return Ok(()) };
        let same = |w: &Withdrawal| {
            (w.account, w.asset, w.number, &w.address, w.script_bytes, w.flags)
                == (*account, wanted.asset, wanted.number, &wanted.address, wanted.script_bytes, wanted.flags)
        };
        match self.auditor.withdrawal(id).filter(|withdrawal| !same(withdrawal)) {
            Some(withdrawal) => Err(format!("account {account} asked for {wanted:?}, and {withdrawal:?} is recorded")),
            None => Ok(()),
        }
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

    fn promised_address(&mut self, account: AccountId, asked: &Command, key: Key) -> Result<(), Finding> {
        let chain = if let Command::Chain(chain, _) = asked { *chain } else { CHAIN };
        if self.auditor.owner_of(chain, &key) != Some(account) {
            return Err(format!("account {account} was told that {key:?} of chain {chain} is its own"));
        }
        if chain == ACCOUNTS {
            self.accounts.told(key)
        } else {
            self.chain.told(key)
        }
        self.promised.push(Promised::Address(chain, account, key));
        Ok(())
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

    /// Every account that the last records named: the engine's state is the auditor's, and the coins are those on the chain.
    pub(crate) fn audit_step(&mut self) -> Result<(), Finding> {
        self.node.cell.hand_over();
        self.take_handed()?;
        for account in self.auditor.take_touched() {
            self.auditor.agrees_on(account, self.node.cell.world().accounts().get(account))?;
        }
        self.auditor.agrees_on_cursors(self.node.cell.world())?;
        self.chain.agrees(&self.auditor)?;
        self.accounts.agrees(&self.auditor)
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
