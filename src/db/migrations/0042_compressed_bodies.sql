-- Bodies were stored outside their row as they are, which compresses nothing. lz4 takes less time than writing what it saves; pglz does not.
do $$
begin
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    alter table deliveries alter column body set storage extended;
  end if;
end $$;
