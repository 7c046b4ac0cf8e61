-- What customers may ask about their requests for seven days. Best effort: no other table refers to it, and nothing
-- is charged by it. A partition for each UTC day is made as it is needed and dropped when it is old.

create table request_record (
  day date not null,
  -- The X-Request-Id that the customer was told.
  id uuid not null,
  -- No foreign key: a record must never keep others from being written.
  subuser_id bigint not null,
  accepted_at timestamptz not null,
  protocol text not null check (protocol in ('http', 'connect', 'socks5')),
  -- host:port, never a path.
  target text,
  settings text,
  multiplier integer not null,
  country text,
  exit_id bigint,
  authenticated_ms integer,
  exit_chosen_ms integer,
  connected_ms integer,
  first_byte_ms integer,
  ended_ms integer not null,
  outcome text not null,
  status integer,
  code text,
  sentence text,
  -- What the exit itself answered.
  exit_status integer,
  exit_word text,
  up_bytes bigint not null,
  down_bytes bigint not null,
  charged_up_bytes bigint not null,
  charged_down_bytes bigint not null
) partition by range (day);

create index request_record_id on request_record (id);

-- How many requests of a minute no record was kept of.
create table request_unkept (
  subuser_id bigint not null,
  minute timestamptz not null,
  requests bigint not null check (requests > 0),
  primary key (subuser_id, minute)
);

-- What was charged to leases that have been pruned: their sum stays, for the books to be checked against.
alter table meter add column pruned_bytes bigint not null default 0 check (pruned_bytes >= 0);
