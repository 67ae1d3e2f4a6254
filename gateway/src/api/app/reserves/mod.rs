//! The call of statements of reserves (`docs/rules/app-calls.md "Reserves"`).
//!
//! Owns: how a statement is told. Never does: read a file; make a statement. Invariants: what is told is in the file that is named. Known
//! limits: none.

mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::deposit::network;
use crate::api::http::envelope::Answer;
use crate::app::Shared;
use crate::common::decimal::units_text;
use crate::custody::chains::ChainStatus;
use crate::custody::statements::{Stated, Statements};
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_custody::reserves::{Form, HeaderAsset};

fn row(shared: &Shared, statuses: &[ChainStatus], stated: &Stated) -> Value {
    let header = &stated.header;
    let number = |status: &ChainStatus| status.params.accounts.as_ref().map(|accounts| accounts.chain_id);
    let status = statuses.iter().find(|status| number(status) == header.chain_id);
    let asset = |asset: &HeaderAsset| {
        let contract = |of: &[u8; 20]| xng_custody::evm::Address(*of).to_string();
        let is_it = |of: Option<[u8; 20]>| of.as_ref().map(contract) == asset.contract;
        let found = status.and_then(|status| Some((status, status.assets.iter().find(|of| is_it(of.form.contract))?)));
        let network = found.map_or_else(|| header.name.clone(), |(status, of)| network(shared, status, of.form.asset));
        json!({ "currency_name": asset.asset, "network": network, "contract": asset.contract,
            "held": units_text(asset.units.0, asset.decimals) })
    };
    let (chain, hash) = match header.chain {
        Form::Bitcoin => ("bitcoin", header.hash.to_string()),
        Form::Evm => ("evm", format!("0x{}", header.hash)),
    };
    json!({ "id": stated.id, "chain": chain, "name": header.name, "chain_id": header.chain_id, "height": header.height,
        "hash": hash, "time_ms": header.time_ms, "addresses": header.addresses,
        "assets": header.assets.iter().map(asset).collect::<Vec<_>>(), "file": Statements::path_of(&stated.id) })
}

/// `GET /por/reserves`: the newest statements of all chains.
pub(super) async fn reserves(call: Call) -> CallResult {
    let shared = &call.app.shared;
    let statuses = shared.chains.all();
    let rows = shared.statements.all().iter().map(|stated| row(shared, &statuses, stated)).collect::<Vec<_>>();
    Ok(Answer::ok(json!({ "statements": rows })))
}
