//! The address book: where a user has coins paid out to, and since when each address may be paid.
//!
//! Owns: the MAC of each row, the wait of new addresses, the switch of that wait. Never does: know a chain's forms of addresses:
//! it gets them in their normal form; pay.
//! Invariants: a row whose MAC is not ours is an error in the log, and for everybody else not there; an address that was saved while
//! new addresses wait, waits whatever is switched later; switching the wait off takes as long as the wait.
//! Known limits: who has the database and `office.key` has the book; a row that was deleted and that somebody kept is good again
//! when it is put back.
//! Rules: `docs/rules/authentication.md "Address book"`.

use super::Auth;
use super::office::{away, now};
use super::second_factor::{Surety, entry};
use crate::api::http::errors::{Code, Failure};
use serde_json::json;
use std::net::IpAddr;
use xng_core::chain::ChainId;
use xng_core::ids::{AccountId, AssetId};
use xng_persistence::office::{NewWithdrawAddress, Saving, WhitelistOff, WithdrawAddress};

/// Addresses of one user.
pub const MOST_ADDRESSES: u32 = 20;

/// An address of the book as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookRow {
    /// What it is deleted by.
    pub id: u64,
    /// Of which asset.
    pub asset: AssetId,
    /// On which chain.
    pub network: ChainId,
    /// In its normal form.
    pub address: String,
    /// What its user says about it.
    pub remark: String,
    /// When it was saved, milliseconds since the epoch.
    pub created_ms: u64,
    /// Before this nothing is paid to it; 0: it is paid.
    pub usable_at_ms: u64,
}

/// Whether an address may be paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usable {
    /// It is in the book.
    Found {
        /// Before this nothing is paid to it; 0: it is paid.
        usable_at_ms: u64,
        /// When it was saved.
        created_ms: u64,
    },
    /// It is not in the user's book, or not with a MAC of ours.
    NotThere,
}

/// The switch of the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whitelist {
    /// New addresses wait.
    pub is_on: bool,
    /// From when on they do not, milliseconds since the epoch; 0: that was not asked for.
    pub off_at_ms: u64,
    /// How long they wait, seconds.
    pub wait_s: u64,
}

/// See the module's header.
#[derive(Debug, Clone, Copy)]
pub struct AddressBook<'a> {
    auth: &'a Auth,
}

impl Auth {
    /// All users' address books.
    #[must_use]
    pub fn address_book(&self) -> AddressBook<'_> {
        AddressBook { auth: self }
    }

    /// Until when a user's withdrawals are paused, milliseconds since the epoch; 0: never so far. To be read after what the
    /// withdrawal was allowed by.
    pub async fn withdrawals_paused_until(&self, user: AccountId) -> Result<u64, Failure> {
        self.office.withdrawals_paused_until(user).await.map_err(away)
    }
}

/// What the MAC of a row is of. The texts come last, the address, which has no space, before the remark.
fn row_text(row: &NewWithdrawAddress) -> String {
    let NewWithdrawAddress { user, asset, network, address, remark, created_ms, mac: _ } = row;
    format!("withdraw address {} {} {} {created_ms} {} {address} {remark}", user.0, asset.0, network.0, address.len())
}

fn off_text(user: AccountId, from_ms: u64) -> String {
    format!("withdraw whitelist off {} {from_ms}", user.0)
}

/// When an address of this age may be paid; 0: now.
fn usable_at(created_ms: u64, off_from_ms: Option<u64>, wait_ms: u64, now_ms: u64) -> u64 {
    // One that was saved before the switch waited for something else than it.
    let waits = off_from_ms.is_none_or(|from_ms| now_ms < from_ms || created_ms < from_ms);
    let at = created_ms.saturating_add(wait_ms);
    if waits && now_ms < at { at } else { 0 }
}

