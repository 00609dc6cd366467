-- online
-- The columns themselves are widened before, by what the catalogue says of them: wide-ids/wide-ids.ts.
drop function if exists ugs_badge_build(integer);
