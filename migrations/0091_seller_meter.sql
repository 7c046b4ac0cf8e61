-- Usage by day of sellers that tell no days: differences of what they tell, from one reading to the next.

alter table seller_account
  add column meter_bytes bigint,
  add column meter_at timestamptz,
  add constraint seller_account_meter check ((meter_bytes is null) = (meter_at is null));
comment on column seller_account.meter_bytes is
  'What is left, or what was ever used, at the last reading: of sellers whose usage by day is the difference of it. Null: not read with these credentials.';
comment on column seller_account.meter_at is 'When it was read.';

create table seller_meter_day (
  account_id bigint not null references seller_account (id) on delete cascade,
  day date not null,
  used_bytes bigint not null check (used_bytes >= 0),
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  is_refilled boolean not null,
  is_missed boolean not null,
  primary key (account_id, day)
);
comment on table seller_meter_day is
  'What was used at a seller on a UTC day, by the differences of what it tells. Only whole days without a refill and without missed readings are compared.';
comment on column seller_meter_day.from_at is 'The differences are of the time from then until until_at.';
comment on column seller_meter_day.is_refilled is 'What is left rose, or what was ever used fell: how much was used meanwhile is not known.';
comment on column seller_meter_day.is_missed is 'For more than 15 minutes nothing was read, or the account was another one.';
