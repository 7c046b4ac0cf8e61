-- Traffic on its way from a balance through a gateway: leases to gateways, their reports, and what was used.
-- src/traffic/README.md lists the invariants.

-- What gateways tell and no lease bounds is added up by this, so that a forged amount never fails a query.
create function bounded(amount numeric) returns bigint language sql immutable parallel safe
  return case when amount > 2305843009213693952 then 2305843009213693952 else amount::bigint end;
comment on function bounded is 'The amount, or 2^61 where it is more.';

create table meter (
  access_id bigint primary key references access (id),
  account_id bigint not null references account (id),
  pool text not null,
  bonus_account bigint not null references ledger_account (id),
  paid_account bigint not null references ledger_account (id),
  reserved_bonus_account bigint references ledger_account (id),
  reserved_paid_account bigint references ledger_account (id),
  pruned_bytes bigint not null default 0 check (pruned_bytes >= 0),
  forgotten_bytes bigint not null default 0 check (forgotten_bytes >= 0),
  forgotten_bonus_bytes bigint not null default 0 check (forgotten_bonus_bytes between 0 and forgotten_bytes),
  recalled_at timestamptz,
  recalled_holders int not null default 0,
  paused_until timestamptz,
  unique (account_id, pool),
  check ((reserved_bonus_account is null) = (reserved_paid_account is null))
);
comment on table meter is
  'The traffic of an access. The lock of this row serialises leases and settlements of the access.';
comment on column meter.bonus_account is 'The ledger_account from which bytes are taken first.';
comment on column meter.paid_account is
  'The ledger_account from which bytes are taken when there is no bonus left.';
comment on column meter.reserved_bonus_account is
  'The ledger_account with the bonus that is reserved for proxy users; null: nothing was ever reserved.';
comment on column meter.reserved_paid_account is 'The same for bought traffic.';
comment on column meter.pruned_bytes is
  'The charged bytes of leases that were deleted. The sum stays so that the books can be verified.';
comment on column meter.forgotten_bytes is
  'The charged bytes of days that were deleted. The sum stays so that the books can be verified.';
comment on column meter.forgotten_bonus_bytes is 'The part of forgotten_bytes that was taken from the bonus.';
comment on column meter.recalled_at is 'When the leases were last recalled.';
comment on column meter.recalled_holders is
  'The number of gateways that held leases at the last recall. For a short time the rest is divided between '
  'as many.';
comment on column meter.paused_until is
  'No lease is granted until then: a refund takes back what the recalled leases return to the balance.';

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
comment on table gateway is
  'A gateway: one process tree on one folder of one machine, with the workers that it has.';
comment on column gateway.name is
  'Its workers'' names without their numbers: the name stays with the folder.';
comment on column gateway.address is 'The machine, and the first of its entry ports.';
comment on column gateway.state is 'As it last told; one that was killed tells nothing, which seen_at shows.';
comment on column gateway.reports_waiting is 'Reports that are not settled, of all its workers.';
comment on column gateway.drain_asked_at is
  'Since when the operator wants it drained: it accepts no connections, after restarts neither. Null: it is '
  'to serve.';

create table gateway_token (
  gateway text primary key check (gateway ~ '^[A-Za-z0-9_]{1,40}$'),
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  made_at timestamptz not null default now(),
  revoked_at timestamptz
);
comment on table gateway_token is
  'A gateway''s own token of the feed. It speaks for no other gateway, and FEED_TOKEN does not speak for this one. '
  'A revoked one stays, so that FEED_TOKEN cannot speak for its gateway either.';
comment on column gateway_token.gateway is 'The name of the gateway, without the suffix of its second slot.';
comment on column gateway_token.token_sha256 is 'The token has 256 random bits, so a slow hash is not needed.';

create table gateway_boot (
  gateway text not null,
  boot text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  heard_since timestamptz not null default now(),
  settled_through bigint not null default 0 check (settled_through >= 0),
  -- What the gateway's heartbeat tells of it.
  tunnels integer,
  bits_per_second bigint,
  leases integer,
  leased_bytes bigint,
  reports_waiting integer,
  primary key (gateway, boot)
) with (fillfactor = 70);
comment on table gateway_boot is 'A run of a gateway. It numbers its reports from 1.';
comment on column gateway_boot.heard_since is
  'The beginning of the present series of heartbeats without a gap. During an outage of the database none '
  'can arrive, so the silence of others counts only for a gateway whose own series is longer than the limit.';
