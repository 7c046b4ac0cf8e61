-- How many connections to an exit each gateway worker makes ahead of its customers.

alter table exit
  add column warm_connections integer not null default 0 check (warm_connections between 0 and 32),
  add constraint exit_warm_of_chains check (kind <> 'direct' or warm_connections = 0);
