-- Gigabytes that move, as gifts to other customers and exchanges between a customer's own pools; and the bill
-- that customers can check: docs/bill.md, docs/decisions/0036-usage-and-the-bill.md.

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
  fee_micros bigint not null default 0,
  share_micros bigint not null default 0,
  paid_micros bigint not null default 0,
  check (case kind when 'gift' then from_account <> to_account and from_pool = to_pool and bytes = to_bytes
    else from_account = to_account and from_pool <> to_pool end)
);
comment on table traffic_move is
  'Paid traffic that a customer has given to another one, or exchanged between own pools.';
comment on column traffic_move.reference is 'That of the ledger transactions gift and exchange.';
comment on column traffic_move.micros is
  'Of what was paid for the traffic: its cost to the one who has it now, for the margin.';
comment on column traffic_move.fee_micros is 'Of micros, what processors kept.';
comment on column traffic_move.share_micros is 'Of micros, the shares of inviters.';
comment on column traffic_move.paid_micros is
  'What the customer paid for the traffic, fees and the referral balance included: an exchange is worth no '
  'more.';

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
  fee_micros bigint not null default 0,
  share_micros bigint not null default 0,
  paid_micros bigint not null default 0,
  check ((invoice_id is null) <> (source_move_id is null))
);
comment on table traffic_move_part is
  'Which purchase, or which earlier move, the traffic of a move came from. Its bytes are of the pool that '
  'they left.';

create index traffic_move_part_move on traffic_move_part (move_id);
create index traffic_move_part_invoice on traffic_move_part (invoice_id) where invoice_id is not null;
create index traffic_move_part_source on traffic_move_part (source_move_id) where source_move_id is not null;

create table dispute_gift (
  method text not null,
  dispute_id text not null,
  move_id bigint not null references traffic_move (id),
  account_id bigint not null references account (id),
  pool text not null,
  bytes bigint not null check (bytes >= 0),
  signal text check (signal in ('device', 'payer')),
  frozen_bytes bigint not null default 0 check (frozen_bytes between 0 and bytes),
  noted_at timestamptz not null,
  released_at timestamptz,
  primary key (method, dispute_id, move_id),
  foreign key (method, dispute_id) references payment_dispute (method, dispute_id)
);
comment on table dispute_gift is
  'What a disputed purchase gave to others before it was disputed, for staff; withheld where the receiver is '
  'an account of the same person.';
comment on column dispute_gift.account_id is 'The receiver.';
comment on column dispute_gift.bytes is 'What of the gift was of the disputed purchase.';
comment on column dispute_gift.signal is
  'By what the receiver is known to be the same person: a browser that both signed in from, or a card that '
  'both saved; null: by nothing.';
comment on column dispute_gift.frozen_bytes is
  'What is withheld at the receiver; of a dispute that was lost it stays so.';
comment on column dispute_gift.released_at is 'When it was given back, after a dispute that was won.';

create index dispute_gift_account on dispute_gift (account_id) where released_at is null;

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
  'How much of a part of an exchange was exchanged back, so that a refund or a dispute of its invoice could '
  'take it.';
comment on column traffic_move_undone.invoice_id is 'The invoice that was refunded or disputed.';
comment on column traffic_move_undone.bytes is 'Of the bytes of the part, in the pool that they had left.';
comment on column traffic_move_undone.to_bytes is 'Of what the exchange had given for them.';
comment on column traffic_move_undone.micros is
  'Of the money of the part, which belongs to its source again, as the next columns do.';

create index traffic_move_undone_part on traffic_move_undone (part_id);
create index traffic_move_undone_at on traffic_move_undone (made_at);
create index traffic_move_undone_invoice on traffic_move_undone (invoice_id);

create table bill_line (
  id bigint generated always as identity,
  account_id bigint not null references account (id),
  line bigint not null check (line > 0),
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  pool text not null,
  credited_bytes bigint not null,
  charged_bytes bigint not null check (charged_bytes >= 0),
  micros_per_gb bigint check (micros_per_gb >= 0),
  requests bigint not null check (requests >= 0),
  balance_bytes bigint not null check (balance_bytes >= 0),
  sha256 bytea not null check (length(sha256) = 32),
  primary key (account_id, line)
);
comment on table bill_line is
  'What a closed UTC hour did to a customer''s traffic in a pool. A line is made once and never changed: '
  'what is found out later is in a later line. The lines of a customer are a chain.';
comment on column bill_line.id is
  'The order of all lines. Transactions that make lines run one after another: a line with a higher number '
  'was committed later.';
comment on column bill_line.credited_bytes is
  'Bought or given, less what was taken back, since the line of the pool before: below zero after a refund.';
comment on column bill_line.charged_bytes is
  'What settlements took for relayed bytes, by the hours of ledger_usage.';
comment on column bill_line.micros_per_gb is
  'Micro-USD per GB: what the customer had paid for this pool on average when the line was made. Null: '
  'nothing.';
comment on column bill_line.requests is 'Those known when the line was made. Nothing is charged by them.';
comment on column bill_line.balance_bytes is
  'The balance of the pool at the end of the hour, paid and bonus together.';
