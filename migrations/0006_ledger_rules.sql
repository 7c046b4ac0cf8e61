-- What the ledger refuses, however it is written to:
--   1. the entries of a transaction sum to zero in every currency, and all of them are inserted with it;
--   2. accounts, transactions, entries, closed hours and closed months are neither changed nor deleted;
--   3. a customer's balance does not fall below zero (the check customer_never_below_zero);
--   4. a balance changes only with entries and by usage in the open hour;
--   5. nothing is posted to a closed month;
--   6. nothing is posted with another time than the present, but before everything else (a demo's past).

create function ledger_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % of % is refused', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;
comment on function ledger_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on ledger_account
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_transaction
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_entry
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_usage
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month_sum
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month_digest
  for each statement execute function ledger_refuse();
create trigger append_only before update or delete or truncate on ledger_month_archive
  for each statement execute function ledger_refuse();
create trigger append_only before update of account_id or delete or truncate on ledger_balance
  for each statement execute function ledger_refuse();

-- The triggers of a partitioned table judge what is inserted through it, so partitions are not written to by
-- their own names. make_month_partition gives this trigger to the partitions that it makes.
create trigger append_only before insert or update or delete or truncate on ledger_entry_rest
  for each statement execute function ledger_refuse();
create trigger append_only before insert or update or delete or truncate on ledger_usage_rest
  for each statement execute function ledger_refuse();
select make_month_partition(parent, month_of(now() + make_interval(months => n)))
  from unnest('{ledger_entry,ledger_usage}'::text[]) parent, generate_series(0, 3) n;

-- Accounts and their balances.

create function ledger_open_balance() returns trigger language plpgsql as $$
begin
  insert into ledger_balance (account_id) values (new.id);
  return null;
end $$;
comment on function ledger_open_balance() is 'Inserts the balance of a new account of a customer.';

create trigger opens_balance after insert on ledger_account
  for each row when (new.customer_id is not null) execute function ledger_open_balance();

create trigger with_its_account before insert on ledger_balance
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse();
comment on trigger with_its_account on ledger_balance is 'Only the trigger opens_balance inserts balances.';

-- The past of a demo.

create function ledger_takes_past() returns boolean stable language sql as $$
  select not exists (select from ledger_transaction where made_by <> pg_current_xact_id())
    and not exists (select from ledger_month_archive)
$$;
comment on function ledger_takes_past() is
  'Whether the ledger has no entries but those of the present database transaction.';

create function ledger_refuse_past() returns trigger language plpgsql as $$
begin
  if not ledger_takes_past() then
    raise exception 'the ledger has entries: it takes no past any more'
      using errcode = 'check_violation', constraint = 'ledger_past_comes_first';
  end if;
  return new;
end $$;
comment on function ledger_refuse_past() is 'Refuses a time that is not the present, unless the ledger takes a past.';

create trigger past_comes_first before insert on ledger_transaction
  for each row when (new.posted_at <> now()) execute function ledger_refuse_past();

-- Entries.

-- The function's plans are made once per connection and must suit two entries and twenty thousand alike, so
-- joins go by index.
create function ledger_post() returns trigger language plpgsql
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

  -- One transaction, in the open month: then the primary key ensures that no account has two entries here.
  if first_transaction <> last_transaction or first_month <> last_month or first_month <> ledger_open_month() or not exists (
    select from ledger_transaction t
    where t.id = first_transaction and t.month = first_month and t.made_by = pg_current_xact_id()
  ) then
    raise exception 'ledger entries belong to one transaction, posted at the same moment'
      using errcode = 'check_violation', constraint = 'ledger_transaction_is_closed';
  end if;

  -- Always in the order of the accounts' ids, so that two postings cannot deadlock.
  update ledger_balance b set balance = b.balance + d.amount
    from (select account_id, amount from added order by account_id) d
    where b.account_id = d.account_id;

  -- An entry whose account does not exist is missing from this join, and known is less than posted.
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
comment on function ledger_post() is
  'Judges the entries that one statement inserted, which must be all entries of one transaction, and adds '
  'them to the balances.';

create trigger ledger_post after insert on ledger_entry
  referencing new table as added for each statement execute function ledger_post();

-- Usage.

create trigger closed_hours_only before insert on ledger_usage
  for each statement when (pg_trigger_depth() = 0) execute function ledger_refuse();
comment on trigger closed_hours_only on ledger_usage is 'Only ledger_balance_change inserts usage.';

create function ledger_balance_change() returns trigger language plpgsql as $$
begin
  -- By entries: the depth is 1 in this trigger, and greater when ledger_post made the update.
  if pg_trigger_depth() > 1 and new.open_hour is not distinct from old.open_hour and new.open_bytes = old.open_bytes then
    return null;
  end if;
  -- By usage: a later hour is opened. Only traffic has hours, which is checked when the first one is opened.
  if new.open_hour = ledger_open_hour() and (old.open_hour is null or new.open_hour > old.open_hour)
    and new.open_bytes >= 0 and new.balance + new.open_bytes = old.balance
    and (old.open_hour is not null or exists (
      select from ledger_account a where a.id = new.account_id and a.kind in ('traffic_paid', 'traffic_bonus', 'reserved_paid', 'reserved_bonus')))
  then
    if old.open_bytes > 0 then
      insert into ledger_usage (hour, account_id, bytes) values (old.open_hour, old.account_id, old.open_bytes);
    end if;
    return null;
  end if;
  raise exception 'balances change by posting entries only' using errcode = 'restrict_violation';
end $$;
comment on function ledger_balance_change() is
  'Allows two changes of a balance: by entries, inside ledger_post; and by usage that opens a later hour, '
  'which closes the open one into ledger_usage. Refuses every other change.';

create trigger by_posting_only after update on ledger_balance for each row
  when ((
    new.open_hour = old.open_hour and new.open_hour > statement_timestamp() - interval '1 hour'
    and new.open_bytes > old.open_bytes and new.balance + new.open_bytes = old.balance + old.open_bytes
  ) is not true)
  execute function ledger_balance_change();
comment on trigger by_posting_only on ledger_balance is
  'Usage in the open hour, the change that settlements make, is allowed by the condition and calls no '
  'function. The trigger comes after the update because one before it would lock every row first.';

-- Months.

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
comment on function ledger_close_month() is
  'Refuses a month that is not the next to close. Waits until transactions that are posting have ended, and '
  'keeps others from posting until the month is closed.';

create trigger closes before insert on ledger_month for each row execute function ledger_close_month();
