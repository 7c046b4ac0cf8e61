-- Access to a pool: a login with a password of its own for every pool the customer has had traffic in.

-- One login for all pools of a customer: the entry port tells them apart.
create table proxy_login (
  account_id bigint primary key references account (id),
  login text not null unique check (login ~ '^[a-z0-9]{4,32}$'),
  unique (account_id, login)
);

create table subuser (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  login text not null,
  -- AES-256-GCM with SECRET_KEY: the customer may see it again.
  password_sealed bytea not null,
  -- SHA-256 of the password: what a gateway compares with. 95 random bits need no slow hash.
  password_sha256 bytea not null check (length(password_sha256) = 32),
  created_at timestamptz not null default now(),
  unique (account_id, pool),
  unique (login, pool),
  foreign key (account_id, login) references proxy_login (account_id, login)
);

-- Places and ASNs too long for a user name of 255 bytes; the line carries `-set-<id>` instead.
create table saved_targeting (
  account_id bigint not null references account (id),
  -- Digest of the targeting: the same settings are stored once.
  id text not null check (id ~ '^[a-z0-9]{6,32}$'),
  targeting jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- What a `hostname:port` line means: the port stands for the settings, the client's address for the password.
create table slot (
  subuser_id bigint not null references subuser (id),
  slot integer not null check (slot > 0),
  targeting jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (subuser_id, slot)
);
