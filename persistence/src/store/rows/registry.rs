//! Assets as rows.
//!
//! Owns: the table `assets`; which fact makes which row. Never does: list an asset. Invariants: none beyond the table's key.
//! Known limits: none.

use std::collections::BTreeMap;

use xng_core::{
    ids::AssetId,
    journal::Lsn,
    record::Record,
    registry::{AssetListed, RegistryFact},
};

use super::{
    Missing,
    table::{StoredRow, WrittenRow, tables},
};
use crate::store::{
    SqlStore, StoreError,
    sql::{Columns, Fields, Statement, Table, parse_stored_name, stored_name},
};

tables! {
    /// What a batch changes of what is listed.
    rows {
        /// Assets that were listed or changed.
        assets: BTreeMap<AssetId, AssetListed>,
    }
    remembered {}
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, _: &RegistryFact) {}
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        _: (Lsn, &Record),
        fact: &RegistryFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        match fact {
            RegistryFact::AssetListed(f) => drop(rows.assets.insert(f.asset, (**f).clone())),
            // The journal keeps it: a row in a database that somebody may write into anchors nothing, and bars nothing.
            RegistryFact::AuditAnchored(_) | RegistryFact::RegionRuled(_) => {}
        }
        Ok(())
    }
}

impl StoredRow for AssetListed {
    const TABLE: &'static Table = &Table {
        name: "assets",
        reading: "read assets",
        key: &["asset"],
        columns: &["asset", "name", "wallets"],
        replaced: &["name", "wallets"],
        texts: &["name", "wallets"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let names = f.text("wallets")?.unwrap_or_default();
        let mut wallets = Vec::new();
        for name in names.split(',').filter(|name| !name.is_empty()) {
            wallets.push(parse_stored_name(name).ok_or_else(|| f.strange("wallets", names.clone()))?);
        }
        Ok(AssetListed { asset: AssetId(f.small("asset")?), name: f.text("name")?.unwrap_or_default(), wallets })
    }
}

impl WrittenRow for AssetListed {
    fn put(&self, c: &mut Columns) {
        let wallets: Vec<&str> = self.wallets.iter().map(|w| stored_name(*w)).collect();
        c.int(self.asset.0).text(Some(self.name.clone())).text(Some(wallets.join(",")));
    }
}

impl SqlStore {
    /// All assets by id.
    ///
    /// # Errors
    /// When the database does not answer, or with a row that this build cannot read.
    pub async fn assets(&self) -> Result<Vec<AssetListed>, StoreError> {
        self.select(Statement::new("SELECT * FROM assets ORDER BY asset")).await
    }
}
