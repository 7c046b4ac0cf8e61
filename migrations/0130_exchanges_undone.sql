-- A refund or a dispute takes the traffic of its invoice back from the pools that it was exchanged for.

create table traffic_move_undone (
  id bigint generated always as identity primary key,
  part_id bigint not null references traffic_move_part (id),
  invoice_id bigint not null references invoice (id),
  made_at timestamptz not null,
  bytes bigint not null check (bytes > 0),
  to_bytes bigint not null check (to_bytes > 0),
  micros bigint not null,
  fee_micros bigint not null,
  share_micros bigint not null,
  paid_micros bigint not null
);
comment on table traffic_move_undone is
  'How much of a part of an exchange was exchanged back, so that a refund or a dispute of its invoice could take it.';
comment on column traffic_move_undone.invoice_id is 'The invoice that was refunded or disputed.';
comment on column traffic_move_undone.bytes is 'Of the bytes of the part, in the pool that they had left.';
comment on column traffic_move_undone.to_bytes is 'Of what the exchange had given for them.';
comment on column traffic_move_undone.micros is 'Of the money of the part, which belongs to its source again, as the next columns do.';

create index traffic_move_undone_part on traffic_move_undone (part_id);
create index traffic_move_undone_at on traffic_move_undone (made_at);
create index traffic_move_undone_invoice on traffic_move_undone (invoice_id);
