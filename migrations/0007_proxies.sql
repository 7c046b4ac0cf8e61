-- Access to pools: logins and passwords, saved settings of lines, limits, and addresses that need no password.

create table proxy_login (
  account_id bigint primary key references account (id),
  login text not null unique check (login ~ '^[a-z0-9]{4,32}$'),
  unique (account_id, login)
);
comment on table proxy_login is 'A customer''s login, the same in all pools: the entry port tells the pools apart.';

create table subuser (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  login text not null,
  password_sealed bytea not null,
  password_sha256 bytea not null check (length(password_sha256) = 32),
  created_at timestamptz not null default now(),
  unique (account_id, pool),
  unique (login, pool),
  foreign key (account_id, login) references proxy_login (account_id, login)
);
comment on table subuser is 'A customer in a pool that they have had traffic in, with a password of its own.';
comment on column subuser.password_sealed is
  'AES-256-GCM under a key of SECRET_KEY, since the customer may see the password again.';
comment on column subuser.password_sha256 is
  'What a gateway compares with. A slow hash is not needed: the password has 95 random bits.';

create table saved_targeting (
  account_id bigint not null references account (id),
  id text not null check (id ~ '^[a-z0-9]{6,32}$'),
  targeting jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
comment on table saved_targeting is
  'Targeting too long for a user name of 255 bytes; the line has `-set-<id>` in its place.';
comment on column saved_targeting.id is 'A digest of the targeting, so the same settings are stored once.';

create table slot (
  subuser_id bigint not null references subuser (id),
  slot integer not null check (slot > 0),
  targeting jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (subuser_id, slot)
);
comment on table slot is
  'The targeting of a line of the format `hostname:port`, where the port stands for the settings and the client''s address for '
  'the password.';

create table pool_limits (
  subuser_id bigint primary key references subuser (id),
  hour_bytes bigint check (hour_bytes > 0),
  day_bytes bigint check (day_bytes > 0),
  month_bytes bigint check (month_bytes > 0),
  connections integer check (connections > 0),
  allowed_hosts text[] not null default '{}',
  denied_hosts text[] not null default '{}',
  data_saver boolean not null default false,
  changed_at timestamptz not null default now()
);
comment on table pool_limits is
  'What a customer allows the password of a pool: charged bytes per UTC hour, day and month, and connections; null: no limit.';
comment on column pool_limits.allowed_hosts is
  'Names, addresses and `*.suffix` in canonical form; when empty, all hosts are allowed.';
comment on column pool_limits.denied_hosts is 'Names, addresses and `*.suffix` in canonical form.';
comment on column pool_limits.data_saver is 'Whether hosts of advertisers and trackers are refused.';

create table whitelist (
  pool text not null,
  address text not null check (address ~ '^[0-9]{1,3}(\.[0-9]{1,3}){3}$'),
  account_id bigint not null,
  claimed_at timestamptz not null default now(),
  proven_at timestamptz,
  last_used_at timestamptz,
  primary key (pool, address, account_id),
  foreign key (account_id, pool) references subuser (account_id, pool)
);
comment on table whitelist is
  'A client address that a customer in a pool may use without a password. It is a claim until the customer has proven it, by a '
  'connection with a password from the address or by adding it from there. Several customers may claim an address, one may '
  'have proven it.';
comment on column whitelist.address is 'An IPv4 address in canonical form, so that it has one spelling.';
comment on column whitelist.last_used_at is
  'When the address was last looked up for a client without a password and could be charged, to within ten minutes.';

create index whitelist_of_account on whitelist (account_id, pool);
-- A proven address is served for one customer, who pays.
create unique index whitelist_proven on whitelist (pool, address) where proven_at is not null;
-- For the job that removes claims that were not proven.
create index whitelist_unproven on whitelist (greatest(claimed_at, last_used_at)) where proven_at is null;

create table whitelist_loss (
  account_id bigint not null,
  pool text not null,
  address text not null,
  reason text not null check (reason in ('taken', 'unproven')),
  lost_at timestamptz not null default now(),
  primary key (account_id, pool, address),
  foreign key (account_id, pool) references subuser (account_id, pool)
);
comment on table whitelist_loss is
  'An address that left a customer''s whitelist without their doing, shown there for a week.';
comment on column whitelist_loss.reason is
  'taken: another customer has proven it; unproven: it was neither proven nor used for a day.';

create index whitelist_loss_by_age on whitelist_loss (lost_at);
