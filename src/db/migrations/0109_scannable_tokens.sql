-- Tokens of Unreal Game Sync begin with gm_ugs_; eight characters more tell them apart.
alter table ugs_tokens drop constraint ugs_tokens_prefix_check;
alter table ugs_tokens add constraint ugs_tokens_prefix_check check (length(prefix) between 8 and 20);
