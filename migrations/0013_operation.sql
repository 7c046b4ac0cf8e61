-- The operation of the server: keys of repeated calls, recurring tasks, the check of SECRET_KEY, backups.

create table idempotency_key (
  account_id bigint not null references account (id),
  key text not null,
  request_sha256 bytea not null check (length(request_sha256) = 32),
  operation text not null,
  claim text not null,
  claimed_at timestamptz not null default now(),
  status smallint,
  headers jsonb,
  body text,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
comment on table idempotency_key is
  'A call that moves money or traffic, and its first answer, which is repeated to calls with the same key for 24 hours.';
comment on column idempotency_key.operation is
  'The id of the work, which what it makes carries. When the process dies before its answer, a repeated call finds by it what '
  'was made and goes on from there.';
comment on column idempotency_key.claim is 'Identifies the process that does the work now.';
comment on column idempotency_key.claimed_at is
  'The last sign of life of that process; a claim that is silent for too long is taken over.';
comment on column idempotency_key.status is 'Null while the first call is still running.';

create index idempotency_key_created on idempotency_key (created_at);

create table recurring_task (
  task text primary key,
  period timestamptz not null
);
comment on table recurring_task is 'A task that is done periodically.';
comment on column recurring_task.period is
  'The period for which the task was queued last, by the clock of the database, which all workers share.';

create table secret_key_check (
  is_only boolean primary key default true check (is_only),
  sealed bytea not null,
  made_at timestamptz not null default now()
);
comment on table secret_key_check is
  'A known text sealed with SECRET_KEY. A process that cannot open it has another key than the secrets of the database.';

create table backup_made (
  id bigint generated always as identity primary key,
  made_at timestamptz not null default now(),
  bytes bigint not null check (bytes >= 0)
);
comment on table backup_made is 'A backup that was written. It does not contain the row of itself.';
