//! The fast book against a naive one, and against recorded order-by-order feeds; marks and
//! funding against recorded ones.

mod differential;
mod marks;
mod naive;
mod recorded_files;
mod recordings;
