//! What a chain's transactions are made of.
//!
//! Owns: ids of blocks and transactions, outputs, keys by their place, transactions of both forms before they are signed.
//! Never does: know how a chain writes them. Invariants: no private key is in here. Known limits: none.

use std::fmt;

macro_rules! hash {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub [u8; 32]);
        impl $name {
            /// Reads what [`fmt::Display`] writes.
            #[must_use]
            pub fn parse(text: &str) -> Option<$name> {
                let digits = text.as_bytes();
                let mut bytes = [0; 32];
                if digits.len() != 2 * bytes.len() || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                for (n, byte) in bytes.iter_mut().enumerate() {
                    *byte = u8::from_str_radix(text.get(2 * n..2 * n + 2)?, 16).ok()?;
                }
                Some($name(bytes))
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
        impl crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }
            fn get(r: &mut crate::codec::Reader<'_>) -> Result<Self, crate::codec::DecodeError> {
                Ok($name(crate::codec::Wire::get(r)?))
            }
        }
    };
}

hash!(
    /// A block, in the order of bytes in which the chain's explorers show it.
    BlockHash
);
hash!(
    /// A transaction, in the order of bytes in which the chain's explorers show it.
    TxId
);

/// An amount in the smallest unit of an asset of a chain (satoshi, wei, a token's own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Units(pub u128);

impl crate::codec::Wire for Units {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(r: &mut crate::codec::Reader<'_>) -> Result<Self, crate::codec::DecodeError> {
        Ok(Units(crate::codec::Wire::get(r)?))
    }
}

crate::wire_struct! {
    /// Which of our addresses: a child of an account's extended public key, not hardened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Key {
        /// The account key: its hardened number in the path.
        pub ring: u32,
        /// For our own change, not for deposits.
        pub change: bool,
        /// The child.
        pub index: u32,
    }
}

crate::wire_struct! {
    /// An output of a transaction; on a chain of accounts a transfer of it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct OutPoint {
        /// The transaction.
        pub txid: TxId,
        /// Which of its outputs, from 0 on; of transfers 0 is the coin's, and a token's is one more than its log's number in the block.
        pub n: u32,
    }
}

crate::wire_struct! {
    /// An output that we can spend.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Coin {
        /// Where it is.
        pub at: OutPoint,
        /// What it holds.
        pub units: Units,
        /// Whose key spends it.
        pub key: Key,
    }
}

crate::wire_struct! {
    /// What a transaction pays to somebody else.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Payment {
        /// The address, as its owner wrote it.
        pub address: String,
        /// How much.
        pub units: Units,
    }
}

crate::wire_struct! {
    /// A transaction that spends outputs, before it is signed. It says everything: the same one gives the same bytes.
    /// What the inputs hold is what payments, change and fee come to.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CoinTransaction {
        /// What it spends.
        pub inputs: Vec<Coin>,
        /// What it pays, in the order of its outputs.
        pub payments: Vec<Payment>,
        /// What comes back to us, as its last output.
        pub change: Option<(Key, Units)>,
        /// What the miner gets.
        pub fee: Units,
    }
}

/// Where a transfer of an account goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// An address, as its owner wrote it.
    Address(String),
    /// A key of ours: a sweep, or coin for the gas of one.
    Own(Key),
}

impl crate::codec::Wire for Recipient {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Recipient::Address(text) => {
                out.push(1);
                text.put(out);
            }
            Recipient::Own(key) => {
                out.push(2);
                key.put(out);
            }
        }
    }
    fn get(r: &mut crate::codec::Reader<'_>) -> Result<Self, crate::codec::DecodeError> {
        use crate::codec::{DecodeError, Wire};
        match u8::get(r)? {
            1 => Ok(Recipient::Address(Wire::get(r)?)),
            2 => Ok(Recipient::Own(Wire::get(r)?)),
            other => Err(DecodeError::Unknown { what: "Recipient", value: u64::from(other) }),
        }
    }
}

/// A token's contract: its address.
pub type Contract = [u8; 20];

crate::wire_struct! {
    /// A transaction of an account, before it is signed. It says everything: the same one gives the same bytes.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AccountTransaction {
        /// Whose key signs it.
        pub from: Key,
        /// Transactions of this key before it.
        pub nonce: u64,
        /// Who is paid.
        pub to: Recipient,
        /// The token that is paid; none: the chain's coin.
        pub token: Option<Contract>,
        /// How much, in the smallest unit.
        pub units: Units,
        /// Gas that it may take.
        pub gas_limit: u64,
        /// What a unit of gas costs at most, in units of the chain's coin.
        pub max_fee_per_gas: u128,
        /// What of it is the block producer's; not more than all.
        pub max_priority_fee_per_gas: u128,
    }
}

impl AccountTransaction {
    /// What its gas costs at most, in units of the chain's coin.
    #[must_use]
    pub fn most_fee(&self) -> Units {
        Units(u128::from(self.gas_limit).saturating_mul(self.max_fee_per_gas))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Reader, Wire};

    #[test]
    fn a_transaction_comes_back_from_its_bytes() {
        let key = Key { ring: 0, change: false, index: 7 };
        let at = OutPoint { txid: TxId([0xab; 32]), n: 1 };
        let transaction = CoinTransaction {
            inputs: vec![Coin { at, units: Units(100_000), key }],
            payments: vec![Payment { address: "bcrt1q".into(), units: Units(60_000) }],
            change: Some((Key { change: true, ..key }, Units(39_000))),
            fee: Units(1_000),
        };
        let mut bytes = Vec::new();
        transaction.put(&mut bytes);
        assert_eq!(CoinTransaction::get(&mut Reader::new(&bytes)), Ok(transaction));
        for to in [Recipient::Address("0x12".into()), Recipient::Own(key)] {
            let transfer = AccountTransaction {
                from: key,
                nonce: 3,
                to,
                token: Some([9; 20]),
                units: Units(1),
                gas_limit: 21_000,
                max_fee_per_gas: 7,
                max_priority_fee_per_gas: 1,
            };
            let mut bytes = Vec::new();
            transfer.put(&mut bytes);
            assert_eq!(transfer.most_fee(), Units(147_000));
            assert_eq!(AccountTransaction::get(&mut Reader::new(&bytes)), Ok(transfer));
        }
        assert_eq!(at.txid.to_string(), "ab".repeat(32));
        assert_eq!(TxId::parse(&at.txid.to_string()), Some(at.txid));
        assert!(["", "ab", &"zz".repeat(32), &"+a".repeat(32)].iter().all(|text| TxId::parse(text).is_none()));
    }
}
