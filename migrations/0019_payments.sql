-- Real processors: what they were asked to collect, what they said of it, and what is to be sent back by them.

-- The operator's rates, each with its date; the newest of a currency counts.
create table exchange_rate (
  id bigint generated always as identity primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
  -- Millionths of the currency for one USD.
  per_usd_micros bigint not null check (per_usd_micros > 0),
  set_at timestamptz not null default now()
);

create index exchange_rate_newest on exchange_rate (currency, id desc);

alter table invoice
  -- What the processor collects when that is not USD, frozen with the rate it was counted at.
  add price_currency text,
  add price_micros bigint,
  add rate_per_usd_micros bigint,
  add rate_set_at timestamptz,
  -- When the processor was last asked about it.
  add checked_at timestamptz,
  -- What was made of its latest answer, from whichever side it came.
  add checked_verdict text,
  -- When the processor said that the payer disputes the payment.
  add disputed_at timestamptz,
  add constraint invoice_price check (
    num_nonnulls(price_currency, price_micros, rate_per_usd_micros, rate_set_at) in (0, 4)
    and price_micros > 0 and price_micros % 10000 = 0
  );

create index invoice_at_processor on invoice (checked_at nulls first, id)
  where external_id is not null and state in ('pending', 'underpaid', 'expired', 'cancelled');

alter table webhook_event
  -- The address it came from: the proof of processors that do not sign.
  add ip text,
  add deliveries integer not null default 1,
  -- The invoice that it turned out to be about.
  add invoice_number text;

-- Money that a processor has been told, or is to be told, to give back.
create table payment_refund (
  invoice_id bigint primary key references invoice (id),
  method text not null,
  external_id text not null,
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  state text not null default 'due' check (state in ('due', 'sent', 'failed')),
  -- The processor's own id of it, and where the customer claims it if they must.
  reference text,
  claim_url text,
  attempts integer not null default 0,
  fault text,
  created_at timestamptz not null default now(),
  tried_at timestamptz,
  sent_at timestamptz,
  check ((state = 'sent') = (sent_at is not null and reference is not null))
);

create index payment_refund_due on payment_refund (tried_at nulls first) where state = 'due';
