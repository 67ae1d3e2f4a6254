//! The settings of a chain, for servers whose coins come in.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::client::Server;
use std::path::{Path, PathBuf};
use xng_custody::bitcoin::Auth;
use xng_custody::private_node::PrivateNode;

/// An account key of nobody.
pub(crate) const ACCOUNT: &str =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

/// The next starts read Bitcoin of this node, with three addresses an account.
pub(crate) fn read_bitcoin(server: &mut Server, node: &str, cookie: &Path) {
    configure(server, (node, cookie), ACCOUNT, "");
}

/// The same with an account key and more settings of the chain.
fn configure(server: &mut Server, (node, cookie): (&str, &Path), account: &str, more: &str) {
    let shipped = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml")).unwrap();
    let chain = format!(
        "\n[[chain]]\nid = 1\nname = \"Bitcoin\"\nasset = \"BTC\"\nnetwork = \"regtest\"\nnode = {node:?}\n\
         cookie = {:?}\naccount_keys = [{account:?}]\nconfirmations = 2\nmin_deposit = \"0.0001\"\naddresses_a_user = 3\n{more}",
        cookie.to_str().unwrap()
    );
    let path = server.scratch().join("exchange.toml");
    std::fs::write(&path, shipped + &chain).unwrap();
    server.configure(&path);
}

fn place(node: &PrivateNode) -> (String, PathBuf) {
    let settings = node.settings();
    let Auth::Cookie(cookie) = settings.auth else { panic!("{:?}", settings.auth) };
    (settings.url, cookie)
}

/// The next starts read this node.
pub(crate) fn read_node(server: &mut Server, node: &PrivateNode) {
    let (url, cookie) = place(node);
    read_bitcoin(server, &url, &cookie);
}

/// The next starts read this node and pay by this signer; nobody has to agree to what is usual up to 0.1.
pub(crate) fn pay_by(server: &mut Server, node: &PrivateNode, account: &str, signer: &Path) {
    let (url, cookie) = place(node);
    pay_at(server, (&url, &cookie), account, signer);
}

/// The same of a node that may not be there.
pub(crate) fn pay_at(server: &mut Server, node: (&str, &Path), account: &str, signer: &Path) {
    let terms = format!(
        "[chain.withdrawals]\nopen = true\nsigner = {:?}\nfee = \"0.0005\"\nmin = \"0.001\"\nmax = \"5\"\n\
         daily_limit = \"6\"\nmost_open = 5\nauto_each = \"0.1\"\nauto_day = \"0.5\"\nauto_hour = \"1\"\n\
         two_votes_above = \"2\"\nmost_a_transaction = \"5\"\nmost_chain_fee = 200000\nbump_after_s = 3600\n",
        signer.to_str().unwrap()
    );
    configure(server, node, account, &terms);
}
