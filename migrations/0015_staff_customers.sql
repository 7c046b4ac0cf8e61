-- What the desk knows of customers beyond their accounts: until when and why they are blocked, when they were last here, what
-- they have spent, notes and tags of staff.

alter table account
  add column blocked_until timestamptz,
  add column blocked_reason text,
  add column tells_blocked_reason boolean not null default false,
  add column seen_at timestamptz,
  add constraint account_block check (
    blocked_at is not null or (blocked_until is null and blocked_reason is null and not tells_blocked_reason));
comment on column account.blocked_until is 'When the block ends by itself; null: not by itself.';
comment on column account.tells_blocked_reason is 'Whether the customer is told the reason when their sign-in is refused.';
comment on column account.seen_at is 'The last use of a session, to a quarter of an hour.';

create index account_blocked_until on account (blocked_until) where blocked_until is not null;
create index account_seen on account (seen_at desc nulls last, id desc);

update account a set seen_at = s.used_at
  from (select account_id, max(used_at) as used_at from session group by account_id) s where s.account_id = a.id;

create table account_spending (
  account_id bigint primary key references account (id),
  micros bigint not null
);
comment on table account_spending is
  'Real money that an account has paid, less what was given back: a sum over its invoices, kept by the trigger spends.';

create index account_spending_most on account_spending (micros desc, account_id desc);

insert into account_spending
  select account_id, sum(received_micros - refunded_micros) from invoice
    where method <> 'referral' and received_micros > 0 group by account_id;

create function invoice_spends() returns trigger language plpgsql as $$
begin
  insert into account_spending as s (account_id, micros)
    values (new.account_id, new.received_micros - new.refunded_micros - old.received_micros + old.refunded_micros)
    on conflict (account_id) do update set micros = s.micros + excluded.micros;
  return null;
end $$;
comment on function invoice_spends() is 'Adds what an invoice received or gave back to the spending of its account.';

create trigger spends after update of received_micros, refunded_micros on invoice for each row
  when (new.method <> 'referral'
    and new.received_micros - new.refunded_micros <> old.received_micros - old.refunded_micros)
  execute function invoice_spends();

create table account_note (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  text text not null check (length(text) between 1 and 4000),
  author_kind text not null,
  author_id bigint,
  author_name text not null,
  created_at timestamptz not null
);
comment on table account_note is 'What staff wrote about a customer, for each other.';

create index account_note_account on account_note (account_id, id);

create table account_tag (
  account_id bigint not null references account (id),
  tag text not null check (length(tag) between 1 and 40),
  primary key (account_id, tag)
);
comment on table account_tag is 'A word by which staff find customers again.';

create index account_tag_tag on account_tag (tag, account_id desc);

-- The history of one account, the newest first.
create index ledger_entry_account on ledger_entry (account_id, transaction_id);

-- An act that is sent twice with the same key is done once.
create unique index audit_entry_key on audit_entry ((after ->> 'key')) where after ->> 'key' is not null;
