-- Invoices, the payments and notifications that arrive for them, the rates and currencies of their prices,
-- and the sums of each account.

create table exchange_rate (
  id bigint generated always as identity primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
  per_usd_micros bigint not null check (per_usd_micros > 0),
  set_at timestamptz not null default now(),
  day date not null generated always as ((set_at at time zone 'UTC')::date) stored,
  source text not null default 'hand' check (source in ('hand', 'file')),
  entered_at timestamptz not null default now(),
  entered_by text check (length(entered_by) between 1 and 200),
  reason text,
  constraint exchange_rate_size check (per_usd_micros <= 9999999999999),
  constraint exchange_rate_is_known check (set_at <= entered_at)
);
comment on table exchange_rate is
  'Rates that the operator entered, by hand or from a file. It is append-only: of the latest day that a '
  'currency has a rate of, the newest row applies.';
comment on column exchange_rate.per_usd_micros is 'Millionths of the currency for one USD.';
comment on column exchange_rate.set_at is
  'The time that the rate is of; of a rate by the day, its beginning in UTC. Its age counts from here.';
comment on column exchange_rate.day is
  'The UTC day of set_at. An entry for the same day corrects the one before.';
comment on column exchange_rate.entered_by is
  'A member of staff, or a user of the command line. Null: not known.';

create index exchange_rate_newest on exchange_rate (currency, day desc, id desc);

create function exchange_rate_stays() returns trigger language plpgsql as $$
begin
  raise exception 'rates are append-only: enter another one' using errcode = 'restrict_violation';
end $$;
comment on function exchange_rate_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on exchange_rate
  for each statement execute function exchange_rate_stays();

create table display_currency (
  currency text primary key check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
  shown_since timestamptz not null
);
comment on table display_currency is
  'The currencies besides USD in which customers may look at prices. They pay what the payment method '
  'collects.';

create table account_currency (
  account_id bigint primary key references account (id),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  chosen_at timestamptz not null
);
comment on table account_currency is
  'The currency in which a customer wants to see prices; no row: none was chosen. USD is a choice too.';

