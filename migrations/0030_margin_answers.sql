-- How exits answered, by the hour.

create table exit_hour (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  exit_id bigint not null,
  failed bigint not null default 0 check (failed >= 0),
  answered bigint[] not null,
  primary key (hour, exit_id)
) with (fillfactor = 70);
comment on table exit_hour is
  'How an exit answered connections in a UTC hour. Kept at best effort: gateways tell it with their heartbeats, of which the last one '
  'before a kill is lost, and one whose answer is lost is told again.';
comment on column exit_hour.failed is 'Attempts that failed for a reason of the exit''s.';
comment on column exit_hour.answered is
  'Opened connections by the time that they took, in the classes of src/feed/exit.answers.ts.';
