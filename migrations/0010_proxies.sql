-- Access to pools: logins and passwords, proxy users, saved settings of lines, limits, and addresses that
-- need no password.

create table proxy_login (
  account_id bigint primary key references account (id),
  login text not null unique check (login ~ '^[a-z0-9]{4,32}$'),
  user_prefix text unique check (user_prefix ~ '^[a-z0-9]{3,16}$'),
  unique (account_id, login),
  constraint proxy_login_is_no_proxy_user check (login !~ '^u[bcdfghjkmnpqrstvwxz2-9]{11}$')
);
comment on table proxy_login is
  'A customer''s login, the same in all pools: the entry port tells the pools apart.';
comment on column proxy_login.user_prefix is
  'The first part of the logins of the customer''s new proxy users; no other customer''s begin with it. Null: none.';

create table access (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  login text not null,
  password_sealed bytea not null,
  password_sha256 bytea not null check (length(password_sha256) = 32),
  created_at timestamptz not null default now(),
  proxy_users integer not null default 0 check (proxy_users >= 0),
  last_proxy_user bigint not null default 0 check (last_proxy_user >= 0),
  unique (account_id, pool),
  unique (login, pool),
  foreign key (account_id, login) references proxy_login (account_id, login)
);
comment on table access is 'A customer in a pool that they have had traffic in, with a password of its own.';
comment on column access.password_sealed is
  'AES-256-GCM under a key of SECRET_KEY, since the customer may see the password again.';
comment on column access.password_sha256 is
  'What a gateway compares with. A slow hash is not needed: the password has 95 random bits.';
comment on column access.proxy_users is
  'How many proxy users it has that are not deleted. Counting them would cost each new one a look at all.';
comment on column access.last_proxy_user is 'The largest number that a proxy user was given.';

create table proxy_user (
  access_id bigint not null references access (id),
  nr bigint not null check (nr between 1 and 8589934591),
  is_reserved boolean not null default false,
  id bigint generated always as (
    (1::bigint << 62) + (access_id << 34) + (is_reserved::int::bigint << 33) + nr) stored,
  login text not null check (
    login ~ '^u[bcdfghjkmnpqrstvwxz2-9]{11}$' or length(login) <= 32 and login ~ '^[a-z0-9]+([.][a-z0-9]+)+$'),
  shares_login_of bigint references proxy_user (id),
  label text not null check (length(label) <= 64),
  external_id text check (length(external_id) between 1 and 128),
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  password_sealed bytea not null,
  password_sha256 bytea not null check (length(password_sha256) = 32),
  total_bytes bigint check (total_bytes >= 0),
  day_bytes bigint check (day_bytes >= 0),
  month_bytes bigint check (month_bytes >= 0),
  connections integer check (connections > 0),
  expires_at timestamptz,
  allowed_hosts text[] not null default '{}',
  countries text[] not null default '{}',
  denied_countries text[] not null default '{}',
  no_double_tariff boolean not null default false,
  addresses text[] not null default '{}',
  frozen_at timestamptz,
  deleted_at timestamptz,
  holds_reserve boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (access_id, nr),
  unique (id),
  check (access_id < 1::bigint << 28),
  check (total_bytes is not null or not is_reserved),
  check (is_reserved and deleted_at is not null or not holds_reserve)
);
comment on table proxy_user is
  'A login with a password and limits of its own that a customer gives to somebody else. It uses the traffic '
  'of its access. Limits are charged bytes in all, by day and by month of the shop''s time zone; null: no '
  'limit.';
comment on column proxy_user.nr is 'The number within the access, never used again.';
comment on column proxy_user.id is
  'Contains the id of the access, so that a gateway''s report tells who pays without a table. Greater than '
  'that of any access.';
comment on column proxy_user.shares_login_of is
  'The proxy user of another pool of the customer whose login, password, name and external id it has too.';
comment on column proxy_user.is_reserved is
  'Whether total_bytes, less what it used, are reserved for it in ledger accounts of its access; it never changes. '
  'Else it is a limit on the traffic of the access.';
comment on column proxy_user.holds_reserve is
  'It was deleted while gateways held a part of its reserve, which a job returns.';
comment on column proxy_user.password_sealed is
  'AES-256-GCM under a key of SECRET_KEY, since the customer may see the password again.';