comment on column gateway_boot.settled_through is
  'Every report up to this number is settled. Those settled after a missing one are in report_ahead.';
comment on column gateway_boot.tunnels is
  'Open tunnels and requests at the last sign of life. Null, like the columns after it: it does not tell.';

create table report_ahead (
  gateway text not null,
  boot text not null,
  sequence bigint not null check (sequence > 0),
  primary key (gateway, boot, sequence),
  foreign key (gateway, boot) references gateway_boot
);
comment on table report_ahead is
  'A report that is settled while one before it is missing. The transaction that settles a report inserts it '
  'here or moves settled_through past it, so it is settled exactly once.';

create table set_back (
  gateway text not null,
  boot text not null,
  acknowledged bigint not null,
  settled_through bigint not null check (settled_through < acknowledged),
  noticed_at timestamptz not null default now(),
  given_up_at timestamptz,
  primary key (gateway, boot, acknowledged)
);
comment on table set_back is
  'The database went back in time: it had acknowledged more reports of a gateway than it knows of now. A '
  'failover to a replica that had not received them causes this, and so does a restored backup.';
comment on column set_back.acknowledged is
  'The last report that was acknowledged with none missing before it.';
comment on column set_back.settled_through is 'The last report that is settled.';
comment on column set_back.given_up_at is
  'When the reports that the gateway could not send again were given up.';

-- Leases are opened, charged and pruned under the lock of their meter, which is never deleted, and a lease
-- with a write-off is not pruned. So neither access_id here nor lease_id in write_off has a foreign key,
-- which would cost every charge.
create table lease (
  id bigint generated always as identity primary key,
  access_id bigint not null,
  gateway text not null,
  boot text not null,
  granted_bytes bigint not null check (granted_bytes >= 0),
  charged_bytes bigint not null default 0 check (charged_bytes >= 0),
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  proxy_user_id bigint,
  is_lost boolean not null default false,
  constraint lease_never_overdrawn check (charged_bytes <= granted_bytes)
) with (fillfactor = 70);
comment on table lease is
  'Bytes that a gateway may relay: of the balance of an access, of the reserve of a proxy user, or of the limits of '
  'one without a reserve, whose bytes are also taken from a lease of its access.';
comment on column lease.access_id is 'A meter.';
comment on column lease.proxy_user_id is
  'The proxy user whose limits the lease is a part of; null: a part of the balance of the access.';
comment on column lease.is_lost is
  'The server closed it, because its gateway had restarted or was silent: late reports may still charge it.';

create index lease_of_boot on lease (gateway, boot) where closed_at is null;
-- A gateway has one open lease for an access, and one for each of its proxy users. The proxy user comes second:
-- what holds bytes of the balance is found without the leases of a hundred thousand proxy users.
create unique index lease_open on lease (access_id, proxy_user_id, gateway, boot) nulls not distinct
  where closed_at is null;
create function is_reserved_user(id bigint) returns boolean language sql immutable parallel safe
  return (id >> 33) & 1 = 1;
comment on function is_reserved_user is 'Whether the id is that of a proxy user with a reserve.';
-- What reserved proxy users hold of the caps of their access.
create index lease_of_reserve on lease (access_id) where closed_at is null and proxy_user_id is not null and (proxy_user_id >> 33) & 1 = 1;
-- Which accesses a gateway has leased: only of those it may send records of connections. A lease changes this
-- index only when it is closed, so it costs no charge anything.
create index lease_closed_of on lease (access_id, gateway) where closed_at is not null;

create table write_off (
  id bigint generated always as identity primary key,
  lease_id bigint not null,
  bytes bigint not null check (bytes > 0),
  written_off_at timestamptz not null default now()
);
comment on table write_off is
  'Relayed bytes that neither a lease nor the balance covered; most were relayed under a lease that had '
  'expired.';
