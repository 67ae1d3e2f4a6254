-- What moved on each day (UTC, days since the epoch), for reports: of users together (`account` 0), of desks of the house together
-- (1000), and of each other account of the exchange. `flow_in` and `flow_out` are totals of movements that made a wallet's
-- balance larger and smaller; a transfer between wallets of one account is in both, money that was only set aside or given back in neither. A store that is older than this table
-- has no rows of the days before.
CREATE TABLE daily_flows (
    day            INTEGER NOT NULL,
    account        INTEGER NOT NULL,
    product        INTEGER NOT NULL, -- whose facts they were
    log            INTEGER NOT NULL,
    asset          INTEGER NOT NULL,
    moves          INTEGER NOT NULL, -- how many
    flow_in_whole  INTEGER NOT NULL,
    flow_in_frac   INTEGER NOT NULL,
    flow_out_whole INTEGER NOT NULL,
    flow_out_frac  INTEGER NOT NULL,
    PRIMARY KEY (day, account, product, log, asset)
) STRICT, WITHOUT ROWID;

-- What was traded on each day by market: `value` is that of all trades, `of_users` that of users' sides of them (twice the value where
-- users traded with each other). Of tickets, each that was opened or closed is a trade.
CREATE TABLE daily_volumes (
    day            INTEGER NOT NULL,
    product        INTEGER NOT NULL,
    market         INTEGER NOT NULL,
    asset          INTEGER NOT NULL, -- what values are in
    trades         INTEGER NOT NULL,
    value_whole    INTEGER NOT NULL,
    value_frac     INTEGER NOT NULL,
    of_users_whole INTEGER NOT NULL,
    of_users_frac  INTEGER NOT NULL,
    PRIMARY KEY (day, product, market)
) STRICT, WITHOUT ROWID;
