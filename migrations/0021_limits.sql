-- What a customer lets a pool's password do, and what it takes to hold them to it on any number of gateways.

create table pool_limits (
  subuser_id bigint primary key references subuser (id),
  -- Charged bytes per UTC hour, day and month; null is no cap.
  hour_bytes bigint check (hour_bytes > 0),
  day_bytes bigint check (day_bytes > 0),
  month_bytes bigint check (month_bytes > 0),
  connections integer check (connections > 0),
  -- Exact names and addresses, or `*.suffix`, in canonical form. Allowed: none means all.
  allowed_hosts text[] not null default '{}',
  denied_hosts text[] not null default '{}',
  -- Hosts of advertisers and trackers are refused.
  data_saver boolean not null default false,
  changed_at timestamptz not null default now()
);

-- What was charged in the hours that a cap may still look at; days and months are in usage_day.
create table usage_hour (
  subuser_id bigint not null references meter (subuser_id),
  hour timestamptz not null,
  charged_bytes bigint not null default 0 check (charged_bytes >= 0),
  primary key (subuser_id, hour)
) with (fillfactor = 70);

-- How many connections a gateway may hold open for a customer who has capped them.
create table connection_permit (
  subuser_id bigint not null references meter (subuser_id),
  gateway text not null,
  boot text not null,
  permits integer not null check (permits > 0),
  primary key (subuser_id, gateway, boot),
  foreign key (gateway, boot) references gateway_boot
);
