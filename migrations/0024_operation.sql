-- The operation of the server: keys of repeated calls, recurring tasks, the check of SECRET_KEY, backups, and
-- settings that staff change while the shop runs.

create table idempotency_key (
  account_id bigint not null references account (id),
  key text not null,
  request_sha256 bytea not null check (length(request_sha256) = 32),
  operation text not null,
  claim text not null,
  claimed_at timestamptz not null default now(),
  status smallint,
  answer_sealed bytea,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
comment on table idempotency_key is
  'A call that changes something, and its first answer, which is repeated to calls with the same key for 24 '
  'hours.';
comment on column idempotency_key.operation is
  'The id of the work, which what it makes carries. When the process dies before its answer, a repeated call '
  'finds by it what was made and goes on from there.';
comment on column idempotency_key.claim is 'Identifies the process that does the work now.';
comment on column idempotency_key.claimed_at is
  'The last sign of life of that process; a claim that is silent for too long is taken over.';
comment on column idempotency_key.status is 'Null while the first call is still running.';
comment on column idempotency_key.answer_sealed is
  'Its headers and body as JSON, sealed with SECRET_KEY: it may contain a password or a token.';

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
  'A known text sealed with SECRET_KEY. A process that cannot open it has another key than the secrets of '
  'the database.';

create table backup_made (
  id bigint generated always as identity primary key,
  made_at timestamptz not null default now(),
  bytes bigint not null check (bytes >= 0)
);
comment on table backup_made is 'A backup that was written. It does not contain the row of itself.';

create table restore_tried (
  id bigint generated always as identity primary key,
  tried_at timestamptz not null default now(),
  file text not null,
  findings integer not null check (findings >= 0)
);
comment on table restore_tried is 'A backup that was restored into a scratch database, whose books were verified there.';
comment on column restore_tried.findings is '0: the books of the copy were in order.';

create table shop_setting (
  id bigint generated always as identity primary key,
  name text not null check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
  value bigint,
  changed_by text not null,
  reason text,
  changed_at timestamptz not null
);
comment on table shop_setting is
  'A change of a setting. Append-only: the last row of a name is in force, the others are its history.';
comment on column shop_setting.value is
  'In the unit of contract/desk/shop-settings.ts; null: the default of the program again.';
comment on column shop_setting.changed_by is
  'The member of staff, or the user of the system, by the name of then.';

create index shop_setting_name on shop_setting (name, id);

create function shop_setting_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the history of settings is append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function shop_setting_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on shop_setting
  for each statement execute function shop_setting_refuse();

create table shop_variable (
  id bigint generated always as identity primary key,
  name text not null check (name ~ '^[A-Z][A-Z0-9_]{1,63}$'),
  value_sealed bytea,
  changed_by text not null,
  reason text,
  changed_at timestamptz not null
);
comment on table shop_variable is
  'A change at the desk of a setting that is a variable of the environment elsewhere: keys of payment processors, '
  'the mail server, the bot. The last row of a name is in force, the others are its history.';
comment on column shop_variable.value_sealed is
  'Sealed with SECRET_KEY; null: not set. Only the value in force is kept, earlier ones become null.';
comment on column shop_variable.changed_by is
  'The member of staff, or the user of the system, by the name of then.';

create index shop_variable_name on shop_variable (name, id);
