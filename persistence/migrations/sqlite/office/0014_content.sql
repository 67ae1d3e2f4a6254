-- Articles that people of the office write, version after version. What is shown of an article is its newest approved version whose
-- time has come; one that is withdrawn hides the article until the next one.
CREATE TABLE article_versions (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    article    INTEGER NOT NULL,     -- its number in calls; that of a file of the settings takes the file's place
    category   INTEGER NOT NULL,
    sorts      INTEGER NOT NULL,     -- order in lists, highest first
    cover      TEXT NOT NULL,
    url        TEXT NOT NULL,
    texts      TEXT NOT NULL,        -- JSON: by language title, abstract and cleaned HTML
    publish_ms INTEGER NOT NULL,     -- shown from then on
    state      INTEGER NOT NULL CHECK (state IN (1, 2, 3, 4, 5)), -- 1 draft, 2 in review, 3 approved, 4 refused, 5 withdrawn
    author     INTEGER NOT NULL REFERENCES staff (id),
    created_ms INTEGER NOT NULL,
    decided_by INTEGER REFERENCES staff (id),
    decided_ms INTEGER,
    note       TEXT NOT NULL DEFAULT ''  -- what who decided said
) STRICT;
CREATE INDEX article_versions_by_article ON article_versions (article, id);
CREATE INDEX article_versions_by_state ON article_versions (state, id);
