-- Sums for the desk, of which a figure of the whole shop is read: no list or chart adds up every customer's rows.

create table usage_sum (
  hour timestamptz not null,
  pool text not null,
  exit_id bigint not null,
  charged_bytes bigint not null,
  bonus_bytes bigint not null,
  relayed_bytes bigint not null,
  requests bigint not null,
  primary key (hour, pool, exit_id)
);
comment on table usage_sum is
  'What all subusers of a pool were charged in a UTC hour for what passed through an exit: the sum of the rows of usage_hour that '
  'are in_day. It stays when those are deleted.';

insert into usage_sum
  select u.hour, m.pool, u.exit_id, sum(u.charged_bytes), sum(u.bonus_bytes), sum(u.relayed_bytes), sum(u.requests)
  from usage_hour u join meter m on m.subuser_id = u.subuser_id where u.in_day group by 1, 2, 3;
-- Of days whose hours were deleted, the time of day and the exit are not known any more. At noon UTC it is the same day in nearly
-- every time zone.
insert into usage_sum as known
  select (d.day + time '12:00') at time zone 'UTC', d.pool, 0, d.charged_bytes - coalesce(h.charged_bytes, 0),
    d.bonus_bytes - coalesce(h.bonus_bytes, 0), 0, d.requests - coalesce(h.requests, 0)
  from (
    select u.day, m.pool, sum(u.charged_bytes) as charged_bytes, sum(u.bonus_bytes) as bonus_bytes, sum(u.requests) as requests
    from usage_past_day u join meter m on m.subuser_id = u.subuser_id group by 1, 2
  ) d left join (
    select (hour at time zone 'UTC')::date as day, pool, sum(charged_bytes) as charged_bytes, sum(bonus_bytes) as bonus_bytes,
      sum(requests) as requests
    from usage_sum group by 1, 2
  ) h on h.day = d.day and h.pool = d.pool
  where (d.charged_bytes, d.bonus_bytes, d.requests) is distinct from (h.charged_bytes, h.bonus_bytes, h.requests)
  on conflict (hour, pool, exit_id) do update set
    charged_bytes = known.charged_bytes + excluded.charged_bytes, bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
    requests = known.requests + excluded.requests;

comment on column usage_hour.in_day is 'Whether the hour is contained in usage_past_day and usage_sum.';
comment on table usage_past_day is
  'What a subuser was charged on a UTC day: the sum of its hours that are in_day. Hours are added when they are over for an hour.';

create table connection_day (
  day date not null,
  pool text not null,
  exit_id bigint not null,
  country text not null,
  code text not null,
  connections bigint not null,
  refused bigint not null,
  up_bytes bigint not null,
  down_bytes bigint not null,
  charged_bytes bigint not null,
  primary key (day, pool, exit_id, country, code)
);
comment on table connection_day is
  'The sums of the rows of connection_hour of a UTC day that are in_day: a month of them is read where the hours would be a million rows.';

alter table connection_hour add column in_day boolean not null default false;
comment on column connection_hour.in_day is 'Whether the row is contained in connection_day.';
create index connection_hour_not_in_day on connection_hour (hour) where not in_day;
