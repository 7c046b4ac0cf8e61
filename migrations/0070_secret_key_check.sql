-- A known text sealed with SECRET_KEY: a process whose key does not open it has another key than the database's secrets.
create table secret_key_check (
  is_only boolean primary key default true check (is_only),
  sealed bytea not null,
  made_at timestamptz not null default now()
);
