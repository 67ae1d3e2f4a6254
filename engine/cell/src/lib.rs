//! Runs entities: one total order of commands, holds, one journal, the gate, timers, recovery.
//!
//! No actix, no threads, no I/O: the same code runs under actors (`xng-runtime`), in folds (snapshots, replay) and in
//! simulations.
//!
//! Owns: the total order of commands in a cell. Never does: know a product. Invariants: state and records are a function of
//! the admitted commands, their order and their times. Known limits: one thread per cell.
#![forbid(unsafe_code)]

mod admission;
mod alarms;
pub mod arena;
pub mod auditor;
pub mod cell;
pub mod clock;
pub mod credits;
mod deadlines;
mod entities;
pub mod gate;
pub mod hosting;
mod index;
pub mod message;
pub mod movements;
mod probe;
pub mod recovery;
pub mod world;

pub use cell::{Cell, CellCounters, InHand, Refused};
pub use clock::Clock;
pub use hosting::{Host, Hosting, Plain};
pub use message::{Change, Egress, Envelope, Ingress, PortId, Ticket};
pub use probe::Probe;
pub use world::{FoldError, Visitor, World};
