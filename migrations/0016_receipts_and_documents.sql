-- Fiscal receipts, those that a processor registers with the tax service and those that the operator
-- registers by hand; and documents of sales and refunds, numbered without gaps, made once and kept as they
-- were made.

create table receipt_email (
  account_id bigint primary key references account (id),
  email text not null check (email <> '' and length(email) <= 254),
  set_at timestamptz not null default now()
);
comment on table receipt_email is
  'Where a customer wants receipts, when that is not the e-mail of the account. Nobody signs in with it.';

create table receipt (
  id bigint generated always as identity primary key,
  invoice_number text not null references invoice (number) on delete cascade,
  account_id bigint not null references account (id),
  method text not null,
  kind text not null check (kind in ('payment', 'closing', 'refund')),
  payment_id text not null default '',
  registrar text not null check (registrar in ('yookassa', 'external', 'manual')),
  state text not null check (state in ('prepared', 'due', 'pending', 'registered', 'failed', 'void')),
  currency text not null,
  amount_micros bigint not null check (amount_micros >= 0 and (amount_micros > 0 or state = 'void')),
  description text not null,
  content jsonb,
  object_id text,
  created_at timestamptz not null default now(),
  due_at timestamptz,
  pending_since timestamptz,
  checked_at timestamptz,
  fault text,
  receipt_id text,
  fiscal_document_number text,
  fiscal_storage_number text,
  fiscal_attribute text,
  fiscal_provider_id text,
  marked_as text,
  link text check (link like 'https://%'),
  registered_at timestamptz,
  unique (invoice_number, kind, payment_id),
  constraint receipt_registered check ((state = 'registered') = (registered_at is not null)),
  constraint receipt_marked check ((marked_as is null and link is null) or state = 'registered'),
  constraint receipt_pending check (state <> 'pending' or pending_since is not null),
  constraint receipt_by_hand check (
    registrar <> 'manual' or (state in ('due', 'registered', 'void') and kind <> 'closing')
  ),
  constraint receipt_closing check (kind <> 'closing' or state <> 'due' or due_at is not null)
);
comment on table receipt is
  'A fiscal receipt of an invoice: of a payment, of a refund, or the closing receipt of a prepayment.';
comment on column receipt.payment_id is
  'The payment that it is of, where each payment is registered by itself (by hand); otherwise empty.';
comment on column receipt.registrar is
  'Who registers it: the service of YooKassa, a till connected to YooKassa (external), or the operator by '
  'hand (manual).';
comment on column receipt.state is
  'prepared: it goes with a payment or a refund that has not been made. due: it has to be sent, or '
  'registered by hand. pending: the processor has it. failed: it was not registered, and the operator has to '
  'act. void: nothing is left to register.';
comment on column receipt.amount_micros is
  'Millionths of the currency; 0 once all of a sale was returned before it was registered.';
comment on column receipt.description is 'What was sold, in the words of the receipt.';
comment on column receipt.content is
  'The receipt as it is sent to the processor; null: none is sent (by hand, and refunds of the whole '
  'payment).';
comment on column receipt.object_id is 'The processor''s id of the payment or the refund.';
comment on column receipt.pending_since is 'When the processor got it.';
comment on column receipt.checked_at is 'When the processor was last asked about it.';
comment on column receipt.fault is
  'Why it failed: a code (cancelled, returned_by_hand), or the words of the processor.';
comment on column receipt.receipt_id is 'The processor''s id of the receipt.';
comment on column receipt.marked_as is 'The number that staff wrote down when they registered it by hand.';

create index receipt_account on receipt (account_id, id desc);
create index receipt_state on receipt (state, id desc);
-- For the job that sends and asks.
create index receipt_open on receipt (checked_at nulls first)
  where state in ('due', 'pending') and registrar <> 'manual';
-- For the job that asks whether another receipt was made in place of a cancelled one.
create index receipt_cancelled on receipt (checked_at nulls first)
  where state = 'failed' and fault = 'cancelled' and registrar <> 'manual';

create function receipt_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.state not in ('prepared', 'void') then
      raise exception 'receipt % stays', old.id using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if (new.id, new.invoice_number, new.account_id, new.method, new.kind, new.payment_id, new.registrar, new.currency)
    is distinct from (old.id, old.invoice_number, old.account_id, old.method, old.kind, old.payment_id, old.registrar, old.currency)
  then
    raise exception 'what receipt % is of stays', old.id using errcode = 'restrict_violation';
  end if;
  if old.state = 'registered' and (
    new.state <> 'registered' or new.amount_micros <> old.amount_micros
    or old.fiscal_document_number is not null and
      (new.fiscal_document_number, new.fiscal_storage_number, new.fiscal_attribute, new.registered_at) is distinct from
      (old.fiscal_document_number, old.fiscal_storage_number, old.fiscal_attribute, old.registered_at)
  ) then
    raise exception 'receipt % is registered and stays', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function receipt_stays() is
  'Refuses changes of a registered receipt: its state, its sum, and the numbers that the tax service gave '
  'it.';

