-- The operator's exits: the machine itself or other proxies, through which traffic leaves.

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
  weight integer not null default 1 check (weight between 1 and 1000000),
  max_connections integer check (max_connections between 1 and 1000000),
  warm_connections integer not null default 0 check (warm_connections between 0 and 32),
  names text not null default 'auto' check (names in ('auto', 'exit', 'gateway')),
  plain_http text not null default 'tunnel' check (plain_http in ('tunnel', 'forward')),
  probe_target text check (length(probe_target) between 3 and 300),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (pool, name),
  constraint exit_has_an_address check ((kind = 'direct') = (host is null) and (host is null) = (port is null)),
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
comment on table exit is 'An exit of the gateways: this machine (direct), or another proxy that connections are chained through.';
comment on column exit.password_sealed is 'AES-256-GCM under a key of SECRET_KEY.';
comment on column exit.preset is
  'The seller in whose user names the targeting of a line is written; null: the user name is the same for every line.';
comment on column exit.options is 'The preset''s own settings, by their names in the preset.';
comment on column exit.tls is 'Whether connections to the proxy itself use TLS.';
comment on column exit.tls_ca is 'The authority that signed the proxy''s certificate, in PEM; null: those of the system.';
comment on column exit.bind_address is 'Of a direct exit: the local address to connect from; null: the system chooses.';
comment on column exit.everywhere is
  'True: the exit serves every targeting and has no rows in exit_place. It is a column of its own, so that an exit whose last '
  'place is removed serves nothing rather than everything.';
comment on column exit.max_connections is 'The most connections of all workers of one machine; null: no limit.';
comment on column exit.warm_connections is 'How many connections to the proxy each gateway worker keeps open ahead of customers.';
comment on column exit.names is
  'Where the names of targets are looked up; auto: at the exit, unless its address is in a private network.';
comment on column exit.plain_http is
  'How requests for http:// URLs are sent: through a tunnel, or forwarded as a client of an HTTP proxy would.';
comment on column exit.probe_target is
  'host:port to which a health check opens a tunnel; null: the check ends with the handshake.';

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
