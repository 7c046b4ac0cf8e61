-- The public status page: sums of pools and places without customers, and incidents that staff write.

create table status_day (
  day date not null,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  country text not null default '' check (country ~ '^([a-z]{2})?$'),
  counted bigint not null check (counted > 0),
  failed bigint not null check (failed between 0 and counted),
  primary key (day, pool, country)
);
comment on table status_day is
  'How the connections of a pool (country empty), or of those that asked for one country, fared on a UTC day: '
  'made of connection_outcome, which has the customers, before that is deleted. Days with too few customers '
  'or connections have no row. Kept for 90 days.';
comment on column status_day.counted is
  'Connections that count: without those of the customers with the most failures, and a bounded number of '
  'each other one.';

create table status_now (
  pool text not null,
  country text not null,
  counted bigint not null check (counted > 0),
  failed bigint not null check (failed between 0 and counted),
  primary key (pool, country)
);
comment on table status_now is 'The same of the last hour; replaced at each look.';

create table status_look (
  is_only boolean primary key default true check (is_only),
  looked_at timestamptz not null
);
comment on table status_look is 'When the figures of the status page were last made.';

create table incident (
  id bigint generated always as identity primary key,
  title_ru text not null check (length(title_ru) between 1 and 200),
  title_en text not null check (length(title_en) between 1 and 200),
  pools text[] not null check (
    pools <@ '{residential,residential_premium,datacenter,mobile}'::text[]
  ),
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  opened_at timestamptz not null,
  resolved_at timestamptz,
  updated_at timestamptz not null,
  check ((state = 'resolved') = (resolved_at is not null))
);
comment on table incident is 'What staff tell customers of trouble.';
comment on column incident.pools is 'Those affected; none: the site, the account or the payments.';
comment on column incident.state is 'That of its latest update.';

create index incident_time on incident (opened_at desc, id desc);

create table incident_update (
  id bigint generated always as identity primary key,
  incident_id bigint not null references incident (id) on delete cascade,
  at timestamptz not null,
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  text_ru text not null check (length(text_ru) between 1 and 4000),
  text_en text not null check (length(text_en) between 1 and 4000)
);
comment on table incident_update is 'What was said of an incident, in the order of the ids.';

create index incident_update_incident on incident_update (incident_id, id);
