//! Cargo wants a library or a program where there are only benches: see `benches/matching.rs`.
//!
//! Owns: nothing. Never does: anything. Invariants: none to hold. Known limits: the package has to exist beside the
//! exchange's workspace, whose features it must not choose.
