-- What used traffic earned: docs/decisions/0022-margin.md. Everything here is computed from usage_hour and invoices.

alter table usage_hour add column priced_bytes bigint not null default 0;
comment on column usage_hour.priced_bytes is
  'How many of the bytes that paid traffic covered, charged_bytes less bonus_bytes, are in margin_hour as earned. Settlements never '
  'change it: a late report makes the difference that is counted next.';

create table usage_late_hour (
  hour timestamptz primary key
);
comment on table usage_late_hour is
  'Hours that were in a day already when a report added to them, until the margin has counted them again.';

create table margin_hour (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  pool text not null,
  exit_id bigint not null,
  charged_bytes bigint not null default 0,
  bonus_bytes bigint not null default 0,
  relayed_bytes bigint not null default 0,
  earned_micros bigint not null default 0,
  primary key (hour, pool, exit_id)
);
comment on table margin_hour is 'What passed through an exit in a UTC hour that is over, and what it earned.';
comment on column margin_hour.exit_id is 'The exit, which may have been removed since. 0: none, or it is not known.';
comment on column margin_hour.earned_micros is
  'What was paid for the used bytes. Below zero where a refund returned money for traffic that had been used.';

create table margin_position (
  account_id bigint not null,
  pool text not null,
  used_bytes bigint not null check (used_bytes >= 0),
  earned_micros bigint,
  primary key (account_id, pool)
);
comment on table margin_position is
  'How far the purchases of a customer in a pool are used up: the first bytes bought are the first used.';
comment on column margin_position.used_bytes is 'The paid bytes that are counted as used.';
comment on column margin_position.earned_micros is
  'What they earned, the sum of what margin_hour has of this customer. Null: what was used before the hours that are kept, whose '
  'value is computed when it is needed.';

-- Traffic whose hours were dropped before they could be counted.
insert into margin_position (account_id, pool, used_bytes)
select m.account_id, m.pool, m.forgotten_bytes - m.forgotten_bonus_bytes + coalesce(d.paid, 0) - coalesce(h.paid, 0)
from meter m
left join (
  select subuser_id, sum(charged_bytes - bonus_bytes) as paid from usage_past_day group by subuser_id
) d on d.subuser_id = m.subuser_id
left join (
  select subuser_id, sum(charged_bytes - bonus_bytes) as paid from usage_hour where in_day group by subuser_id
) h on h.subuser_id = m.subuser_id
where m.forgotten_bytes - m.forgotten_bonus_bytes + coalesce(d.paid, 0) - coalesce(h.paid, 0) > 0;

create table margin_counted (
  is_only boolean primary key default true check (is_only),
  through timestamptz not null
);
comment on table margin_counted is 'One row: all hours before this one are counted.';

create index if not exists invoice_refunded on invoice (refunded_at) where refunded_at is not null;