comment on column write_off.lease_id is 'A lease.';

create index write_off_lease on write_off (lease_id);

create table connection_permit (
  access_id bigint not null references meter (access_id),
  gateway text not null,
  boot text not null,
  permits integer not null check (permits > 0),
  primary key (access_id, gateway, boot),
  foreign key (gateway, boot) references gateway_boot
);
comment on table connection_permit is
  'How many connections a gateway may hold open for an access whose connections are limited.';

create table proxy_user_permit (
  proxy_user_id bigint not null,
  access_id bigint not null,
  gateway text not null,
  boot text not null,
  permits integer not null check (permits > 0),
  primary key (proxy_user_id, gateway, boot),
  foreign key (gateway, boot) references gateway_boot
);
comment on table proxy_user_permit is
  'How many connections a gateway may hold open for a proxy user whose connections are limited, by itself or '
  'by its access.';

create index proxy_user_permit_of_access on proxy_user_permit (access_id);

-- Hour and day come first in the keys, so that the rows that settlements change are adjacent, for a history
-- of any length.
create table usage_hour (
  hour timestamptz not null,
  access_id bigint not null,
  charged_bytes bigint not null default 0,
  bonus_bytes bigint not null default 0,
  requests bigint not null default 0,
  in_day boolean not null default false,
  exit_id bigint not null default 0,
  relayed_bytes bigint not null default 0 check (relayed_bytes >= 0),
  priced_bytes bigint not null default 0,
  noted_bonus_bytes bigint not null default 0,
  noted_relayed_bytes bigint not null default 0,
  check (bonus_bytes between 0 and charged_bytes and requests >= 0),
  primary key (hour, access_id, exit_id)
) partition by range (hour);
comment on table usage_hour is 'What an access was charged in a UTC hour for what passed through an exit.';
comment on column usage_hour.hour is
  'When the bytes were relayed, by the gateway''s clock. In the ledger they are in the hour in which they '
  'were settled.';
comment on column usage_hour.access_id is
  'A meter, whose lock settlements hold. A foreign key would cost a tenth of each change.';
comment on column usage_hour.bonus_bytes is 'The part of charged_bytes that was taken from the bonus.';
comment on column usage_hour.in_day is 'Whether the hour is contained in usage_past_day and usage_sum.';
comment on column usage_hour.exit_id is
  'The exit, which may have been deleted since. 0: none.';
comment on column usage_hour.relayed_bytes is
  'Payload bytes in both directions, those that were forgiven included: what the seller of the exit counts, '
  'less handshakes.';
comment on column usage_hour.priced_bytes is
  'How many of the bytes that paid traffic covered, charged_bytes less bonus_bytes, are in margin_hour as '
  'earned. Settlements never change it: a late report makes the difference that is counted next.';
comment on column usage_hour.noted_bonus_bytes is
  'How many of the bonus bytes are in margin_part, as priced_bytes are.';
comment on column usage_hour.noted_relayed_bytes is 'How many of the relayed bytes are in margin_part.';

create table usage_hour_rest partition of usage_hour default with (fillfactor = 70);
comment on table usage_hour_rest is 'Hours of months without a partition.';

create index usage_hour_not_in_day on usage_hour (access_id) where not in_day;

create table usage_past_day (
  day date not null,
  access_id bigint not null references meter (access_id),
  charged_bytes bigint not null default 0 check (charged_bytes >= 0),
  bonus_bytes bigint not null default 0 check (bonus_bytes between 0 and charged_bytes),
  requests bigint not null default 0 check (requests >= 0),
  primary key (day, access_id)
) partition by range (day);
comment on table usage_past_day is
  'What an access was charged on a UTC day: the sum of its hours that are in_day. Hours are added when they '
  'are over for an hour.';

create table usage_past_day_rest partition of usage_past_day default;
comment on table usage_past_day_rest is 'Days of months without a partition.';

select make_month_partition(parent, month_of(now() + make_interval(months => n)))
  from unnest('{usage_hour,usage_past_day}'::text[]) parent, generate_series(0, 3) n;

