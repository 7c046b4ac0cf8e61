-- An address on a whitelist is a claim until its customer has proven it: by a connection with a password from there, or by
-- adding it from there. Several customers may claim an address, one at most has proven it.

alter table whitelist rename column created_at to claimed_at;
alter table whitelist
  add column proven_at timestamptz,
  -- To within ten minutes: when it was last looked up for a client without a password, and could be charged.
  add column last_used_at timestamptz;

-- Addresses that no client on the internet has (IANA IPv4 Special-Purpose Address Registry).
delete from whitelist where address::inet <<= any (array[
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
  '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32']::inet[]);

-- Entries from before are claims of their age, and have a whole day from now to be proven.
update whitelist set last_used_at = now();

alter table whitelist
  drop constraint whitelist_pkey,
  add primary key (pool, address, account_id);

-- A proven address stands for one customer, who pays.
create unique index whitelist_proven on whitelist (pool, address) where proven_at is not null;

-- For the job that removes what was not proven.
create index whitelist_unproven on whitelist (greatest(claimed_at, last_used_at)) where proven_at is null;

-- Addresses that left a whitelist without their customer's doing, to be shown there for a week.
create table whitelist_loss (
  account_id bigint not null,
  pool text not null,
  address text not null,
  -- taken: another customer has proven it. unproven: it was neither proven nor used for a day.
  reason text not null check (reason in ('taken', 'unproven')),
  lost_at timestamptz not null default now(),
  primary key (account_id, pool, address),
  foreign key (account_id, pool) references subuser (account_id, pool)
);

create index whitelist_loss_by_age on whitelist_loss (lost_at);
