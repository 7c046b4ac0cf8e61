-- What can be bought and for how much.

create table price (
  pool text primary key check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  -- Micro-USD for one GB.
  per_gb_micros bigint not null check (per_gb_micros > 0)
);

create table volume_discount (
  -- From this many GB on …
  from_gb integer primary key check (from_gb > 0),
  -- … this many parts per million off.
  discount_ppm integer not null check (discount_ppm between 0 and 999999)
);
