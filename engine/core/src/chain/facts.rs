//! Facts of chains: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: coins that came are taken from the chain's custody account, whose balance is the
//! negative of what is on the chain. Rules: `docs/rules/custody.md`. Known limits: none.

use super::coins::{BlockHash, Key, OutPoint, TxId, Units};
use super::params::{ChainId, ChainParams, ChainParamsV1};
use super::withdrawal_facts::{
    OwnTransaction, OwnTransactionV1, Paid, Payee, SettledInside, TransactionPlanned, TransactionSigned,
    TransferPlanned, WithdrawalAgreed, WithdrawalEnded, WithdrawalRequested, WithdrawalTermsSet, WithdrawalTermsSetV1,
    WithdrawalTermsSetV2, funding,
};
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// A chain has these parameters from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChainSet {
        /// All of them.
        pub params: ChainParams,
    }
}

crate::wire_struct! {
    /// Its first form.
    #[derive(Debug, Clone)]
    pub struct ChainSetV1 {
        /// All of them.
        pub params: ChainParamsV1,
    }
}

impl From<ChainSetV1> for ChainSet {
    fn from(old: ChainSetV1) -> ChainSet {
        ChainSet { params: old.params.into() }
    }
}

crate::wire_struct! {
    /// An account got an address.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct AddressAssigned {
        /// On which chain.
        pub chain: ChainId,
        /// How many addresses of the chain were assigned before it.
        pub number: u64,
        /// The address.
        pub key: Key,
        /// Whose it is.
        pub account: AccountId,
    }
}

crate::wire_struct! {
    /// Final blocks without anything of ours passed; or, from the zero hash, where the chain begins to be read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BlocksPassed {
        /// On which chain.
        pub chain: ChainId,
        /// The block before.
        pub from: BlockHash,
        /// Height of the last one that passed.
        pub height: u64,
        /// The last one that passed.
        pub hash: BlockHash,
    }
}

crate::wire_enum! {
    /// What became of coins that came.
    pub enum CreditKind {
        /// They are their owner's.
        Credited = 1,
        /// Less than the least deposit: kept until the address has received as much.
        Small = 2,
        /// A block's reward, which the chain may still take back.
        Coinbase = 3,
    }
}

crate::wire_struct! {
    /// Coins that came to an address of ours.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Credit {
        /// Where they are.
        pub at: OutPoint,
        /// The address.
        pub key: Key,
        /// Whose address it is.
        pub owner: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// What came, exactly.
        pub units: Units,
        /// What is booked of it.
        pub amount: Amount,
        /// What became of them.
        pub kind: CreditKind,
    }
}

impl Credit {
    /// The account that has them now.
    #[must_use]
    pub fn account(&self) -> AccountId {
        match self.kind {
            CreditKind::Credited => self.owner,
            CreditKind::Small | CreditKind::Coinbase => AccountId::UNCLAIMED,
        }
    }
}

crate::wire_struct! {
    /// A final block, or a part of one, with what concerns us in it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BlockTaken {
        /// On which chain.
        pub chain: ChainId,
        /// The block before it.
        pub from: BlockHash,
        /// Its height.
        pub height: u64,
        /// Its hash.
        pub hash: BlockHash,
        /// Which part of it, from 0 on.
        pub part: u32,
        /// It has no other part.
        pub last: bool,
        /// Addresses that were looked for: those with lower numbers.
        pub known: u64,
        /// What came, in the order of the block.
        pub credits: Vec<Credit>,
        /// Transactions of ours.
        pub own: Vec<OwnTransaction>,
    }
}

crate::wire_struct! {
    /// As it was before coins left.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct BlockTakenV1 {
        /// On which chain.
        pub chain: ChainId,
        /// The block before it.
        pub from: BlockHash,
        /// Its height.
        pub height: u64,
        /// Its hash.
        pub hash: BlockHash,
        /// Which part of it.
        pub part: u32,
        /// It has no other part.
        pub last: bool,
        /// Addresses that were looked for.
        pub known: u64,
        /// What came.
        pub credits: Vec<Credit>,
    }
}

