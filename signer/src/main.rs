//! Signer.
fn main() {}
