-- What exits cost in the seller's currency, and by what the seller counts.

alter table exit_cost
  add column currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  add column counts text not null default 'both' check (counts in ('both', 'up', 'down')),
  add column counts_failed boolean not null default true;
comment on column exit_cost.currency is
  'That of both amounts. They are converted at the rate of each UTC day; without one the cost of that day is not known.';
comment on column exit_cost.per_gb_micros is 'Millionths of the currency for a GB of what the seller counts.';
comment on column exit_cost.month_micros is 'Millionths of the currency for a calendar month, whatever is relayed.';
comment on column exit_cost.counts is
  'What the seller counts: bytes to targets (up), bytes from them (down), or both. Gateways report both together to the books; they are divided as the records of connections of the exit and the day are.';
comment on column exit_cost.counts_failed is 'The seller bills attempts that reached no target.';
