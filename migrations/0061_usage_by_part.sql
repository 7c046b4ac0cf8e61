-- Usage of a customer by host, country, exit country and outcome, and the wish that no hosts are kept:
-- docs/decisions/0036-usage-and-the-bill.md.

create table usage_part_day (
  day date not null,
  account_id bigint not null,
  pool text not null,
  part text not null check (part in ('host', 'country', 'exit_country', 'code')),
  key text not null check (length(key) <= 300),
  connections bigint not null,
  refused bigint not null,
  relayed_bytes bigint not null,
  charged_bytes bigint not null,
  primary key (day, account_id, pool, part, key)
);
comment on table usage_part_day is
  'The sums of the records of a customer that ended on a UTC day, by one part of them at a time: the rows of each part have the same '
  'sum. The books are in usage_hour: a lost record is missing here.';
comment on column usage_part_day.part is
  'host: of the target; country: the one that the line asks for; exit_country: the one that the exit is in; code: the outcome.';
comment on column usage_part_day.key is
  'The value; empty: not known, or a host beyond the number that is kept of a day. A host that is withheld is (withheld).';
create index usage_part_day_account on usage_part_day (account_id, part, day);

create table host_privacy (
  account_id bigint primary key references account (id),
  since timestamptz not null default now()
);
comment on table host_privacy is 'Customers who do not want the hosts that they visit to be kept.';
