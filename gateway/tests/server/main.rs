//! The real binary, driven from outside: calls, sockets, kills.

mod bad_input;
mod client;
mod files;
mod house;
mod kill9;
mod lifecycle;
mod postgres;
mod sockets;
mod trading;
