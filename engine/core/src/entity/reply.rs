//! Answers to commands.
//!
//! Owns: the forms of answers, and the byte form of those that request keys keep. Never does: send one. Invariants: an
//! accepted answer's number is permanent; a product's acknowledgement is a variant of [`Accepted`]. Known limits: none.

use crate::account::AccountView;
use crate::chain::{Key, WithdrawalId};
use crate::codec::{DecodeError, Reader, Wire};
use crate::contract::tickets::TicketId;
use crate::convert::ConversionView;
use crate::ids::{OrderId, TradeId};
use crate::reject::Reject;
use crate::seconds::OptionId;
use crate::spot::{GroupAck, OrderAck};

/// The answer to a command, sent when everything it rests on is durable.
#[derive(Debug, Clone)]
pub enum Reply {
    /// It was accepted: a retry under its request key gets the same again.
    Accepted(Accepted),
    /// These trade ids are the caller's.
    TradeIds {
        /// The first one.
        first: TradeId,
        /// How many; they follow as `TradeId::plus` says.
        count: u32,
    },
    /// The first accepted answer to the same request key.
    Known(Accepted),
    /// What somebody asked to see.
    View(View),
    /// Refused.
    Rejected(Reject),
    /// Not taken: the journal has no room or too much is waiting for it. Nothing happened; try again.
    Busy,
}

/// What can be seen of an entity.
#[derive(Debug, Clone)]
pub enum View {
    /// An account.
    Account(Box<AccountView>),
    /// What a conversion would give.
    Conversion(Box<ConversionView>),
}

/// The answer to a command that was accepted: the fact says it, the request key keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// It placed this order, and this became of it at once.
    Placed(OrderAck),
    /// It cancelled these orders.
    Canceled(Vec<OrderId>),
    /// It placed these orders together.
    GroupPlaced(Box<GroupAck>),
    /// It opened this ticket.
    Ticket(TicketId),
    /// It opened this option.
    Option(OptionId),
    /// This address is the caller's.
    Address(Key),
    /// This withdrawal is the caller's.
    Withdrawal(WithdrawalId),
    /// It did something of which there is nothing more to say.
    Done,
}

impl Wire for Accepted {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Accepted::Placed(ack) => {
                out.push(1);
                ack.put(out);
            }
            Accepted::Canceled(orders) => {
                out.push(2);
                orders.put(out);
            }
            Accepted::Done => out.push(3),
            Accepted::GroupPlaced(ack) => {
                out.push(4);
                ack.put(out);
            }
            Accepted::Ticket(ticket) => {
                out.push(6);
                ticket.put(out);
            }
            Accepted::Option(option) => {
                out.push(5);
                option.put(out);
            }
            Accepted::Address(key) => {
                out.push(7);
                key.put(out);
            }
            Accepted::Withdrawal(withdrawal) => {
                out.push(8);
                withdrawal.put(out);
            }
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            1 => Ok(Accepted::Placed(Wire::get(r)?)),
            2 => Ok(Accepted::Canceled(Wire::get(r)?)),
            3 => Ok(Accepted::Done),
            4 => Ok(Accepted::GroupPlaced(Box::new(Wire::get(r)?))),
            5 => Ok(Accepted::Option(Wire::get(r)?)),
            6 => Ok(Accepted::Ticket(Wire::get(r)?)),
            7 => Ok(Accepted::Address(Wire::get(r)?)),
            8 => Ok(Accepted::Withdrawal(Wire::get(r)?)),
            other => Err(DecodeError::Unknown { what: "answer", value: u64::from(other) }),
        }
    }
}
