-- What is left of the traffic that was bought from the seller of an exit.

create table exit_stock (
  id bigint generated always as identity primary key,
  exit_id bigint not null references exit (id) on delete cascade,
  at timestamptz not null,
  left_bytes bigint not null check (left_bytes >= 0),
  set_at timestamptz not null default now()
);
comment on table exit_stock is
  'How much of a seller''s traffic was left, as somebody read it from the seller''s page. The newest row of an exit applies; what was '
  'counted since its time is subtracted from it.';
comment on column exit_stock.at is 'When it was so much: the beginning of a UTC hour.';

create index exit_stock_of_exit on exit_stock (exit_id, id);