create table invoice (
  id bigint generated always as identity primary key,
  number text not null unique,
  account_id bigint not null references account (id),
  pool text not null,
  method text not null,
  language text not null default 'ru' check (language in ('ru', 'en')),
  -- The quote.
  gb bigint not null check (gb between 0 and 99999999),
  per_gb_micros bigint not null check (per_gb_micros >= 0),
  volume_discount_ppm integer not null check (volume_discount_ppm between 0 and 999999),
  promo_discount_ppm integer not null default 0 check (promo_discount_ppm between 0 and 1000000),
  promocode text,
  promocode_id bigint references promocode (id),
  price_list text,
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
    check (state in ('pending', 'paid', 'underpaid', 'expired', 'cancelled', 'partly_refunded', 'refunded')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  settled_at timestamptz,
  paid_at timestamptz,
  received_micros bigint not null default 0 check (received_micros >= 0),
  credited_bytes bigint not null default 0 check (credited_bytes >= 0),
  promo_lost_at timestamptz,
  refunded_at timestamptz,
  refunded_micros bigint not null default 0,
  taken_back_bytes bigint not null default 0,
  dispute_state text check (dispute_state in ('needs_response', 'under_review', 'won', 'lost')),
  dispute_respond_by timestamptz,
  is_test boolean not null default false,
  fee_micros bigint check (fee_micros >= 0),
  fee_asked_at timestamptz,
  is_automatic boolean not null default false,
  saves_method boolean not null default false,
  without text[] not null default '{}',
  shown_currency text,
  shown_micros bigint,
  shown_per_usd_micros bigint,
  shown_set_at timestamptz,
  from_shares_micros bigint not null default 0,
  unique (method, external_id),
  check ((state in ('paid', 'underpaid')) <= (settled_at is not null)),
  check (from_shares_micros between 0 and received_micros),
  constraint invoice_goods check (
    (pool = 'balance') = (gb = 0) and (gb = 0) = (per_gb_micros = 0) and (gb > 0 or credited_bytes = 0 and promocode is null)
  ),
  constraint invoice_full_cost check (full_cost_micros >= cost_micros and full_cost_micros % 10000 = 0),
  constraint invoice_promocode check ((promocode_id is null) = (promocode is null)),
  constraint invoice_loses_a_promo_it_had check (promo_lost_at is null or promocode_id is not null),
  constraint invoice_price check (
    num_nonnulls(price_currency, price_micros, rate_per_usd_micros, rate_set_at) in (0, 4)
    and price_micros > 0 and price_micros % 10000 = 0
  ),
  constraint invoice_refund check (
    (state in ('partly_refunded', 'refunded')) = (refunded_at is not null)
    and refunded_micros between 0 and received_micros
    and (state = 'refunded') <= (refunded_micros = received_micros)
    and (state = 'partly_refunded') <= (refunded_micros between 1 and received_micros - 1)
    and taken_back_bytes between 0 and credited_bytes
    and (refunded_at is not null or (refunded_micros = 0 and taken_back_bytes = 0))
  ),
  constraint invoice_dispute check (
    disputed_at is not null or num_nonnulls(dispute_state, dispute_respond_by) = 0
  ),
  constraint invoice_shown check (
    num_nonnulls(shown_currency, shown_micros, shown_per_usd_micros, shown_set_at) in (0, 4)
    and shown_micros >= 0 and (shown_currency is null or shown_currency is distinct from price_currency)
  )
);
comment on table invoice is
  'An order of traffic, or of money for the customer''s balance, with its price frozen when it was made.';
comment on column invoice.pool is
  'balance: the order tops up the money balance of the customer; it has no GB and credits no traffic.';
comment on column invoice.number is
  'The invoice''s name outside the database; random, so that it cannot be guessed.';
comment on column invoice.language is 'The language it was ordered in, of its payment page and its letters.';
comment on column invoice.price_list is
  'The name of the customer''s price list at the time of the order; null: the shop''s prices.';
comment on column invoice.full_cost_micros is 'What it would have cost without the promo code.';
comment on column invoice.price_currency is
  'The currency in which the processor collects, when that is not USD; the price and the rate it was counted '
  'at are frozen.';
comment on column invoice.rate_per_usd_micros is 'Millionths of price_currency for one USD.';
comment on column invoice.external_id is 'The processor''s own id, once the processor has made its invoice.';
comment on column invoice.checked_at is
  'When the processor was last queried; written before the query is sent.';
comment on column invoice.checked_verdict is
  'The verdict on the processor''s latest answer, whether to a query or in a notification.';
comment on column invoice.last_looked_at is
  'When the processor last answered after the days in which late money usually arrives. It is separate from '
  'checked_at because a query without an answer must be repeated.';
comment on column invoice.disputed_at is 'When the processor said that the payer disputes the payment.';
comment on column invoice.settled_at is 'When its last money was counted here.';
comment on column invoice.paid_at is
  'The time of its last money at the processor, by which reports and documents go; null: that of the settlement.';
comment on column invoice.promo_lost_at is
  'When a payment came after the use of the code had been given to others: it bought at the full cost.';
comment on column invoice.state is
  'Of one with returned money the sums decide: refunded, when all that was received was returned; '
  'partly_refunded, when less was.';
comment on column invoice.refunded_at is 'When money was returned for the first time.';
comment on column invoice.refunded_micros is 'The money that was given back.';
comment on column invoice.taken_back_bytes is 'The traffic that could be taken back.';
comment on column invoice.dispute_state is
  'How the dispute stands, as the processor last told; null: it does not tell.';
comment on column invoice.dispute_respond_by is
  'Until when the processor takes an answer to the dispute; null: it does not tell.';
comment on column invoice.is_test is
  'Of the account of test purchases. Its money is posted as test_purchase and test_refund.';
comment on column invoice.fee_micros is
  'What the processor kept of its payments, in micro-USD; null: not known.';
comment on column invoice.fee_asked_at is
  'When the processor was last asked for a fee that it had not reported with the payment.';
comment on column invoice.is_automatic is
  'Made by automatic top-up, and charged from a saved payment method.';
comment on column invoice.saves_method is
  'The processor is asked to save the payment method; part of the request, which is the same when it is '
  'repeated.';
comment on column invoice.without is
  'The optional wishes (save_method, receipt, invoice, language) without which it is made, since the processor '
  'refuses them.';
comment on column invoice.shown_currency is
  'The currency in which the customer was shown the cost, when that is neither USD nor what the processor '
  'collects; amount and rate are frozen.';
comment on column invoice.shown_per_usd_micros is 'Millionths of shown_currency for one USD.';
comment on column invoice.from_shares_micros is
  'Of an order that a referral balance paid: what shares had brought there. The rest is money that staff '
  'gave, which is spent last.';

create index invoice_account on invoice (account_id, id desc);
create index invoice_pending on invoice (expires_at) where state = 'pending';
-- The open invoices of an account are counted whenever it makes another.
create index invoice_open on invoice (account_id) where state = 'pending';
create index invoice_state on invoice (state, id desc);
create index invoice_promocode on invoice (promocode_id) where promocode_id is not null;
-- For the poller, which checks open invoices and those of the last thirty days.
create index invoice_at_processor on invoice (created_at) where external_id is not null;
create index invoice_settled on invoice (settled_at) where settled_at is not null;
create index invoice_paid on invoice ((coalesce(paid_at, settled_at))) where settled_at is not null;
create index invoice_disputed on invoice (id) where disputed_at is not null;
create index invoice_without_traffic on invoice (id) where state = 'paid' and credited_bytes = 0 and gb > 0;
create index invoice_refunded on invoice (refunded_at) where refunded_at is not null;
create index invoice_test on invoice (id) where is_test;
-- Invoices of a day are in the order of their times.
create index invoice_created on invoice (created_at, id);
-- For the job that asks for the fees of older payments.
create index invoice_fee_unknown on invoice (method, fee_asked_at nulls first)
  where fee_micros is null and settled_at is not null;

create function invoice_stays() returns trigger language plpgsql as $$
declare
  is_reversal boolean := false;
begin
  if tg_op = 'DELETE' then
    if old.settled_at is not null then
      raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if (new.id, new.number, new.account_id, new.pool, new.method, new.gb, new.per_gb_micros, new.volume_discount_ppm,
      new.promo_discount_ppm, new.promocode, new.promocode_id, new.language, new.cost_micros, new.full_cost_micros,
      new.price_currency, new.price_micros, new.rate_per_usd_micros, new.rate_set_at, new.shown_currency,
      new.shown_micros, new.shown_per_usd_micros, new.shown_set_at)
    is distinct from
     (old.id, old.number, old.account_id, old.pool, old.method, old.gb, old.per_gb_micros, old.volume_discount_ppm,
      old.promo_discount_ppm, old.promocode, old.promocode_id, old.language, old.cost_micros, old.full_cost_micros,
      old.price_currency, old.price_micros, old.rate_per_usd_micros, old.rate_set_at, old.shown_currency,
      old.shown_micros, old.shown_per_usd_micros, old.shown_set_at) then
    raise exception 'the order of invoice % is frozen', old.number using errcode = 'restrict_violation';
  end if;
  if old.settled_at is null then
    return new;
  end if;
  -- The money of a refund came back to the processor: what was counted of it, and nothing else, is undone.
  if new.refunded_micros < old.refunded_micros then
    is_reversal := exists (
      select from processor_refund r where r.invoice_id = new.id and r.state = 'reversed'
        and r.usd_micros = old.refunded_micros - new.refunded_micros
        and r.taken_back_bytes = old.taken_back_bytes - new.taken_back_bytes
      union all
      select from refund r where r.invoice_id = new.id and r.state = 'failed'
        and r.usd_micros = old.refunded_micros - new.refunded_micros
        and r.taken_back_bytes = old.taken_back_bytes - new.taken_back_bytes)
      and (new.received_micros, new.credited_bytes) = (old.received_micros, old.credited_bytes);
  end if;
  if (new.created_at, new.expires_at) is distinct from (old.created_at, old.expires_at)
    or new.settled_at is null
    or old.external_id is not null and new.external_id is distinct from old.external_id
    or new.received_micros < old.received_micros or new.credited_bytes < old.credited_bytes
    or not is_reversal and (
      new.refunded_micros < old.refunded_micros or new.taken_back_bytes < old.taken_back_bytes
      or old.refunded_at is not null and new.refunded_at is distinct from old.refunded_at)
    or new.state not in ('paid', 'underpaid', 'partly_refunded', 'refunded') then
    raise exception 'invoice % is settled and stays', old.number using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function invoice_stays() is
  'Refuses changes of what was ordered at which price. Once an invoice is settled, it is not deleted, it '
  'does not become open, expired or cancelled again, and no sum of it decreases, but by a refund whose money '
  'came back.';

create trigger stays before update or delete on invoice for each row execute function invoice_stays();

create table money_balance (
  account_id bigint primary key references account (id),
  owed_micros bigint not null default 0 check (owed_micros >= 0)
);
comment on table money_balance is
  'Locked before the money balance of a customer changes. The balance itself is in the ledger.';
comment on column money_balance.owed_micros is
  'Micro-USD of payments that processors have returned after they were spent: later money pays them off first.';

create table payment (
  method text not null,
  external_payment_id text not null,
  invoice_id bigint not null references invoice (id),
  received_micros bigint not null check (received_micros > 0),
  received_at timestamptz not null default now(),
  paid_at timestamptz,
  primary key (method, external_payment_id)
);
comment on table payment is
  'Money that was received. The primary key ensures that a processor''s payment is counted once.';

comment on column payment.received_at is 'When it was counted here.';
comment on column payment.paid_at is 'The time that the processor says; null: it says none.';

create index payment_invoice on payment (invoice_id);

create function payment_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a payment that was counted stays' using errcode = 'restrict_violation';
end $$;
comment on function payment_stays() is 'Refuses the statement: a payment that was counted is not changed.';

create trigger stays before update or delete or truncate on payment
  for each statement execute function payment_stays();

create table refused_wish (
  method text not null,
  wish text not null check (wish in ('save_method', 'receipt', 'invoice', 'language')),
  refused_at timestamptz not null,
  reason text not null,
  primary key (method, wish)
);
comment on table refused_wish is
  'Optional parts of invoices that a processor has refused to the shop. A row goes when the processor accepts '
  'the wish again.';
comment on column refused_wish.reason is 'The answer of the processor.';

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
comment on column webhook_event.ip is
  'The address it came from, which is the proof of processors that do not sign.';
comment on column webhook_event.body is
  'Of a forged notification only the beginning, and all of them together are limited for each method.';
comment on column webhook_event.body_bytes is 'The length of the body that was received.';
comment on column webhook_event.deliveries is 'How often the same notification was received.';
comment on column webhook_event.invoice_number is 'The invoice that it was found to be about.';

create index webhook_event_forged on webhook_event (method) where verdict = 'forged';
-- The notifications about an invoice.
create index webhook_event_invoice on webhook_event (invoice_number) where invoice_number is not null;
-- The notifications with a verdict.
create index webhook_event_verdict on webhook_event (verdict, id);

create view campaign as
  select a.admin_referral_code as code,
    count(distinct a.id) as sign_ups,
    count(distinct i.account_id) as buyers,
    coalesce(sum(i.received_micros - i.refunded_micros), 0)::bigint as revenue_micros
  from account a
  left join invoice i on i.account_id = a.id and i.received_micros > 0 and i.method not in ('referral', 'balance')
  where a.admin_referral_code is not null
  group by a.admin_referral_code;
comment on view campaign is
  'What each campaign of the operator brought: accounts, those of them that paid, and their money less what '
  'was given back.';

create table account_spending (
  account_id bigint primary key references account (id),
  micros bigint not null
);
comment on table account_spending is
  'Real money that an account has paid, less what was given back: a sum over its invoices, kept by the '
  'trigger spends.';

create index account_spending_most on account_spending (micros desc, account_id desc);

create function invoice_spends() returns trigger language plpgsql as $$
begin
  insert into account_spending as s (account_id, micros)
    values (new.account_id, new.received_micros - new.refunded_micros - old.received_micros + old.refunded_micros)
    on conflict (account_id) do update set micros = s.micros + excluded.micros;
  return null;
end $$;
comment on function invoice_spends() is
  'Adds what an invoice received or gave back to the spending of its account.';

create trigger spends after update of received_micros, refunded_micros on invoice for each row
  when (new.method not in ('referral', 'balance')
    and new.received_micros - new.refunded_micros <> old.received_micros - old.refunded_micros)
  execute function invoice_spends();

-- Balances as they were a few minutes ago: settlements change the balances themselves all the time, and an
-- index on those would make every settlement dearer.
create table account_held (
  account_id bigint primary key references account (id),
  bytes bigint not null
);
comment on table account_held is
  'The bytes that a customer held in all pools when account_held_at says; to order and filter by, not to '
  'decide anything.';

create index account_held_most on account_held (bytes desc, account_id desc);

create table account_margin (
  account_id bigint primary key references account (id),
  micros bigint not null
);
comment on table account_margin is
  'What a customer''s use left in the 30 days before account_margin_at, less what it cost; to order and filter by.';

create index account_margin_most on account_margin (micros desc, account_id desc);

create function account_opens_sums() returns trigger language plpgsql as $$
begin
  insert into account_spending (account_id, micros) values (new.id, 0) on conflict do nothing;
  insert into account_held (account_id, bytes) values (new.id, 0) on conflict do nothing;
  insert into account_margin (account_id, micros) values (new.id, 0) on conflict do nothing;
  return null;
end $$;
comment on function account_opens_sums() is 'Inserts what is kept of each account for the lists of the desk.';

create trigger opens_sums after insert on account for each row execute function account_opens_sums();

create table account_held_at (
  one boolean primary key default true check (one),
  at timestamptz not null
);
comment on table account_held_at is 'When account_held was read from the balances. Always one row.';
insert into account_held_at (at) values (now());

create table account_margin_at (
  one boolean primary key default true check (one),
  at timestamptz not null
);
comment on table account_margin_at is 'When account_margin was counted. Always one row.';
insert into account_margin_at (at) values (now());
