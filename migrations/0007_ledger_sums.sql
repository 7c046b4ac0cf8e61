-- Sums of what was posted, by quarters of an hour: a report of a month reads some thousand rows, where it
-- would look up the entries of every sale. A quarter of an hour, because the days of every time zone of today
-- begin with one.

create table ledger_unsummed (
  transaction_id bigint primary key
);
comment on table ledger_unsummed is
  'Transactions of the ledger that ledger_booked_sum and ledger_house_sum do not contain yet. A transaction '
  'is inserted here with itself, and leaves in the database transaction that adds it to both; so it is '
  'always either here or in the sums, however late it was committed and whatever its time.';

create table ledger_booked_sum (
  kind text not null check (kind in ('purchase', 'refund', 'shares')),
  quarter timestamptz not null check (quarter = date_bin('15 minutes', quarter, 'epoch'::timestamptz)),
  month date not null,
  pool text,
  method text,
  transactions bigint not null,
  micros bigint not null,
  spent_micros bigint not null,
  bytes bigint not null,
  unique nulls not distinct (kind, quarter, month, pool, method)
);
comment on table ledger_booked_sum is
  'What reports divide: the transactions of the ledger whose money is of a quarter of an hour, by pool and method, '
  'but for those in ledger_unsummed. It stays when the entries of a month are archived.';
comment on column ledger_booked_sum.kind is
  'purchase and refund: the kind of the transactions. shares: transactions of any kind that changed what '
  'inviters earned or spent.';
comment on column ledger_booked_sum.quarter is 'When the quarter of an hour begins.';
comment on column ledger_booked_sum.month is
  'The month of the ledger that the transactions belong to. It is a later one than that of the quarter when '
  'money was found afterwards, or the clock went back.';
comment on column ledger_booked_sum.pool is 'Null: no traffic came of them.';
comment on column ledger_booked_sum.method is 'The payment method; null: no money of a processor moved.';
comment on column ledger_booked_sum.micros is
  'Real money that sales brought or refunds returned; of shares those credited, less those taken back.';
comment on column ledger_booked_sum.spent_micros is 'Of referral balances: spent, or of a refund given back.';

create table ledger_house_sum (
  quarter timestamptz not null check (quarter = date_bin('15 minutes', quarter, 'epoch'::timestamptz)),
  kind text not null,
  month date not null,
  account_id bigint not null references ledger_account,
  amount bigint not null,
  primary key (quarter, kind, month, account_id)
);
comment on table ledger_house_sum is
  'What transactions of a kind posted in a quarter of an hour changed an account of the house by, but for '
  'those in ledger_unsummed. Reports compare what they divide with it. It stays when the entries of a month '
  'are archived.';
comment on column ledger_house_sum.kind is 'The kind of the transactions.';
comment on column ledger_house_sum.month is 'As in ledger_booked_sum.';

create function ledger_note_unsummed() returns trigger language plpgsql as $$
begin
  insert into ledger_unsummed (transaction_id) select id from added;
  return null;
end $$;
comment on function ledger_note_unsummed() is 'Puts new transactions among those that are to be added up.';

create trigger unsummed after insert on ledger_transaction
  referencing new table as added for each statement execute function ledger_note_unsummed();

create table ledger_usage_unsummed (
  hour timestamptz not null,
  account_id bigint not null,
  primary key (hour, account_id)
);
comment on table ledger_usage_unsummed is
  'Rows of ledger_usage that ledger_usage_sum does not contain yet, as ledger_unsummed has transactions.';

create table ledger_usage_sum (
  hour timestamptz not null,
  kind text not null,
  pool text not null,
  bytes bigint not null,
  primary key (hour, kind, pool)
);
comment on table ledger_usage_sum is
  'The bytes of ledger_usage in an hour, by the kind and pool of the account, but for the rows in '
  'ledger_usage_unsummed. It stays when a month is archived.';

create function ledger_note_unsummed_usage() returns trigger language plpgsql as $$
begin
  insert into ledger_usage_unsummed (hour, account_id) select hour, account_id from added;
  return null;
end $$;
comment on function ledger_note_unsummed_usage() is
  'Puts new hours of accounts among those that are to be added up.';

create trigger unsummed after insert on ledger_usage
  referencing new table as added for each statement execute function ledger_note_unsummed_usage();
