-- Money in micro-USD and traffic in bytes, in append-only double entry. src/ledger/README.md lists the
-- invariants; 0006_ledger_rules.sql has the triggers that enforce them.

create table ledger_account (
  id bigint generated always as identity primary key,
  kind text not null check (kind ~ '^[a-z_]+(:[a-z0-9_]+)?$'),
  currency text not null check (currency in ('usd', 'byte')),
  customer_id bigint references account (id),
  pool text,
  constraint ledger_account_check1 check ((currency = 'byte') = (pool is not null)),
  unique nulls not distinct (kind, currency, customer_id, pool)
);
comment on table ledger_account is 'An account of a customer or of the house. It never changes.';
comment on column ledger_account.kind is
  'What the account holds: traffic_paid, traffic_bonus, reserved_paid, reserved_bonus and referral of customers; cash:<method>, sales and '
  'others of the house.';
comment on column ledger_account.customer_id is 'The customer; null: an account of the house.';
comment on column ledger_account.pool is 'The pool of traffic; null for money.';

create index ledger_account_customer on ledger_account (customer_id) where customer_id is not null;

create table ledger_balance (
  account_id bigint primary key,
  balance bigint not null default 0,
  open_hour timestamptz,
  open_bytes bigint not null default 0,
  constraint customer_never_below_zero check (balance >= 0),
  check (open_bytes >= 0)
) with (fillfactor = 70);
comment on table ledger_balance is
  'The balance of a customer''s account. It is apart from ledger_account because settlements update it all '
  'the time, and a short row with one index costs half as much to update. The house has no balances: every '
  'sale would wait for the same row.';
comment on column ledger_balance.account_id is
  'A ledger_account; the trigger opens_balance inserts this row with it. There is no foreign key because it '
  'would cost every update of a balance.';
comment on column ledger_balance.balance is
  'A cache: the sum of the account''s entries, less its rows in ledger_usage, less open_bytes.';
comment on column ledger_balance.open_hour is
  'The UTC hour to which usage is posted at present; null: the account was never drawn from. It only moves '
  'forward.';
comment on column ledger_balance.open_bytes is
  'Bytes used in open_hour: taken from the balance, and not yet in ledger_usage.';

create table ledger_month (
  month date primary key check (month = date_trunc('month', month::timestamp)::date),
  closed_at timestamptz not null default now()
);
comment on table ledger_month is
  'A closed month, by its first day. Nothing is posted to the newest closed month or to one before it.';

create table ledger_month_sum (
  month date not null references ledger_month,
  account_id bigint not null,
  amount bigint not null,
  used_bytes bigint not null check (used_bytes >= 0),
  primary key (month, account_id)
);
comment on table ledger_month_sum is
  'How much a closed month changed an account. Accounts of customers and of the house are both here, so the '
  'amounts of a month sum to zero.';
comment on column ledger_month_sum.used_bytes is
  'The part of the amount that settlements took from a customer''s account for relayed bytes, 0 or more.';

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
comment on table ledger_month_digest is
  'SHA-256 digests of the rows of a closed month, and how many rows they cover.';
comment on column ledger_month_digest.chain is
  'A digest of this month''s other digests and of the chain of the month before it.';

create table ledger_month_archive (
  month date primary key references ledger_month_digest,
  file text not null,
  archived_at timestamptz not null default now()
);
comment on table ledger_month_archive is
  'A closed month whose rows were written to a file and removed from the database.';

create function ledger_open_month() returns date stable language sql as $$
  select greatest(month_of(now()), (select (max(month) + interval '1 month')::date from ledger_month))
$$;
comment on function ledger_open_month() is
  'The month that entries are posted to now: the present one, or the first open one if the clock went back '
  'into a closed month.';

create function ledger_open_hour() returns timestamptz stable language sql as $$
  select greatest(
    date_trunc('hour', statement_timestamp(), 'UTC'),
    (select (max(month) + interval '1 month') at time zone 'UTC' from ledger_month))
$$;
comment on function ledger_open_hour() is
  'The UTC hour that usage is posted to now: the present one, or the first open one if the clock went back '
  'into a closed month.';

create table ledger_transaction (
  id bigint generated always as identity primary key,
  kind text not null,
  reference text not null,
  month date not null default ledger_open_month(),
  posted_at timestamptz not null default now(),
  value_at timestamptz,
  made_by xid8 not null default pg_current_xact_id(),
  unique (kind, reference)
);
comment on table ledger_transaction is
  'What a set of entries was posted for. (kind, reference) is unique: nothing is posted twice.';
comment on column ledger_transaction.month is 'The month of its entries.';
comment on column ledger_transaction.value_at is
  'The time of the money at its processor, which reports go by; null: that of the posting. The month is '
  'always that of the posting: a closed month of the ledger gets nothing more.';
comment on column ledger_transaction.made_by is
  'The database transaction that inserted the row; entries can be added in that one only.';

create index ledger_transaction_month on ledger_transaction using brin (month);
create index ledger_transaction_posted on ledger_transaction using brin (posted_at);
-- What belongs to the time of a report, and what of it was posted later.
create index ledger_transaction_at on ledger_transaction ((coalesce(value_at, posted_at)), posted_at);

create table ledger_entry (
  month date not null default ledger_open_month(),
  transaction_id bigint not null,
  account_id bigint not null,
  amount bigint not null check (amount <> 0),
  primary key (transaction_id, account_id, month)
) partition by range (month);
comment on table ledger_entry is
  'What a transaction changed one account by. The trigger ledger_post looks up transaction and accounts, for '
  'all rows of a statement at once; foreign keys would look them up one by one.';
comment on column ledger_entry.month is 'The month of the transaction.';

-- The history of one account, the newest first.
create index ledger_entry_account on ledger_entry (account_id, transaction_id);

create table ledger_entry_rest partition of ledger_entry default;
comment on table ledger_entry_rest is 'Entries of months without a partition.';

create table ledger_usage (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  account_id bigint not null,
  bytes bigint not null check (bytes > 0),
  primary key (hour, account_id)
) partition by range (hour);
comment on table ledger_usage is
  'Traffic that a customer''s account used in an hour that is closed. One row is a transaction of two '
  'entries: minus the bytes on this account, plus the same bytes on the house''s account traffic_used of its '
  'pool.';

create table ledger_usage_rest partition of ledger_usage default;
comment on table ledger_usage_rest is 'Usage of months without a partition.';
