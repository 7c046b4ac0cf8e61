-- A device is a random secret in a browser. Names derived from the User-Agent field, which anybody can send, identify none.
drop table account_device;

create table account_device (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  network text not null,
  country text not null,
  name text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  unique (account_id, secret_sha256, network, country)
);
comment on table account_device is
  'What an account was signed in to from: a browser, by the secret in its cookie for this account, with a network and a country.';
comment on column account_device.network is 'The /16 of an IPv4 address, the /32 of an IPv6 one.';
comment on column account_device.country is 'ISO 3166-1; empty: not known.';
comment on column account_device.name is
  'Browser and system as derived from the User-Agent field, for people to read; null: not known.';

alter table session add column device_id bigint references account_device (id) on delete set null;
comment on column session.device_id is
  'The device, network and country of the sign-in, or of the last proof of the owner; null: forgotten, or of an earlier release.';
create index session_device on session (device_id) where device_id is not null;

comment on column account.tells_of_devices is 'A letter tells of a sign-in from a new device, network or country.';
