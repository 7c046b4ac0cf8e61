-- Proxy users: logins that a customer gives to others. They use the customer's traffic within limits of their own.

alter table proxy_login add constraint proxy_login_is_no_proxy_user
  check (login !~ '^u[bcdfghjkmnpqrstvwxz2-9]{11}$') not valid;

create table proxy_user (
  subuser_id bigint not null references subuser (id),
  nr bigint not null check (nr between 1 and 1048575),
  id bigint generated always as ((1::bigint << 62) + (subuser_id << 20) + nr) stored,
  login text not null unique check (login ~ '^u[bcdfghjkmnpqrstvwxz2-9]{11}$'),
  label text not null check (length(label) <= 64),
  password_sealed bytea not null,
  password_sha256 bytea not null check (length(password_sha256) = 32),
  total_bytes bigint check (total_bytes >= 0),
  day_bytes bigint check (day_bytes >= 0),
  month_bytes bigint check (month_bytes >= 0),
  connections integer check (connections > 0),
  expires_at timestamptz,
  allowed_hosts text[] not null default '{}',
  countries text[] not null default '{}',
  addresses text[] not null default '{}',
  frozen_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (subuser_id, nr),
  unique (id),
  check (subuser_id < 1::bigint << 42)
);
comment on table proxy_user is
  'A login with a password and limits of its own that a customer gives to somebody else. It uses the traffic of its subuser. Limits '
  'are charged bytes in all, by day and by month of the shop''s time zone; null: no limit.';
comment on column proxy_user.id is
  'Contains the id of the subuser, so that a gateway''s report tells who pays without a table. Greater than that of any subuser.';
comment on column proxy_user.nr is 'The number within the subuser, never used again.';
comment on column proxy_user.password_sealed is
  'AES-256-GCM under a key of SECRET_KEY, since the customer may see the password again.';
comment on column proxy_user.expires_at is 'From then on it is refused; null: it does not expire.';
comment on column proxy_user.allowed_hosts is
  'Names, addresses and `*.suffix` in canonical form; when empty, all hosts that the account may open.';
comment on column proxy_user.countries is 'The countries of its exits; when empty, all.';
comment on column proxy_user.addresses is
  'Addresses and networks that clients may come from; when empty, all.';
comment on column proxy_user.deleted_at is
  'Late reports may name it, so the row stays; label, hosts and addresses are removed.';

create unique index proxy_user_label on proxy_user (subuser_id, lower(label)) where deleted_at is null;

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
  'What a proxy user was charged on a day of the shop''s time zone. It is contained in the usage of the subuser.';

create table proxy_user_permit (
  proxy_user_id bigint not null,
  subuser_id bigint not null,
  gateway text not null,
  boot text not null,
  permits integer not null check (permits > 0),
  primary key (proxy_user_id, gateway, boot),
  foreign key (gateway, boot) references gateway_boot
);
comment on table proxy_user_permit is
  'How many connections a gateway may hold open for a proxy user whose connections are limited, by itself or by its subuser.';

create index proxy_user_permit_of_subuser on proxy_user_permit (subuser_id);

alter table lease add column proxy_user_id bigint;
comment on column lease.proxy_user_id is 'The proxy user that the lease is for; null: the subuser itself.';

-- A gateway has one open lease for a subuser, and one for each of its proxy users.
drop index lease_open;
create unique index lease_open on lease (subuser_id, gateway, boot, proxy_user_id) nulls not distinct where closed_at is null;
