-- Gigabytes that move: gifts to other customers, and exchanges between a customer's own pools.

create table traffic_move (
  id bigint generated always as identity primary key,
  reference text not null unique,
  kind text not null check (kind in ('gift', 'exchange')),
  made_at timestamptz not null,
  from_account bigint not null references account (id),
  from_pool text not null,
  bytes bigint not null check (bytes > 0),
  to_account bigint not null references account (id),
  to_pool text not null,
  to_bytes bigint not null check (to_bytes > 0),
  micros bigint not null,
  check (case kind when 'gift' then from_account <> to_account and from_pool = to_pool and bytes = to_bytes
    else from_account = to_account and from_pool <> to_pool end)
);
comment on table traffic_move is 'Paid traffic that a customer has given to another one, or exchanged between own pools.';
comment on column traffic_move.reference is 'That of the ledger transactions gift and exchange.';
comment on column traffic_move.micros is 'Of what was paid for the traffic: its cost to the one who has it now, for the margin.';

create index traffic_move_from on traffic_move (from_account, id desc);
create index traffic_move_to on traffic_move (to_account, id desc);
create index traffic_move_at on traffic_move (made_at);

create table traffic_move_part (
  id bigint generated always as identity primary key,
  move_id bigint not null references traffic_move (id),
  invoice_id bigint references invoice (id),
  source_move_id bigint references traffic_move (id),
  bytes bigint not null check (bytes > 0),
  micros bigint not null,
  check ((invoice_id is null) <> (source_move_id is null))
);
comment on table traffic_move_part is
  'Which purchase, or which earlier move, the traffic of a move came from. Its bytes are of the pool that they left.';

create index traffic_move_part_move on traffic_move_part (move_id);
create index traffic_move_part_invoice on traffic_move_part (invoice_id) where invoice_id is not null;
create index traffic_move_part_source on traffic_move_part (source_move_id) where source_move_id is not null;

create table security_changed (
  account_id bigint primary key references account (id),
  at timestamptz not null
);
comment on table security_changed is
  'When something that protects an account was last changed: its password, e-mail address or second factors. Gifts wait after it.';