impl From<BlockTakenV1> for BlockTaken {
    fn from(old: BlockTakenV1) -> BlockTaken {
        let BlockTakenV1 { chain, from, height, hash, part, last, known, credits } = old;
        BlockTaken { chain, from, height, hash, part, last, known, credits, own: Vec::new() }
    }
}

crate::wire_struct! {
    /// As it was before chains of accounts.
    #[derive(Debug, Clone)]
    pub struct BlockTakenV2 {
        /// What the first form has.
        pub first: BlockTakenV1,
        /// Transactions of ours.
        pub own: Vec<OwnTransactionV1>,
    }
}

impl From<BlockTakenV2> for BlockTaken {
    fn from(old: BlockTakenV2) -> BlockTaken {
        let own = old.own.into_iter().map(OwnTransaction::from).collect();
        BlockTaken { own, ..old.first.into() }
    }
}

crate::wire_struct! {
    /// An address has received as much as the least deposit: what was kept of it is its owner's.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SmallDepositsCredited {
        /// On which chain.
        pub chain: ChainId,
        /// The address.
        pub key: Key,
        /// Whose it is.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// How much.
        pub amount: Amount,
    }
}

crate::wire_enum! {
    /// Why a chain is not read any more.
    pub enum HaltReason {
        /// A final block is not on the chain any more.
        Reorganised = 1,
        /// Coins of ours were spent, and not by us.
        Spent = 2,
        /// An operator stopped it.
        Operator = 3,
        /// The node does not show all coins that are ours.
        Missing = 4,
    }
}

crate::wire_struct! {
    /// Nothing is credited and nothing is paid on a chain, until operators let it go on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ChainHalted {
        /// Which.
        pub chain: ChainId,
        /// Why.
        pub reason: HaltReason,
        /// Height at which it was noticed.
        pub height: u64,
        /// The transaction that spent what is ours; zeros of other reasons.
        pub txid: TxId,
    }
}

crate::wire_struct! {
    /// A chain that was halted is read again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ChainResumed {
        /// Which.
        pub chain: ChainId,
    }
}

crate::wire_struct! {
    /// Coins that are ours were looked up at the node, all at one height. With less than there must be the chain is halted, by this
    /// record.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ReserveChecked {
        /// On which chain.
        pub chain: ChainId,
        /// The last block that was read: this holds after it.
        pub height: u64,
        /// Its hash.
        pub hash: BlockHash,
        /// What our coins hold.
        pub held: Units,
        /// What the node shows of them.
        pub found: Units,
        /// What the node shows on our addresses besides: nobody has it credited, as what others pay to an address of change.
        pub besides: Units,
        /// A token's; none of the chain's own coin.
        pub token: Option<AssetId>,
    }
}

crate::wire_struct! {
    /// Its first form: of the chain's own coin.
    #[derive(Debug, Clone, Copy)]
    pub struct ReserveCheckedV1 {
        /// On which chain.
        pub chain: ChainId,
        /// The last block that was read.
        pub height: u64,
        /// Its hash.
        pub hash: BlockHash,
        /// What our coins hold.
        pub held: Units,
        /// What the node shows of them.
        pub found: Units,
        /// What it shows besides.
        pub besides: Units,
    }
}

impl From<ReserveCheckedV1> for ReserveChecked {
    fn from(old: ReserveCheckedV1) -> ReserveChecked {
        let ReserveCheckedV1 { chain, height, hash, held, found, besides } = old;
        ReserveChecked { chain, height, hash, held, found, besides, token: None }
    }
}

impl ReserveChecked {
    /// Whether all our coins are there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.found == self.held
    }
}

fn row(account: AccountId, asset: AssetId, amount: Amount, reference: u64) -> Posting {
    funding(account, asset, LogType::DEPOSIT, (amount, Amount::ZERO), reference)
}

