-- Invoices, the payments and notifications that arrive for them, and refunds.

create table exchange_rate (
  id bigint generated always as identity primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
  per_usd_micros bigint not null check (per_usd_micros > 0),
  set_at timestamptz not null default now()
);
comment on table exchange_rate is 'A rate that the operator set; the newest of a currency applies.';
comment on column exchange_rate.per_usd_micros is 'Millionths of the currency for one USD.';

create index exchange_rate_newest on exchange_rate (currency, id desc);

create table invoice (
  id bigint generated always as identity primary key,
  number text not null unique,
  account_id bigint not null references account (id),
  pool text not null,
  method text not null,
  language text not null default 'ru' check (language in ('ru', 'en')),
  -- The quote.
  gb bigint not null check (gb between 1 and 99999999),
  per_gb_micros bigint not null check (per_gb_micros > 0),
  volume_discount_ppm integer not null check (volume_discount_ppm between 0 and 999999),
  promo_discount_ppm integer not null default 0 check (promo_discount_ppm between 0 and 1000000),
  promocode text,
  promocode_id bigint references promocode (id),
  full_cost_micros bigint not null,
  cost_micros bigint not null check (cost_micros >= 0 and cost_micros % 10000 = 0),
  price_currency text,
  price_micros bigint,
  rate_per_usd_micros bigint,
  rate_set_at timestamptz,
  -- At the processor.
  external_id text,
  payment_url text,
  checked_at timestamptz,
  checked_verdict text,
  last_looked_at timestamptz,
  disputed_at timestamptz,
  -- Its state and the sums so far.
  state text not null default 'pending'
    check (state in ('pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  settled_at timestamptz,
  received_micros bigint not null default 0 check (received_micros >= 0),
  credited_bytes bigint not null default 0 check (credited_bytes >= 0),
  promo_lost_at timestamptz,
  refunded_at timestamptz,
  refunded_micros bigint not null default 0,
  taken_back_bytes bigint not null default 0,
  unique (method, external_id),
  check ((state in ('paid', 'underpaid')) <= (settled_at is not null)),
  constraint invoice_full_cost check (full_cost_micros >= cost_micros and full_cost_micros % 10000 = 0),
  constraint invoice_promocode check ((promocode_id is null) = (promocode is null)),
  constraint invoice_loses_a_promo_it_had check (promo_lost_at is null or promocode_id is not null),
  constraint invoice_price check (
    num_nonnulls(price_currency, price_micros, rate_per_usd_micros, rate_set_at) in (0, 4)
    and price_micros > 0 and price_micros % 10000 = 0
  ),
  constraint invoice_refund check (
    (state = 'refunded') = (refunded_at is not null)
    and refunded_micros between 0 and received_micros
    and taken_back_bytes between 0 and credited_bytes
    and (refunded_at is not null or (refunded_micros = 0 and taken_back_bytes = 0))
  )
);
comment on table invoice is 'An order of traffic, with its price frozen when it was made.';
comment on column invoice.number is 'The invoice''s name outside the database; random, so that it cannot be guessed.';
comment on column invoice.language is 'The language it was ordered in, of its payment page and its letters.';
comment on column invoice.full_cost_micros is 'What it would have cost without the promo code.';
comment on column invoice.price_currency is
  'The currency in which the processor collects, when that is not USD; the price and the rate it was counted at are frozen.';
comment on column invoice.rate_per_usd_micros is 'Millionths of price_currency for one USD.';
comment on column invoice.external_id is 'The processor''s own id, once the processor has made its invoice.';
comment on column invoice.checked_at is 'When the processor was last queried; written before the query is sent.';
comment on column invoice.checked_verdict is
  'The verdict on the processor''s latest answer, whether to a query or in a notification.';
comment on column invoice.last_looked_at is
  'When the processor last answered after the days in which late money usually arrives. It is separate from checked_at because a '
  'query without an answer must be repeated.';
comment on column invoice.disputed_at is 'When the processor said that the payer disputes the payment.';
comment on column invoice.promo_lost_at is
  'When a payment came after the use of the code had been given to others: it bought at the full cost.';
comment on column invoice.refunded_micros is 'The money that was given back.';
comment on column invoice.taken_back_bytes is 'The traffic that could be taken back.';

create index invoice_account on invoice (account_id, id desc);
create index invoice_pending on invoice (expires_at) where state = 'pending';
-- The open invoices of an account are counted whenever it makes another.
create index invoice_open on invoice (account_id) where state = 'pending';
create index invoice_state on invoice (state, id desc);
create index invoice_promocode on invoice (promocode_id) where promocode_id is not null;
-- For the poller, which checks open invoices and those of the last thirty days.
create index invoice_at_processor on invoice (created_at) where external_id is not null;

create function invoice_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.settled_at is not null then
      raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if (new.id, new.number, new.account_id, new.pool, new.method, new.gb, new.per_gb_micros, new.volume_discount_ppm,
      new.promo_discount_ppm, new.promocode, new.promocode_id, new.language, new.cost_micros, new.full_cost_micros,
      new.price_currency, new.price_micros, new.rate_per_usd_micros, new.rate_set_at)
    is distinct from
     (old.id, old.number, old.account_id, old.pool, old.method, old.gb, old.per_gb_micros, old.volume_discount_ppm,
      old.promo_discount_ppm, old.promocode, old.promocode_id, old.language, old.cost_micros, old.full_cost_micros,
      old.price_currency, old.price_micros, old.rate_per_usd_micros, old.rate_set_at) then
    raise exception 'the order of invoice % is frozen', old.number using errcode = 'restrict_violation';
  end if;
  if old.settled_at is null then
    return new;
  end if;
  if (new.created_at, new.expires_at) is distinct from (old.created_at, old.expires_at)
    or new.settled_at is null
    or old.external_id is not null and new.external_id is distinct from old.external_id
    or new.received_micros < old.received_micros or new.credited_bytes < old.credited_bytes
    or new.refunded_micros < old.refunded_micros or new.taken_back_bytes < old.taken_back_bytes
    or old.refunded_at is not null and new.refunded_at is distinct from old.refunded_at
    or new.state not in ('paid', 'underpaid', 'refunded')
    or old.state = 'refunded' and new.state <> 'refunded' then
    raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function invoice_stays() is
  'Refuses changes of what was ordered at which price. Once an invoice is settled, it is not deleted, it does not become open, '
  'expired or cancelled again, and no sum of it decreases.';

create trigger stays before update or delete on invoice for each row execute function invoice_stays();

create table payment (
  method text not null,
  external_payment_id text not null,
  invoice_id bigint not null references invoice (id),
  received_micros bigint not null check (received_micros > 0),
  received_at timestamptz not null default now(),
  primary key (method, external_payment_id)
);
comment on table payment is 'Money that was received. The primary key ensures that a processor''s payment is counted once.';

create index payment_invoice on payment (invoice_id);

create function payment_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a payment that was counted stays' using errcode = 'restrict_violation';
end $$;
comment on function payment_stays() is 'Refuses the statement: a payment that was counted is not changed.';

create trigger stays before update or delete or truncate on payment
  for each statement execute function payment_stays();

create table payment_refund (
  invoice_id bigint primary key references invoice (id),
  method text not null,
  external_id text not null,
  currency text not null,
  amount_micros bigint not null check (amount_micros > 0),
  state text not null default 'due' check (state in ('due', 'sent', 'failed')),
  reference text,
  claim_url text,
  attempts integer not null default 0,
  fault text,
  created_at timestamptz not null default now(),
  tried_at timestamptz,
  sent_at timestamptz,
  check ((state = 'sent') = (sent_at is not null and reference is not null))
);
comment on table payment_refund is 'Money that a processor was asked, or is to be asked, to give back.';
comment on column payment_refund.reference is 'The processor''s own id of the refund.';
comment on column payment_refund.claim_url is 'Where the customer claims the refund, with processors that need it.';

create index payment_refund_due on payment_refund (tried_at nulls first) where state = 'due';

create function payment_refund_stays() returns trigger language plpgsql as $$
begin
  if old.state = 'sent' then
    raise exception 'the refund of invoice % was sent', old.invoice_id using errcode = 'restrict_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
comment on function payment_refund_stays() is 'Refuses changes of a refund that was sent.';

create trigger stays before update or delete on payment_refund
  for each row execute function payment_refund_stays();

create table webhook_event (
  id bigint generated always as identity primary key,
  method text not null,
  dedupe_key text not null,
  ip text,
  headers jsonb not null,
  body bytea not null,
  body_bytes integer not null,
  deliveries integer not null default 1,
  received_at timestamptz not null default now(),
  judged_at timestamptz,
  verdict text,
  invoice_number text,
  unique (method, dedupe_key)
);
comment on table webhook_event is
  'A notification of a processor as it was received, stored before it is interpreted.';
comment on column webhook_event.ip is 'The address it came from, which is the proof of processors that do not sign.';
comment on column webhook_event.body is
  'Of a forged notification only the beginning, and all of them together are limited for each method.';
comment on column webhook_event.body_bytes is 'The length of the body that was received.';
comment on column webhook_event.deliveries is 'How often the same notification was received.';
comment on column webhook_event.invoice_number is 'The invoice that it was found to be about.';

create index webhook_event_forged on webhook_event (method) where verdict = 'forged';

create view campaign as
  select a.admin_referral_code as code,
    count(distinct a.id) as sign_ups,
    count(distinct i.account_id) as buyers,
    coalesce(sum(i.received_micros - i.refunded_micros), 0)::bigint as revenue_micros
  from account a
  left join invoice i on i.account_id = a.id and i.received_micros > 0 and i.method <> 'referral'
  where a.admin_referral_code is not null
  group by a.admin_referral_code;
comment on view campaign is
  'What each campaign of the operator brought: accounts, those of them that paid, and their money less what was given back.';
