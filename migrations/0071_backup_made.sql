-- When `turnpike backup` has written a backup. A backup does not know of itself.
create table backup_made (
  id bigint generated always as identity primary key,
  made_at timestamptz not null default now(),
  bytes bigint not null check (bytes >= 0)
);
