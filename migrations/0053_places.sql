-- Trouble with places: how connections to each country end, who asks for it, and who was told. Sign-ins with their addresses.

create table place_minute (
  minute timestamptz not null check (minute = date_trunc('minute', minute, 'UTC')),
  pool text not null,
  country text not null check (country ~ '^([a-z]{2})?$'),
  reached bigint not null check (reached >= 0),
  failed bigint not null check (failed >= 0),
  primary key (pool, country, minute)
) with (fillfactor = 70);
create index place_minute_time on place_minute (minute);
comment on table place_minute is
  'How connections that asked for one country, or for none (empty), ended in a UTC minute. Kept for an hour, at best effort: gateways tell it with their heartbeats.';
comment on column place_minute.failed is 'No exit that serves the country connected, or all were out of order.';

create table place_use (
  subuser_id bigint not null references subuser (id),
  country text not null check (country ~ '^([a-z]{2})?$'),
  used_at timestamptz not null,
  primary key (subuser_id, country)
) with (fillfactor = 70);
create index place_use_time on place_use (used_at);
comment on table place_use is 'When a customer last asked for a country, to the hour: whom trouble with it concerns. Kept for two days.';

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
create unique index place_trouble_open on place_trouble (pool, country) where ended_at is null;
create index place_trouble_ended on place_trouble (ended_at) where ended_at is not null;
comment on table place_trouble is 'A time in which most connections of a pool to a country failed.';
comment on column place_trouble.is_forgotten is 'Nobody has tried for a day, so that its end is not known.';

create table place_told (
  trouble_id bigint not null references place_trouble (id) on delete cascade,
  account_id bigint not null references account (id),
  told_at timestamptz not null,
  is_sent boolean not null,
  end_told_at timestamptz,
  primary key (trouble_id, account_id)
);
create index place_told_of_account on place_told (account_id);
comment on table place_told is 'Who was told of trouble, once, and of its end, once.';
comment on column place_told.is_sent is 'False: the customer has switched these notices off.';

alter table notice_off drop constraint notice_off_kind_check;
alter table notice_off add constraint notice_off_kind_check check (kind in ('traffic', 'cap', 'topup', 'trouble'));

create table sign_in (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  at timestamptz not null,
  ip text not null,
  way text not null check (way in ('password', 'telegram', 'passkey'))
);
create index sign_in_of_account on sign_in (account_id, id);
create index sign_in_time on sign_in (at);
comment on table sign_in is 'The last sign-ins of each account with their addresses, as evidence in a dispute. Kept for as long as the settings say.';