comment on column proxy_user.expires_at is 'From then on it is refused; null: it does not expire.';
comment on column proxy_user.allowed_hosts is
  'Names, addresses and `*.suffix` in canonical form; when empty, all hosts that the account may open.';
comment on column proxy_user.countries is 'The countries of its exits; when empty, all.';
comment on column proxy_user.denied_countries is 'Countries that none of its exits is in.';
comment on column proxy_user.no_double_tariff is
  'Lines of the double tariff (state, city, zip code, network) are refused.';
comment on column proxy_user.addresses is
  'Addresses and networks that clients may come from; when empty, all.';
comment on column proxy_user.external_id is
  'What the customer''s own program calls it; unique among all logins of the customer that are not deleted.';
comment on column proxy_user.deleted_at is
  'Late reports may name it, so the row stays for months, with its names for its history; hosts and addresses are removed.';
comment on column proxy_user.login is
  'Made by chance, or chosen. A chosen one has a dot, which no login of a customer has; not used again while the row is kept.';
comment on column proxy_user.metadata is 'What the customer''s own program keeps with it: an object of texts.';

create index proxy_user_live on proxy_user (access_id, nr) where deleted_at is null;
create index proxy_user_deleted on proxy_user (access_id, nr) where deleted_at is not null;
-- For the job that removes those deleted long ago.
create index proxy_user_deleted_at on proxy_user (deleted_at) where deleted_at is not null;
create index proxy_user_sharing on proxy_user (shares_login_of) where shares_login_of is not null;
create index proxy_user_deleted_label on proxy_user (access_id, lower(label)) where deleted_at is not null;
create index proxy_user_deleted_external_id on proxy_user (access_id, external_id) where deleted_at is not null;

create table proxy_user_metadata (
  access_id bigint not null,
  key text not null,
  value text not null,
  nr bigint not null,
  primary key (access_id, key, value, nr),
  foreign key (access_id, nr) references proxy_user (access_id, nr)
);
comment on table proxy_user_metadata is
  'An index of proxy_user.metadata, also of deleted ones: pages of the proxy users with a value. A trigger writes it.';

create index proxy_user_metadata_of on proxy_user_metadata (access_id, nr);

create function index_proxy_user_metadata() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from proxy_user_metadata where access_id = new.access_id and nr = new.nr;
  end if;
  insert into proxy_user_metadata (access_id, key, value, nr)
    select new.access_id, one.key, one.value, new.nr from jsonb_each_text(new.metadata) one;
  return null;
end $$;

create trigger proxy_user_metadata_made after insert on proxy_user
  for each row when (new.metadata <> '{}') execute function index_proxy_user_metadata();
create trigger proxy_user_metadata_changed after update of metadata on proxy_user
  for each row when (new.metadata <> old.metadata) execute function index_proxy_user_metadata();

create unique index proxy_user_login on proxy_user (login) where shares_login_of is null;
create index proxy_user_by_login on proxy_user (login);
create index proxy_user_holds_reserve on proxy_user (access_id) where holds_reserve;

create table proxy_user_change (
  id bigint generated always as identity primary key,
  access_id bigint not null references access (id),
  nr bigint not null,
  bytes bigint not null check (bytes <> 0),
  reference text unique,
  made_at timestamptz not null default now(),
  foreign key (access_id, nr) references proxy_user (access_id, nr)
);
comment on table proxy_user_change is
  'Bytes that were added to what a proxy user may use in all, or taken from it (negative).';
comment on column proxy_user_change.reference is
  'The account and the operation of the Idempotency-Key, so that a repeated call changes nothing; null: the call had '
  'no key.';

create index proxy_user_change_of on proxy_user_change (access_id, nr);

create unique index proxy_user_label on proxy_user (access_id, lower(label)) where deleted_at is null;
create unique index proxy_user_external_id on proxy_user (access_id, external_id) where deleted_at is null;

create table ended_connection (
  access_id bigint not null references access (id),
  holder_id bigint not null,
  kind text not null check (kind in ('all', 'session', 'request')),
  name text not null check (length(name) <= 64),
  times integer not null default 1,
  ended_at timestamptz not null default now(),
  primary key (holder_id, kind, name)
);
comment on table ended_connection is
  'Connections that a customer had ended: all of a login, those of a sticky session, or one. A gateway that missed the '
  'announcement learns them with the account. Kept for as long as a session may last.';
