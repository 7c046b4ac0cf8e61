-- Notices to customers about their traffic.

create table traffic_credited (
  subuser_id bigint primary key references meter (subuser_id),
  bytes bigint not null check (bytes >= 0),
  times bigint not null default 1
);
comment on table traffic_credited is 'What a subuser had right after its last credit.';
comment on column traffic_credited.bytes is 'The balance, paid and bonus together: the whole of which a fifth or a twentieth may be left.';
comment on column traffic_credited.times is 'How often traffic was credited; tells one credit from the next.';

-- Until the next credit the present balance is the whole.
insert into traffic_credited (subuser_id, bytes)
  select m.subuser_id, p.balance + b.balance from meter m
    join ledger_balance p on p.account_id = m.paid_account
    join ledger_balance b on b.account_id = m.bonus_account;

create table notice_off (
  account_id bigint not null references account (id),
  kind text not null check (kind in ('traffic', 'cap')),
  via text not null check (via in ('email', 'telegram')),
  primary key (account_id, kind, via)
);
comment on table notice_off is 'The notices that a customer has switched off.';

create table notice_threshold (
  account_id bigint primary key references account (id),
  bytes bigint not null check (bytes between 1000000 and 1000000000000000)
);
comment on table notice_threshold is 'A notice is sent when less than this is left in a pool; set by the customer.';

create table notice_told (
  subuser_id bigint not null references meter (subuser_id),
  matter text not null check (matter in ('share', 'threshold', 'hour', 'day', 'month')),
  occasion text not null,
  level smallint not null default 1,
  told_at timestamptz not null,
  primary key (subuser_id, matter)
);
comment on table notice_told is 'The last notice of each matter: no crossing is told twice.';
comment on column notice_told.occasion is
  'The credit after which the balance fell, by its number, or the window of the cap; with the threshold or cap, where there is one.';
comment on column notice_told.level is 'Of `share`: 1 a fifth is left, 2 a twentieth, 3 nothing.';

-- Those who had nothing left before there were notices are not told of it.
insert into notice_told (subuser_id, matter, occasion, level, told_at)
  select subuser_id, 'share', times::text, 3, now() from traffic_credited where bytes = 0;
