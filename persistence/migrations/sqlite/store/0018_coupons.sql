-- Coupons of accounts. `state` is 0 unused, 1 used, 2 taken back; `until_ns` is when it was used or taken back, and of an unused one
-- when it expires.
CREATE TABLE coupons (
    coupon_id   INTEGER NOT NULL PRIMARY KEY,
    account     INTEGER NOT NULL,
    kind        INTEGER NOT NULL, -- 1 cash
    asset       INTEGER NOT NULL,
    value_whole INTEGER NOT NULL,
    value_frac  INTEGER NOT NULL,
    issued_ns   INTEGER NOT NULL,
    expires_ns  INTEGER NOT NULL,
    state       INTEGER NOT NULL,
    until_ns    INTEGER NOT NULL
) STRICT;

CREATE INDEX coupons_of ON coupons (account, issued_ns, coupon_id);
