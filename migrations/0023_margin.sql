-- What the operator pays for exits, and what used traffic earned, by exit, customer and purchase:
-- docs/decisions/0022-margin.md, docs/decisions/0043-margin-by-customer.md. Everything here is computed from
-- usage_hour and invoices.

create table exit_cost (
  id bigint generated always as identity primary key,
  exit_id bigint not null,
  pool text not null,
  name text not null,
  from_day date not null,
  per_gb_micros bigint not null check (per_gb_micros between 0 and 1000000000000),
  month_micros bigint not null check (month_micros between 0 and 1000000000000000),
  gb_bytes bigint not null check (gb_bytes in (1000000000, 1073741824)),
  rounding text not null check (rounding in ('none', 'mb', 'gb')),
  set_at timestamptz not null default now(),
  currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  counts text not null default 'both' check (counts in ('both', 'up', 'down')),
  counts_failed boolean not null default true
);
comment on table exit_cost is
  'What an exit costs from a UTC day on. It is append-only: on a day the newest row of the latest from_day '
  'up to that day applies, so a row with the same from_day corrects the one before it.';
comment on column exit_cost.exit_id is
  'The exit, which may have been removed since: its costs stay, with its pool and its name of then.';
comment on column exit_cost.per_gb_micros is 'Millionths of the currency for a GB of what the seller counts.';
comment on column exit_cost.month_micros is
  'Millionths of the currency for a calendar month, whatever is relayed.';
comment on column exit_cost.gb_bytes is 'The seller''s GB.';
comment on column exit_cost.rounding is
  'To what the seller rounds up the bytes of a UTC day: its MB, its GB, or nothing.';
comment on column exit_cost.currency is
  'That of both amounts. They are converted at the rate of each UTC day; without one the cost of that day is '
  'not known.';
comment on column exit_cost.counts is
  'What the seller counts: bytes to targets (up), bytes from them (down), or both. Gateways report both '
  'together to the books; they are divided as the records of connections of the exit and the day are.';
comment on column exit_cost.counts_failed is 'The seller bills attempts that reached no target.';

create index exit_cost_of_exit on exit_cost (exit_id, from_day, id);

create function exit_cost_stays() returns trigger language plpgsql as $$
begin
  raise exception 'costs of exits are append-only: set another one' using errcode = 'restrict_violation';
end $$;
comment on function exit_cost_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on exit_cost
  for each statement execute function exit_cost_stays();

create table margin_hour (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  pool text not null,
  exit_id bigint not null,
  charged_bytes bigint not null default 0,
  bonus_bytes bigint not null default 0,
  relayed_bytes bigint not null default 0,
  revenue_micros bigint not null default 0,
  free_bytes bigint not null default 0,
  fee_micros bigint not null default 0,
  share_micros bigint not null default 0,
  primary key (hour, pool, exit_id)
);
comment on table margin_hour is 'What passed through an exit in a UTC hour that is over, and what it earned.';
comment on column margin_hour.exit_id is
  'The exit, which may have been removed since. 0: none, or it is not known.';
comment on column margin_hour.revenue_micros is
  'What was paid for the used bytes. Below zero where a refund returned money for traffic that had been '
  'used.';
comment on column margin_hour.free_bytes is
  'Of relayed_bytes, those that bonus covered or that were forgiven.';
comment on column margin_hour.fee_micros is 'What processors kept of the revenue.';
comment on column margin_hour.share_micros is 'The shares of inviters in the revenue.';

create table margin_position (
  account_id bigint not null,
  pool text not null,
  used_bytes bigint not null check (used_bytes >= 0),
  is_noted boolean not null default false,
  primary key (account_id, pool)
);
comment on table margin_position is
  'How far the purchases of a customer in a pool are used up: the first bytes bought are the first used.';
comment on column margin_position.used_bytes is 'The paid bytes that are counted as used.';
comment on column margin_position.is_noted is
  'Whether margin_lot has what was earned up to here. If not, it is what the purchases earn by these bytes, '
  'computed when it is needed.';

create table margin_counted (
  is_only boolean primary key default true check (is_only),
  through timestamptz not null
);
comment on table margin_counted is 'One row: all hours before this one are counted.';

create table exit_stock (
  id bigint generated always as identity primary key,
  exit_id bigint not null references exit (id) on delete cascade,
  at timestamptz not null,
  left_bytes bigint not null check (left_bytes >= 0),
  set_at timestamptz not null default now()
);
comment on table exit_stock is
  'How much of a seller''s traffic was left, as somebody read it from the seller''s page. The newest row of '
  'an exit applies; what was counted since its time is subtracted from it.';
comment on column exit_stock.at is 'When it was so much: the beginning of a UTC hour.';

create index exit_stock_of_exit on exit_stock (exit_id, id);

create table margin_part (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  exit_id bigint not null,
  pool text not null,
  account_id bigint not null,
  invoice_id bigint not null,
  move_id bigint not null,
  tier_ppm integer,
  promocode text,
  charged_bytes bigint not null default 0,
  bonus_bytes bigint not null default 0,
  relayed_bytes bigint not null default 0,
  free_bytes bigint not null default 0,
  revenue_micros bigint not null default 0,
  fee_micros bigint not null default 0,
  share_micros bigint not null default 0,
  primary key (hour, exit_id, pool, account_id, invoice_id, move_id),
  check (invoice_id = 0 or move_id = 0)
) partition by range (hour);
comment on table margin_part is
  'What a customer used of a purchase through an exit in a UTC hour that is over, and what it earned. The '
  'sums over customers are those of margin_hour. Kept as long as usage_hour.';
comment on column margin_part.exit_id is
  'The exit, which may have been removed since. 0: none, or it is not known.';
comment on column margin_part.invoice_id is
  '0: of no purchase. Bonus, forgiven bytes and traffic that was received from another one are of none.';
comment on column margin_part.move_id is 'The move by which the traffic was received; 0: by none.';
comment on column margin_part.tier_ppm is 'The volume discount of the purchase. Null: of no purchase.';
comment on column margin_part.promocode is 'That of the purchase. Null: it had none.';
comment on column margin_part.charged_bytes is
  'Below zero where a refund took bytes from a purchase that was used, so that another one is used in its '
  'place.';
comment on column margin_part.free_bytes is
  'Of relayed_bytes, those that bonus covered or that were forgiven: they earn nothing.';
comment on column margin_part.revenue_micros is
  'What was paid for the used bytes. Below zero where a refund returned money for traffic that had been '
  'used.';
comment on column margin_part.fee_micros is 'Of it, what processors kept.';
comment on column margin_part.share_micros is 'Of it, the share of the inviter.';

create table margin_part_rest partition of margin_part default;
comment on table margin_part_rest is 'Hours of months without a partition.';

select make_month_partition('margin_part', month_of(now() + make_interval(months => n))) from generate_series(0, 3) n;

create table margin_lot (
  account_id bigint not null,
  pool text not null,
  invoice_id bigint not null,
  move_id bigint not null,
  used_bytes bigint not null,
  revenue_micros bigint not null,
  fee_micros bigint not null,
  share_micros bigint not null,
  primary key (account_id, pool, invoice_id, move_id)
);
comment on table margin_lot is
  'How far a purchase, or traffic that was received by a move, is used up, and what it has earned. Both ids '
  '0: traffic beyond all of them.';
