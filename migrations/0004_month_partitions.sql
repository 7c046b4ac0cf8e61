-- Partitions by UTC month, for the tables that grow without bound: ledger_entry, ledger_usage, usage_hour,
-- usage_past_day, margin_part. Each has a default partition `<table>_rest` for rows of months without a
-- partition, so that no insert fails when a month was not made in time; making the month later moves its rows
-- out of the default partition.

create function month_of(moment timestamptz) returns date immutable language sql
  return date_trunc('month', moment at time zone 'UTC')::date;
comment on function month_of(timestamptz) is 'The first day of the UTC month of a moment.';

create function make_month_partition(parent text, month date) returns boolean language plpgsql as $$
declare
  rest text := parent || '_rest';
  made text := parent || to_char(month, '_YYYY_MM');
  first_moment timestamptz := month::timestamp at time zone 'UTC';
  end_moment timestamptz := (month + interval '1 month') at time zone 'UTC';
  key text;
  options text;
begin
  if to_regclass(made) is not null then
    return false;
  end if;
  execute format('lock table %I in access exclusive mode', parent);
  select a.attname into strict key from pg_partitioned_table p
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = parent::regclass;
  select 'with (' || array_to_string(reloptions, ', ') || ')' into options from pg_class where oid = rest::regclass;
  execute format('create table %I (like %I including all) %s', made, parent, options);
  -- PostgreSQL refuses to attach a partition while the default one holds rows that belong to it.
  execute format('alter table %I disable trigger user', rest);
  execute format(
    'with moved as (delete from %1$I where %3$I >= %4$L and %3$I < %5$L returning *) insert into %2$I select * from moved',
    rest, made, key, first_moment, end_moment);
  execute format('alter table %I enable trigger user', rest);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, made, first_moment, end_moment);
  if exists (select from pg_trigger where tgrelid = rest::regclass and tgname = 'append_only') then
    execute format(
      'create trigger append_only before insert or update or delete or truncate on %I
         for each statement execute function ledger_refuse()', made);
  end if;
  return true;
end $$;
comment on function make_month_partition(text, date) is
  'Makes the partition of a month, given by its first day, and returns whether it was missing. The partition '
  'takes the storage options of the default partition, and its trigger append_only where it has one.';