impl AddressBook<'_> {
    /// Saves an address in its normal form, by a proof or, while no factor is in use, the pay password.
    ///
    /// # Errors
    /// 1016 when it is there, 1013 beyond the most; 1022, 1010, 1018 as proofs have it.
    pub async fn add(
        &self,
        (asset, network): (AssetId, ChainId),
        address: &str,
        remark: &str,
        surety: &Surety<'_>,
    ) -> Result<BookRow, Failure> {
        let Auth { office, keys, .. } = self.auth;
        let user = surety.session.account;
        // Before the proof, which is used up.
        let known = office.withdraw_addresses(user).await.map_err(away)?;
        let place = (asset, network, address);
        if known.iter().any(|one| (one.row.asset, one.row.network, &*one.row.address) == place) {
            return Err(Code::Exists.into());
        }
        if known.len() >= MOST_ADDRESSES as usize {
            return Err(Code::Limit.into());
        }
        let proof = self.auth.authorize(surety).await?;
        let mut new = NewWithdrawAddress {
            user,
            asset,
            network,
            address: address.to_owned(),
            remark: remark.to_owned(),
            created_ms: now(),
            mac: Vec::new(),
        };
        new.mac = keys.sealer.row_mac().of(&row_text(&new));
        let detail = json!({ "currency": asset.0, "chain": network.0, "address": address });
        let audit = entry(user, "add withdraw address", &detail, surety.ip);
        let saved = office.save_withdraw_address(&new, &proof, MOST_ADDRESSES, &audit).await.map_err(away)?;
        match saved {
            Saving::Saved(id) => {
                let off_from_ms = self.off_from(user).await?;
                Ok(self.shown(WithdrawAddress { id, row: new }, off_from_ms))
            }
            Saving::AlreadyThere => Err(Code::Exists.into()),
            Saving::Full => Err(Code::Limit.into()),
            Saving::Stale => self.auth.stale(user).await,
        }
    }

    /// A user's addresses, the newest first.
    pub async fn list(&self, user: AccountId) -> Result<Vec<BookRow>, Failure> {
        let off_from_ms = self.off_from(user).await?;
        let rows = self.rows(user).await?;
        Ok(rows.into_iter().map(|row| self.shown(row, off_from_ms)).collect())
    }

    /// Deletes one of a user's addresses, by the session alone: nothing is paid to it any more.
    ///
    /// # Errors
    /// 1003 when there is no such one.
    pub async fn delete(&self, user: AccountId, id: u64, ip: IpAddr) -> Result<(), Failure> {
        let Auth { office, .. } = self.auth;
        let known = office.withdraw_addresses(user).await.map_err(away)?;
        let known = known.into_iter().find(|one| one.id == id).ok_or(Code::NotFound)?.row;
        let detail = json!({ "currency": known.asset.0, "chain": known.network.0, "address": known.address });
        let audit = entry(user, "delete withdraw address", &detail, ip);
        let deleted = office.delete_withdraw_address((user, id), &audit, now()).await.map_err(away)?;
        if deleted { Ok(()) } else { Err(Code::NotFound.into()) }
    }

    /// Whether a user may be paid at an address, in its normal form, and from when on.
    pub async fn usable(
        &self,
        user: AccountId,
        asset: AssetId,
        network: ChainId,
        address: &str,
    ) -> Result<Usable, Failure> {
        let off_from_ms = self.off_from(user).await?;
        let rows = self.rows(user).await?;
        let is_it = |row: &NewWithdrawAddress| row.asset == asset && row.network == network && row.address == address;
        let found = rows.into_iter().find(|one| is_it(&one.row));
        Ok(found.map_or(Usable::NotThere, |found| {
            let BookRow { usable_at_ms, created_ms, .. } = self.shown(found, off_from_ms);
            Usable::Found { usable_at_ms, created_ms }
        }))
    }

    /// The switch of the wait.
    pub async fn whitelist(&self, user: AccountId) -> Result<Whitelist, Failure> {
        let off_at_ms = self.off_from(user).await?;
        let is_on = off_at_ms.is_none_or(|from_ms| now() < from_ms);
        let wait_s = self.auth.address_wait_ms / 1_000;
        Ok(Whitelist { is_on, off_at_ms: off_at_ms.unwrap_or_default(), wait_s })
    }

    /// Lets new addresses wait from now on, those that were saved lately among them. By the session alone: it makes the account
    /// safer.
    pub async fn switch_on(&self, user: AccountId, ip: IpAddr) -> Result<(), Failure> {
        let audit = entry(user, "switch withdraw whitelist", &json!({ "on": 1 }), ip);
        self.auth.office.switch_whitelist_on(user, &audit, now()).await.map(drop).map_err(away)
    }

    /// Lets new addresses wait no more, once the wait itself is over. A second time changes nothing.
    ///
    /// # Errors
    /// 1022, 1010, 1018 as proofs have it.
    pub async fn switch_off(&self, surety: &Surety<'_>) -> Result<(), Failure> {
        let Auth { office, keys, .. } = self.auth;
        let user = surety.session.account;
        let proof = self.auth.authorize(surety).await?;
        if self.off_from(user).await?.is_some() {
            return Ok(());
        }
        let now_ms = now();
        let from_ms = now_ms.saturating_add(self.auth.address_wait_ms);
        let off = WhitelistOff { from_ms, mac: keys.sealer.row_mac().of(&off_text(user, from_ms)) };
        let audit = entry(user, "switch withdraw whitelist", &json!({ "on": 0, "from_ms": from_ms }), surety.ip);
        let switched = office.switch_whitelist_off(user, &off, &proof, (&audit, now_ms)).await.map_err(away)?;
        if switched { Ok(()) } else { self.auth.stale(user).await }
    }

    fn shown(&self, WithdrawAddress { id, row }: WithdrawAddress, off_from_ms: Option<u64>) -> BookRow {
        let NewWithdrawAddress { asset, network, address, remark, created_ms, .. } = row;
        let usable_at_ms = usable_at(created_ms, off_from_ms, self.auth.address_wait_ms, now());
        BookRow { id, asset, network, address, remark, created_ms, usable_at_ms }
    }

    /// The rows of a user that we wrote.
    async fn rows(&self, user: AccountId) -> Result<Vec<WithdrawAddress>, Failure> {
        let mut rows = self.auth.office.withdraw_addresses(user).await.map_err(away)?;
        rows.retain(|one| {
            let is_ours = self.auth.keys.sealer.row_mac().is_of(&row_text(&one.row), &one.row.mac);
            if !is_ours {
                tracing::error!(user = user.0, id = one.id, "an address to withdraw to was changed in the database");
            }
            is_ours
        });
        Ok(rows)
    }

    /// Since when a user's new addresses do not wait; they do where we did not write the switch.
    async fn off_from(&self, user: AccountId) -> Result<Option<u64>, Failure> {
        let Some(off) = self.auth.office.whitelist_off(user).await.map_err(away)? else { return Ok(None) };
        if !self.auth.keys.sealer.row_mac().is_of(&off_text(user, off.from_ms), &off.mac) {
            tracing::error!(user = user.0, "the switch of a withdraw whitelist was changed in the database");
            return Ok(None);
        }
        Ok(Some(off.from_ms))
    }
}

#[cfg(test)]
mod tests;
