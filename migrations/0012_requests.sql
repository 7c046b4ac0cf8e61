-- A record of every tunnel and request, by UTC day, its sums, and who watches them; open sessions; trouble
-- with places. Nothing is charged by them.

create table connection_record (
  ended_at timestamptz not null,
  accepted_at timestamptz not null,
  account_id bigint,
  access_id bigint not null,
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
  exit_word text,
  proxy_user_id bigint,
  target_address inet,
  exit_address inet,
  exit_port integer
) partition by range (ended_at);
comment on table connection_record is
  'A tunnel or request of a customer, from its end on. It has no foreign keys, so that one row never '
  'prevents others from being written. The partition of a UTC day is made ahead or when it is needed, and '
  'dropped when it is old. CONNECTION_LOG says which of host, port, client, client_port and of the addresses of '
  'target and exit are kept.';
comment on column connection_record.ended_at is
  'When it ended, by the database''s clock. Records are written in nearly this order.';
comment on column connection_record.accepted_at is 'When it began, by the database''s clock.';
comment on column connection_record.account_id is 'The customer; null when the access was unknown.';
comment on column connection_record.id is 'The X-Request-Id that was sent to the customer.';
comment on column connection_record.authenticated_ms is
  'This and the times after it: milliseconds since the beginning.';
comment on column connection_record.exit_status is 'The status that the exit itself answered with.';
comment on column connection_record.host is
  'The name or address of the target, as the client wrote it. Paths are not kept.';
comment on column connection_record.target_address is
  'The address of the target that was connected to, where host is a name and the gateway connected, or named '
  'the address to the exit.';
comment on column connection_record.exit_address is
  'From where the exit connected to the target, with exit_port; null: only the exit knows.';
comment on column connection_record.exit_word is 'The reason that the exit itself gave.';
comment on column connection_record.proxy_user_id is
  'The proxy user whose login it was; null: the login of the access itself.';

create index connection_record_account on connection_record (account_id, ended_at);
create index connection_record_host on connection_record (host, ended_at);
create index connection_record_client on connection_record (client, ended_at);
create index connection_record_id on connection_record (id);
-- Those that a search by their end alone would not find: searches look an hour beyond the time asked for.
create index connection_record_long on connection_record (ended_at) where duration_ms >= 3600000;
-- The last refusals by code, and those of a customer. Most connections are not refused.
create index connection_record_code on connection_record (code, ended_at) where code is not null;
create index connection_record_refused on connection_record (account_id, ended_at) where code is not null;
-- Records by their end, of which a list of the latest reads its page: a BRIN index would find blocks of a time,
-- not the last before it. Records come nearly in this order, so they are appended to the index's last page.
create index connection_record_end on connection_record (ended_at);
-- What letters of complaint name besides the host.
create index connection_record_target on connection_record (target_address, ended_at) where target_address is not null;
create index connection_record_exit_port on connection_record (exit_port, exit_address, ended_at) where exit_port is not null;
-- The last refusals of an exit.
create index connection_record_refused_exit on connection_record (exit_id, ended_at) where code is not null;

create table connection_batch (
  gateway text not null,
  run text not null,
  through bigint not null check (through > 0),
  taken_at timestamptz not null default now(),
  primary key (gateway, run)
);
comment on table connection_batch is
  'The last batch of records that was taken from a run of a gateway. It numbers them from 1 and sends one at '
  'a time, so each is taken once. Apart from gateway_boot, whose lock settlements need.';

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
  refused bigint not null default 0,
  in_day boolean not null default false,
  primary key (hour, pool, exit_id, country, code)
);
comment on table connection_hour is
  'The sums of the records that ended in a UTC hour, for charts. The books are in usage_hour: a lost record '
  'is missing here.';
comment on column connection_hour.exit_id is '0: none.';
comment on column connection_hour.country is 'The country of the exit; empty: not known.';
comment on column connection_hour.code is 'done, the code of the refusal, or else the cause of the end.';
comment on column connection_hour.refused is
  'Those of the connections that the gateway answered with a refusal, whose code it is.';
comment on column connection_hour.in_day is 'Whether the row is contained in connection_day.';

create index connection_hour_not_in_day on connection_hour (hour) where not in_day;

-- The days up to tomorrow: later ones are made ahead.
do $$
declare
  day date;
