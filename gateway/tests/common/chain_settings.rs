//! The settings of a chain, for servers whose coins come in.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::client::Server;
use std::path::{Path, PathBuf};
use xng_custody::bitcoin::Auth;
use xng_custody::evm::Address;
use xng_custody::private_evm::{CHAIN_ID, PrivateEvm};
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

/// The next starts read this EVM node, whose chain has one token, USDT, and pay by this signer.
pub(crate) fn pay_evm_by(server: &mut Server, node: &PrivateEvm, token: Address, account: &str, signer: &Path) {
    let terms = |fee: &str, min: &str, most: &str| {
        format!(
            "fee = {fee:?}\nmin = {min:?}\nmax = {most:?}\ndaily_limit = {most:?}\nmost_open = 5\nauto_each = {min:?}\n\
             auto_day = {most:?}\nauto_hour = {most:?}\ntwo_votes_above = {most:?}\nmost_a_transaction = {most:?}\n\
             most_chain_fee = 10000000000000000\nbump_after_s = 3600\nopen = true\n"
        )
    };
    let chain = format!(
        "\n[[chain]]\nid = 2\nname = \"Ethereum\"\nasset = \"ETH\"\nnetwork = \"regtest\"\nnode = {:?}\n\
         account_keys = [{account:?}]\nconfirmations = 5\nmin_deposit = \"0.001\"\naddresses_a_user = 1\n\
         publish_reserves = true\n[chain.withdrawals]\nsigner = {:?}\n{}[chain.evm]\nchain_id = {CHAIN_ID}\ntoken_network = \"ERC20\"\n\
         finalized_tag = true\nmin_sweep = \"0.1\"\ncoin_gas = 60000\ntoken_gas = 100000\nmax_gas_price = 100\n\
         min_priority = 1\n[[chain.evm.token]]\nasset = \"USDT\"\ncontract = \"{token}\"\ndecimals = 6\n\
         min_deposit = \"1\"\nmin_sweep = \"10\"\n[chain.evm.token.withdrawals]\n{}",
        node.settings(&[]).url,
        signer.to_str().unwrap(),
        terms("0.001", "0.01", "5"),
        terms("1", "5", "1000"),
    );
    let shipped = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml")).unwrap();
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
        "publish_reserves = true\n[chain.withdrawals]\nopen = true\nsigner = {:?}\nfee = \"0.0005\"\nmin = \"0.001\"\nmax = \"5\"\n\
         daily_limit = \"6\"\nmost_open = 5\nauto_each = \"0.1\"\nauto_day = \"0.5\"\nauto_hour = \"1\"\n\
         two_votes_above = \"2\"\nmost_a_transaction = \"5\"\nmost_chain_fee = 200000\nbump_after_s = 3600\n",
        signer.to_str().unwrap()
    );
    configure(server, node, account, &terms);
}