impl FactBody for ChainSet {}
impl FactBody for BlocksPassed {}
impl FactBody for ChainHalted {}
impl FactBody for ChainResumed {}
impl FactBody for ReserveChecked {}

impl FactBody for AddressAssigned {
    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Address(self.key))
    }
}

/// Whom one part of a block names besides the custody account, in the order of their numbers.
enum Named<'a> {
    /// Whoever gets coins that came.
    Credited(&'a Credit),
    /// Whoever was paid.
    Paid(&'a Paid),
    /// What the miner got.
    Miner(&'a OwnTransaction),
    /// Whoever was to be paid and was not.
    Failed(&'a Payee),
}

impl BlockTaken {
    fn named(&self, n: u32) -> Named<'_> {
        let mut n = n as usize;
        if let Some(credit) = self.credits.get(n) {
            return Named::Credited(credit);
        }
        n -= self.credits.len();
        for own in &self.own {
            if let Some(paid) = own.paid.get(n) {
                return Named::Paid(paid);
            }
            n -= own.paid.len();
            if n == 0 {
                return Named::Miner(own);
            }
            n -= 1;
            if let Some(failed) = own.failed() {
                if n == 0 {
                    return Named::Failed(failed);
                }
                n -= 1;
            }
        }
        unreachable!("a part of a block does not name so many")
    }

    /// Who was paid, when it is somebody in this role.
    #[must_use]
    pub fn paid(&self, role: Role) -> Option<(&OwnTransaction, &Paid)> {
        let Role::Item(n) = role else { return None };
        let Named::Paid(paid) = self.named(n) else { return None };
        let own = self.own.iter().find(|own| own.paid.iter().any(|p| p.withdrawal == paid.withdrawal))?;
        Some((own, paid))
    }

    /// Whoever was to be paid and was not, when it is somebody in this role.
    #[must_use]
    pub fn failed(&self, role: Role) -> Option<(&OwnTransaction, &Payee)> {
        let Role::Item(n) = role else { return None };
        let Named::Failed(failed) = self.named(n) else { return None };
        let own = self.own.iter().find(|own| own.failed() == Some(failed))?;
        Some((own, failed))
    }

    /// What came to somebody, when it is somebody in this role.
    #[must_use]
    pub fn credit(&self, role: Role) -> Option<&Credit> {
        let Role::Item(n) = role else { return None };
        self.credits.get(n as usize)
    }

    /// Fees that the exchange keeps.
    fn fees(&self) -> impl Iterator<Item = (&Paid, Amount)> {
        let paid = self.own.iter().flat_map(|own| &own.paid);
        paid.map(|paid| (paid, paid.fee)).filter(|(_, fee)| fee.is_positive())
    }
}

impl FactBody for BlockTaken {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if !self.credits.is_empty() || !self.own.is_empty() {
            tell(EntityId::Account(AccountId::custody(self.chain.0)), Role::Other);
        }
        let credited = self.credits.iter().map(Credit::account);
        let of_own = |own: &OwnTransaction| {
            let paid: Vec<AccountId> = own.paid.iter().map(|paid| paid.account).collect();
            let failed = own.failed().map(|failed| failed.account);
            paid.into_iter().chain([AccountId::NETWORK_EXPENSE]).chain(failed)
        };
        let named = credited.chain(self.own.iter().flat_map(of_own));
        for (n, account) in (0..).zip(named) {
            tell(EntityId::Account(account), Role::Item(n));
        }
        if self.fees().next().is_some() {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let custody = AccountId::custody(self.chain.0);
        let done = |account, asset, amount, reference| {
            funding(account, asset, LogType::WITHDRAW_DONE, (amount, Amount::ZERO), reference)
        };
        match role {
            Role::Item(n) => match self.named(n) {
                Named::Credited(credit) => post(row(credit.account(), credit.asset, credit.amount, self.height)),
                Named::Paid(paid) => {
                    let moved = (Amount::ZERO, -paid.number);
                    let (account, asset) = (paid.account, paid.asset);
                    post(funding(account, asset, LogType::WITHDRAW_DONE, moved, paid.withdrawal.0));
                }
                Named::Miner(own) => post(done(AccountId::NETWORK_EXPENSE, own.asset, -own.fee, own.plan.0)),
                Named::Failed(_) => {}
            },
            Role::Other => {
                self.credits.iter().for_each(|credit| post(row(custody, credit.asset, -credit.amount, self.height)));
                for own in &self.own {
                    own.left().for_each(|(asset, left)| post(done(custody, asset, left, own.plan.0)));
                }
            }
            Role::Fees => {
                self.fees().for_each(|(paid, fee)| post(done(AccountId::FEE, paid.asset, fee, paid.withdrawal.0)));
            }
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Insurance => {}
        }
    }
}

impl FactBody for SmallDepositsCredited {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Item(0));
        tell(EntityId::Account(AccountId::UNCLAIMED), Role::Other);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        match role {
            Role::Item(_) => post(row(self.account, self.asset, self.amount, 0)),
            Role::Other => post(row(AccountId::UNCLAIMED, self.asset, -self.amount, 0)),
            Role::Decider | Role::Taker | Role::Maker(_) | Role::Fees | Role::Insurance => {}
        }
    }
}

