-- The powers that roles give to their members: 'help-desk' and 'people-editor'. The third power is that of the administrators, which
-- only the administrators' role gives. The view lists all three, so that a check of rights asks one place.
CREATE TABLE given_power (
    role INTEGER PRIMARY KEY REFERENCES role (id) ON DELETE CASCADE,
    power TEXT NOT NULL CHECK (power IN ('help-desk', 'people-editor'))
) STRICT;

CREATE VIEW role_power (role, power) AS
    SELECT administrators, 'administrator' FROM directory WHERE administrators IS NOT NULL
    UNION ALL SELECT role, power FROM given_power;
