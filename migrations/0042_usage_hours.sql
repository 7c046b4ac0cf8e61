-- What was charged is counted by the UTC hour; days are added up from hours when they are over. The hours used to be
-- counted for those with limits only.

alter table usage_hour rename to usage_hour_of_limits;
alter table usage_hour_of_limits rename constraint usage_hour_pkey to usage_hour_of_limits_pkey;
create table usage_hour (
  -- When the bytes were relayed, as the gateway's clock says; the ledger has the hour in which they were settled.
  hour timestamptz not null,
  -- A meter's: settlements hold its lock. A foreign key costs a tenth of each change, though it looks at nothing.
  subuser_id bigint not null,
  charged_bytes bigint not null default 0,
  bonus_bytes bigint not null default 0,
  requests bigint not null default 0,
  -- Whether it is contained in usage_past_day.
  in_day boolean not null default false,
  -- By hour first: the rows that settlements change stand together, however long the history.
  primary key (hour, subuser_id),
  check (bonus_bytes between 0 and charged_bytes and requests >= 0)
) partition by range (hour);
create table usage_hour_rest partition of usage_hour default with (fillfactor = 70);
create index usage_hour_not_in_day on usage_hour (subuser_id) where not in_day;

-- Days that are over: the sums of their hours that are in_day.
alter table usage_day rename to usage_day_undivided;
create table usage_past_day (
  day date not null,
  subuser_id bigint not null references meter (subuser_id),
  charged_bytes bigint not null default 0 check (charged_bytes >= 0),
  bonus_bytes bigint not null default 0 check (bonus_bytes between 0 and charged_bytes),
  requests bigint not null default 0 check (requests >= 0),
  primary key (day, subuser_id)
) partition by range (day);
create table usage_past_day_rest partition of usage_past_day default;

select make_month_partition('usage_past_day', month) from (
  select distinct date_trunc('month', day::timestamp)::date as month from usage_day_undivided
  where day between now() - interval '5 years' and now() + interval '3 months' order by month
) had;
select make_month_partition(parent, month_of(now() + make_interval(months => n)))
  from unnest('{usage_hour,usage_past_day}'::text[]) parent, generate_series(0, 3) n;

insert into usage_past_day (day, subuser_id, charged_bytes, bonus_bytes, requests)
  select day, subuser_id, charged_bytes, bonus_bytes, requests from usage_day_undivided order by day, subuser_id;
-- Those of today too are in the days, so far. A cap on the present hour still looks at them.
insert into usage_hour (hour, subuser_id, charged_bytes, in_day)
  select hour, subuser_id, charged_bytes, true from usage_hour_of_limits;
drop table usage_day_undivided;
drop table usage_hour_of_limits;

-- What was charged, by UTC day, up to this moment.
create view usage_day as
  select subuser_id, day, sum(charged_bytes)::bigint as charged_bytes, sum(bonus_bytes)::bigint as bonus_bytes,
    sum(requests)::bigint as requests
  from (
    select subuser_id, day, charged_bytes, bonus_bytes, requests from usage_past_day
    union all
    select subuser_id, (hour at time zone 'UTC')::date, charged_bytes, bonus_bytes, requests from usage_hour where not in_day
  ) part
  group by subuser_id, day;

-- The same for leases: they are opened, charged and pruned under the lock of their meter, which nobody removes, and a lease
-- with something written off is not pruned.
alter table lease drop constraint lease_subuser_id_fkey;
alter table write_off drop constraint write_off_lease_id_fkey;

-- What was charged on days that are no longer kept: their sum stays, for the books to be checked against.
alter table meter
  add column forgotten_bytes bigint not null default 0 check (forgotten_bytes >= 0),
  add column forgotten_bonus_bytes bigint not null default 0 check (forgotten_bonus_bytes between 0 and forgotten_bytes);

-- From which day on each table of usage is whole: what is older may be gone.
create table usage_kept_from (
  relation text primary key check (relation in ('usage_hour', 'usage_past_day')),
  day date not null
);
insert into usage_kept_from values ('usage_hour', (now() at time zone 'UTC')::date + 1), ('usage_past_day', '-infinity');
