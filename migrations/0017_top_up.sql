-- Automatic top-up: payment methods that customers have let the shop save, what they agreed to, and the
-- charges.

create table saved_method (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  method text not null,
  sealed bytea not null,
  brand text not null check (length(brand) between 1 and 40),
  last4 text check (last4 ~ '^\d{4}$'),
  expires text check (expires ~ '^\d{4}-\d{2}$'),
  saved_at timestamptz not null,
  identity bytea not null check (length(identity) = 32)
);
comment on table saved_method is
  'Payment methods that may be charged later. A refusal deletes the row at once (376-FZ), whatever the '
  'processor does.';
comment on column saved_method.method is 'The payment method of the shop (its processor) that charges it.';
comment on column saved_method.sealed is 'The processor''s ids of it, sealed with SECRET_KEY.';
comment on column saved_method.brand is 'What the customer knows it by: of a card its brand.';
comment on column saved_method.identity is
  'SHA-256 of what is the same when it is saved again: the processor''s fingerprint of the card, or its id '
  'of the method.';

create index saved_method_of_account on saved_method (account_id);
create unique index saved_method_identity on saved_method (account_id, method, identity);

create table top_up_consent (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  kind text not null check (kind in ('save', 'top_up')),
  pool text check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  invoice_id bigint unique references invoice (id),
  method text not null,
  card text,
  language text not null check (language in ('ru', 'en')),
  version smallint not null,
  text text not null,
  sha256 bytea not null check (length(sha256) = 32),
  below_bytes bigint,
  gb bigint,
  month_micros bigint,
  most_currency text,
  most_micros bigint,
  given_at timestamptz not null,
  ip text,
  user_agent text,
  read_at timestamptz,
  ended_at timestamptz,
  ended_by text check (ended_by in ('customer', 'staff', 'processor', 'shop', 'replaced')),
  check ((ended_at is null) = (ended_by is null)),
  check ((kind = 'save') = (invoice_id is not null)),
  check ((kind = 'top_up') = (pool is not null)),
  check (kind = 'save' or num_nulls(below_bytes, gb, month_micros, most_currency, most_micros) = 0)
);
comment on table top_up_consent is
  'What customers have agreed to, word by word: to save a payment method (`save`), or to be charged '
  '(`top_up`).';
comment on column top_up_consent.card is
  'The saved method it is about, as the customer knows it; of `save` set once the method is saved.';
comment on column top_up_consent.month_micros is
  'The most that all charges of a calendar month (UTC) may take together, in micro-USD.';
comment on column top_up_consent.most_micros is
  'The most that one charge may take, in millionths of most_currency.';
comment on column top_up_consent.read_at is
  'Of `save`: when the processor was asked for the method of the paid invoice, or it was never paid.';
comment on column top_up_consent.ended_at is 'When it was withdrawn, or replaced by a later one.';

create index top_up_consent_of_account on top_up_consent (account_id);
create index top_up_consent_unread on top_up_consent (id)
  where kind = 'save' and read_at is null and ended_at is null;

create table top_up (
  account_id bigint not null references account (id),
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  is_on boolean not null,
  off_reason text,
  saved_method_id bigint references saved_method (id) on delete set null,
  consent_id bigint not null references top_up_consent (id),
  below_bytes bigint not null check (below_bytes > 0),
  gb bigint not null check (gb > 0 and gb * 1000000000 >= below_bytes),
  month_micros bigint not null check (month_micros > 0),
  most_currency text not null,
  most_micros bigint not null check (most_micros > 0),
  is_armed boolean not null,
  crossing bigint not null default 0,
  seen_credits bigint not null default 0,
  failures smallint not null default 0,
  retry_at timestamptz,
  bound_told text,
  changed_at timestamptz not null,
  primary key (account_id, pool),
  check (is_on = (off_reason is null)),
  check (not is_on or saved_method_id is not null)
);
comment on table top_up is 'Automatic top-up of a customer in a pool, as they have set it.';
comment on column top_up.below_bytes is
  'A charge is due when less is left. What is bought is at least as much, so that a charge ends its '
  'crossing.';
comment on column top_up.is_armed is
  'The balance was above since the last charge, or the customer has just switched it on: the next look below '
  'charges.';
comment on column top_up.crossing is
  'The number of the last crossing that was charged for; each is charged once.';
comment on column top_up.seen_credits is
  'The number of credits at the last look: a later credit above the threshold arms it again.';
comment on column top_up.failures is 'Failed charges in a row.';
comment on column top_up.retry_at is 'When the same crossing may be charged again after a failure.';
comment on column top_up.bound_told is
  'The month (YYYY-MM) in which the customer was told that its bound is reached.';

create index top_up_on on top_up (account_id) where is_on;
create index top_up_by_method on top_up (saved_method_id);

create table top_up_charge (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  pool text not null,
  crossing bigint not null,
  invoice_id bigint not null unique references invoice (id),
  saved_method_id bigint not null,
  method text not null,
  card text not null,
  order_text text not null,
  cost_micros bigint not null check (cost_micros > 0),
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  state text not null check (state in ('intended', 'accepted', 'authentication', 'awaiting_customer', 'succeeded', 'failed')),
  reason text,
  external_id text,
  made_at timestamptz not null,
  asked_at timestamptz,
  look_at timestamptz not null,
  ended_at timestamptz,
  check ((state in ('succeeded', 'failed')) = (ended_at is not null)),
  check ((state = 'failed') = (reason is not null) or state in ('authentication', 'awaiting_customer')),
  foreign key (account_id, pool) references top_up (account_id, pool)
);
comment on table top_up_charge is
  'Charges of saved methods. The row and its invoice are written before the processor is asked; the '
  'invoice''s number is the idempotency key.';
comment on column top_up_charge.saved_method_id is 'No reference: the method may have been removed since.';
comment on column top_up_charge.order_text is
  'The signed order as it goes to the processor: the request is the same when it is repeated.';
comment on column top_up_charge.month is 'The calendar month (UTC) whose bound it counts for, YYYY-MM.';
comment on column top_up_charge.state is
  '`intended`: the processor may have been asked. `accepted`: it has answered that it works on it. '
  '`authentication`: the bank asks for the customer, and a page is being made on which they pay. '
  '`awaiting_customer`: they were told of that page.';
comment on column top_up_charge.external_id is 'The processor''s id of the charge, once known.';

create unique index top_up_charge_in_flight on top_up_charge (account_id, pool)
  where state not in ('succeeded', 'failed');
create unique index top_up_charge_of_crossing on top_up_charge (account_id, pool, crossing)
  where state <> 'failed';
create index top_up_charge_due on top_up_charge (look_at) where state not in ('succeeded', 'failed');
create index top_up_charge_of_month on top_up_charge (account_id, pool, month);
create index top_up_charge_ended on top_up_charge (method, ended_at) where ended_at is not null;
create index top_up_charge_denied on top_up_charge (ended_at) where reason = 'shop_denied';
