-- Client addresses that stand for a customer in a pool, in place of login and password.

create table whitelist (
  pool text not null,
  -- Canonical: an address has one spelling.
  address text not null check (address ~ '^[0-9]{1,3}(\.[0-9]{1,3}){3}$'),
  account_id bigint not null,
  created_at timestamptz not null default now(),
  -- An address is one customer's per pool: it decides alone who pays.
  primary key (pool, address),
  foreign key (account_id, pool) references subuser (account_id, pool)
);

create index whitelist_of_account on whitelist (account_id, pool);
