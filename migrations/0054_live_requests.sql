-- Whose requests are being watched, so that the server that stores records tells the web servers of new ones, of these customers only.

create unlogged table request_watch (
  account_id bigint not null,
  watcher uuid not null,
  streams integer not null check (streams > 0),
  until timestamptz not null,
  primary key (account_id, watcher)
);
comment on table request_watch is
  'Customers who look at their requests as they happen, by the web server that sends them. Lost with a crash of the database: web '
  'servers write it anew when the browsers return. No foreign keys, so that nothing waits for it.';
comment on column request_watch.watcher is 'A web server, from its start to its end.';
comment on column request_watch.until is 'It counts until then: web servers renew it, and one that was killed does not.';
