-- What used traffic earned, by customer and purchase: docs/decisions/0043-margin-by-customer.md. All of it is computed from usage_hour
-- and invoices, so what was counted before is counted again where its hours are kept.

alter table usage_hour
  add column noted_bonus_bytes bigint not null default 0,
  add column noted_relayed_bytes bigint not null default 0;
comment on column usage_hour.noted_bonus_bytes is 'How many of the bonus bytes are in margin_part, as priced_bytes are.';
comment on column usage_hour.noted_relayed_bytes is 'How many of the relayed bytes are in margin_part.';

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
  'What a customer used of a purchase through an exit in a UTC hour that is over, and what it earned. The sums over customers are those '
  'of margin_hour. Kept as long as usage_hour.';
comment on column margin_part.exit_id is 'The exit, which may have been removed since. 0: none, or it is not known.';
comment on column margin_part.invoice_id is '0: of no purchase. Bonus, forgiven bytes and traffic that was received from another one are of none.';
comment on column margin_part.move_id is 'The move by which the traffic was received; 0: by none.';
comment on column margin_part.tier_ppm is 'The volume discount of the purchase. Null: of no purchase.';
comment on column margin_part.promocode is 'That of the purchase. Null: it had none.';
comment on column margin_part.charged_bytes is
  'Below zero where a refund took bytes from a purchase that was used, so that another one is used in its place.';
comment on column margin_part.free_bytes is 'Of relayed_bytes, those that bonus covered or that were forgiven: they earn nothing.';
comment on column margin_part.revenue_micros is
  'What was paid for the used bytes. Below zero where a refund returned money for traffic that had been used.';
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
  'How far a purchase, or traffic that was received by a move, is used up, and what it has earned. Both ids 0: traffic beyond all of them.';

alter table margin_hour
  add column free_bytes bigint not null default 0,
  add column fee_micros bigint not null default 0,
  add column share_micros bigint not null default 0;
alter table margin_hour rename column earned_micros to revenue_micros;
comment on column margin_hour.revenue_micros is
  'What was paid for the used bytes. Below zero where a refund returned money for traffic that had been used.';
comment on column margin_hour.free_bytes is 'Of relayed_bytes, those that bonus covered or that were forgiven.';
comment on column margin_hour.fee_micros is 'What processors kept of the revenue. In hours that were counted before there was this column, it is subtracted from the revenue.';
comment on column margin_hour.share_micros is 'The shares of inviters in the revenue.';

-- Counted again, from the first hour that is kept.
update margin_position p set used_bytes = p.used_bytes - counted.bytes
from (
  select m.account_id, m.pool, sum(u.priced_bytes)::bigint as bytes
  from usage_hour u join meter m on m.subuser_id = u.subuser_id
  where u.priced_bytes <> 0 group by 1, 2
) counted
where p.account_id = counted.account_id and p.pool = counted.pool;
update margin_position set earned_micros = null;
update margin_hour set revenue_micros = 0 where hour >= (select min(hour) from usage_hour);
update usage_hour set priced_bytes = 0 where priced_bytes <> 0;
delete from margin_counted;

alter table margin_position drop column earned_micros, add column is_noted boolean not null default false;
comment on column margin_position.is_noted is
  'Whether margin_lot has what was earned up to here. If not, it is what the purchases earn by these bytes, computed when it is needed.';
