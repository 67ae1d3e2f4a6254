//! The hot parts of the exchange, each with its input, ready to run: `quick` takes their time, `counts` their instructions.
//!
//! Owns: inputs of fixed seeds. Never does: measure, start a thread, touch a disk. Invariants: what a part does is a function
//! of its seed; what is made beforehand is made by its constructor. Known limits: a part ran once is another: benches
//! run a clone, or a new one.

pub mod books;
pub mod calls;
pub mod cells;
pub mod market;
pub mod records;

/// Something that is measured.
pub trait Part {
    /// Steps of a run: operations, records, numbers.
    fn steps(&self) -> u64;
    /// Does them; what it gives depends on all of them.
    fn run(&mut self) -> u64;
}
