-- The coupon that stands for an option's stake; NULL where the stake is its owner's. Coupons of kind 2 are such stakes.
ALTER TABLE seconds_options ADD COLUMN coupon_id BIGINT;
ALTER TABLE seconds_options ADD COLUMN coupon_issued_ns BIGINT;
ALTER TABLE seconds_options ADD COLUMN coupon_expires_ns BIGINT;
