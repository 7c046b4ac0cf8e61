-- How many of the connections were refused: a code alone does not tell, since traffic runs out before a connection and within one.

alter table connection_hour add column refused bigint not null default 0;
comment on column connection_hour.refused is 'Those of the connections that the gateway answered with a refusal, whose code it is.';

-- The last refusals by code, and those of a customer. Most connections are not refused.
create index connection_record_code on connection_record (code, ended_at) where code is not null;
create index connection_record_refused on connection_record (account_id, ended_at) where code is not null;
