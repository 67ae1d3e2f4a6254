//! The journal, snapshots, the archive and the SQL store.
