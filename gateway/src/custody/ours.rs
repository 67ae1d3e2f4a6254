//! What of a block is ours.
//!
//! Owns: addresses and transactions of ours in it, how a block with very much is taken in parts. Never does: decide what it means: the
//! engine's chain does. Invariants: a block read again gives the same parts. Known limits: what comes to addresses of change is
//! nobody's deposit; who lists a token while a block is half read has it read with that token from then on.

use super::address_index::AddressIndex;
use super::chains::Chains;
use super::keys::AddressError;
use super::node::NodeBlock;
use std::collections::BTreeMap;
use xng_core::chain::{
    BlockHash, ChainCommand, ChainId, ChainParams, FinalBlock, Incoming, Key, MOST_CREDITS, MOST_OWN, OutPoint, Output,
    OwnTransfer, Spend, TransferBlock, TxId, Units,
};
use xng_core::ids::AssetId;
use xng_custody::evm;
use xng_custody::port::Block;

/// See the module's header.
#[derive(Debug)]
pub(super) enum Ours {
    /// On a chain of coins.
    Coins {
        /// Outputs to addresses of ours.
        outputs: Vec<Output>,
        /// Coins of ours that are spent.
        spends: Vec<Spend>,
    },
    /// On a chain of accounts.
    Transfers {
        /// To addresses of ours.
        incoming: Vec<Incoming>,
        /// Transactions that took from addresses of ours.
        own: Vec<OwnTransfer>,
    },
}

/// Which part of a block is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The block before it.
    pub from: BlockHash,
    /// Its height.
    pub height: u64,
    /// Its hash.
    pub hash: BlockHash,
    /// Which part.
    pub part: u32,
    /// Addresses that are looked for.
    pub known: u64,
}

/// Outputs to addresses of ours with numbers below `known`.
fn outputs(block: &Block, index: &AddressIndex, known: u64) -> Vec<Output> {
    let mut outputs = Vec::new();
    for transaction in &block.transactions {
        let (txid, coinbase) = (transaction.txid, transaction.coinbase);
        for output in &transaction.outputs {
            let key = output.address.as_deref().and_then(|address| index.key(address, known));
            // Nothing is no coin.
            if let Some(key) = key.filter(|_| output.units > Units(0)) {
                outputs.push(Output { at: OutPoint { txid, n: output.n }, key, units: output.units, coinbase });
            }
        }
    }
    outputs
}

/// What the first transactions spend, as many as one part of a block may have, and whether there are others: those that a part
/// has taken spend no coins of ours any more when the next one is made.
fn first_transactions(mut spends: Vec<Spend>) -> (Vec<Spend>, bool) {
    let mut by: Vec<TxId> = Vec::with_capacity(MOST_OWN);
    let all = spends.len();
    spends.retain(|spend| {
        if by.len() < MOST_OWN && !by.contains(&spend.by) {
            by.push(spend.by);
        }
        by.contains(&spend.by)
    });
    let more = spends.len() < all;
    (spends, more)
}

/// A part of a list that is told in parts of this size.
fn slice<T>(all: Vec<T>, part: u32, size: usize) -> (Vec<T>, bool) {
    let first = part as usize * size;
    let more = all.len() > first + size;
    (all.into_iter().skip(first).take(size).collect(), more)
}

/// Which transfer of its transaction one is: the coin's is 0, that of a token one more than its log's number in the block, whichever
/// tokens are listed.
fn number(asset: evm::Asset) -> u32 {
    match asset {
        evm::Asset::Native => 0,
        evm::Asset::Token { log, .. } => log + 1,
    }
}

/// Which of our addresses and assets a block of accounts has.
struct Book<'a> {
    index: &'a AddressIndex,
    known: u64,
    /// Addresses of change: withdrawals are paid from one of them.
    changes: &'a BTreeMap<evm::Address, Key>,
    params: &'a ChainParams,
}

impl Book<'_> {
    fn user(&self, address: evm::Address) -> Option<Key> {
        self.index.key(&address.to_string(), self.known)
    }

    /// Whose coins move: an address that is told from now on has sent nothing.
    fn ours(&self, address: evm::Address) -> Option<Key> {
        self.changes.get(&address).copied().or_else(|| self.user(address))
    }

    fn asset(&self, asset: evm::Asset) -> Option<AssetId> {
        let contract = match asset {
            evm::Asset::Native => None,
            evm::Asset::Token { contract, .. } => Some(contract.0),
        };
        self.params.assets().find(|of| of.contract == contract).map(|of| of.asset)
    }

    /// More than the exchange can count is nobody's deposit; a check of the balances shows it.
    fn is_an_amount(&self, asset: AssetId, units: Units) -> bool {
        let is_one = self.params.asset(asset).is_some_and(|form| form.amount(units).is_some());
        if !is_one {
            tracing::error!(asset = asset.0, units = %units.0, "a transfer of more than an amount can be is not credited");
        }
        is_one
    }

    fn transfers(&self, block: &evm::Block) -> (Vec<Incoming>, Vec<OwnTransfer>) {
        let (mut incoming, mut own) = (Vec::new(), Vec::new());
        for transaction in &block.transactions {
            let txid = transaction.txid;
            let mut moved = Vec::new();
            for transfer in &transaction.transfers {
                let Some(asset) = self.asset(transfer.asset) else { continue };
                if let Some(from) = self.ours(transfer.from) {
                    moved.push((asset, from, transfer.units));
                } else if let Some(key) = self.user(transfer.to)
                    && self.is_an_amount(asset, transfer.units)
                {
                    let n = number(transfer.asset);
                    incoming.push(Incoming { at: OutPoint { txid, n }, key, asset, units: transfer.units });
                }
            }
            let sent = self.ours(transaction.sender).is_some();
            if sent || !moved.is_empty() {
                own.push(OwnTransfer { txid, fee: if sent { transaction.fee } else { Units(0) }, moved });
            }
        }
        (incoming, own)
    }
}

