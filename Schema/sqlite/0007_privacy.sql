-- Who may read and write built-in attributes where that was set, how long the change feed keeps its entries, and what was
-- taken out of it.

CREATE TABLE attribute_rights (
    name TEXT NOT NULL,
    entity TEXT NOT NULL CHECK (entity IN ('user', 'role')),
    readers TEXT,                               -- NULL where they are as they were built in
    writers TEXT,
    PRIMARY KEY (entity, name)
) STRICT, WITHOUT ROWID;

-- For how many days the feed keeps changes, and what is told of sign-ins; NULL for ever.
ALTER TABLE directory ADD COLUMN change_days INTEGER CHECK (change_days > 0);
ALTER TABLE directory ADD COLUMN sign_in_days INTEGER DEFAULT 180 CHECK (sign_in_days > 0);
-- Up to which sequence number each kind has been pruned. Numbers that were pruned from the middle of the feed are a row of
-- kind 9: `sequence` is the last one that is gone, `id` the first.
ALTER TABLE directory ADD COLUMN changes_pruned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE directory ADD COLUMN sign_ins_pruned INTEGER NOT NULL DEFAULT 0;
