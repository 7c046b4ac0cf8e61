-- What the customer paid for moved traffic, which bounds what an exchange of it is worth; and when a session used a second factor.

alter table traffic_move add column paid_micros bigint not null default 0;
alter table traffic_move_part add column paid_micros bigint not null default 0;
-- Of earlier moves only what the shop kept is known: never more than was paid.
update traffic_move set paid_micros = micros;
update traffic_move_part set paid_micros = micros;
comment on column traffic_move.paid_micros is
  'What the customer paid for the traffic, fees and the referral balance included: an exchange is worth no more.';

alter table session add column factor_at timestamptz;
comment on column session.factor_at is 'When a second factor was last used in this session; null: never.';
