-- Records and sums of usage by proxy user: docs/decisions/0036-usage-and-the-bill.md.

alter table connection_record add column proxy_user_id bigint;
comment on column connection_record.proxy_user_id is
  'The proxy user whose login it was; null: the login of the subuser itself, or a record of a release without proxy users here.';

alter table usage_part_day drop constraint usage_part_day_part_check;
alter table usage_part_day add constraint usage_part_day_part_check
  check (part in ('host', 'country', 'exit_country', 'code', 'user'));
comment on column usage_part_day.part is
  'host: of the target; country: the one that the line asks for; exit_country: the one that the exit is in; code: the outcome; '
  'user: the id of the proxy user, or account for the login of the account itself.';

-- Days before have the same sum by user as by outcome: it is not known whose they were.
insert into usage_part_day (day, account_id, pool, part, key, connections, refused, relayed_bytes, charged_bytes)
select day, account_id, pool, 'user', '', sum(connections), sum(refused), sum(relayed_bytes), sum(charged_bytes)
from usage_part_day where part = 'code' group by day, account_id, pool;
