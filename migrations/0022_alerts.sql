-- Alerts: what the people behind the shop are told of without asking.

create table alert (
  id bigint generated always as identity primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  subject text not null,
  label text not null,
  severity text not null check (severity in ('usual', 'urgent')),
  opened_at timestamptz not null,
  told_at timestamptz,
  is_held boolean not null default false,
  ceased_at timestamptz,
  resolved_at timestamptz,
  end_told_at timestamptz,
  page text check (page like '/%'),
  check (resolved_at is null or ceased_at is not null)
);
comment on table alert is
  'A condition that staff are told of, from when it first held until it has not held for some minutes.';
comment on column alert.kind is 'A kind of contract/desk/alerts.ts.';
comment on column alert.subject is
  'What it is about: the number of an invoice or an exit, for example; empty where the kind says all.';
comment on column alert.label is 'The subject as people call it.';
comment on column alert.severity is 'Urgent ones are told in quiet hours too.';
comment on column alert.told_at is
  'When the messages about it were written, in the same transaction; null: not yet.';
comment on column alert.is_held is 'It was left for the end of the quiet hours.';
comment on column alert.ceased_at is
  'Since when the condition does not hold; null again when it holds again soon after.';
comment on column alert.end_told_at is 'When the messages about its end were written.';
comment on column alert.page is 'The page of the desk that shows its subject; null: that of the kind.';

create unique index alert_open on alert (kind, subject) where resolved_at is null;
create index alert_untold on alert (id)
  where told_at is null or (resolved_at is not null and end_told_at is null);
create index alert_resolved on alert (resolved_at) where resolved_at is not null;

create table alert_settings (
  is_only boolean primary key default true check (is_only),
  language text not null default 'ru' check (language in ('ru', 'en')),
  quiet_from_minute smallint check (quiet_from_minute between 0 and 1439),
  quiet_until_minute smallint check (quiet_until_minute between 0 and 1439),
  digest_minute smallint check (digest_minute between 0 and 1439),
  digest_day date,
  group_off text[] not null default '{}',
  check ((quiet_from_minute is null) = (quiet_until_minute is null)),
  check (quiet_from_minute <> quiet_until_minute)
);
comment on table alert_settings is 'How staff are told: one row.';
comment on column alert_settings.language is 'Of the messages in the group.';
comment on column alert_settings.quiet_from_minute is
  'In minutes after midnight by the clocks of the shop''s zone, like the other two.';
comment on column alert_settings.digest_minute is 'When the message of the day is sent; null: none is.';
comment on column alert_settings.digest_day is 'The day, in the shop''s zone, whose message was sent last.';
comment on column alert_settings.group_off is 'The kinds that are not told in the group.';
insert into alert_settings default values;

create table alert_group (
  is_only boolean primary key default true check (is_only),
  chat_id bigint not null,
  title text not null,
  is_forum boolean not null,
  linked_at timestamptz not null,
  linked_by text not null,
  broken_at timestamptz,
  broken_reason text
);
comment on table alert_group is 'The group of the staff in Telegram; no row: there is none.';
comment on column alert_group.linked_by is
  'The name in Telegram of the person who gave the code in the group.';
comment on column alert_group.broken_at is
  'Since when Telegram refuses messages to it for good, such as when the bot was removed.';

create table alert_topic (
  topic text primary key,
  thread_id bigint not null
);
comment on table alert_topic is 'The topics that the bot has made in the group.';

create table alert_group_code (
  is_only boolean primary key default true check (is_only),
  code_sha256 bytea not null check (length(code_sha256) = 32),
  staff_id bigint not null references staff (id),
  expires_at timestamptz not null
);
comment on table alert_group_code is
  'The code that links a group, once. A new one replaces the one before it.';

create table alert_group_try (
  telegram_user_id bigint not null,
  at timestamptz not null
);
comment on table alert_group_try is 'Wrong codes given in groups lately; they are limited.';

create index alert_group_try_at on alert_group_try (at);

create table alert_message (
  id uuid primary key,
  topic text,
  news jsonb not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  failed_at timestamptz,
  failure text
);
comment on table alert_message is
  'A message to the group, written in the transaction of its cause and sent by a job.';
comment on column alert_message.topic is 'Null: the general topic.';
comment on column alert_message.news is 'What it says, from which its text is made; it names no customer.';

create index alert_message_created on alert_message (created_at);

create table staff_alert (
  staff_id bigint primary key references staff (id),
  email text not null,
  language text not null check (language in ('ru', 'en'))
);
comment on table staff_alert is 'Where a member of staff is written to, as they have entered it.';

create table staff_alert_choice (
  staff_id bigint not null references staff (id),
  kind text not null,
  is_on boolean not null,
  primary key (staff_id, kind)
);
comment on table staff_alert_choice is
  'The kinds of which a member is told by mail; without a row: an owner is, others are not.';

create table machine_finding (
  machine text not null,
  kind text not null,
  label text not null,
  told_at timestamptz not null,
  primary key (machine, kind, label)
);
comment on table machine_finding is
  'What a machine says of itself that nobody else can see: its disk, its certificates.';
comment on column machine_finding.told_at is
  'When it was found last. A machine that stops telling keeps its findings for a day.';

create table exit_watch (
  exit_id bigint primary key references exit (id) on delete cascade,
  hour timestamptz not null,
  answered bigint not null,
  failed bigint not null,
  failing_since timestamptz,
  failures bigint not null default 0,
  health text check (health in ('up', 'degraded', 'down')),
  health_since timestamptz,
  constraint exit_watch_health check ((health is null) = (health_since is null))
);
comment on table exit_watch is
  'How an exit answers from minute to minute, from the differences of the sums in exit_hour.';
comment on column exit_watch.hour is 'The hour of exit_hour up to whose counts all was looked at.';
comment on column exit_watch.failing_since is
  'Since when attempts through it have failed and none has succeeded.';
comment on column exit_watch.failures is 'The attempts that have failed since then.';
comment on column exit_watch.health is
  'By the attempts of the last five minutes; null: nothing was attempted yet. Without attempts it stays.';

create table staff_address (
  staff_id bigint primary key references staff (id),
  email text not null,
  language text not null check (language in ('ru', 'en')),
  code_sha256 bytea not null,
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  tries smallint not null default 0 check (tries >= 0)
);
comment on table staff_address is
  'An address that waits for the code of the letter to it. Until then the one of staff_alert, if any, is '
  'written to.';
comment on column staff_address.tries is 'Wrong codes; after five the code is no longer taken.';
