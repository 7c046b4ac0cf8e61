-- Usage by exit: an hour of a subuser has a row for each exit that its bytes passed through. Servers of the release before cannot
-- settle with this key: they wait, as their gateways do, until they are stopped.

alter table usage_hour
  add column exit_id bigint not null default 0,
  add column relayed_bytes bigint not null default 0 check (relayed_bytes >= 0),
  drop constraint usage_hour_pkey;
alter table usage_hour add primary key (hour, subuser_id, exit_id);
comment on table usage_hour is 'What a subuser was charged in a UTC hour for what passed through an exit.';
comment on column usage_hour.exit_id is
  'The exit, which may have been deleted since. 0: none, or a gateway of a release before did not tell.';
comment on column usage_hour.relayed_bytes is
  'Payload bytes in both directions, those that were forgiven included: what the seller of the exit counts, less handshakes.';
