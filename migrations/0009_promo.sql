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
  constraint promocode_is_a_discount check ((kind = 'discount') = (discount_ppm is not null and min_gb is not null)),
  constraint promocode_is_traffic check ((kind = 'traffic') = (pool is not null and bytes is not null)),
  constraint promocode_never_overused check (uses <= max_uses)
);
comment on table promocode is
  'A promo code: discount_ppm parts per million off from min_gb on, or a gift of bytes of bonus traffic in a pool.';
comment on column promocode.code is 'The code as the operator wrote it.';
comment on column promocode.code_key is 'The code in NFKC and lower case; codes are found by this form.';
comment on column promocode.max_uses is 'Null: no limit.';
comment on column promocode.uses is 'How many rows of promo_use are used, counted under the lock of this row.';

create table promo_use (
  promocode_id bigint not null references promocode (id),
  account_id bigint not null references account (id),
  invoice text,
  operation text,
  held_until timestamptz,
  used_at timestamptz,
  primary key (promocode_id, account_id),
  check ((held_until is null) <> (used_at is null))
);
comment on table promo_use is
  'A customer''s use of a code: held while an invoice is open, used when it is paid. The primary key is what makes a code '
  'valid once for each customer.';
comment on column promo_use.invoice is 'The number of the invoice that holds or has used the code; null: a traffic code.';
comment on column promo_use.operation is
  'The operation (see idempotency_key) that used a traffic code; null: a call without a key, or an invoice.';

create index promo_use_held on promo_use (promocode_id, held_until) where used_at is null;
create index promo_use_invoice on promo_use (invoice) where invoice is not null;
