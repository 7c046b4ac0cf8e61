-- Documents of sales and refunds: numbered without gaps, made once and kept as they were made.

create table document_due (
  invoice_id bigint primary key references invoice (id),
  due_at timestamptz not null
);
comment on table document_due is
  'Invoices whose money changed and has no document yet. A row is written in the transaction of the money and deleted in that of the document.';

create index document_due_at on document_due (due_at);

create table document_series (
  series text primary key check (series in ('invoice', 'credit_note', 'specimen')),
  last_number bigint not null default 0 check (last_number >= 0)
);
comment on table document_series is
  'The last number of each series. `specimen`: documents of test purchases and of a demo, which are no documents of sales.';

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
  'Micro-USD that it is of. All documents of an invoice together are of all money received; its credit notes, of all that was given back.';
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
  'Numbers of documents that customers have, and that this database lost when it was restored from an older backup. Append-only.';

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
comment on function document_series_advances() is 'Refuses all but the next number, and but the end of numbers that are noted as lost.';

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
  'When the transaction commits, each number that it has given out must have its document or be noted as lost, and each document a number that was given out.';

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

-- The seller on documents.

alter table content drop constraint content_part_check;
alter table content add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments', 'seller'));

alter table content_version drop constraint content_version_part_check;
alter table content_version
  add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments', 'seller'));

alter table content_draft drop constraint content_draft_part_check;
alter table content_draft
  add check (part in ('brand', 'home', 'links', 'rules', 'reviews', 'legal', 'payments', 'seller'));
