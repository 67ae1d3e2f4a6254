//! Where accounts' owners live in the simulator, and what people of the back office bar there.
//!
//! Owns: the countries, and the commands. Never does: check what is opened; the auditor does. Invariants: in one of them nothing is
//! ever barred, so that rules leave traffic. Known limits: none.

use crate::rng::Rng;
use xng_core::entity::Command;
use xng_core::ids::AccountId;
use xng_core::region::{Country, Product};
use xng_core::registry::RegistryCommand;

const COUNTRIES: [&str; 3] = ["AA", "BB", "CC"];
/// So many, the first ones, get rules.
const RULED: usize = 2;

fn named(country: &str) -> Country {
    Country::parse(country).expect("two letters")
}

/// A country.
pub(crate) fn country(rng: &mut Rng) -> Country {
    named(rng.pick(&COUNTRIES))
}

/// Where a user lives from the beginning on.
pub(crate) fn country_of(user: AccountId) -> Option<Country> {
    COUNTRIES.get((user.0 % 6) as usize).map(|country| named(country))
}

/// Some products are barred in a country, or all are allowed there again.
pub(crate) fn rule(rng: &mut Rng) -> Command {
    let country = if rng.chance(1, 8) { Country::UNKNOWN } else { named(rng.pick(&COUNTRIES[..RULED])) };
    let allows = rng.chance(1, 2);
    let products = Product::ALL.iter().copied().filter(|_| allows || rng.chance(1, 3)).collect();
    let rule = if allows { RegistryCommand::Allow } else { RegistryCommand::Bar };
    Command::Registry((), rule(country, products))
}
