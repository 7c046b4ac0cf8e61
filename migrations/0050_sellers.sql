-- The operator's accounts at the sellers of traffic, and what was read of them.

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
  constraint seller_account_places check ((places_sha256 is null) = (places_rows is null) and (places_rows is null) = (places_addresses is null))
);
comment on table seller_account is 'An account of the operator at a seller of traffic, which Turnpike reads and never changes.';
comment on column seller_account.label is 'The operator''s name of the account. The credentials are sealed for it, so it does not change.';
comment on column seller_account.counts is
  'What the seller counts: bytes to targets (up), bytes from them (down), or both. Ours beside its bill are counted in the same way.';
comment on column seller_account.credentials_sealed is 'An object of texts by the seller''s fields, as JSON: AES-256-GCM under a key of SECRET_KEY.';
comment on column seller_account.left_bytes is 'As it was told last; null: never, or the seller does not tell it.';
comment on column seller_account.left_micros is 'Micro-USD, as it was told last; null: never, or the seller does not tell it.';
comment on column seller_account.places_sha256 is 'Of the list of places that is in the inventory; null: none was taken over yet.';
comment on column seller_account.places_kept_sha256 is 'Of a list that staff declined: it is not asked about again.';
comment on column seller_account.claimed_until is 'A process reads the account until then at the latest, so that no other one does at the same time.';

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
  constraint seller_reading_fault check ((fault_kind is null) = (fault is null) and (fault is null) = (fault_at is null))
);
comment on table seller_reading is 'When each part of an account is read next, was read last, and why it could not be. Parts that the seller does not offer have no row.';
comment on column seller_reading.due_at is 'Null: the seller has refused the credentials so often that it is not asked any more, until staff check the account.';
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
  'The last answers of each UTC day as they came, for disputes, without passwords. Of places that of the last day alone.';

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
  'A list of places that has shrunk to half or less: it is taken over when staff accept it, and the last one stays until then.';
