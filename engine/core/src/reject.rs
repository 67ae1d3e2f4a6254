//! Business refusals. Numbers are permanent: a change of meaning is a new number. One place in the gateway maps them to
//! what a client sees. Numbers that are missing here are not to be used again.
//!
//! Owns: the list. Never does: hold a text or a number of the moment. Invariants: a reject changed nothing. Known
//! limits: one reason a refusal: the first that was found.

crate::wire_enum! {
    /// Why a command was refused; nothing changed.
    pub enum Reject {
        /// No such market.
        UnknownMarket = 1,
        /// The market does not take this now (halted, cancel only).
        MarketClosed = 2,
        /// Available balance below what is needed.
        InsufficientBalance = 4,
        /// Price not positive or beyond the largest price.
        BadPrice = 5,
        /// Quantity below the market's minimum.
        BelowMinAmount = 6,
        /// Quantity above the market's maximum.
        AboveMaxAmount = 7,
        /// Price times quantity below the market's minimum.
        BelowMinNotional = 8,
        /// Limit price outside of the band around the reference.
        OutsidePriceBand = 9,
        /// Too many open orders of this account on this market.
        TooManyOrders = 10,
        /// A post-only order would match immediately.
        WouldMatch = 11,
        /// No such order of this account among the open and the latest ones.
        UnknownOrder = 12,
        /// The order is filled, cancelled or expired already.
        OrderDone = 13,
        /// An open order has this client order id.
        DuplicateClientOrderId = 14,
        /// The request key was used with another body.
        RequestKeyClash = 15,
        /// A request with this key is being decided.
        RequestInFlight = 16,
        /// The account is locked.
        AccountLocked = 17,
        /// The amount is not positive or too large.
        BadAmount = 18,
        /// Both ends of a transfer are the same, or one takes no transfers.
        BadWallet = 19,
        /// The command was made from parameters that are no longer in force; ask again.
        StaleTerms = 20,
        /// A fill-or-kill order would need more trades than one decision may make.
        TooManyTrades = 21,
        /// The thing exists already.
        AlreadyExists = 22,
        /// Tick, step or other parameters do not fit together.
        BadParameters = 23,
        /// The caller may not do this.
        NotAllowed = 24,
        /// No such price symbol.
        UnknownPrice = 25,
        /// The command stopped an entity by a bug before; it is not tried again.
        Poisoned = 27,
        /// No request with this key is known.
        UnknownRequest = 28,
        /// A conditional order's trigger is reached already.
        WouldTrigger = 29,
        /// A trigger price or trailing distance that is not allowed, or neither of them.
        BadTrigger = 30,
        /// Too many waiting orders of this account on this market.
        TooManyTriggers = 31,
        /// What an iceberg order shows is too little of it, or an order that does not rest shows a part.
        BadIceberg = 32,
        /// Two orders of a list do not lie on both sides of the price, or do not go together.
        BadLegs = 33,
        /// A change of an order that does not make it smaller, or of an order that cannot be changed.
        BadAmendment = 34,
        /// The index is not fresh, or the contract waits for its first one.
        PriceStale = 51,
        /// A multiple that cannot be chosen, or is too high for the position.
        BadMultiple = 52,
        /// A position above the largest that the contract takes.
        BracketExceeded = 53,
        /// Too much is open already, of this account or in all.
        ExposureFull = 54,
        /// No such ticket of this account is open.
        UnknownTicket = 55,
        /// The margin does not suffice for what an order opens.
        MarginInsufficient = 56,
        /// There is nothing that an order could close which only closes.
        ReduceOnly = 57,
        /// The order names a position that the account's position mode has not.
        PositionModeMismatch = 58,
        /// What may be changed only without positions and orders.
        PositionOpen = 59,
        /// No such isolated position of this account is open.
        UnknownLeg = 60,
        /// What the request would add to is being liquidated.
        Liquidating = 61,
        /// The quote is too old, or its ticks are not known any more.
        QuoteExpired = 62,
        /// The price moved too far since the quote.
        PriceChanged = 63,
        /// The asset is not converted.
        NotConvertible = 64,
        /// Both sides of a conversion are the same asset.
        SameAsset = 65,
        /// A conversion's value is below the smallest.
        BelowMinConversion = 66,
        /// A conversion's value is above the largest.
        AboveMaxConversion = 67,
        /// What would be received is nothing.
        ConversionTooSmall = 68,
        /// The house gives no more of the asset today.
        ConversionCapReached = 69,
        /// A balance is worth too much for dust.
        NotDust = 70,
        /// Dust was converted less than a day ago.
        DustTooSoon = 71,
        /// No such desk of seconds options.
        UnknownDesk = 72,
        /// The desk takes no options now.
        OptionClosed = 73,
        /// Too many options of the account are open.
        TooManyOptions = 74,
        /// The house takes no more of this side in the minute in which the option would expire.
        SideFull = 75,
        /// The account is no trader.
        NotTrader = 76,
        /// The account follows as many traders as it may.
        TooManyFollows = 77,
        /// A trader follows nobody, and who follows somebody does not become a trader.
        TraderFollows = 78,
        /// A copy is closed by its trader, or when its owner has made it an own ticket.
        CopiedTicket = 79,
        /// No such chain.
        UnknownChain = 80,
        /// Nothing is taken from the chain now: operators have to let it go on, or it was never read.
        ChainClosed = 81,
        /// The block does not follow the last one that was taken.
        NotNextBlock = 82,
        /// The account has as many addresses on the chain as it may.
        TooManyAddresses = 83,
        /// The chain takes no withdrawals now.
        WithdrawalsClosed = 84,
        /// No address that the chain pays to, or one of the account's own.
        BadDestination = 85,
        /// Too many withdrawals of the account are open.
        TooManyWithdrawals = 86,
        /// More than the account may withdraw within 24 hours.
        AboveDailyLimit = 87,
        /// No such withdrawal of the account.
        UnknownWithdrawal = 88,
        /// The withdrawal ended, was decided, or is in a transaction.
        WithdrawalDone = 89,
        /// The same person decided before.
        NotTwoPeople = 90,
        /// Others voted since this person looked.
        VotedMeanwhile = 91,
        /// The account's owner was not verified.
        Unverified = 92,
        /// No such campaign, or its code is another one.
        UnknownCampaign = 93,
        /// The campaign is over, or issues no more coupons.
        CampaignOver = 94,
        /// All coupons of the campaign are out; those that expire do not come back.
        CampaignEmpty = 95,
        /// The account got a coupon of this campaign before.
        CouponTaken = 96,
        /// No such coupon of the account, or it was used.
        UnknownCoupon = 97,
        /// The coupon's time is over.
        CouponOver = 98,
        /// The account has as many unused coupons as it may.
        TooManyCoupons = 99,
        /// What this opens is not offered where the account's owner lives.
        NotInRegion = 100,
        /// The trader's ticket is closed, was opened too long ago, or the index is too far from it.
        CopyOutdated = 120,
        /// The account does not follow this trader.
        NotFollowing = 121,
        /// The trader has as many followers as possible.
        TraderFull = 122,
        /// No price of the market's table of steps.
        BadStep = 123,
        /// A corporate action that is under way, was done, or can be set only while the market is closed.
        BadAction = 124,
        /// Ticks and lots of a market change while it has no order: one rests, waits or is quoted.
        OrdersOpen = 125,
    }
}
