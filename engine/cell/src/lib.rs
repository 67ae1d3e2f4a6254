//! Runs entities: one total order of commands, holds, one journal, the gate, timers, recovery.
//!
//! No actix, no threads, no I/O: the same code runs under actors (`xng-runtime`), in folds (snapshots, replay) and in
//! simulations.
//!
//! Owns: the order of everything that happens in a cell. Never does: know what an entity is for. Invariants: what
//! runs here is a function of what came in, in its order. Known limits: one thread a cell.
#![forbid(unsafe_code)]

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
mod probe;
pub mod recovery;
pub mod world;

pub use cell::{Cell, CellCounters, InHand, Refused};
pub use clock::Clock;
pub use hosting::{Host, Hosting, Plain};
pub use message::{Change, Egress, Envelope, Ingress, PortId, Ticket};
pub use probe::Probe;
pub use world::{FoldError, Visitor, World};
