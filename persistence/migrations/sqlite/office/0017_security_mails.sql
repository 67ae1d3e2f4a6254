-- In which language a user is written to, that of the last login from a known address; empty before the first.
ALTER TABLE users ADD COLUMN lang TEXT NOT NULL DEFAULT '';
-- The anti-phishing text of the user's mails, sealed.
ALTER TABLE users ADD COLUMN mail_phrase BLOB;
-- Up to which row of the audit users were told by mail.
CREATE TABLE audit_mailed (
    one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    upto INTEGER NOT NULL
) STRICT;
-- What was done before is not told any more.
INSERT INTO audit_mailed (one, upto) SELECT 1, coalesce(max(id), 0) FROM audit;
