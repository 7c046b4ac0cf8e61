-- What processors keep of payments.

create table processor_fee (
  method text not null,
  kind text not null check (kind in ('payment', 'refund', 'dispute')),
  subject text not null,
  invoice_id bigint not null references invoice (id),
  source text not null check (source in ('reported', 'terms')),
  currency text not null,
  amount_micros bigint not null,
  usd_micros bigint not null,
  noted_at timestamptz not null,
  primary key (method, kind, subject),
  check (kind = 'dispute' or (amount_micros >= 0 and usd_micros >= 0))
);
comment on table processor_fee is 'A fee of a processor, posted once as an expense. Append-only.';
comment on column processor_fee.subject is
  'The processor''s id of the payment or the refund; of a dispute with the sum of its fees so far, since they may be given back.';
comment on column processor_fee.source is 'reported: by the processor. terms: counted by the operator''s terms, for a processor that reports none.';
comment on column processor_fee.usd_micros is 'The same in micro-USD, at the rate of the invoice; below zero: given back.';

create index processor_fee_invoice on processor_fee (invoice_id);
create index processor_fee_noted on processor_fee (noted_at);

create function processor_fee_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a fee that was posted stays' using errcode = 'restrict_violation';
end $$;
comment on function processor_fee_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on processor_fee
  for each statement execute function processor_fee_stays();

create table fee_terms (
  id bigint generated always as identity primary key,
  method text not null,
  valid_from timestamptz not null,
  percent_ppm integer not null check (percent_ppm between 0 and 1000000),
  fixed_micros bigint not null check (fixed_micros >= 0),
  set_at timestamptz not null,
  set_by text not null
);
comment on table fee_terms is
  'What a processor that reports no fees keeps of a payment, by the time of the payment: the last row whose time has come is in force. Append-only.';

create index fee_terms_method on fee_terms (method, valid_from desc, id desc);

create trigger stays before update or delete or truncate on fee_terms
  for each statement execute function processor_fee_stays();

alter table invoice
  add column fee_micros bigint check (fee_micros >= 0),
  add column fee_asked_at timestamptz;
comment on column invoice.fee_micros is 'What the processor kept of its payments, in micro-USD; null: not known.';
comment on column invoice.fee_asked_at is 'When the processor was last asked for a fee that it had not reported with the payment.';

-- For the job that asks for the fees of older payments.
create index invoice_fee_unknown on invoice (method, fee_asked_at nulls first) where fee_micros is null and settled_at is not null;
