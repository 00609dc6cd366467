-- Which versions of assets ask for an approval, as a list of rules; an empty one asks for nothing. Null, as in every project so far: the types
-- in approval_types, or else the usual ones. approval_types stays for nodes and exports of the versions before.
alter table projects add column approval_rules jsonb;