impl Ours {
    /// What addresses with numbers below `known` have of a block, and coins of ours that it spends.
    ///
    /// # Errors
    /// When an address cannot be made.
    pub(super) fn of(chains: &Chains, chain: ChainId, block: &NodeBlock, known: u64) -> Result<Ours, AddressError> {
        match block {
            NodeBlock::Coins(block) => {
                let outputs = chains.indexed(chain, |index, _| outputs(block, index, known))?;
                let spent = |at: &OutPoint| block.transactions.iter().find(|t| t.spends.contains(at)).map(|t| t.txid);
                let all = block.transactions.iter().flat_map(|t| t.spends.iter().copied());
                let mut own = chains.own(chain, all.clone());
                // One that came and went within the block.
                own.extend(all.filter(|at| outputs.iter().any(|output| output.at == *at)));
                let spends = own.into_iter().filter_map(|coin| spent(&coin).map(|by| Spend { coin, by })).collect();
                Ok(Ours::Coins { outputs, spends })
            }
            NodeBlock::Accounts(block) => {
                let changes = chains.change_addresses(chain)?;
                let params = chains.look(chain, |chain| chain.params().cloned()).flatten();
                let Some(params) = params else {
                    return Ok(Ours::Transfers { incoming: Vec::new(), own: Vec::new() });
                };
                let found = chains.indexed(chain, |index, _| {
                    Book { index, known, changes: &changes, params: &params }.transfers(block)
                });
                found.map(|(incoming, own)| Ours::Transfers { incoming, own })
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Ours::Coins { outputs, spends } => outputs.is_empty() && spends.is_empty(),
            Ours::Transfers { incoming, own } => incoming.is_empty() && own.is_empty(),
        }
    }

    /// What its owners are shown while it is not final. A reward is not credited by itself.
    pub(super) fn arriving(self, coin: AssetId) -> Vec<Incoming> {
        match self {
            Ours::Coins { outputs, .. } => {
                let paid = outputs.into_iter().filter(|output| !output.coinbase);
                paid.map(|Output { at, key, units, .. }| Incoming { at, key, asset: coin, units }).collect()
            }
            Ours::Transfers { incoming, .. } => incoming,
        }
    }

    /// Tells one part of it.
    pub(super) fn told(self, of: Part) -> ChainCommand {
        let Part { from, height, hash, part, known } = of;
        match self {
            Ours::Coins { outputs, spends } => {
                let (spends, more) = first_transactions(spends);
                let (outputs, others) = slice(outputs, part, MOST_CREDITS);
                let last = !more && !others;
                let block = FinalBlock { from, height, hash, part, last, known, outputs, spends };
                ChainCommand::Take(Box::new(block))
            }
            Ours::Transfers { incoming, own } => {
                let (incoming, more) = slice(incoming, part, MOST_CREDITS);
                let (own, others) = slice(own, part, MOST_OWN);
                let last = !more && !others;
                let block = TransferBlock { from, height, hash, part, last, known, incoming, own };
                ChainCommand::TakeTransfers(Box::new(block))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::chain::{AccountKey, AccountsParams, Token};
    use xng_core::money::Amount;
    use xng_custody::evm::{Address, Asset, Transaction, Transfer};
    use xng_custody::port::BlockId;

    const ETH: AssetId = AssetId(2);
    const USDT: AssetId = AssetId(3);
    const CONTRACT: Address = Address([9; 20]);
    const HOT: Address = Address([1; 20]);
    const ANN: Address = Address([2; 20]);
    const BOB: Address = Address([3; 20]);
    const STRANGER: Address = Address([8; 20]);

    fn key(index: u32) -> Key {
        Key { ring: 0, change: false, index }
    }

    const HOT_KEY: Key = Key { ring: 0, change: true, index: 0 };

    fn params() -> ChainParams {
        let token =
            Token { asset: USDT, contract: CONTRACT.0, decimals: 6, min_deposit: Amount(1), min_sweep: Amount(100) };
        ChainParams {
            chain: ChainId(2),
            version: 1,
            name: "Ethereum".into(),
            asset: ETH,
            decimals: 18,
            confirmations: 64,
            min_deposit: Amount(1),
            addresses: 1,
            keys: vec![AccountKey { ring: 0, fingerprint: [0; 8] }],
            ring: 0,
            accounts: Some(AccountsParams {
                chain_id: 1,
                min_sweep: Amount(1),
                coin_gas: 60_000,
                token_gas: 100_000,
                tokens: vec![token],
            }),
        }
    }

    fn moves(asset: Asset, from: Address, to: Address, units: u128) -> Transfer {
        Transfer { asset, from, to, units: Units(units) }
    }

    fn token(log: u32) -> Asset {
        Asset::Token { contract: CONTRACT, log }
    }

    fn transaction(n: u8, sender: Address, transfers: Vec<Transfer>) -> Transaction {
        Transaction { txid: TxId([n; 32]), sender, nonce: 0, success: true, fee: Units(21), transfers }
    }

    fn found(transactions: Vec<Transaction>) -> (Vec<Incoming>, Vec<OwnTransfer>) {
        let index = AddressIndex::of(ChainId(2), &[(ANN.to_string(), key(0)), (BOB.to_string(), key(1))]);
        let changes = BTreeMap::from([(HOT, HOT_KEY)]);
        let id = BlockId { height: 5, hash: BlockHash([5; 32]) };
        let block = evm::Block { id, parent: None, transactions };
        Book { index: &index, known: 2, changes: &changes, params: &params() }.transfers(&block)
    }

    #[test]
    fn what_comes_to_users_is_a_deposit_and_what_comes_to_us_is_not() {
        let other = Asset::Token { contract: Address([7; 20]), log: 4 };
        let (incoming, own) = found(vec![
            transaction(1, STRANGER, vec![moves(Asset::Native, STRANGER, ANN, 5), moves(token(6), STRANGER, BOB, 7)]),
            transaction(2, STRANGER, vec![moves(other, STRANGER, ANN, 5), moves(Asset::Native, STRANGER, HOT, 9)]),
            transaction(3, STRANGER, vec![moves(token(8), STRANGER, ANN, u128::MAX)]),
        ]);
        let at = |tx: u8, n| OutPoint { txid: TxId([tx; 32]), n };
        let came = |at, key, asset, units| Incoming { at, key, asset, units: Units(units) };
        assert_eq!(incoming, [came(at(1, 0), key(0), ETH, 5), came(at(1, 7), key(1), USDT, 7)]);
        assert_eq!(own, [], "an unlisted token, the paying address, more than an amount can be");
    }

    #[test]
    fn what_leaves_an_address_of_ours_is_told_whoever_sent_it() {
        let (incoming, own) = found(vec![
            // A payment, whose receiver forwards a part to a user here.
            transaction(1, HOT, vec![moves(token(0), HOT, STRANGER, 50), moves(token(1), STRANGER, BOB, 20)]),
            // A sweep, gas for one, a failure.
            transaction(2, ANN, vec![moves(token(2), ANN, HOT, 30)]),
            transaction(3, HOT, vec![moves(Asset::Native, HOT, ANN, 4)]),
            transaction(4, HOT, Vec::new()),
            // Somebody else takes from a user's address.
            transaction(5, STRANGER, vec![moves(token(3), BOB, STRANGER, 1)]),
        ]);
        let forwarded = OutPoint { txid: TxId([1; 32]), n: 2 };
        assert_eq!(incoming, [Incoming { at: forwarded, key: key(1), asset: USDT, units: Units(20) }]);
        let told = |n: u8, fee, moved: &[(AssetId, Key, u128)]| OwnTransfer {
            txid: TxId([n; 32]),
            fee: Units(fee),
            moved: moved.iter().map(|(asset, key, units)| (*asset, *key, Units(*units))).collect(),
        };
        let expected = [
            told(1, 21, &[(USDT, HOT_KEY, 50)]),
            told(2, 21, &[(USDT, key(0), 30)]),
            told(3, 21, &[(ETH, HOT_KEY, 4)]),
            told(4, 21, &[]),
            told(5, 0, &[(USDT, key(1), 1)]),
        ];
        assert_eq!(own, expected);
    }

    #[test]
    fn a_block_with_much_is_told_in_parts_that_come_out_the_same() {
        let came = |n| Incoming { at: OutPoint { txid: TxId([4; 32]), n }, key: key(0), asset: USDT, units: Units(1) };
        let sent = |n| OwnTransfer { txid: TxId([n; 32]), fee: Units(1), moved: Vec::new() };
        let part = |part| {
            let incoming = (0..MOST_CREDITS as u32 + 3).map(came).collect();
            let own = (0..MOST_OWN as u8 * 2 + 1).map(sent).collect();
            let (from, hash) = (BlockHash([1; 32]), BlockHash([2; 32]));
            let told = (Ours::Transfers { incoming, own }).told(Part { from, height: 9, hash, part, known: 2 });
            let ChainCommand::TakeTransfers(block) = told else { panic!("{told:?}") };
            (block.incoming.len(), block.own.len(), block.last)
        };
        assert_eq!([part(0), part(1), part(2)], [(MOST_CREDITS, MOST_OWN, false), (3, MOST_OWN, false), (0, 1, true)]);
    }
}