create view usage_day as
  select access_id, day, sum(charged_bytes)::bigint as charged_bytes, sum(bonus_bytes)::bigint as bonus_bytes,
    sum(requests)::bigint as requests
  from (
    select access_id, day, charged_bytes, bonus_bytes, requests from usage_past_day
    union all
    select access_id, (hour at time zone 'UTC')::date, charged_bytes, bonus_bytes, requests from usage_hour where not in_day
  ) part
  group by access_id, day;
comment on view usage_day is 'What an access was charged on a UTC day, up to this moment.';

create table usage_kept_from (
  relation text primary key check (relation in ('usage_hour', 'usage_past_day')),
  day date not null
);
comment on table usage_kept_from is
  'The day from which a table of usage is complete. Older rows may have been deleted; verification begins '
  'here.';

-- Hours are verified from the first whole day.
insert into usage_kept_from values ('usage_hour', (now() at time zone 'UTC')::date + 1), ('usage_past_day', '-infinity');

create table usage_late_hour (
  hour timestamptz primary key
);
comment on table usage_late_hour is
  'Hours that were in a day already when a report added to them, until the margin has counted them again.';

create table usage_sum (
  hour timestamptz not null,
  pool text not null,
  exit_id bigint not null,
  charged_bytes bigint not null,
  bonus_bytes bigint not null,
  relayed_bytes bigint not null,
  requests bigint not null,
  primary key (hour, pool, exit_id)
);
comment on table usage_sum is
  'What all accesses of a pool were charged in a UTC hour for what passed through an exit: the sum of the '
  'rows of usage_hour that are in_day. It stays when those are deleted.';

create table usage_minute (
  minute timestamptz not null check (minute = date_trunc('minute', minute, 'UTC')),
  access_id bigint not null,
  charged_bytes bigint not null check (charged_bytes >= 0),
  requests bigint not null check (requests >= 0),
  primary key (minute, access_id)
) with (fillfactor = 70);
comment on table usage_minute is
  'What an access was charged in a UTC minute; settlements add to it, as they do to usage_hour. Kept for three '
  'hours.';

create index usage_minute_access on usage_minute (access_id, minute);

create table open_minute (
  minute timestamptz not null check (minute = date_trunc('minute', minute, 'UTC')),
  access_id bigint not null,
  gateway text not null,
  open bigint not null check (open > 0),
  primary key (minute, access_id, gateway)
);
comment on table open_minute is
  'The most connections that an access had open at a time on a worker of a gateway, in about a minute. At best '
  'effort: gateways tell it with their heartbeats. Kept for three hours.';

create index open_minute_access on open_minute (access_id, minute);

create table activity_hour (
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  access_id bigint not null,
  most_open bigint not null,
  most_requests bigint not null,
  primary key (hour, access_id)
);
comment on table activity_hour is
  'The busiest minutes of an access in a UTC hour: the most connections, and the most requests. Kept for 31 '
  'days.';

create index activity_hour_access on activity_hour (access_id, hour);

create table proxy_user_use (
  proxy_user_id bigint primary key,
  charged_bytes bigint not null check (charged_bytes >= 0),
  requests bigint not null check (requests >= 0),
  last_used_at timestamptz not null
);
comment on table proxy_user_use is 'All that a proxy user was charged: the sum of its days.';

create table proxy_user_day (
  proxy_user_id bigint not null,
  day date not null,
  charged_bytes bigint not null check (charged_bytes >= 0),
  requests bigint not null check (requests >= 0),
  primary key (proxy_user_id, day)
);
comment on table proxy_user_day is
  'What a proxy user was charged on a day of the shop''s time zone. It is contained in the usage of the '
  'access.';

create table traffic_credited (
  access_id bigint primary key references meter (access_id),
  bytes bigint not null check (bytes >= 0),
  times bigint not null default 1
);
comment on table traffic_credited is 'What an access had right after its last credit.';
comment on column traffic_credited.bytes is
  'The balance, paid and bonus together: the whole of which a fifth or a twentieth may be left.';
comment on column traffic_credited.times is 'How often traffic was credited; tells one credit from the next.';
