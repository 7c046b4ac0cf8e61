-- A record of every tunnel and request in place of a sample, by UTC day, and its sums by hour. Nothing is charged by them.

create table connection_record (
  ended_at timestamptz not null,
  accepted_at timestamptz not null,
  account_id bigint,
  subuser_id bigint not null,
  exit_id bigint,
  up_bytes bigint not null,
  down_bytes bigint not null,
  charged_up_bytes bigint not null,
  charged_down_bytes bigint not null,
  id uuid not null,
  duration_ms integer not null check (duration_ms >= 0),
  port integer,
  client_port integer,
  authenticated_ms integer,
  exit_chosen_ms integer,
  connected_ms integer,
  first_byte_ms integer,
  multiplier integer not null,
  status integer,
  exit_status integer,
  client inet,
  protocol text not null check (protocol in ('http', 'connect', 'socks5')),
  host text,
  settings text,
  country text,
  outcome text not null,
  code text,
  sentence text,
  exit_word text
) partition by range (ended_at);
comment on table connection_record is
  'A tunnel or request of a customer, from its end on. It has no foreign keys, so that one row never prevents others from being '
  'written. The partition of a UTC day is made ahead or when it is needed, and dropped when it is old. CONNECTION_LOG says which '
  'of host, port, client and client_port are kept.';
comment on column connection_record.ended_at is
  'When it ended, by the database''s clock. Records are written in nearly this order, which the BRIN index needs.';
comment on column connection_record.accepted_at is 'When it began, by the database''s clock.';
comment on column connection_record.account_id is 'The customer; null when the subuser was unknown.';
comment on column connection_record.id is 'The X-Request-Id that was sent to the customer.';
comment on column connection_record.host is 'The name or address of the target, as the client wrote it. Paths are not kept.';
comment on column connection_record.authenticated_ms is 'This and the times after it: milliseconds since the beginning.';
comment on column connection_record.exit_status is 'The status that the exit itself answered with.';
comment on column connection_record.exit_word is 'The reason that the exit itself gave.';

create index connection_record_time on connection_record using brin (ended_at) with (pages_per_range = 32, autosummarize = on);
create index connection_record_account on connection_record (account_id, ended_at);
create index connection_record_host on connection_record (host, ended_at);
create index connection_record_client on connection_record (client, ended_at);
create index connection_record_id on connection_record (id);
-- Those that a search by their end alone would not find: searches look an hour beyond the time asked for.
create index connection_record_long on connection_record (ended_at) where duration_ms >= 3600000;

create table connection_batch (
  gateway text not null,
  run text not null,
  through bigint not null check (through > 0),
  taken_at timestamptz not null default now(),
  primary key (gateway, run)
);
comment on table connection_batch is
  'The last batch of records that was taken from a run of a gateway. It numbers them from 1 and sends one at a time, so each is '
  'taken once. Apart from gateway_boot, whose lock settlements need.';

create table connection_hour (
  hour timestamptz not null,
  pool text not null,
  exit_id bigint not null,
  country text not null,
  code text not null,
  connections bigint not null,
  up_bytes bigint not null,
  down_bytes bigint not null,
  charged_bytes bigint not null,
  primary key (hour, pool, exit_id, country, code)
);
comment on table connection_hour is
  'The sums of the records that ended in a UTC hour, for charts. The books are in usage_hour: a lost record is missing here.';
comment on column connection_hour.exit_id is '0: none.';
comment on column connection_hour.country is 'The country of the exit; empty: not known.';
comment on column connection_hour.code is 'done, the code of the refusal, or else the cause of the end.';

-- The sample of the last seven days.
do $$
declare
  day date;
begin
  for day in select generate_series((now() at time zone 'UTC')::date - 9, (now() at time zone 'UTC')::date + 1, '1 day') loop
    execute format('create table %I partition of connection_record for values from (%L) to (%L)',
      'connection_record_' || to_char(day, 'YYYYMMDD'), day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end loop;
end $$;
insert into connection_record
  select r.ended_at, r.accepted_at, s.account_id, r.subuser_id, r.exit_id, r.up_bytes, r.down_bytes, r.charged_up_bytes, r.charged_down_bytes,
    r.id, greatest(r.ended_ms, 0), substring(r.target from ':([0-9]{1,5})$')::int, null, r.authenticated_ms, r.exit_chosen_ms,
    r.connected_ms, r.first_byte_ms, r.multiplier, r.status, r.exit_status, null, r.protocol,
    btrim(regexp_replace(r.target, ':[0-9]{1,5}$', ''), '[]'), r.settings, r.country, r.outcome, r.code, r.sentence, r.exit_word
  from (select *, least(accepted_at + make_interval(secs => ended_ms / 1000.0), now()) as ended_at from request_record) r
    left join subuser s on s.id = r.subuser_id
  where r.ended_at >= ((now() at time zone 'UTC')::date - 9)::timestamp at time zone 'UTC';
drop table request_record;

comment on table request_unkept is 'How many requests of a minute have no connection_record.';

-- What a gateway's heartbeat tells of it.
alter table gateway_boot
  add column tunnels integer,
  add column bits_per_second bigint,
  add column leases integer,
  add column leased_bytes bigint,
  add column reports_waiting integer;
comment on column gateway_boot.tunnels is
  'Open tunnels and requests at the last sign of life. Null, like the columns after it: it does not tell.';
