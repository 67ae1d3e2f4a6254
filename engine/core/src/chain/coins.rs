//! What a chain's transactions are made of.
//!
//! Owns: ids of blocks and transactions, outputs, keys by their place, a transaction before it is signed.
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

/// An amount in the smallest unit of the chain (satoshi, wei).
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
    /// An output of a transaction.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct OutPoint {
        /// The transaction.
        pub txid: TxId,
        /// Which of its outputs, from 0 on.
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
        assert_eq!(at.txid.to_string(), "ab".repeat(32));
        assert_eq!(TxId::parse(&at.txid.to_string()), Some(at.txid));
        assert!(["", "ab", &"zz".repeat(32), &"+a".repeat(32)].iter().all(|text| TxId::parse(text).is_none()));
    }
}
