//! Makes actix actors of entities. The only crate that names actix for them.
//!
//! [`shell`]: the one generic actor. [`thread`]: the arbiter on which a cell and its actors live. [`client`]: how a
//! gateway thread talks to it. Adding a product means adding an entity in `xng-core`, not a shell.
//!
//! Owns: actors, the thread, the way in and out. Never does: decide; fold. Invariants: whatever an entity does here
//! it does without actix as well. Known limits: one cell a process.
#![forbid(unsafe_code)]

pub mod client;
pub mod clock;
pub mod crash;
pub mod meter;
pub mod shell;
pub mod thread;

pub use client::{Admission, Client, Fault};
pub use thread::CellHandle;
