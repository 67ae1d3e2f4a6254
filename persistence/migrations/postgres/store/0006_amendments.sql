-- What was changed of orders that became smaller in their place.
CREATE TABLE amendments (
    order_id         BIGINT NOT NULL,
    time_ns          BIGINT NOT NULL,
    account          BIGINT NOT NULL,
    client_id_before TEXT,
    client_id        TEXT, -- from then on
    lots_before      BIGINT NOT NULL,
    lots             BIGINT NOT NULL, -- from then on
    PRIMARY KEY (order_id, time_ns)
);
