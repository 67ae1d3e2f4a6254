-- What was changed of orders that became smaller in their place.
CREATE TABLE amendments (
    order_id         INTEGER NOT NULL,
    time_ns          INTEGER NOT NULL,
    account          INTEGER NOT NULL,
    client_id_before TEXT,
    client_id        TEXT, -- from then on
    lots_before      INTEGER NOT NULL,
    lots             INTEGER NOT NULL, -- from then on
    PRIMARY KEY (order_id, time_ns)
) STRICT, WITHOUT ROWID;
