//! The settings of a chain, for servers whose coins come in.

use crate::client::Server;
use std::path::Path;
use xng_custody::bitcoin::Auth;
use xng_custody::private_node::PrivateNode;

/// An account key of nobody.
const ACCOUNT: &str =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

/// The next starts read Bitcoin of this node, with three addresses an account.
pub(crate) fn read_bitcoin(server: &mut Server, node: &str, cookie: &Path) {
    let shipped = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml")).unwrap();
    let chain = format!(
        "\n[[chain]]\nid = 1\nname = \"Bitcoin\"\nasset = \"BTC\"\nnetwork = \"regtest\"\nnode = {node:?}\n\
         cookie = {:?}\naccount_keys = [{ACCOUNT:?}]\nconfirmations = 2\nmin_deposit = \"0.0001\"\naddresses_a_user = 3\n",
        cookie.to_str().unwrap()
    );
    let path = server.scratch().join("exchange.toml");
    std::fs::write(&path, shipped + &chain).unwrap();
    server.configure(&path);
}

/// The next starts read this node.
pub(crate) fn read_node(server: &mut Server, node: &PrivateNode) {
    let settings = node.settings();
    let Auth::Cookie(cookie) = &settings.auth else { panic!("{:?}", settings.auth) };
    read_bitcoin(server, &settings.url, cookie);
}
