//! What the exchange is: entities, facts, money and ids. Pure: no clock, no randomness, no I/O, no threads, no floats.
pub mod journal;
