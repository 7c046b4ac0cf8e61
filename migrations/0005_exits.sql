-- The operator's ways out.

create table exit (
  id bigint generated always as identity primary key,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  name text not null check (length(name) between 1 and 64),
  kind text not null check (kind in ('direct', 'http', 'socks5')),
  host text,
  port integer check (port between 1 and 65535),
  username text,
  -- AES-256-GCM with SECRET_KEY.
  password_sealed bytea,
  -- For direct exits: the local address to leave from; null: the system's choice.
  bind_address inet,
  -- True: it serves every targeting, and has no places. Not told by the absence of places, so that an exit whose
  -- last place is removed serves nothing, not everything.
  everywhere boolean not null,
  weight integer not null default 1 check (weight between 1 and 1000000),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (pool, name),
  constraint exit_has_an_address check ((kind = 'direct') = (host is null) and (host is null) = (port is null)),
  constraint exit_binds_when_direct check (kind = 'direct' or bind_address is null),
  constraint exit_credentials check (password_sealed is null or username is not null)
);

create table exit_place (
  exit_id bigint not null references exit (id) on delete cascade,
  country text not null check (country ~ '^[a-z]{2}$'),
  state text check (state ~ '^[a-z]{2}_[a-z0-9]{1,32}$'),
  city text check (city ~ '^[a-z]{2}_[a-z0-9_]{1,61}$'),
  zip text check (zip ~ '^[a-z0-9_]{1,16}$'),
  asn bigint check (asn between 1 and 4294967295),
  unique nulls not distinct (exit_id, country, state, city, zip, asn)
);
