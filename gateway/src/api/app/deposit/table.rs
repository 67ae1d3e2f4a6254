//! Calls of deposits: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::deposit;
use super::super::fields::PAGED;
use super::super::forms::page_of;
use super::super::table::{calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Object, Text, Whole, Words};

calls! {
    open "/api/wallet/networks" get => deposit::networks, NETWORKS_OF, tells(NETWORKS);
    member "/api/wallet/get_in_address" post => deposit::address, ADDRESS_OF, tells(Text);
    member "/api/wallet/addresses" get => deposit::addresses, ADDRESS_OF, tells(ADDRESSES);
    member "/api/wallet/new_address" post => deposit::new_address, ADDRESS_OF, tells(ADDRESS);
    member "/api/recharge/pending" get => deposit::pending, &[], tells(PENDING);
    member "/api/recharge/log" get => deposit::history, PAGED, tells(HISTORY);
}

// What they take.

const NETWORK: Field = may("network", Text).about("The only one of the asset unless said otherwise.");
const NETWORKS_OF: &[Field] = &[may("currency", Whole).about("Of this asset only.")];
const ADDRESS_OF: &[Field] = &[has("currency", Whole), NETWORK];

// What they answer.

const NETWORKS: ValueType = List(&Named(
    "DepositNetwork",
    &Object(&[
        has("network", Text).about("The chain by its coin; of its tokens as ERC20. One row an asset and chain."),
        has("title", Text).about("Of the chain."),
        has("currency", Whole),
        has("currency_name", Text),
        has("min_deposit", Decimal)
            .about("What is credited at least; less is kept until the address has received as much."),
        has("confirmations", Whole).about(
            "Blocks after which a deposit is credited; about so many where the chain says itself what is final.",
        ),
        has("addresses", Whole).about("Addresses that one account may have."),
        has("state", Words(&["open", "halted", "behind"]))
            .about("behind: the chain is not read now; what comes is credited later."),
        has("withdraw", Either(&[WITHDRAW, Null])).about("Null when coins cannot be withdrawn over it."),
    ]),
));

const WITHDRAW: ValueType = Named(
    "NetworkWithdrawals",
    &Object(&[
        has("state", Words(&["open", "closed", "halted", "behind"])),
        has("fee", Decimal),
        has("min", Decimal).about("What leaves the wallet at least, the fee among it."),
        has("max", Decimal),
        has("step", Decimal).about("By the places of the asset on the chain, as 0.000001."),
        has("daily_limit", Decimal).about("Of an account of the basic tier, 24 hours."),
        has("daily_limit_advanced", Decimal).about("Of one of the advanced tier."),
    ]),
);

const ADDRESS: ValueType = Named(
    "DepositAddress",
    &Object(&[
        has("address", Text),
        has("network", Text),
        has("n", Whole).about("Which of the account's addresses, from 1 on."),
        has("most", Whole).about("How many it may have."),
    ]),
);
const ADDRESSES: ValueType = List(&ADDRESS);

const PENDING: ValueType = List(&Named(
    "PendingDeposit",
    &Object(&[
        has("currency", Whole),
        has("currency_name", Text),
        has("network", Text),
        has("amount", Decimal),
        has("txid", Text),
        has("output", Whole).about("Of a transfer of an EVM chain: 0 the coin's, else one more than its log's number."),
        has("height", Whole).about("Of its block."),
        has("confirmations", Whole).about("So many blocks it has by now, its own among them."),
        has("needed", Whole).about("With so many, or about so many, it is credited."),
        has("small", Flag)
            .about("Less than the least that is credited: it is kept until the address has received as much."),
    ]),
));

const HISTORY: ValueType = page_of!(
    "DepositPage",
    Named(
        "Deposit",
        &Object(&[
            has("id", Text),
            has("oid", Text).about("Order number."),
            has("amount", Decimal),
            has("give", Decimal).about("Always 0."),
            has("currency_id", Whole),
            has("name", Text),
            has("network", Text),
            has("status", Whole).about("1: kept until it is enough; 2: credited."),
            has("kind", Words(&["credited", "small", "coinbase", "collected"]))
                .about("collected: small ones that were kept are credited together."),
            has("remark", Text),
            has("user_account", Text).about("The address; empty of one that is not known any more."),
            has("txid", Either(&[Text, Null])),
            has("output", Either(&[Whole, Null])),
            has("height", Whole),
            has("created_at", Text),
            has("created_at_ms", Whole),
        ]),
    )
);
