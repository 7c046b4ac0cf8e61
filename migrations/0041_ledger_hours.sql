-- Traffic is posted by the hour. A settlement used to add an entry for everybody in it, four times a second; now it
-- lets what a customer has used in the present UTC hour grow in one row, and that row becomes an entry of the ledger when a
-- later hour begins. src/ledger/README.md says why it is done so.

-- The accounts of a ledger are never changed. What they hold is in rows of their own, which are short, for they are
-- written all the time: the identity of an account made every change of its balance twice as expensive.
create table ledger_balance (
  -- Made with its account, by a trigger. A foreign key would be looked at in every change of a balance.
  account_id bigint primary key,
  -- A cache of the sum of entries, less what was used in the open hour. The house has none: every sale would queue for it.
  balance bigint not null default 0,
  -- The open entry: bytes used in this hour, taken from the balance and not yet in ledger_usage. Hours only go forward.
  open_hour timestamptz,
  open_bytes bigint not null default 0,
  constraint customer_never_below_zero check (balance >= 0),
  check (open_bytes >= 0)
) with (fillfactor = 70);

insert into ledger_balance (account_id, balance) select id, balance from ledger_account where user_id is not null;
drop trigger by_entries_only on ledger_account;
drop trigger starts_empty on ledger_account;
drop function ledger_balance_guard;
drop function ledger_starts_empty;
drop index ledger_account_house;
alter table ledger_account drop column balance;
alter table ledger_account set (fillfactor = 100);
drop trigger append_only on ledger_account;
create trigger append_only before update or delete or truncate on ledger_account
  for each statement execute function ledger_refuse();

create function ledger_open_balance() returns trigger language plpgsql as $$
begin
  insert into ledger_balance (account_id) values (new.id);
  return null;
end $$;
create trigger opens_balance after insert on ledger_account
  for each row when (new.user_id is not null) execute function ledger_open_balance();

-- Months up to the newest of these are closed: nothing is posted to them any more.
create table ledger_month (
  month date primary key check (month = date_trunc('month', month::timestamp)::date),
  closed_at timestamptz not null default now()
);

-- What a closed month changed, by account; both sides, so that they sum to zero.
create table ledger_month_sum (
  month date not null references ledger_month,
  account_id bigint not null,
  amount bigint not null,
  -- The part of it that settlements took for relayed bytes, of a customer's account; 0 or more.
  used_bytes bigint not null check (used_bytes >= 0),
  primary key (month, account_id)
);

-- SHA-256 of what a closed month holds, and a chain of them: each is made from the one of the month before it too.
create table ledger_month_digest (
  month date primary key references ledger_month,
  transactions bytea not null,
  entries bytea not null,
  usage bytea not null,
  sums bytea not null,
  chain bytea not null,
  transaction_count bigint not null,
  entry_count bigint not null,
  usage_count bigint not null,
  verified_at timestamptz not null default now()
);

-- Months whose entries are in a file and no longer here.
create table ledger_month_archive (
  month date primary key references ledger_month_digest,
  file text not null,
  archived_at timestamptz not null default now()
);

-- Where something posted now belongs. Were the clock to go back into a closed month, it is the first open one.
create function ledger_open_month() returns date stable language sql as $$
  select greatest(month_of(now()), (select (max(month) + interval '1 month')::date from ledger_month))
$$;
create function ledger_open_hour() returns timestamptz stable language sql as $$
  select greatest(
    date_trunc('hour', statement_timestamp(), 'UTC'),
    (select (max(month) + interval '1 month') at time zone 'UTC' from ledger_month))
$$;

alter table ledger_transaction disable trigger append_only;
alter table ledger_transaction add column month date;
update ledger_transaction set month = month_of(posted_at);
alter table ledger_transaction alter column month set not null, alter column month set default ledger_open_month();
alter table ledger_transaction enable trigger append_only;
create index ledger_transaction_month on ledger_transaction using brin (month);

alter table ledger_entry rename to ledger_entry_undivided;
alter table ledger_entry_undivided rename constraint ledger_entry_pkey to ledger_entry_undivided_pkey;
create table ledger_entry (
  -- The month of its transaction.
  month date not null default ledger_open_month(),
  transaction_id bigint not null,
  account_id bigint not null,
  amount bigint not null constraint ledger_entry_amount_check check (amount <> 0),
  primary key (transaction_id, account_id, month)
) partition by range (month);
create table ledger_entry_rest partition of ledger_entry default;

-- A closed hour of a customer's account: a transaction of two entries in one row, minus the bytes on this account and the
-- same bytes on the house's traffic_used of its pool.
create table ledger_usage (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  account_id bigint not null,
  bytes bigint not null check (bytes > 0),
  primary key (hour, account_id)
) partition by range (hour);
create table ledger_usage_rest partition of ledger_usage default;

-- Statements reach partitions through their parent only: its triggers judge what is posted.
create trigger append_only before insert or update or delete or truncate on ledger_entry_rest
  for each statement execute function ledger_refuse();
create trigger append_only before insert or update or delete or truncate on ledger_usage_rest
  for each statement execute function ledger_refuse();
select make_month_partition('ledger_entry', month) from (select distinct month from ledger_transaction order by month) had;
select make_month_partition('ledger_entry', month_of(now() + make_interval(months => n))) from generate_series(0, 3) n;
select make_month_partition('ledger_usage', month_of(now() + make_interval(months => n))) from generate_series(0, 3) n;

