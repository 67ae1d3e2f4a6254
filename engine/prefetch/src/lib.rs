//! Asks the processor for memory that will be needed soon.
//!
//! Owns: the `unsafe` that this takes. Never does: read, write, or change what a program computes.
//! Invariants: a program computes the same with and without it.
//! Why: a cell works on one account after the other, each somewhere else in memory; with 100,000 accounts it waits for
//! memory most of the time. Asking a few records ahead lets these waits overlap: in the bench `recovery`, `tail`, it
//! brought, with the index of `xng-cell` by number, 690,000 instead of 400,000 records a second of processor time
//! (binaries before and after, by turns, November 2026).
//! Known limits: x86-64; elsewhere it does nothing, until the standard library has a hint for all.

/// Bytes that the processor fetches at once.
const LINE: usize = 64;

/// Asks for the line that holds `place`. Any address is allowed, also one that nothing lives at.
#[inline]
pub fn line(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: PREFETCHT0 is a hint. It neither faults nor reads into the program, whatever the address is, and every
    // x86-64 processor has it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Asks for every line of a value; what it points to is not followed.
#[inline]
pub fn value<T>(value: &T) {
    let place: *const u8 = std::ptr::from_ref(value).cast();
    (0..size_of::<T>()).step_by(LINE).for_each(|at| line(place.wrapping_add(at)));
    if !size_of::<T>().is_multiple_of(LINE) {
        line(place.wrapping_add(size_of::<T>() - 1));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_address_is_refused() {
        super::line(std::ptr::null());
        super::line(std::ptr::without_provenance(usize::MAX));
        super::value(&[7_u64; 100]);
        super::value(&());
    }
}
