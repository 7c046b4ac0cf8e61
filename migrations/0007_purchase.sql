-- Invoices, and the payments that arrive for them.

create table invoice (
  id bigint generated always as identity primary key,
  -- What the outside knows it by; not to be guessed.
  number text not null unique,
  account_id bigint not null references account (id),
  pool text not null,
  method text not null,
  gb bigint not null check (gb between 1 and 99999999),
  -- The quote, frozen.
  per_gb_micros bigint not null check (per_gb_micros > 0),
  volume_discount_ppm integer not null check (volume_discount_ppm between 0 and 999999),
  promo_discount_ppm integer not null default 0 check (promo_discount_ppm between 0 and 1000000),
  promocode text,
  -- The language it was ordered in: of its payment page and its mails.
  language text not null default 'ru' check (language in ('ru', 'en')),
  cost_micros bigint not null check (cost_micros >= 0 and cost_micros % 10000 = 0),
  state text not null default 'pending'
    check (state in ('pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded')),
  -- The processor's own id and page, once it has made them.
  external_id text,
  payment_url text,
  received_micros bigint not null default 0 check (received_micros >= 0),
  credited_bytes bigint not null default 0 check (credited_bytes >= 0),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  settled_at timestamptz,
  unique (method, external_id),
  check ((state in ('paid', 'underpaid')) <= (settled_at is not null))
);

create index invoice_account on invoice (account_id, id desc);
create index invoice_pending on invoice (expires_at) where state = 'pending';

-- Money that came in: at most once per payment of a processor.
create table payment (
  method text not null,
  external_payment_id text not null,
  invoice_id bigint not null references invoice (id),
  received_micros bigint not null check (received_micros > 0),
  received_at timestamptz not null default now(),
  primary key (method, external_payment_id)
);

create index payment_invoice on payment (invoice_id);

-- Every notification of a processor as it came, before anything is made of it.
create table webhook_event (
  id bigint generated always as identity primary key,
  method text not null,
  dedupe_key text not null,
  headers jsonb not null,
  body bytea not null,
  received_at timestamptz not null default now(),
  judged_at timestamptz,
  verdict text,
  unique (method, dedupe_key)
);
