-- The operator's exits: the machine itself or other proxies, through which traffic leaves; how they answered;
-- and the operator's accounts at the sellers of traffic, with what was read of them.

create table exit (
  id bigint generated always as identity primary key,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  name text not null check (length(name) between 1 and 64),
  kind text not null check (kind in ('direct', 'http', 'socks5')),
  host text,
  port integer check (port between 1 and 65535),
  username text,
  password_sealed bytea,
  preset text check (preset ~ '^[a-z0-9_]{1,32}$'),
  options jsonb not null default '{}' check (jsonb_typeof(options) = 'object'),
  tls boolean not null default false,
  tls_ca text,
  bind_address inet,
  everywhere boolean not null,
  weight integer not null default 1 check (weight between 0 and 1000000),
  max_connections integer check (max_connections between 1 and 1000000),
  warm_connections integer not null default 0 check (warm_connections between 0 and 32),
  names text not null default 'auto' check (names in ('auto', 'exit', 'gateway')),
  plain_http text not null default 'tunnel' check (plain_http in ('tunnel', 'forward')),
  probe_target text check (length(probe_target) between 3 and 300),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tested_at timestamptz,
  unique (pool, name),
  constraint exit_has_an_address check (
    (kind = 'direct') = (host is null) and (host is null) = (port is null)
  ),
  constraint exit_credentials check (password_sealed is null or username is not null),
  constraint exit_binds_when_direct check (kind = 'direct' or bind_address is null),
  constraint exit_chains check (
    kind <> 'direct'
    or (preset is null and options = '{}' and not tls and tls_ca is null and names = 'auto' and probe_target is null)
  ),
  constraint exit_options_of_a_preset check (preset is not null or options = '{}'),
  constraint exit_authority_of_tls check (tls or tls_ca is null),
  constraint exit_forwards_http check (kind = 'http' or plain_http = 'tunnel'),
  constraint exit_warm_of_chains check (kind <> 'direct' or warm_connections = 0)
);
comment on table exit is
  'An exit of the gateways: this machine (direct), or another proxy that connections are chained through.';
comment on column exit.password_sealed is 'AES-256-GCM under a key of SECRET_KEY.';
comment on column exit.preset is
  'The seller in whose user names the targeting of a line is written; null: the user name is the same for '
  'every line.';
comment on column exit.options is 'The preset''s own settings, by their names in the preset.';
comment on column exit.tls is 'Whether connections to the proxy itself use TLS.';
comment on column exit.tls_ca is
  'The authority that signed the proxy''s certificate, in PEM; null: those of the system.';
comment on column exit.bind_address is
  'Of a direct exit: the local address to connect from; null: the system chooses.';
comment on column exit.everywhere is
  'True: the exit serves every targeting and has no rows in exit_place. It is a column of its own, so that '
  'an exit whose last place is removed serves nothing rather than everything.';
comment on column exit.weight is
  'Its share of the pool''s connections; 0: it gets no new ones, and can be tested.';
comment on column exit.max_connections is
  'The most connections of all workers of one machine; null: no limit.';
comment on column exit.warm_connections is
  'How many connections to the proxy each gateway worker keeps open ahead of customers.';
comment on column exit.names is
  'Where the names of targets are looked up; auto: at the exit, unless its address is in a private network.';
comment on column exit.plain_http is
  'How requests for http:// URLs are sent: through a tunnel, or forwarded as a client of an HTTP proxy '
  'would.';
comment on column exit.probe_target is
  'host:port to which a health check opens a tunnel; null: the check ends with the handshake.';
comment on column exit.tested_at is
  'When a test of staff last got an answer through the exit as it is now; null: never. A change of its address, '
  'login or settings of connecting makes it null.';

create table exit_place (
  exit_id bigint not null references exit (id) on delete cascade,
  country text not null check (country ~ '^[a-z]{2}$'),
  state text check (state ~ '^[a-z]{2}_[a-z0-9]{1,32}$'),
  city text check (city ~ '^[a-z]{2}_[a-z0-9_]{1,61}$'),
  zip text check (zip ~ '^[a-z0-9_]{1,16}$'),
  asn bigint check (asn between 1 and 4294967295),
  unique nulls not distinct (exit_id, country, state, city, zip, asn)
);
comment on table exit_place is 'A place that an exit serves; null columns narrow it no further.';

create table exit_hour (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  exit_id bigint not null,
  failed bigint not null default 0 check (failed >= 0),
  answered bigint[] not null,
  primary key (hour, exit_id)
) with (fillfactor = 70);
comment on table exit_hour is
  'How an exit answered connections in a UTC hour. Kept at best effort: gateways tell it with their '
  'heartbeats, of which the last one before a kill is lost, and one whose answer is lost is told again.';
comment on column exit_hour.failed is 'Attempts that failed for a reason of the exit''s.';
comment on column exit_hour.answered is
  'Opened connections by the time that they took, in the classes of src/feed/exit.answers.ts.';

create table exit_minute (
  minute timestamptz not null check (minute = date_trunc('minute', minute, 'UTC')),
  exit_id bigint not null references exit (id) on delete cascade,
  failed bigint not null check (failed >= 0),
  answered bigint not null check (answered >= 0),
  primary key (exit_id, minute)
) with (fillfactor = 70);
comment on table exit_minute is
  'The sums of exit_hour by the UTC minute in which gateways told them. Kept for an hour.';

create table exit_error (
  exit_id bigint primary key references exit (id) on delete cascade,
  at timestamptz not null,
  code text not null check (code ~ '^[a-z_]{1,64}$'),
  status integer check (status between 0 and 999),
  word text check (length(word) <= 200)
);
comment on table exit_error is
  'The last failure of an exit for a reason of its own, within the seconds between two heartbeats.';
