//! The fast book against a naive one, and against recorded order-by-order feeds.

mod differential;
mod naive;
mod recordings;