crate::record::product_facts! {
    /// Facts of chains.
    Chain(ChainFact) {
        /// Parameters of a chain.
        ChainSet = 170 v 2 (1: ChainSetV1),
        /// An account got an address.
        AddressAssigned = 171 v 1,
        /// Blocks without anything of ours.
        BlocksPassed = 172 v 1,
        /// A block with something of ours.
        BlockTaken = 173 v 3 (1: BlockTakenV1, 2: BlockTakenV2),
        /// Small deposits that are enough together.
        SmallDepositsCredited = 174 v 1,
        /// A chain is not read any more.
        ChainHalted = 175 v 1,
        /// It is read again.
        ChainResumed = 176 v 1,
        /// Terms of withdrawals.
        WithdrawalTermsSet = 177 v 3 (1: WithdrawalTermsSetV1, 2: WithdrawalTermsSetV2),
        /// An account wants coins to leave.
        WithdrawalRequested = 178 v 1,
        /// A person agreed to a withdrawal.
        WithdrawalAgreed = 179 v 1,
        /// A withdrawal ended without a payment.
        WithdrawalEnded = 180 v 1,
        /// A withdrawal was settled without the chain.
        SettledInside = 181 v 1,
        /// A transaction is decided.
        TransactionPlanned = 182 v 1,
        /// A transaction is signed.
        TransactionSigned = 183 v 1,
        /// Coins were looked up at the node.
        ReserveChecked = 184 v 2 (1: ReserveCheckedV1),
        /// A transaction of a chain of accounts is decided.
        TransferPlanned = 186 v 1,
    }
}

impl ChainFact {
    /// Whether it names accounts in this role.
    #[must_use]
    pub fn names_accounts_as(&self, role: Role) -> bool {
        match self {
            ChainFact::BlockTaken(_) => matches!(role, Role::Item(_) | Role::Other | Role::Fees),
            ChainFact::SmallDepositsCredited(_) => matches!(role, Role::Item(_) | Role::Other),
            ChainFact::WithdrawalRequested(_) => role == Role::Taker,
            ChainFact::SettledInside(_) => matches!(role, Role::Taker | Role::Item(_)),
            ChainFact::WithdrawalEnded(_) | ChainFact::TransactionSigned(_) => matches!(role, Role::Item(_)),
            ChainFact::ChainSet(_)
            | ChainFact::AddressAssigned(_)
            | ChainFact::BlocksPassed(_)
            | ChainFact::ChainHalted(_)
            | ChainFact::ChainResumed(_)
            | ChainFact::WithdrawalTermsSet(_)
            | ChainFact::WithdrawalAgreed(_)
            | ChainFact::TransactionPlanned(_)
            | ChainFact::TransferPlanned(_)
            | ChainFact::ReserveChecked(_) => false,
        }
    }
}
