-- Promo codes: a discount on a purchase, or traffic as a gift.

create table promocode (
  id bigint generated always as identity primary key,
  code text not null,
  code_key text not null unique check (length(code_key) between 2 and 64),
  kind text not null check (kind in ('discount', 'traffic')),
  discount_ppm integer check (discount_ppm between 1 and 999999),
  min_gb bigint check (min_gb between 1 and 99999999),
  pool text check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  bytes bigint check (bytes > 0),
  max_uses bigint check (max_uses > 0),
  uses bigint not null default 0 check (uses >= 0),
  expires_at timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  first_purchase boolean not null default false,
  pools text[] check (
    cardinality(pools) > 0 and pools <@ array['residential', 'residential_premium', 'datacenter', 'mobile']),
  uses_per_person integer not null default 1 check (uses_per_person between 1 and 1000),
  batch text check (length(batch) between 1 and 64),
  constraint promocode_is_a_discount check (
    (kind = 'discount') = (discount_ppm is not null and min_gb is not null)
  ),
  constraint promocode_is_traffic check ((kind = 'traffic') = (pool is not null and bytes is not null)),
  constraint promocode_never_overused check (uses <= max_uses),
  constraint promocode_limits_of_discounts check (kind = 'discount' or (not first_purchase and pools is null))
);
comment on table promocode is
  'A promo code: discount_ppm parts per million off from min_gb on, or a gift of bytes of bonus traffic in a '
  'pool.';
comment on column promocode.code is 'The code as the operator wrote it.';
comment on column promocode.code_key is 'The code in NFKC and lower case; codes are found by this form.';
comment on column promocode.max_uses is 'Null: no limit.';
comment on column promocode.uses is
  'How many rows of promo_use are used, counted under the lock of this row.';
comment on column promocode.first_purchase is 'Only for the first purchase that a customer pays.';
comment on column promocode.pools is
  'The discount is only for orders in these pools; null: in any. A traffic code has its one pool.';
comment on column promocode.uses_per_person is
  'The largest number of used rows of promo_use of one customer.';

comment on column promocode.batch is
  'The name under which codes were made together, and are found and stopped together; null: made alone.';

create index promocode_batch on promocode (batch) where batch is not null;

create table promo_use (
  promocode_id bigint not null references promocode (id),
  account_id bigint not null references account (id),
  invoice text,
  operation text,
  held_until timestamptz,
  used_at timestamptz,
  nth integer not null check (nth between 1 and 1000),
  check ((held_until is null) <> (used_at is null)),
  primary key (promocode_id, account_id, nth)
);
comment on table promo_use is
  'A customer''s use of a code: held while an invoice is open, used when it is paid.';
comment on column promo_use.invoice is
  'The number of the invoice that holds or has used the code; null: a traffic code.';
comment on column promo_use.operation is
  'The operation (see idempotency_key) that used a traffic code; null: a call without a key, or an invoice.';
comment on column promo_use.nth is 'Tells the uses of one code by one customer apart.';

create index promo_use_held on promo_use (promocode_id, held_until) where used_at is null;
-- The codes of a customer.
create index promo_use_account on promo_use (account_id, promocode_id);
create unique index promo_use_invoice on promo_use (invoice) where invoice is not null;

-- The row of the code is locked before a use is counted, so the count is of committed rows.
create function promo_use_within_limit() returns trigger language plpgsql as $$
declare
  allowed integer;
  used integer;
begin
  select uses_per_person into allowed from promocode where id = new.promocode_id;
  select count(*) into used from promo_use
    where promocode_id = new.promocode_id and account_id = new.account_id and nth <> new.nth and used_at is not null;
  if used >= allowed then
    raise exception 'account % has used promo code % as often as it may', new.account_id, new.promocode_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
comment on function promo_use_within_limit() is
  'Refuses a use of a promo code beyond those that each customer may have.';

create trigger within_limit before insert or update of used_at on promo_use
  for each row when (new.used_at is not null) execute function promo_use_within_limit();
