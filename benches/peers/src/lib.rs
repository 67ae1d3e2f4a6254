//! Nothing: see `benches/matching.rs`.