insert into ledger_entry (month, transaction_id, account_id, amount)
  select coalesce(t.month, ledger_open_month()), e.transaction_id, e.account_id, e.amount
  from ledger_entry_undivided e left join ledger_transaction t on t.id = e.transaction_id
  order by e.transaction_id, e.account_id;
drop table ledger_entry_undivided;

create trigger append_only before update or delete or truncate on ledger_entry
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_usage
  for each statement execute function ledger_refuse();
-- An hour is closed by the trigger on the balance and by nothing else.
create trigger closed_hours_only before insert on ledger_usage
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse();

-- Closes a month: waits for whoever is posting, and makes sure that nothing can still be posted to it.
create function ledger_close_month() returns trigger language plpgsql as $$
declare
  end_moment timestamptz := (new.month + interval '1 month') at time zone 'UTC';
begin
  if end_moment > now() or new.month <> (select max(month) + interval '1 month' from ledger_month) then
    raise exception 'only the month after the last closed one is closed, when it is over'
      using errcode = 'check_violation', constraint = 'ledger_month_is_next';
  end if;
  lock table ledger_balance, ledger_transaction in share mode;
  if exists (select from ledger_balance where open_hour < end_moment) then
    raise exception 'hours of the month are still open' using errcode = 'check_violation', constraint = 'ledger_month_has_open_hours';
  end if;
  return new;
end $$;
create trigger closes before insert on ledger_month for each row execute function ledger_close_month();
create trigger append_only before update or delete or truncate on ledger_month
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month_sum
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month_digest
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month_archive
  for each statement execute function ledger_refuse();

-- One statement adds all entries of a transaction; this judges them together and moves the balances.
create or replace function ledger_post() returns trigger language plpgsql
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
as $$
declare
  first_transaction bigint;
  last_transaction bigint;
  first_month date;
  last_month date;
  posted bigint;
  known bigint;
  is_balanced boolean;
begin
  select min(transaction_id), max(transaction_id), min(month), max(month), count(*)
    into first_transaction, last_transaction, first_month, last_month, posted from added;
  if posted = 0 then
    return null;
  end if;

  -- One transaction at a time, in the present month: then no account stands in two entries, which the primary key sees to.
  if first_transaction <> last_transaction or first_month <> last_month or first_month <> ledger_open_month() or not exists (
    select from ledger_transaction t
    where t.id = first_transaction and t.month = first_month and t.made_by = pg_current_xact_id()
  ) then
    raise exception 'ledger entries belong to one transaction, posted at the same moment'
      using errcode = 'check_violation', constraint = 'ledger_transaction_is_closed';
  end if;

  -- In one order for everybody, or two postings could wait for each other.
  update ledger_balance b set balance = b.balance + d.amount
    from (select account_id, amount from added order by account_id) d
    where b.account_id = d.account_id;

  select sum(entries), bool_and(sum = 0) into known, is_balanced from (
    select sum(d.amount) as sum, count(*) as entries
    from added d join ledger_account a on a.id = d.account_id group by a.currency
  ) per_currency;
  if known is distinct from posted or not is_balanced then
    raise exception 'the entries of a ledger transaction must sum to zero'
      using errcode = 'check_violation', constraint = 'ledger_sums_to_zero';
  end if;
  return null;
end $$;

create trigger ledger_post after insert on ledger_entry
  referencing new table as added for each statement execute function ledger_post();

-- How a balance may change: by entries, inside ledger_post; by bytes that move to its open hour; or, when a later hour
-- has begun, by closing the open one. The first kind and the last come here, and whatever is refused; that an open hour
-- grows is settled by the condition of the trigger, which costs a settlement next to nothing.
create function ledger_balance_change() returns trigger language plpgsql as $$
begin
  -- Depth 1 is this trigger itself.
  if pg_trigger_depth() > 1 and new.open_hour is not distinct from old.open_hour and new.open_bytes = old.open_bytes then
    return null;
  end if;
  if new.open_hour = ledger_open_hour() and (old.open_hour is null or new.open_hour > old.open_hour)
    and new.open_bytes >= 0 and new.balance + new.open_bytes = old.balance
    and (old.open_hour is not null or exists (
      select from ledger_account a where a.id = new.account_id and a.kind in ('traffic_paid', 'traffic_bonus')))
  then
    if old.open_bytes > 0 then
      insert into ledger_usage (hour, account_id, bytes) values (old.open_hour, old.account_id, old.open_bytes);
    end if;
    return null;
  end if;
  raise exception 'balances change by posting entries only' using errcode = 'restrict_violation';
end $$;

-- After the update, for a trigger before it locks every row first, which costs a settlement more than the condition does.
create trigger by_posting_only after update on ledger_balance for each row
  when ((
    new.open_hour = old.open_hour and new.open_hour > statement_timestamp() - interval '1 hour'
    and new.open_bytes > old.open_bytes and new.balance + new.open_bytes = old.balance + old.open_bytes
  ) is not true)
  execute function ledger_balance_change();
create trigger append_only before update of account_id or delete or truncate on ledger_balance
  for each statement execute function ledger_refuse();
create trigger with_its_account before insert on ledger_balance
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse();
