//! Campaigns of the rig, and what becomes of their coupons.
//!
//! Owns: these commands. Never does: look at the store. Invariants: each end that a coupon can have is there. Known limits: none.

use super::*;

impl Exchange {
    /// Coupons: one that is used, one that is taken back, one that is left.
    pub(in super::super) fn coupons(&mut self) {
        self.fund(AccountId::PROMOTION);
        let coupon = |who, command| Command::Account(who, AccountCommand::Coupon(command));
        let terms = Box::new(CampaignTerms {
            campaign: CAMPAIGN,
            name: "Welcome".into(),
            kind: CouponKind::Cash,
            asset: USDT,
            value: "12.5".parse().expect("an amount"),
            number: 10,
            lives: 3_600 * SECOND,
            ends: self.now + 7_200 * SECOND,
            code: Some(digest_of("WELCOME")),
        });
        self.run(coupon(AccountId::PROMOTION, CouponCommand::Fund { terms, by: vec!["ann".into()] }));
        for n in 0..3 {
            let issuer = if n == 0 { Issuer::Code(digest_of("welcome")) } else { Issuer::Staff("ann".into()) };
            self.run(coupon(user(n), CouponCommand::Receive { campaign: CAMPAIGN, issuer }));
        }
        self.run(coupon(user(0), CouponCommand::Use(CouponId::of(CAMPAIGN, 1))));
        let back = CouponCommand::Revoke { coupon: CouponId::of(CAMPAIGN, 2), by: "ann".into() };
        self.run(coupon(user(1), back));
        assert_eq!(self.accounts[&user(2)].coupons().len(), 1);
    }

    /// Coupons that are stakes: one that is lost, one that a tie gives back, one whose option is open, one that has none.
    pub(in super::super) fn option_coupons(&mut self) {
        let campaign = CampaignId(2);
        let coupon = |who, command| Command::Account(who, AccountCommand::Coupon(command));
        let terms = Box::new(CampaignTerms {
            campaign,
            name: "Options".into(),
            kind: CouponKind::MicroBonus,
            asset: USDT,
            value: "12.5".parse().expect("an amount"),
            number: 10,
            lives: 3_600 * SECOND,
            ends: self.now + 7_200 * SECOND,
            code: None,
        });
        self.run(coupon(AccountId::PROMOTION, CouponCommand::Fund { terms, by: vec!["ann".into()] }));
        for n in 0..4 {
            self.run(coupon(user(n), CouponCommand::Receive { campaign, issuer: Issuer::Staff("ann".into()) }));
            self.run(coupon(user(n), CouponCommand::Use(CouponId::of(campaign, n as u32 + 1))));
        }
        let enter = |n: u64, side| {
            let (stake, coupon) = ("12.5".parse().expect("an amount"), Some(CouponId::of(campaign, n as u32 + 1)));
            let wanted = EnterOption { desk: DESK, side, stake, coupon, version: None };
            Command::Account(user(n), AccountCommand::Seconds(SecondsCommand::Enter(wanted)))
        };
        for (n, end) in [(0, 99), (1, 100)] {
            self.tick(100);
            self.run(enter(n, OptionSide::Rise));
            self.now += 10 * SECOND;
            self.tick(end);
            self.now += 2 * SECOND;
            self.tick(end);
            while let Some(due) = self.due_round() {
                self.run(Command::Round(due, RoundCommand::Timer));
            }
        }
        self.tick(100);
        self.run(enter(2, OptionSide::Fall));
        let bonuses = |n| self.accounts[&user(n)].bonuses().len();
        assert_eq!([0, 1, 2, 3].map(bonuses), [0, 1, 0, 1]);
    }
}
