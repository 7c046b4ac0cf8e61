-- Traffic on its way from a balance through a gateway: leases out, reports in.

-- One per subuser. Its row lock is what serialises leases and settlements of that subuser.
create table meter (
  subuser_id bigint primary key references subuser (id),
  account_id bigint not null references account (id),
  pool text not null,
  -- The two ledger accounts its bytes come from; bonus is spent first.
  bonus_account bigint not null references ledger_account (id),
  paid_account bigint not null references ledger_account (id),
  unique (account_id, pool)
);

create table gateway_boot (
  gateway text not null,
  boot text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- Every report up to this number is settled. Those settled ahead of a missing one are in report_ahead.
  settled_through bigint not null default 0 check (settled_through >= 0),
  primary key (gateway, boot)
) with (fillfactor = 70);

-- A report is settled in the transaction that moves settled_through past it, or that inserts it here: exactly once.
create table report_ahead (
  gateway text not null,
  boot text not null,
  sequence bigint not null check (sequence > 0),
  primary key (gateway, boot, sequence),
  foreign key (gateway, boot) references gateway_boot
);

create table lease (
  id bigint generated always as identity primary key,
  subuser_id bigint not null references meter (subuser_id),
  gateway text not null,
  boot text not null,
  granted_bytes bigint not null check (granted_bytes >= 0),
  charged_bytes bigint not null default 0 check (charged_bytes >= 0),
  opened_at timestamptz not null default now(),
  closed_at timestamptz,
  constraint lease_never_overdrawn check (charged_bytes <= granted_bytes)
) with (fillfactor = 70);

create unique index lease_open on lease (subuser_id, gateway, boot) where closed_at is null;
create index lease_of_boot on lease (gateway, boot) where closed_at is null;

-- Bytes relayed that no lease and no balance covered: mostly under a lease that had been given up for lost.
create table write_off (
  id bigint generated always as identity primary key,
  lease_id bigint not null references lease (id),
  bytes bigint not null check (bytes > 0),
  written_off_at timestamptz not null default now()
);

create index write_off_lease on write_off (lease_id);

-- What was charged, per UTC day.
create table usage_day (
  subuser_id bigint not null references meter (subuser_id),
  day date not null,
  charged_bytes bigint not null default 0 check (charged_bytes >= 0),
  bonus_bytes bigint not null default 0 check (bonus_bytes between 0 and charged_bytes),
  requests bigint not null default 0 check (requests >= 0),
  primary key (subuser_id, day)
) with (fillfactor = 70);
