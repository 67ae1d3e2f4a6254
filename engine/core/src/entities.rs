//! The one list of the kinds of entity. A new product adds a line here and its module; addresses, commands and the
//! cell's tables follow from it.
//!
//! Owns: [`EntityId`] and [`Command`]. Never does: know what a kind means.
//! Invariants: a kind's number is permanent, journals and snapshots hold it.
//! Known limits: a kind that is gone keeps its number.

use crate::codec::{DecodeError, Reader, Wire};
use crate::entity::{CommandClass, Entity};
use crate::ids::{AccountId, Numbered};

/// Hands the list to the macro `$then`, a line a kind: name, permanent number, name of the cell's table, type.
#[macro_export]
macro_rules! entities {
    ($then:ident) => {
        $then! {
            /// The registry of assets; one.
            Registry = 0, registry: $crate::registry::Registry;
            /// A user's or the exchange's account.
            Account = 1, accounts: $crate::account::Account;
            /// A market pair.
            Market = 2, markets: $crate::spot::Market;
            /// A price symbol.
            Price = 3, prices: $crate::price::PriceIndex;
            /// A contract.
            Contract = 4, contracts: $crate::contract::Contract;
            /// A desk of seconds options.
            Seconds = 5, desks: $crate::seconds::desk::Desk;
            /// A trader whom others follow; the number is the account's.
            Trader = 6, traders: $crate::copy::trader::Trader;
            /// A trading calendar of stocks.
            Calendar = 7, calendars: $crate::stock::calendar::Calendar;
            /// A round of seconds options.
            Round = 8, rounds: $crate::seconds::round::Round;
            /// A campaign of coupons.
            Campaign = 16, campaigns: $crate::coupon::campaign::Campaign;
            /// A chain.
            Chain = 20, chains: $crate::chain::Chain;
        }
    };
}

/// So many kinds of message a kind of entity has at most.
pub const MESSAGES_A_KIND: usize = 64;

/// A kind of entity, as operators see it.
#[derive(Debug, Clone, Copy)]
pub struct EntityKind {
    /// Its permanent number.
    pub number: usize,
    /// Its name.
    pub name: &'static str,
    /// Names of its messages.
    pub messages: &'static [&'static str],
}

impl EntityKind {
    /// The number of one of its messages, as [`Command::message`] gives it.
    #[must_use]
    pub fn message(&self, place: usize) -> usize {
        self.number * MESSAGES_A_KIND + place
    }
}

/// An entity that has a place in the list.
pub trait Listed: Entity {
    /// Its address.
    fn address(id: Self::Id) -> EntityId;
    /// A command to it.
    fn command(id: Self::Id, command: Self::Command) -> Command;
}

macro_rules! addresses {
    ($($(#[$meta:meta])* $name:ident = $number:literal, $table:ident: $entity:ty;)*) => {
        /// Who owns a piece of state: the address of a message or a record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EntityId {
            $($(#[$meta])* $name(<$entity as Entity>::Id),)*
        }

        impl EntityId {
            /// Number of its kind.
            #[must_use]
            pub fn kind(self) -> usize {
                match self {
                    $(EntityId::$name(_) => $number,)*
                }
            }
        }

        /// For people: its kind and its number, which the kind of which there is one has not.
        impl std::fmt::Display for EntityId {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let (kind, number) = match *self {
                    $(EntityId::$name(id) => (<$entity as Entity>::NAME, id.number()),)*
                };
                if *self == EntityId::REGISTRY { f.write_str(kind) } else { write!(f, "{kind} {number}") }
            }
        }

        impl Wire for EntityId {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(EntityId::$name(id) => {
                        out.push($number);
                        id.put(out);
                    })*
                }
            }
            fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                match u8::get(r)? {
                    $($number => Ok(EntityId::$name(Wire::get(r)?)),)*
                    other => Err(DecodeError::Unknown { what: "entity kind", value: u64::from(other) }),
                }
            }
        }

        /// A request to change something, addressed to the entity that decides it first.
        #[derive(Debug, Clone)]
        pub enum Command {
            $($(#[$meta])* $name(<$entity as Entity>::Id, <$entity as Entity>::Command),)*
        }

        impl Command {
            /// The entity that handles it.
            #[must_use]
            pub fn target(&self) -> EntityId {
                match self {
                    $(Command::$name(id, _) => EntityId::$name(*id),)*
                }
            }

            /// All kinds, by number.
            pub const KINDS: &'static [EntityKind] = &[$(EntityKind {
                number: $number,
                name: <$entity as Entity>::NAME,
                messages: <$entity as Entity>::MESSAGES,
            },)*];

            /// Numbers of kinds are below this.
            pub const KIND_NUMBERS: usize = Command::KINDS[Command::KINDS.len() - 1].number + 1;

            /// Numbers of messages are below this.
            pub const MESSAGE_NUMBERS: usize = Command::KIND_NUMBERS * MESSAGES_A_KIND;

            /// Number of the kind of entity that handles it.
            #[must_use]
            pub fn kind(&self) -> usize {
                match self {
                    $(Command::$name(..) => $number,)*
                }
            }

            /// Its kind of message, numbered over all kinds of entity.
            #[must_use]
            pub fn message(&self) -> usize {
                match self {
                    $(Command::$name(_, command) => {
                        const { assert!(<$entity as Entity>::MESSAGES.len() <= MESSAGES_A_KIND) };
                        let place = <$entity as Entity>::message(command);
                        debug_assert!(place < <$entity as Entity>::MESSAGES.len(), "a message has a name");
                        $number * MESSAGES_A_KIND + place
                    })*
                }
            }

            /// Whether two people of the back office may ask for it.
            #[must_use]
            pub fn is_for_staff(&self) -> bool {
                match self {
                    $(Command::$name(_, command) => <$entity as Entity>::is_for_staff(command),)*
                }
            }

            /// What it does to the exchange's room.
            #[must_use]
            pub fn class(&self) -> CommandClass {
                match self {
                    $(Command::$name(_, command) => <$entity as Entity>::class(command),)*
                }
            }
        }

        $(impl Listed for $entity {
            fn address(id: Self::Id) -> EntityId {
                EntityId::$name(id)
            }
            fn command(id: Self::Id, command: Self::Command) -> Command {
                Command::$name(id, command)
            }
        })*
    };
}

entities!(addresses);

impl EntityId {
    /// The registry's address.
    pub const REGISTRY: EntityId = EntityId::Registry(());

    /// The account, if it is one.
    #[must_use]
    pub fn account(self) -> Option<AccountId> {
        if let EntityId::Account(id) = self { Some(id) } else { None }
    }
}