create trigger stays before update or delete on receipt for each row execute function receipt_stays();

create table document_due (
  invoice_id bigint primary key references invoice (id),
  due_at timestamptz not null
);
comment on table document_due is
  'Invoices whose money changed and has no document yet. A row is written in the transaction of the money '
  'and deleted in that of the document.';

create index document_due_at on document_due (due_at);

create table document_series (
  series text primary key check (series in ('invoice', 'credit_note', 'specimen')),
  last_number bigint not null default 0 check (last_number >= 0)
);
comment on table document_series is
  'The last number of each series. `specimen`: documents of test purchases and of a demo, which are no '
  'documents of sales.';

insert into document_series (series) values ('invoice'), ('credit_note'), ('specimen');

create table document (
  id bigint generated always as identity primary key,
  series text not null references document_series (series),
  number bigint not null check (number > 0),
  kind text not null check (kind in ('invoice', 'credit_note')),
  invoice_id bigint not null references invoice (id),
  corrects bigint references document (id),
  amount_micros bigint not null check (amount_micros > 0),
  traffic_bytes bigint not null check (traffic_bytes >= 0),
  issued_at timestamptz not null,
  facts jsonb not null,
  bytes bytea not null,
  sha256 bytea not null,
  unique (series, number),
  constraint document_series_of_kind check (series in (kind, 'specimen')),
  constraint document_corrects check ((kind = 'credit_note') = (corrects is not null)),
  constraint document_digest check (sha256 = sha256(bytes))
);
comment on table document is 'Documents in PDF as they were given to customers. Append-only.';
comment on column document.corrects is 'Of a credit note: the document of the sale.';
comment on column document.amount_micros is
  'Micro-USD that it is of. All documents of an invoice together are of all money received; its credit '
  'notes, of all that was given back.';
comment on column document.traffic_bytes is 'Of a sale: bytes credited; of a credit note: bytes taken back.';
comment on column document.facts is 'What it says: seller, buyer, lines, as they were when it was made.';

-- The bytes are compressed already.
alter table document alter column bytes set storage external;

create index document_invoice on document (invoice_id, id);

create function document_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a document that was issued stays: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function document_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on document
  for each statement execute function document_stays();

create table document_lost (
  id bigint generated always as identity primary key,
  series text not null references document_series (series),
  first_number bigint not null,
  last_number bigint not null check (last_number >= first_number),
  noted_by text not null,
  reason text not null,
  noted_at timestamptz not null
);
comment on table document_lost is
  'Numbers of documents that customers have, and that this database lost when it was restored from an older '
  'backup. Append-only.';

create trigger stays before update or delete or truncate on document_lost
  for each statement execute function document_stays();

create function document_series_advances() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or new.series <> old.series
    or new.last_number <> old.last_number + 1 and not exists (
      select from document_lost
      where series = old.series and first_number = old.last_number + 1 and last_number = new.last_number) then
    raise exception 'a series of documents only advances by one' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
comment on function document_series_advances() is
  'Refuses all but the next number, and but the end of numbers that are noted as lost.';

create trigger advances before insert or update or delete on document_series
  for each row execute function document_series_advances();

create function document_of_number() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'document_series' then
    if not exists (select from document where series = new.series and number = new.last_number)
      and not exists (select from document_lost where series = new.series and last_number = new.last_number) then
      raise exception 'number % of the series % has no document', new.last_number, new.series
        using errcode = 'restrict_violation';
    end if;
  elsif not exists (select from document_series where series = new.series and last_number >= new.number) then
    raise exception 'number % of the series % was not given out', new.number, new.series
      using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
comment on function document_of_number() is
  'When the transaction commits, each number that it has given out must have its document or be noted as '
  'lost, and each document a number that was given out.';

create constraint trigger has_document after update on document_series deferrable initially deferred
  for each row execute function document_of_number();
create constraint trigger has_number after insert on document deferrable initially deferred
  for each row execute function document_of_number();

create table buyer_details (
  account_id bigint primary key references account (id),
  name text not null,
  address text not null,
  tax_id text not null,
  updated_at timestamptz not null
);
comment on table buyer_details is
  'What a customer wants documents to say of the buyer. Documents have a copy: a change is of later ones.';