comment on column bill_line.sha256 is
  'SHA-256 of the hash of the line before, and of this line as it is written in the file.';

create index bill_line_pool on bill_line (account_id, pool, line desc);

create table bill_pool (
  account_id bigint not null references account (id),
  pool text not null,
  hour timestamptz not null,
  hour_bytes bigint not null,
  balance_bytes bigint not null,
  primary key (account_id, pool)
);
comment on table bill_pool is 'How far the hours of a customer''s pool are in the bill.';
comment on column bill_pool.hour is 'The last hour with a line.';
comment on column bill_pool.hour_bytes is
  'What was charged in it when its line was made. A settlement that waited for long adds to an hour after '
  'that; the next line has it.';

create table bill_since (
  is_only boolean primary key default true check (is_only),
  hour timestamptz not null
);
comment on table bill_since is
  'One row: the first hour that has lines. What was held before it is carried forward in the line before.';
insert into bill_since (hour) values (date_trunc('hour', now(), 'UTC'));

create function bill_text(line bill_line) returns text stable language sql as $$
  select concat_ws(',', line.line, to_char(line.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'), line.pool, line.credited_bytes,
    line.charged_bytes, coalesce((line.micros_per_gb / 1000000)::text || '.' || lpad((line.micros_per_gb % 1000000)::text, 6, '0'), ''),
    line.requests, line.balance_bytes)
$$;
comment on function bill_text(bill_line) is 'A line as it is written in the file, without its hash.';

create function bill_chain_hash(before bytea, line text) returns bytea immutable language sql as $$
  select sha256(convert_to(coalesce(encode(before, 'hex'), repeat('0', 64)) || ',' || line, 'UTF8'))
$$;
comment on function bill_chain_hash(bytea, text) is
  'The hash of a line of a chain: of the hash before it, or zeros, and of the line as it is written.';

create function bill_join_chain() returns trigger language plpgsql as $$
declare
  before bill_line;
  balance bigint;
begin
  select * into before from bill_line where account_id = new.account_id order by line desc limit 1;
  select balance_bytes into balance from bill_line where account_id = new.account_id and pool = new.pool order by line desc limit 1;
  if new.line <> coalesce(before.line, 0) + 1 or new.hour < before.hour
    or new.balance_bytes <> coalesce(balance, 0) + new.credited_bytes - new.charged_bytes
  then
    raise exception 'a line of a bill continues the lines before it' using errcode = 'check_violation', constraint = 'bill_continues';
  end if;
  new.sha256 := bill_chain_hash(before.sha256, bill_text(new));
  return new;
end $$;
comment on function bill_join_chain() is
  'Refuses a line that does not continue the chain, and computes its hash.';

create trigger joins_chain before insert on bill_line for each row execute function bill_join_chain();

create function bill_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'a bill is append-only: % is refused', tg_op using errcode = 'restrict_violation';
end $$;
comment on function bill_refuse() is 'Refuses the statement.';

create trigger append_only before update or delete or truncate on bill_line
  for each statement execute function bill_refuse();

create table bill_root (
  day date primary key,
  last_line bigint not null,
  secret bytea not null check (length(secret) = 32),
  nodes bytea not null check (length(nodes) % 64 = 32),
  sha256 bytea not null check (length(sha256) = 32),
  made_at timestamptz not null
);
alter table bill_root alter column nodes set storage external;
comment on table bill_root is
  'A Merkle tree a day over the heads of all bills. Its root is public: later the shop can show no other bill '
  'that agrees with it. A row is never changed, and never made for a day that is over.';
comment on column bill_root.day is 'The UTC day on which it was made.';
comment on column bill_root.last_line is 'bill_line.id of the last line that it knows.';
comment on column bill_root.secret is
  'The nonce of an account''s leaf is computed from it and the number of the account: without it nobody can '
  'tell whose leaf it is, or that somebody has one.';
comment on column bill_root.nodes is
  'The hashes of a complete binary tree, 32 bytes each, level by level from the leaves to the root. Leaves '
  'are in the order of their hashes; random ones fill the tree up.';
comment on column bill_root.sha256 is
  'SHA-256 of this column of the row before, the day and the root, as in the public list.';

create function bill_root_text(root bill_root) returns text stable language sql as $$
  select root.day::text || ',' || encode(substring(root.nodes from length(root.nodes) - 31), 'hex')
$$;
comment on function bill_root_text(bill_root) is 'A line of the public list, without its hash.';

create function bill_root_join_chain() returns trigger language plpgsql as $$
declare
  before bill_root;
begin
  select * into before from bill_root order by day desc limit 1;
  if new.day <= before.day or new.last_line < before.last_line then
    raise exception 'a root of bills follows those before it' using errcode = 'check_violation', constraint = 'bill_root_follows';
  end if;
  new.sha256 := bill_chain_hash(before.sha256, bill_root_text(new));
  return new;
end $$;
comment on function bill_root_join_chain() is
  'Refuses a root that is not after the others, and computes its hash.';

create trigger joins_chain before insert on bill_root for each row execute function bill_root_join_chain();

create trigger append_only before update or delete or truncate on bill_root
  for each statement execute function bill_refuse();
