-- Inventories that operators import: who brought each of them, and tables that a million rows fit into quickly.
--
-- A list a customer sees is read from a handful of rows, one for each state (and one for what lies in none), that hold
-- the state's cities, zip codes and networks as arrays. A million rows become ten thousand, which are written in
-- seconds, go in a moment when their source is replaced, and are read without grouping or sorting thousands of them.

drop table inventory_state, inventory_city, inventory_zip, inventory_asn;

-- Until now only the demo had an inventory; it is made again at the next start.
delete from inventory_source;
truncate inventory_country, inventory_asn_country;

alter table inventory_source
  add column kind text not null check (kind in ('demo', 'import')),
  -- An exit's inventory goes with the exit.
  add column exit_id bigint unique references exit (id) on delete cascade,
  -- Of the demo's data: another one is loaded in its place.
  add column revision integer not null default 1,
  -- How many rows were read.
  add column rows bigint not null check (rows >= 0),
  add constraint inventory_source_demo check ((kind = 'demo') = (name = 'demo')),
  add constraint inventory_source_exit check ((exit_id is null) = (name !~ '^exit_'));

-- Names are sent to the program line by line.
alter table inventory_asn_country add constraint inventory_asn_country_name check (strpos(name, E'\n') = 0);

-- A state of a country; where `state` is null, what is not known to lie in any.
create table inventory_area (
  pool text not null,
  country text not null,
  state text check (state ~ '^[a-z]{2}_[a-z0-9]{1,32}$'),
  source text not null,
  -- The state's.
  name_ru text check (strpos(name_ru, E'\n') = 0),
  name_en text check (strpos(name_en, E'\n') = 0),
  count bigint not null check (count > 0),
  -- Those with most addresses first, in all these arrays.
  cities text[] not null,
  city_names_ru text[] not null check (strpos(array_to_string(city_names_ru, ''), E'\n') = 0),
  city_names_en text[] not null check (strpos(array_to_string(city_names_en, ''), E'\n') = 0),
  city_counts bigint[] not null,
  zips text[] not null,
  -- The city a zip code lies in, by its position among `cities`; 0 when it lies in several, or in none that is known.
  zip_cities integer[] not null,
  zip_counts bigint[] not null,
  asns bigint[] not null,
  asn_counts bigint[] not null,
  unique nulls not distinct (pool, country, state, source),
  check (starts_with(state, country || '_')),
  check ((state is null) = (name_ru is null) and (state is null) = (name_en is null)),
  check (cardinality(cities) = all (array[
    cardinality(city_names_ru), cardinality(city_names_en), cardinality(city_counts)])),
  check (cardinality(zips) = all (array[cardinality(zip_cities), cardinality(zip_counts)])),
  check (cardinality(asns) = cardinality(asn_counts))
);

create table inventory_asn_city (
  pool text not null,
  country text not null,
  state text,
  city text not null check (city ~ '^[a-z]{2}_[a-z0-9_]{1,61}$'),
  source text not null,
  asns bigint[] not null,
  asn_counts bigint[] not null,
  unique nulls not distinct (pool, city, state, source),
  check (starts_with(city, coalesce(state, country) || '_')),
  check (cardinality(asns) = cardinality(asn_counts))
);

-- What the operator wants states and cities to be called, whatever an inventory calls them.
create table inventory_name (
  id text primary key check (id ~ '^[a-z]{2}_[a-z0-9_]{1,61}$'),
  name_ru text not null check (strpos(name_ru, E'\n') = 0),
  name_en text not null check (strpos(name_en, E'\n') = 0)
);

-- A trigger and no foreign keys: they would look up every row of a load, and find the source that was just written.
create function inventory_source_is_gone() returns trigger language plpgsql as $$
begin
  delete from inventory_country where source = old.name;
  delete from inventory_area where source = old.name;
  delete from inventory_asn_city where source = old.name;
  delete from inventory_asn_country where source = old.name;
  return null;
end $$;

create trigger inventory_source_is_gone after delete on inventory_source
  for each row execute function inventory_source_is_gone();
