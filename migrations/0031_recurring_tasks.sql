-- What is done again and again, and the period for which each was queued last: by the database's time, not by a worker's.
create table recurring_task (
  task text primary key,
  period timestamptz not null
);
