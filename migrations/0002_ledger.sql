-- Money (micro-USD) and traffic (bytes) in double entry. The invariants are enforced here, whatever the code does:
--   1. the entries of a transaction sum to zero in every currency;
--   2. entries, transactions and accounts are never changed or deleted;
--   3. a customer's account never goes below zero;
--   4. a customer's balance is the sum of their entries: only posting entries can change it.

create table ledger_account (
  id bigint generated always as identity primary key,
  -- What it holds: 'traffic_paid', 'traffic_bonus', 'referral' of customers; 'cash:<method>', 'sales' … of the house.
  kind text not null check (kind ~ '^[a-z_]+(:[a-z0-9_]+)?$'),
  currency text not null check (currency in ('usd', 'byte')),
  -- Null: the house's own account.
  user_id bigint references account (id),
  pool text,
  -- A cache of the sum of entries. House accounts keep none: every sale would queue for one row.
  balance bigint,
  check ((user_id is null) = (balance is null)),
  check ((currency = 'byte') = (pool is not null)),
  constraint customer_never_below_zero check (balance >= 0),
  unique nulls not distinct (kind, currency, user_id, pool)
) with (fillfactor = 70);

create index ledger_account_user on ledger_account (user_id) where user_id is not null;

create table ledger_transaction (
  id bigint generated always as identity primary key,
  kind text not null,
  -- What it was posted for; the pair is unique, so that the same thing is never posted twice.
  reference text not null,
  posted_at timestamptz not null default now(),
  -- The database transaction that made it: entries can be added only by that one.
  made_by xid8 not null default pg_current_xact_id(),
  unique (kind, reference)
);

create table ledger_entry (
  transaction_id bigint not null,
  account_id bigint not null,
  amount bigint not null check (amount <> 0),
  primary key (transaction_id, account_id)
);

-- One statement adds all entries of a transaction; this judges them together and moves the balances.
-- It stands in for foreign keys too: looking twenty thousand rows up at once costs far less than one by one.
-- Its plans are made once per connection and must suit two entries and twenty thousand alike, so they go by index.
create function ledger_post() returns trigger language plpgsql
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
as $$
begin
  if exists (
    select from (select distinct transaction_id from added) d
    left join ledger_transaction t on t.id = d.transaction_id
    where t.id is null or t.made_by <> pg_current_xact_id()
  ) then
    raise exception 'ledger entries belong to a transaction posted at the same moment'
      using errcode = 'check_violation', constraint = 'ledger_transaction_is_closed';
  end if;

  if exists (
    select from added left join ledger_account a on a.id = added.account_id
    group by added.transaction_id, a.currency
    having sum(added.amount) <> 0 or a.currency is null
  ) then
    raise exception 'the entries of a ledger transaction must sum to zero'
      using errcode = 'check_violation', constraint = 'ledger_sums_to_zero';
  end if;

  -- In one order for everybody, or two postings could wait for each other.
  perform 1 from ledger_account
    where id in (select account_id from added) and user_id is not null
    order by id for no key update;

  update ledger_account a set balance = a.balance + d.amount
    from (select account_id, sum(amount)::bigint as amount from added group by account_id) d
    where a.id = d.account_id and a.user_id is not null;
  return null;
end $$;

create trigger ledger_post after insert on ledger_entry
  referencing new table as added for each statement execute function ledger_post();

create function ledger_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % of % is refused', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

create trigger append_only before update or delete or truncate on ledger_entry
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_transaction
  for each statement execute function ledger_refuse();
create trigger append_only before delete or truncate on ledger_account
  for each statement execute function ledger_refuse();

-- An account stays what it was opened as, and its balance moves only inside ledger_post: at depth one somebody is
-- updating by hand.
create function ledger_balance_guard() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'balances change by posting entries only' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create trigger by_entries_only before update on ledger_account
  for each statement execute function ledger_balance_guard();

create function ledger_starts_empty() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 then
    raise exception 'a ledger account starts empty' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger starts_empty before insert on ledger_account
  for each row execute function ledger_starts_empty();
