//! Identifiers as types. No signature takes a bare integer as an id.
//!
//! Owns: the id types that several products share, how order and trade ids contain their market's id.
//! Never does: assign an id.
//! Invariants: an id that clients see is below 2^53.
//! Known limits: 1,024 markets a cell.

use crate::codec::{DecodeError, Reader, Wire};
pub use crate::entities::EntityId;
use std::fmt;

/// An id that counts: small numbers, close together.
pub trait Numbered {
    /// Its number.
    fn number(self) -> u64;
}

/// The id of what there is one of.
impl Numbered for () {
    fn number(self) -> u64 {
        0
    }
}

/// An id of a number; a product's own are in its folder.
macro_rules! id {
    ($(#[$meta:meta])* $name:ident($int:ty)) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $int);
        impl $crate::ids::Numbered for $name {
            fn number(self) -> u64 {
                self.0.into()
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $crate::codec::Wire::put(&self.0, out);
            }
            fn get(r: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::codec::DecodeError> {
                Ok($name($crate::codec::Wire::get(r)?))
            }
        }
    };
}

pub(crate) use id;

id!(
    /// A user's or the exchange's own account. Below 1,000: system accounts; 1,000 to 99,999: the house; users from
    /// 100,001 (`docs/rules/accounts.md "Users"`).
    AccountId(u64)
);
id!(
    /// An asset; BTC 1, ETH 2, USDT 3, USDC 34, others from 100 (`docs/rules/accounts.md "Assets"`).
    AssetId(u32)
);
id!(
    /// A market pair; at most 1,023 so that it fits into order and trade ids.
    MarketId(u16)
);
id!(
    /// A price symbol, the index of one pair.
    PriceId(u16)
);
id!(
    /// An order, unique across markets and below 2^53: the market's own count times 1,024 plus the market's number.
    OrderId(u64)
);
id!(
    /// A trade, numbered like an order.
    TradeId(u64)
);
id!(
    /// A match of an account's order with its own that was prevented, unique in its market: the count of the order that came
    /// in times 1,024 plus the match's place among those of that order.
    PreventedId(u64)
);
id!(
    /// State of a market's book as the outside counts it; grows by one with each record that changes the book.
    UpdateId(u64)
);
id!(
    /// Names money that an account set aside while somebody else decides; only in memory.
    HoldId(u64)
);

impl AccountId {
    /// The first user.
    pub const FIRST_USER: AccountId = AccountId(100_001);

    /// True for the exchange's own book-keeping accounts, which neither log in nor trade.
    #[must_use]
    pub fn is_system(self) -> bool {
        self.0 < 1_000
    }
}

/// Markets that fit into an order id.
pub const MARKET_SPAN: u64 = 1_024;

impl OrderId {
    /// The `count`-th order of `market`.
    #[must_use]
    pub fn of(market: MarketId, count: u64) -> OrderId {
        OrderId(count * MARKET_SPAN + u64::from(market.0))
    }

    /// The market that the order belongs to.
    #[must_use]
    pub fn market(self) -> MarketId {
        MarketId((self.0 % MARKET_SPAN) as u16)
    }

    /// The n-th order behind it in the same market.
    #[must_use]
    pub fn plus(self, n: u64) -> OrderId {
        OrderId(self.0 + n * MARKET_SPAN)
    }
}

impl TradeId {
    /// The `count`-th trade of `market`.
    #[must_use]
    pub fn of(market: MarketId, count: u64) -> TradeId {
        TradeId(count * MARKET_SPAN + u64::from(market.0))
    }

    /// Its count within its market: what everybody outside sees as the id of a trade. Ids of a market grow by one.
    #[must_use]
    pub fn count(self) -> u64 {
        self.0 / MARKET_SPAN
    }

    /// The trade that follows in the same market.
    #[must_use]
    pub fn plus(self, n: u64) -> TradeId {
        TradeId(self.0 + n * MARKET_SPAN)
    }
}

impl PreventedId {
    /// There is none: counts begin with 1.
    pub const NONE: PreventedId = PreventedId(0);

    /// The match at `place` of the order that came in. An order makes fewer than 1,025 of them, in one record.
    #[must_use]
    pub fn of(taker: OrderId, place: u32) -> PreventedId {
        PreventedId(taker.0 - u64::from(taker.market().0) + u64::from(place))
    }
}

/// A bot's own name for an order: 1 to 36 characters of `[.A-Z:/a-z0-9_-]`; unique among the account's open orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientOrderId {
    len: u8,
    bytes: [u8; 36],
}

impl ClientOrderId {
    /// Reads a name; `None` when it is empty, too long or has another character.
    #[must_use]
    pub fn parse(text: &str) -> Option<ClientOrderId> {
        let ok = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b':' | b'/' | b'_' | b'-');
        if text.is_empty() || text.len() > 36 || !text.as_bytes().iter().all(ok) {
            return None;
        }
        let mut bytes = [0; 36];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Some(ClientOrderId { len: text.len() as u8, bytes })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Debug for ClientOrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl Wire for ClientOrderId {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.len);
        out.extend_from_slice(self.as_str().as_bytes());
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let n = usize::from(u8::get(r)?);
        let text = std::str::from_utf8(r.take(n)?).map_err(|_| DecodeError::Range("client order id"))?;
        ClientOrderId::parse(text).ok_or(DecodeError::Range("client order id"))
    }
}

crate::wire_struct! {
    /// Names a request so that a retry gets the first accepted answer. Both numbers are digests that the gateway takes:
    /// `key` of the endpoint and the caller's key, `body` of what was asked, so that the same key with another body
    /// is told apart (`docs/rules/accounts.md "Request keys"`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct RequestKey {
        /// Digest of endpoint and key.
        pub key: u128,
        /// Digest of the body.
        pub body: u64,
    }
}

crate::wire_enum! {
    /// The accounts of one user (`docs/rules/accounts.md "Wallets"`): ids 1 to 5, and what belongs to one of them.
    pub enum Wallet {
        /// Deposits, withdrawals, purchases.
        Funding = 1,
        /// Spot trading.
        Spot = 2,
        /// Contracts.
        Futures = 3,
        /// Seconds options.
        Options = 4,
        /// Lock mining and structured products; no transfer endpoint.
        Earn = 5,
        /// Results of cross positions that their owner's other money has not settled yet: part of the futures account, of
        /// either sign, no end of a transfer.
        Pnl = 6,
    }
}

impl Wallet {
    /// Those that users see as accounts.
    pub const ACCOUNTS: [Wallet; 5] = [Wallet::Funding, Wallet::Spot, Wallet::Futures, Wallet::Options, Wallet::Earn];

    /// Whether users move money into it and out of it.
    #[must_use]
    pub fn takes_transfers(self) -> bool {
        match self {
            Wallet::Funding | Wallet::Spot | Wallet::Futures | Wallet::Options => true,
            Wallet::Earn | Wallet::Pnl => false,
        }
    }

    /// Its name, for operators and configuration; the app has names of its own for wallets.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Wallet::Funding => "funding",
            Wallet::Spot => "spot",
            Wallet::Futures => "futures",
            Wallet::Options => "options",
            Wallet::Earn => "earn",
            Wallet::Pnl => "pnl",
        }
    }

    /// Reads the name of an account.
    #[must_use]
    pub fn parse(name: &str) -> Option<Wallet> {
        Wallet::ACCOUNTS.into_iter().find(|w| w.name() == name)
    }
}
