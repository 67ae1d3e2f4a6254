//! Roles of the staff, and what each of them may.
//!
//! Owns: this table; each route names one of its permissions in its type. Never does: know a person. Invariants: what is not listed
//! for a role is refused; no permission sets a price, an outcome, a balance, odds or followers, since no route does.
//! Known limits: a person has one role. Rules: `docs/back-office.md "Roles"`.

/// What somebody works as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Helps users.
    Support,
    /// Knows who users are.
    Compliance,
    /// Moves coins.
    Finance,
    /// Watches limits and exposure.
    Risk,
    /// Lists assets and markets.
    Listing,
    /// Writes texts.
    Content,
    /// Reads everything, changes nothing.
    Audit,
    /// Decides about roles and policies.
    Owner,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 8] = [
        Role::Support,
        Role::Compliance,
        Role::Finance,
        Role::Risk,
        Role::Listing,
        Role::Content,
        Role::Audit,
        Role::Owner,
    ];

    /// The names of those that may do this.
    #[must_use]
    pub fn that_may(permission: Permission) -> Vec<&'static str> {
        Role::ALL.into_iter().filter(|role| role.may(permission)).map(Role::name).collect()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Support => "support",
            Role::Compliance => "compliance",
            Role::Finance => "finance",
            Role::Risk => "risk",
            Role::Listing => "listing",
            Role::Content => "content",
            Role::Audit => "audit",
            Role::Owner => "owner",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether it may.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        permission.roles().contains(&self)
    }
}

/// A permission as a type, which a route's handler names.
pub trait Needs: 'static {
    /// Which.
    const PERMISSION: Permission;
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident: [$($role:ident),+];)+) => {
        /// What somebody may do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Permission {
            $($(#[$doc])* $name),+
        }

        impl Permission {
            /// All of them.
            pub const ALL: &[Permission] = &[$(Permission::$name),+];

            /// Who may.
            #[must_use]
            pub fn roles(self) -> &'static [Role] {
                match self {
                    $(Permission::$name => &[$(Role::$role),+]),+
                }
            }

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Permission::$name => stringify!($name)),+
                }
            }
        }

        $($(#[$doc])* #[derive(Debug)] pub struct $name;
        impl Needs for $name {
            const PERMISSION: Permission = Permission::$name;
        })+
    };
}

permissions! {
    /// To see oneself.
    SeeOneself: [Support, Compliance, Finance, Risk, Listing, Content, Audit, Owner];
    /// To see withdrawals.
    SeeWithdrawals: [Compliance, Finance, Risk, Audit, Owner];
    /// To agree to withdrawals, and to refuse them.
    VoteWithdrawals: [Finance, Risk];
    /// To see chains and cases.
    SeeChains: [Finance, Risk, Audit, Owner];
    /// To have a chain's coins looked up at its node.
    CheckReserves: [Finance, Risk, Audit, Owner];
    /// To halt a chain at once.
    HaltChains: [Finance, Risk, Owner];
    /// To propose that a chain goes on, and to decide about what another proposed.
    ResumeChains: [Finance, Risk, Owner];
    /// To see what was sent in to be verified, masked.
    SeeVerifications: [Compliance, Risk, Audit, Owner];
    /// To review it: to see documents, and to decide.
    ReviewVerifications: [Compliance];
    /// To propose that a verification is revoked, and to decide about what another proposed.
    RevokeVerifications: [Compliance, Risk];
    /// To see users, masked.
    SeeUsers: [Support, Compliance, Finance, Risk, Audit, Owner];
    /// To see a user's mail and phone, with a reason.
    ShowContacts: [Support, Compliance, Owner];
    /// To lock an account at once.
    LockAccounts: [Support, Compliance, Risk, Owner];
    /// To propose that an account is unlocked, and to decide about what another proposed.
    UnlockAccounts: [Support, Compliance, Owner];
    /// To see which conversations wait, and who holds them.
    SeeChats: [Support, Audit, Owner];
    /// To hold conversations, and to answer.
    AnswerChats: [Support];
    /// To read what others were told.
    ReadChats: [Audit, Owner];
    /// To see articles and their versions.
    SeeContent: [Support, Compliance, Content, Audit, Owner];
    /// To write articles, and to approve what another wrote.
    WriteContent: [Content, Owner];
    /// To see campaigns, and coupons of accounts.
    SeeCampaigns: [Finance, Risk, Content, Audit, Owner];
    /// To propose a campaign.
    ProposeCampaigns: [Finance, Content, Owner];
    /// To decide about one that another proposed: its money is locked.
    DecideCampaigns: [Finance, Owner];
    /// To have a campaign issue no more coupons, at once.
    StopCampaigns: [Finance, Risk, Content, Owner];
    /// To issue a coupon to an account.
    IssueCoupons: [Content, Owner];
    /// To take back one that was not used.
    RevokeCoupons: [Risk, Content, Owner];
    /// To see markets, and what the house holds.
    SeeMarkets: [Finance, Risk, Listing, Audit, Owner];
    /// To halt a market at once, or to set it to cancel-only.
    HaltMarkets: [Risk, Listing, Owner];
    /// To see parameters of markets, and what others would have meant for the last day.
    SeeParameters: [Finance, Risk, Listing, Audit, Owner];
    /// To propose other parameters of a market, to decide about what another proposed, and to take it back before its time.
    ChangeParameters: [Risk, Listing, Owner];
    /// To propose that a market goes on, and to decide about what another proposed.
    ResumeMarkets: [Risk, Listing, Owner];
    /// To see what is not offered in which country.
    SeeRegions: [Support, Compliance, Risk, Audit, Owner];
    /// To bar products in a country at once.
    BarProducts: [Compliance, Risk, Owner];
    /// To propose that products are allowed there again, and to decide about what another proposed.
    AllowProducts: [Compliance, Risk, Owner];
    /// To see traders whom others follow, and who applied.
    SeeTraders: [Support, Compliance, Risk, Audit, Owner];
    /// To approve or refuse who applied, and to end a trader.
    DecideTraders: [Compliance, Risk, Owner];
    /// To see reports, which name no user.
    SeeReports: [Finance, Risk, Audit, Owner];
    /// To take them away as files.
    TakeReports: [Finance, Risk, Audit, Owner];
    /// To see the audit.
    SeeAudit: [Audit, Owner];
    /// To take the audit away.
    ExportAudit: [Audit, Owner];
    /// To see who works here.
    SeeStaff: [Audit, Owner];
    /// To propose who works here, to decide about what another proposed, to disable somebody and to stop an enrolment at once.
    ManageStaff: [Owner];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_audits_changes_nothing_and_who_decides_about_roles_moves_no_money() {
        let changes = [Permission::VoteWithdrawals, Permission::HaltChains, Permission::ResumeChains];
        assert!(!changes.into_iter().any(|permission| Role::Audit.may(permission)));
        assert!(!Role::Owner.may(Permission::VoteWithdrawals));
        for role in Role::ALL {
            assert_eq!(Role::parse(role.name()), Some(role));
            assert!(role.may(Permission::SeeOneself), "{role:?}");
        }
    }
}
