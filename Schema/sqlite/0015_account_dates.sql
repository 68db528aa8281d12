-- The moments at which accounts begin and end, from the attributes activeStartDate and activeEndDate. Every request of a user asks
-- for them, which must not decode the user's record.
ALTER TABLE users ADD COLUMN starts INTEGER;    -- milliseconds since 1970: the first moment of the account; NULL for no limit
ALTER TABLE users ADD COLUMN ends INTEGER;      -- milliseconds since 1970: the first moment after the account; NULL for no limit
