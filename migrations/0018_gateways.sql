-- Gateways by name, as they tell of themselves, and which of them the operator has drained.

create table gateway (
  name text primary key check (length(name) between 1 and 100),
  version text not null,
  address text not null,
  workers integer not null check (workers > 0),
  state text not null check (state in ('running', 'draining', 'drained', 'stopped')),
  reports_waiting bigint not null default 0 check (reports_waiting >= 0),
  connections bigint not null default 0 check (connections >= 0),
  started_at timestamptz not null,
  seen_at timestamptz not null default now(),
  drain_asked_at timestamptz
);
comment on table gateway is 'A gateway: one process tree on one folder of one machine, with the workers that it has.';
comment on column gateway.name is 'Its workers'' names without their numbers: the name stays with the folder.';
comment on column gateway.address is 'The machine, and the first of its entry ports.';
comment on column gateway.state is 'As it last told; one that was killed tells nothing, which seen_at shows.';
comment on column gateway.reports_waiting is 'Reports that are not settled, of all its workers.';
comment on column gateway.drain_asked_at is
  'Since when the operator wants it drained: it accepts no connections, after restarts neither. Null: it is to serve.';
