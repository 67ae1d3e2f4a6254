-- Coupons of accounts. `state` is 0 unused, 1 used, 2 taken back; `until_ns` is when it was used or taken back, and of an unused one
-- when it expires.
CREATE TABLE coupons (
    coupon_id   BIGINT NOT NULL PRIMARY KEY,
    account     BIGINT NOT NULL,
    kind        BIGINT NOT NULL, -- 1 cash
    asset       BIGINT NOT NULL,
    value_whole BIGINT NOT NULL,
    value_frac  BIGINT NOT NULL,
    issued_ns   BIGINT NOT NULL,
    expires_ns  BIGINT NOT NULL,
    state       BIGINT NOT NULL,
    until_ns    BIGINT NOT NULL
);

CREATE INDEX coupons_of ON coupons (account, issued_ns, coupon_id);