comment on column exit_error.code is 'The gateway''s code of the failure.';
comment on column exit_error.status is 'The status that the exit answered with; null: none.';
comment on column exit_error.word is 'What the exit said of it, without the target; null: nothing.';

create table seller_account (
  id bigint generated always as identity primary key,
  seller text not null check (seller ~ '^[a-z0-9_]{1,32}$'),
  label text not null unique check (length(label) between 1 and 64),
  counts text not null check (counts in ('both', 'up', 'down')),
  credentials_sealed bytea not null,
  left_bytes bigint,
  left_micros bigint,
  places_sha256 bytea,
  places_rows bigint,
  places_addresses bigint,
  places_kept_sha256 bytea,
  claimed_until timestamptz,
  created_at timestamptz not null default now(),
  meter_bytes bigint,
  meter_at timestamptz,
  constraint seller_account_places check (
    (places_sha256 is null) = (places_rows is null) and (places_rows is null) = (places_addresses is null)
  ),
  constraint seller_account_meter check ((meter_bytes is null) = (meter_at is null))
);
comment on table seller_account is
  'An account of the operator at a seller of traffic, which Turnpike reads and never changes.';
comment on column seller_account.label is
  'The operator''s name of the account. The credentials are sealed for it, so it does not change.';
comment on column seller_account.counts is
  'What the seller counts: bytes to targets (up), bytes from them (down), or both. Ours beside its bill are '
  'counted in the same way.';
comment on column seller_account.credentials_sealed is
  'An object of texts by the seller''s fields, as JSON: AES-256-GCM under a key of SECRET_KEY.';
comment on column seller_account.left_bytes is
  'As it was told last; null: never, or the seller does not tell it.';
comment on column seller_account.left_micros is
  'Micro-USD, as it was told last; null: never, or the seller does not tell it.';
comment on column seller_account.places_sha256 is
  'Of the list of places that is in the inventory; null: none was taken over yet.';
comment on column seller_account.places_kept_sha256 is
  'Of a list that staff declined: it is not asked about again.';
comment on column seller_account.claimed_until is
  'A process reads the account until then at the latest, so that no other one does at the same time.';
comment on column seller_account.meter_bytes is
  'What is left, or what was ever used, at the last reading: of sellers whose usage by day is the difference '
  'of it. Null: not read with these credentials.';
comment on column seller_account.meter_at is 'When it was read.';

create table seller_account_exit (
  exit_id bigint primary key references exit (id) on delete cascade,
  account_id bigint not null references seller_account (id) on delete cascade
);
comment on table seller_account_exit is 'The exits whose traffic is taken from an account.';

create index seller_account_exit_account on seller_account_exit (account_id);

create table seller_reading (
  account_id bigint not null references seller_account (id) on delete cascade,
  part text not null check (part in ('balance', 'usage', 'places')),
  due_at timestamptz,
  read_at timestamptz,
  failures integer not null default 0 check (failures >= 0),
  fault_kind text check (fault_kind in ('refused', 'busy', 'unreachable', 'malformed', 'rejected')),
  fault text,
  fault_at timestamptz,
  primary key (account_id, part),
  constraint seller_reading_fault check (
    (fault_kind is null) = (fault is null) and (fault is null) = (fault_at is null)
  )
);
comment on table seller_reading is
  'When each part of an account is read next, was read last, and why it could not be. Parts that the seller '
  'does not offer have no row.';
comment on column seller_reading.due_at is
  'Null: the seller has refused the credentials so often that it is not asked any more, until staff check '
  'the account.';
comment on column seller_reading.failures is 'In a row, since it was read last.';

create table seller_answer (
  account_id bigint not null references seller_account (id) on delete cascade,
  part text not null check (part in ('balance', 'usage', 'places')),
  day date not null,
  at timestamptz not null,
  body text not null,
  primary key (account_id, part, day)
);
comment on table seller_answer is
  'The last answers of each UTC day as they came, for disputes, without passwords. Of places that of the '
  'last day alone.';

create table seller_usage (
  account_id bigint not null references seller_account (id) on delete cascade,
  day date not null,
  bytes bigint not null check (bytes >= 0),
  told_at timestamptz not null,
  primary key (account_id, day)
);
comment on table seller_usage is 'What the seller says was used on a UTC day, as it was told last.';

create table seller_places_asked (
  account_id bigint primary key references seller_account (id) on delete cascade,
  csv text not null,
  sha256 bytea not null,
  rows bigint not null,
  addresses bigint not null,
  asked_at timestamptz not null
);
comment on table seller_places_asked is
  'A list of places that has shrunk to half or less: it is taken over when staff accept it, and the last one '
  'stays until then.';

create table seller_meter_day (
  account_id bigint not null references seller_account (id) on delete cascade,
  day date not null,
  used_bytes bigint not null check (used_bytes >= 0),
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  is_refilled boolean not null,
  is_missed boolean not null,
  primary key (account_id, day)
);
comment on table seller_meter_day is
  'What was used at a seller on a UTC day, by the differences of what it tells. Only whole days without a '
  'refill and without missed readings are compared.';
comment on column seller_meter_day.from_at is 'The differences are of the time from then until until_at.';
comment on column seller_meter_day.is_refilled is
  'What is left rose, or what was ever used fell: how much was used meanwhile is not known.';
comment on column seller_meter_day.is_missed is
  'For more than 15 minutes nothing was read, or the account was another one.';