comment on column ended_connection.holder_id is 'The access, or one of its proxy users.';
comment on column ended_connection.name is 'The session, or the id of the request; empty for all.';
comment on column ended_connection.times is 'How often it was ended: the session takes another exit each time.';
create index ended_connection_of_access on ended_connection (access_id);
create index ended_connection_at on ended_connection (ended_at);

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
  access_id bigint not null references access (id),
  slot integer not null check (slot > 0),
  targeting jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (access_id, slot)
);
comment on table slot is
  'The targeting of a line of the format `hostname:port`, where the port stands for the settings and the '
  'client''s address for the password.';

create table preset (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  label text not null check (length(label) between 1 and 64),
  settings jsonb not null check (jsonb_typeof(settings) = 'object' and length(settings::text) <= 20000),
  link_sha256 bytea unique check (length(link_sha256) = 32),
  link_made_at timestamptz,
  link_used_at timestamptz,
  created_at timestamptz not null default now(),
  check ((link_sha256 is null) = (link_made_at is null)),
  check (link_sha256 is not null or link_used_at is null)
);
comment on table preset is 'Settings of the generator that a customer saved under a name.';
comment on column preset.settings is
  'The input of the call get_proxy without the pool, as it was checked when saved.';
comment on column preset.link_sha256 is
  'Digest of the token of a secret link that answers with fresh lines; null: there is none.';
comment on column preset.link_used_at is 'When the link was last fetched, to within a minute.';

create unique index preset_label on preset (account_id, pool, lower(label));

create table pool_limits (
  access_id bigint primary key references access (id),
  hour_bytes bigint check (hour_bytes > 0),
  day_bytes bigint check (day_bytes > 0),
  month_bytes bigint check (month_bytes > 0),
  connections integer check (connections > 0),
  allowed_hosts text[] not null default '{}',
  denied_hosts text[] not null default '{}',
  data_saver boolean not null default false,
  changed_at timestamptz not null default now(),
  raised_day date,
  raised_bytes bigint check (raised_bytes > 0),
  check ((raised_day is null) = (raised_bytes is null))
);
comment on table pool_limits is
  'What a customer allows the password of a pool: charged bytes per UTC hour, day and month, and '
  'connections; null: no limit.';
comment on column pool_limits.allowed_hosts is
  'Names, addresses and `*.suffix` in canonical form; when empty, all hosts are allowed.';
comment on column pool_limits.denied_hosts is 'Names, addresses and `*.suffix` in canonical form.';
comment on column pool_limits.data_saver is 'Whether hosts of advertisers and trackers are refused.';
comment on column pool_limits.raised_day is 'The UTC day on which raised_bytes are added to day_bytes.';

create table whitelist (
  pool text not null,
  address text not null check (address ~ '^[0-9]{1,3}(\.[0-9]{1,3}){3}$'),
  account_id bigint not null,
  claimed_at timestamptz not null default now(),
  proven_at timestamptz,
  last_used_at timestamptz,
  proxy_user_id bigint references proxy_user (id),
  primary key (pool, address, account_id),
  foreign key (account_id, pool) references access (account_id, pool)
);
comment on table whitelist is
  'A client address that a customer in a pool may use without a password. It is a claim until the customer '
  'has proven it, by a connection with a password from the address or by adding it from there. Several '
  'customers may claim an address, one may have proven it.';
comment on column whitelist.address is 'An IPv4 address in canonical form, so that it has one spelling.';
comment on column whitelist.last_used_at is
  'When the address was last looked up for a client without a password and could be charged, to within ten '
  'minutes.';

comment on column whitelist.proxy_user_id is
  'The proxy user of the customer that the address stands for; null: the customer. It does so only when it is proven.';
create index whitelist_of_proxy_user on whitelist (proxy_user_id) where proxy_user_id is not null;

create function forget_addresses_of_deleted() returns trigger language plpgsql as $$
begin
  delete from whitelist where proxy_user_id = new.id;
  return null;
end $$;
comment on function forget_addresses_of_deleted is 'An address must not stand for a proxy user that is deleted.';
create trigger forget_addresses after update of deleted_at on proxy_user
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function forget_addresses_of_deleted();

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
  foreign key (account_id, pool) references access (account_id, pool)
);
comment on table whitelist_loss is
  'An address that left a customer''s whitelist without their doing, shown there for a week.';
comment on column whitelist_loss.reason is
  'taken: another customer has proven it; unproven: it was neither proven nor used for a day.';

create index whitelist_loss_by_age on whitelist_loss (lost_at);
