//! Instructions of the hot functions, one process each under valgrind's callgrind.
//!
//! Owns: which parts are counted. Never does: compare; the crate's binary does. Invariants: a part is made outside of
//! what is counted, from a fixed seed, and dropped outside of it. Known limits: instructions are not time: a miss of a
//! cache costs none.

use gungraun::Callgrind;
use gungraun::prelude::*;
use std::hint::black_box;
use xng_benches::parts::Part;
use xng_benches::parts::books::{Books, FEW, MANY};
use xng_benches::parts::calls::{Parsing, Reading, Writing};
use xng_benches::parts::cells::Cells;
use xng_benches::parts::market::{Candling, Depths, Framing};
use xng_benches::parts::records::{Decoding, Encoding, Folding, Following, Numbers};

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives the part back, so that it is dropped behind what is counted.
fn count<P: Part>(mut part: P) -> P {
    black_box(part.run());
    part
}

#[library_benchmark]
#[bench::among_10k(Books::placing(FEW))]
#[bench::among_1m(Books::placing(MANY))]
fn place(books: Books) -> Books {
    count(books)
}

#[library_benchmark]
#[bench::among_10k(Books::cancelling(FEW))]
#[bench::among_1m(Books::cancelling(MANY))]
fn cancel(books: Books) -> Books {
    count(books)
}

#[library_benchmark]
#[bench::among_10k(Books::taking(FEW))]
#[bench::among_1m(Books::taking(MANY))]
fn take(books: Books) -> Books {
    count(books)
}

library_benchmark_group!(name = book, benchmarks = [place, cancel, take]);

#[library_benchmark]
#[bench::orders(Cells::new(1_000))]
#[bench::contract_orders(Cells::of_contract(1_000))]
fn turn(cells: Cells) -> Cells {
    count(cells)
}

#[library_benchmark]
#[bench::orders(Folding::of_orders())]
fn fold(folding: Folding) -> Folding {
    count(folding)
}

#[library_benchmark]
#[bench::orders(Following::of_orders())]
fn follow(following: Following) -> Following {
    count(following)
}

library_benchmark_group!(name = cell, benchmarks = [turn, fold, follow]);

#[library_benchmark]
#[bench::orders(Encoding::of_orders())]
fn encode(encoding: Encoding) -> Encoding {
    count(encoding)
}

#[library_benchmark]
#[bench::orders(Decoding::of_orders())]
fn decode(decoding: Decoding) -> Decoding {
    count(decoding)
}

#[library_benchmark]
#[bench::out(Numbers::out())]
#[bench::back(Numbers::back())]
fn numbers(numbers: Numbers) -> Numbers {
    count(numbers)
}

library_benchmark_group!(name = codec, benchmarks = [encode, decode, numbers]);

#[library_benchmark]
#[bench::orders(Depths::of_orders())]
fn depth(depths: Depths) -> Depths {
    count(depths)
}

#[library_benchmark]
#[bench::trades(Candling::of_trades())]
fn candles(candling: Candling) -> Candling {
    count(candling)
}

#[library_benchmark]
#[bench::trades(Framing::of_trades())]
fn frames(framing: Framing) -> Framing {
    count(framing)
}

library_benchmark_group!(name = view, benchmarks = [depth, candles, frames]);

#[library_benchmark]
#[bench::form(Parsing::form())]
#[bench::json(Parsing::json())]
fn parse(parsing: Parsing) -> Parsing {
    count(parsing)
}

#[library_benchmark]
#[bench::decimals(Reading::of_prices())]
fn read(reading: Reading) -> Reading {
    count(reading)
}

#[library_benchmark]
#[bench::decimals(Writing::of_prices())]
fn write(writing: Writing) -> Writing {
    count(writing)
}

library_benchmark_group!(name = edge, benchmarks = [parse, read, write]);

// Without a model of caches: it takes time and nobody compares what it says.
main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups = [book, cell, codec, view, edge]
);
