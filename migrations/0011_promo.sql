-- Promo codes: a discount on a purchase, or traffic as a gift.

create table promocode (
  id bigint generated always as identity primary key,
  -- As the operator wrote it, and what it is found by: NFKC, lower case.
  code text not null,
  code_key text not null unique check (length(code_key) between 2 and 64),
  kind text not null check (kind in ('discount', 'traffic')),

  -- A discount: so many parts per million off, from this many GB on.
  discount_ppm integer check (discount_ppm between 1 and 999999),
  min_gb bigint check (min_gb between 1 and 99999999),

  -- Traffic: so many bytes of bonus in a pool.
  pool text check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  bytes bigint check (bytes > 0),

  -- Null: as many as come.
  max_uses bigint check (max_uses > 0),
  -- The used rows of promo_use, counted under this row's lock.
  uses bigint not null default 0 check (uses >= 0),
  expires_at timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),

  constraint promocode_is_a_discount check ((kind = 'discount') = (discount_ppm is not null and min_gb is not null)),
  constraint promocode_is_traffic check ((kind = 'traffic') = (pool is not null and bytes is not null)),
  constraint promocode_never_overused check (uses <= max_uses)
);

-- One row per code and customer: held while an invoice is open, used once it is paid. That there can be no second row
-- is what makes a code good once per customer.
create table promo_use (
  promocode_id bigint not null references promocode (id),
  account_id bigint not null references account (id),
  -- What holds or has used it: the number of an invoice; null for traffic.
  invoice text,
  held_until timestamptz,
  used_at timestamptz,
  primary key (promocode_id, account_id),
  check ((held_until is null) <> (used_at is null))
);

create index promo_use_held on promo_use (promocode_id, held_until) where used_at is null;
create index promo_use_invoice on promo_use (invoice) where invoice is not null;
