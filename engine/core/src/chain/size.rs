//! How large a transaction of Bitcoin's form is, before it is signed.
//!
//! Owns: this. Never does: make one. Invariants: never less than what is signed in the end. Known limits: all inputs are P2WPKH, as
//! all our addresses are.

/// Bytes of an input without its witness, four units of weight each: outpoint 36, no script 1, sequence 4.
const INPUT_BASE: u64 = 41;
/// Units of weight of its witness at most: counts 1 + 1 + 1, signature 72, key 33.
const INPUT_WITNESS: u64 = 108;
/// Marker and flag of a transaction with witnesses.
const WITNESS_MARK: u64 = 2;
/// Bytes of the script of an address of ours, P2WPKH: version, length, 20 bytes.
pub const OWN_SCRIPT: usize = 22;

/// Virtual bytes of a transaction before it is signed, at most: a signature may come out one or two bytes shorter.
/// `scripts` are the lengths of the outputs' scripts in bytes.
#[must_use]
pub fn virtual_size(inputs: usize, scripts: &[usize]) -> u64 {
    let count = |n: usize| if n < 0xfd { 1 } else { 3 };
    let inputs_bytes = count(inputs) + inputs as u64 * INPUT_BASE;
    let outputs_bytes = count(scripts.len()) + scripts.iter().map(|script| 8 + 1 + *script as u64).sum::<u64>();
    // Version and lock time are the other eight bytes.
    let weight = 4 * (8 + inputs_bytes + outputs_bytes) + WITNESS_MARK + inputs as u64 * INPUT_WITNESS;
    weight.div_ceil(4)
}

/// Virtual bytes that one input adds, rounded up.
#[must_use]
pub(super) fn input_size() -> u64 {
    (4 * INPUT_BASE + INPUT_WITNESS).div_ceil(4)
}
