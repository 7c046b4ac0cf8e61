-- Where the exits are: how many addresses a source has in each place, rolled up for each list a customer sees.
--
-- A source (the demo, an import, later a provider) is always replaced as a whole, so only the rollups are kept, and
-- each row of them carries the names it is shown with: a list is one range of one index. Ids are those of the
-- targeting grammar: a state's begins with its country, a city's with its state, or with its country where there
-- are no states. The sources of the rollups are those of inventory_source; no foreign key says so, because it would
-- look up every one of a million rows that a load puts in at once.

create table inventory_source (
  name text primary key check (name ~ '^[a-z0-9_]{1,32}$'),
  loaded_at timestamptz not null default now()
);

create table inventory_country (
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  country text not null check (country ~ '^[a-z]{2}$'),
  source text not null,
  count bigint not null check (count > 0),
  primary key (pool, country, source)
);

create table inventory_state (
  pool text not null,
  country text not null,
  state text not null check (state ~ '^[a-z]{2}_[a-z0-9]{1,32}$'),
  source text not null,
  name_ru text not null,
  name_en text not null,
  count bigint not null check (count > 0),
  primary key (pool, country, state, source),
  check (starts_with(state, country || '_'))
);

create table inventory_city (
  pool text not null,
  country text not null,
  state text,
  city text not null check (city ~ '^[a-z]{2}_[a-z0-9_]{1,61}$'),
  source text not null,
  name_ru text not null,
  name_en text not null,
  count bigint not null check (count > 0),
  primary key (pool, country, city, source),
  check (starts_with(city, coalesce(state, country) || '_'))
);

create index inventory_city_state on inventory_city (pool, state);

create table inventory_zip (
  pool text not null,
  country text not null,
  state text,
  zip text not null check (zip ~ '^[a-z0-9_]{1,16}$'),
  source text not null,
  -- The city it lies in; null when it lies in several, or in none that is named.
  name_ru text,
  name_en text,
  count bigint not null check (count > 0),
  unique nulls not distinct (pool, country, zip, state, source)
);

create index inventory_zip_state on inventory_zip (pool, state);

-- ASNs of whole countries, which is what the picker opens with.
create table inventory_asn_country (
  pool text not null,
  country text not null,
  asn bigint not null check (asn between 1 and 4294967295),
  source text not null,
  name text not null,
  count bigint not null check (count > 0),
  primary key (pool, country, asn, source)
);

-- ASNs of states and cities.
create table inventory_asn (
  pool text not null,
  country text not null,
  state text,
  city text,
  asn bigint not null,
  source text not null,
  name text not null,
  count bigint not null check (count > 0)
);

create index inventory_asn_city on inventory_asn (pool, city, asn);
create index inventory_asn_state on inventory_asn (pool, state, asn);
-- A source leaves all these tables at once, by a scan of them: no index is kept for it.
