-- Each account has its sums, so that the desk's lists of those who spent or hold the most need nothing but an index.

insert into account_spending (account_id, micros) select id, 0 from account on conflict do nothing;

-- Balances as they were a few minutes ago: settlements change the balances themselves all the time, and an index on those would make
-- every settlement dearer.
create table account_held (
  account_id bigint primary key references account (id),
  bytes bigint not null
);
comment on table account_held is
  'The bytes that a customer held in all pools when account_held_at says; to order and filter by, not to decide anything.';

create index account_held_most on account_held (bytes desc, account_id desc);

create table account_held_at (
  one boolean primary key default true check (one),
  at timestamptz not null
);
comment on table account_held_at is 'When account_held was read from the balances. Always one row.';
insert into account_held_at (at) values (now());

insert into account_held
  select a.id, coalesce(sum(b.balance), 0)::bigint from account a
    left join ledger_account owned on owned.user_id = a.id and owned.currency = 'byte'
    left join ledger_balance b on b.account_id = owned.id
  group by a.id;

create function account_opens_sums() returns trigger language plpgsql as $$
begin
  insert into account_spending (account_id, micros) values (new.id, 0) on conflict do nothing;
  insert into account_held (account_id, bytes) values (new.id, 0) on conflict do nothing;
  return null;
end $$;
comment on function account_opens_sums() is 'Inserts what is kept of each account for the lists of the desk.';

create trigger opens_sums after insert on account for each row execute function account_opens_sums();
