-- What the operator pays for exits.

create table exit_cost (
  id bigint generated always as identity primary key,
  exit_id bigint not null,
  pool text not null,
  name text not null,
  from_day date not null,
  per_gb_micros bigint not null check (per_gb_micros between 0 and 1000000000000),
  month_micros bigint not null check (month_micros between 0 and 1000000000000000),
  counts text not null check (counts in ('both', 'up', 'down')),
  gb_bytes bigint not null check (gb_bytes in (1000000000, 1073741824)),
  rounding text not null check (rounding in ('none', 'mb', 'gb')),
  set_at timestamptz not null default now()
);
comment on table exit_cost is
  'What an exit costs from a UTC day on. It is append-only: on a day the newest row of the latest from_day up to that day applies, '
  'so a row with the same from_day corrects the one before it.';
comment on column exit_cost.exit_id is
  'The exit, which may have been removed since: its costs stay, with its pool and its name of then.';
comment on column exit_cost.per_gb_micros is 'Micro-USD for a GB of what the seller counts.';
comment on column exit_cost.month_micros is 'Micro-USD for a calendar month, whatever is relayed.';
comment on column exit_cost.counts is 'What the seller counts: bytes to targets (up), bytes from them (down), or both.';
comment on column exit_cost.gb_bytes is 'The seller''s GB.';
comment on column exit_cost.rounding is 'To what the seller rounds up the bytes of a UTC day: its MB, its GB, or nothing.';

create index exit_cost_of_exit on exit_cost (exit_id, from_day, id);

create function exit_cost_stays() returns trigger language plpgsql as $$
begin
  raise exception 'costs of exits are append-only: set another one' using errcode = 'restrict_violation';
end $$;
comment on function exit_cost_stays() is 'Refuses the statement.';

create trigger stays before update or delete or truncate on exit_cost
  for each statement execute function exit_cost_stays();