begin
  for day in select generate_series((now() at time zone 'UTC')::date - 9, (now() at time zone 'UTC')::date + 1, '1 day') loop
    execute format('create table %I partition of connection_record for values from (%L) to (%L)',
      'connection_record_' || to_char(day, 'YYYYMMDD'), day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end loop;
end $$;

create table connection_day (
  day date not null,
  pool text not null,
  exit_id bigint not null,
  country text not null,
  code text not null,
  connections bigint not null,
  refused bigint not null,
  up_bytes bigint not null,
  down_bytes bigint not null,
  charged_bytes bigint not null,
  primary key (day, pool, exit_id, country, code)
);
comment on table connection_day is
  'The sums of the rows of connection_hour of a UTC day that are in_day: a month of them is read where the '
  'hours would be a million rows.';

create table usage_part_day (
  day date not null,
  account_id bigint not null,
  pool text not null,
  part text not null check (part in ('host', 'country', 'exit_country', 'code', 'user')),
  key text not null check (length(key) <= 300),
  connections bigint not null,
  refused bigint not null,
  relayed_bytes bigint not null,
  charged_bytes bigint not null,
  primary key (day, account_id, pool, part, key)
-- The room that is left in a page takes the next sums of its rows, so that no index is written.
) with (fillfactor = 70);
comment on table usage_part_day is
  'The sums of the records of a customer that ended on a UTC day, by one part of them at a time: the rows of '
  'each part have the same sum. The books are in usage_hour: a lost record is missing here.';
comment on column usage_part_day.part is
  'host: of the target; country: the one that the line asks for; exit_country: the one that the exit is in; '
  'code: the outcome; user: the id of the proxy user, or account for the login of the account itself.';
comment on column usage_part_day.key is
  'The value; empty: not known, or a host beyond the number that is kept of a day. A host that is withheld '
  'is (withheld).';

create index usage_part_day_account on usage_part_day (account_id, part, day);

create table connection_outcome (
  slot timestamptz not null check (slot = date_bin('15 minutes', slot, '2000-01-01Z')),
  pool text not null,
  country text not null check (country ~ '^([a-z]{2})?$'),
  account_id bigint not null,
  reached bigint not null check (reached >= 0),
  failed bigint not null check (failed >= 0),
  primary key (slot, pool, country, account_id)
) with (fillfactor = 70);
comment on table connection_outcome is
  'How the connections of a customer that asked for one country, or for none or several (empty), ended in a '
  'quarter of an hour, by the records. Kept for two days: the figures of the status page are made of it.';
comment on column connection_outcome.reached is
  'An exit connected, or said that the target does not answer. What the customer caused, and what is not '
  'clear, is counted nowhere.';
comment on column connection_outcome.failed is 'The exits or the shop failed.';

create index connection_outcome_account on connection_outcome (account_id);

create table host_privacy (
  account_id bigint primary key references account (id),
  since timestamptz not null default now(),
  erased_at timestamptz
);
comment on table host_privacy is 'Customers who do not want the hosts that they visit to be kept.';
comment on column host_privacy.erased_at is
  'Since when no host of the time before is stored either; null: they are being erased, by a job.';

create table request_unkept (
  access_id bigint not null,
  minute timestamptz not null,
  requests bigint not null check (requests > 0),
  primary key (access_id, minute)
);
comment on table request_unkept is 'How many requests of a minute have no connection_record.';

create unlogged table request_watch (
  account_id bigint not null,
  watcher uuid not null,
  streams integer not null check (streams > 0),
  until timestamptz not null,
  primary key (account_id, watcher)
);
comment on table request_watch is
  'Customers who look at their requests as they happen, by the web server that sends them. Lost with a crash '
  'of the database: web servers write it anew when the browsers return. No foreign keys, so that nothing '
  'waits for it.';
comment on column request_watch.watcher is 'A web server, from its start to its end.';
comment on column request_watch.until is
  'It counts until then: web servers renew it, and one that was killed does not.';

create unlogged table session_question (
  id uuid primary key,
  asked_at timestamptz not null default now()
);
comment on table session_question is
  'Somebody at the desk looks at the open sessions of a customer: gateways are asked, and the row is deleted '
  'with their answers.';

create unlogged table session_answer (
  question_id uuid not null references session_question (id) on delete cascade,
  gateway text not null check (length(gateway) between 1 and 100),
  open integer not null check (open >= 0),
  sessions jsonb not null check (jsonb_typeof(sessions) = 'array'),
  primary key (question_id, gateway)
);
comment on table session_answer is 'What one worker of a gateway answered.';
comment on column session_answer.open is 'How many there are; sessions has the newest.';

create table place_minute (
  minute timestamptz not null check (minute = date_trunc('minute', minute, 'UTC')),
  pool text not null,
  country text not null check (country ~ '^([a-z]{2})?$'),
  reached bigint not null check (reached >= 0),
  failed bigint not null check (failed >= 0),
  primary key (pool, country, minute)
) with (fillfactor = 70);
comment on table place_minute is
  'How connections that asked for one country, or for none (empty), ended in a UTC minute. Kept for an hour, '
  'at best effort: gateways tell it with their heartbeats.';
comment on column place_minute.failed is
  'No exit that serves the country connected, or all were out of order.';

create index place_minute_time on place_minute (minute);

create table place_use (
  access_id bigint not null references access (id),
  country text not null check (country ~ '^([a-z]{2})?$'),
  used_at timestamptz not null,
  primary key (access_id, country)
) with (fillfactor = 70);
comment on table place_use is
  'When a customer last asked for a country, to the hour: whom trouble with it concerns. Kept for two days.';

create index place_use_time on place_use (used_at);

create table place_trouble (
  id bigint generated always as identity primary key,
  pool text not null,
  country text not null check (country ~ '^([a-z]{2})?$'),
  since timestamptz not null,
  last_failed_at timestamptz not null,
  ended_at timestamptz,
  is_forgotten boolean not null default false,
  check (not is_forgotten or ended_at is not null)
);
comment on table place_trouble is 'A time in which most connections of a pool to a country failed.';
comment on column place_trouble.is_forgotten is 'Nobody has tried for a day, so that its end is not known.';

create unique index place_trouble_open on place_trouble (pool, country) where ended_at is null;
create index place_trouble_ended on place_trouble (ended_at) where ended_at is not null;

create table place_told (
  trouble_id bigint not null references place_trouble (id) on delete cascade,
  account_id bigint not null references account (id),
  told_at timestamptz not null,
  is_sent boolean not null,
  end_told_at timestamptz,
  primary key (trouble_id, account_id)
);
comment on table place_told is 'Who was told of trouble, once, and of its end, once.';
comment on column place_told.is_sent is 'False: the customer has switched these notices off.';

create index place_told_of_account on place_told (account_id);
