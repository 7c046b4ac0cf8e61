-- What can be bought and for how much, and how many addresses there are in each place.

create table price (
  pool text primary key check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  per_gb_micros bigint not null check (per_gb_micros > 0)
);
comment on table price is 'The price of a pool''s traffic.';
comment on column price.per_gb_micros is 'Micro-USD for one GB.';

create table volume_discount (
  from_gb integer primary key check (from_gb > 0),
  discount_ppm integer not null check (discount_ppm between 0 and 999999)
);
comment on table volume_discount is 'The discount, in parts per million, on purchases of at least from_gb.';

create table price_list (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 60),
  version integer not null default 1 check (version > 0),
  has_own_tiers boolean not null
);
comment on table price_list is
  'Prices that the operator has agreed with some customers; the others pay those of the shop.';
comment on column price_list.version is
  'Counts changes. A change that was begun from an older version is refused.';
comment on column price_list.has_own_tiers is
  'Whether price_list_tier replaces the shop''s discounts by volume, also where it has no row.';

create unique index price_list_name on price_list (lower(name));

create table price_list_price (
  list_id bigint not null references price_list (id) on delete cascade,
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  per_gb_micros bigint check (per_gb_micros > 0),
  off_ppm integer check (off_ppm between 1 and 999999),
  primary key (list_id, pool),
  constraint price_list_price_is_one check (num_nonnulls(per_gb_micros, off_ppm) = 1)
);
comment on table price_list_price is
  'The price of a pool in a list: fixed, or a part off the shop''s price. A pool without a row has the shop''s price, and one '
  'that the shop does not sell is not sold by any list.';
comment on column price_list_price.per_gb_micros is 'Micro-USD for one GB.';
comment on column price_list_price.off_ppm is 'What is taken off the shop''s price, in parts per million.';

create table price_list_tier (
  list_id bigint not null references price_list (id) on delete cascade,
  from_gb integer not null check (from_gb > 0),
  discount_ppm integer not null check (discount_ppm between 0 and 999999),
  primary key (list_id, from_gb)
);
comment on table price_list_tier is 'As volume_discount, of a list with discounts of its own.';

create table account_price_list (
  account_id bigint primary key references account (id),
  list_id bigint not null references price_list (id),
  assigned_at timestamptz not null
);
comment on table account_price_list is 'The price list of a customer; no row: the prices of the shop.';

create index account_price_list_list on account_price_list (list_id, account_id);

-- An inventory (the demo, an import, later a seller) is always replaced as a whole. So only what the lists of
-- places show is stored, and each row has the names it is shown with. Ids are those of the targeting grammar:
-- a state's begins with its country, a city's with its state, or with its country where there are no states.
--
-- The column `source` of these tables is the name of an inventory_source. There is no foreign key because it
-- would look up each row of an import, and no index because a source is removed from all tables by scanning
-- them.

create table inventory_source (
  name text primary key check (name ~ '^[a-z0-9_]{1,32}$'),
  kind text not null check (kind in ('demo', 'import')),
  exit_id bigint unique references exit (id) on delete cascade,
  revision integer not null default 1,
  rows bigint not null check (rows >= 0),
  loaded_at timestamptz not null default now(),
  constraint inventory_source_demo check ((kind = 'demo') = (name = 'demo')),
  constraint inventory_source_exit check ((exit_id is null) = (name !~ '^exit_'))
);
comment on table inventory_source is 'An inventory that was loaded.';
comment on column inventory_source.exit_id is
  'The exit whose places these are; the inventory is removed with it.';
comment on column inventory_source.revision is
  'The revision of the demo''s data; the demo is loaded anew when the program has another.';
comment on column inventory_source.rows is 'How many rows were read.';

create table inventory_country (
  pool text not null check (pool in ('residential', 'residential_premium', 'datacenter', 'mobile')),
  country text not null check (country ~ '^[a-z]{2}$'),
  source text not null,
  count bigint not null check (count > 0),
  primary key (pool, country, source)
);
comment on table inventory_country is 'How many addresses a source has in a country.';

create function inventory_lines(items anyarray) returns text immutable strict parallel safe language sql
  as $$ select array_to_string(items, E'\n') $$;
comment on function inventory_lines(anyarray) is
  'The items of an array, one a line. It is declared immutable, although PostgreSQL declares array_to_string '
  'stable (it takes arrays of any type), because text and integers, the only items given here, are always '
  'written alike.';

-- Rows of up to a page are neither compressed nor moved to the TOAST table: a list of three countries reads
-- 150 of them, and would spend most of its time on decompression.
create table inventory_area (
  pool text not null,
  country text not null,
  state text check (state ~ '^[a-z]{2}_[a-z0-9]{1,32}$'),
  source text not null,
  name_ru text check (strpos(name_ru, E'\n') = 0),
  name_en text check (strpos(name_en, E'\n') = 0),
  count bigint not null check (count > 0),
  cities text[] not null,
  city_names_ru text[] not null check (strpos(array_to_string(city_names_ru, ''), E'\n') = 0),
  city_names_en text[] not null check (strpos(array_to_string(city_names_en, ''), E'\n') = 0),
  city_counts bigint[] not null,
  zips text[] not null,
  zip_cities integer[] not null,
  zip_counts bigint[] not null,
  asns bigint[] not null,
  asn_counts bigint[] not null,
  city_lines text not null generated always as (inventory_lines(cities)) stored,
  city_name_lines_ru text not null generated always as (inventory_lines(city_names_ru)) stored,
  city_name_lines_en text not null generated always as (inventory_lines(city_names_en)) stored,
  city_count_lines text not null generated always as (inventory_lines(city_counts)) stored,
  zip_lines text not null generated always as (inventory_lines(zips)) stored,
  zip_city_lines text not null generated always as (inventory_lines(zip_cities)) stored,
  zip_count_lines text not null generated always as (inventory_lines(zip_counts)) stored,
  asn_lines text not null generated always as (inventory_lines(asns)) stored,
  asn_count_lines text not null generated always as (inventory_lines(asn_counts)) stored,
  unique nulls not distinct (pool, country, state, source),
  check (starts_with(state, country || '_')),
  check ((state is null) = (name_ru is null) and (state is null) = (name_en is null)),
  check (cardinality(cities) = all (array[
    cardinality(city_names_ru), cardinality(city_names_en), cardinality(city_counts)])),
  check (cardinality(zips) = all (array[cardinality(zip_cities), cardinality(zip_counts)])),
  check (cardinality(asns) = cardinality(asn_counts))
) with (toast_tuple_target = 8160);
comment on table inventory_area is
  'A state of a country with its cities, zip codes and networks; where state is null, those that are in no '
  'known state. A list of places is read from a handful of rows, and an import of a million lines writes ten '
  'thousand. The arrays are sorted by count, the largest first. They are searched; the lists send the '
  'generated columns, which have the same items one a line.';
comment on column inventory_area.name_ru is 'The state''s name.';
comment on column inventory_area.name_en is 'The state''s name.';
comment on column inventory_area.zip_cities is
  'The city of each zip code, by its position in cities; 0 when it is in several cities or in none that is '
  'known.';

create table inventory_asn_country (
  pool text not null,
  country text not null,
  asn bigint not null check (asn between 1 and 4294967295),
  source text not null,
  name text not null,
  count bigint not null check (count > 0),
  primary key (pool, country, asn, source),
  -- Lists send names one a line.
  constraint inventory_asn_country_name check (strpos(name, E'\n') = 0)
);
comment on table inventory_asn_country is 'A network of a country, with its name.';

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
comment on table inventory_asn_city is 'The networks of a city.';

create table inventory_name (
  id text primary key check (id ~ '^[a-z]{2}_[a-z0-9_]{1,61}$'),
  name_ru text not null check (strpos(name_ru, E'\n') = 0),
  name_en text not null check (strpos(name_en, E'\n') = 0)
);
comment on table inventory_name is
  'The operator''s names of a state or city, which replace those of every inventory.';

create function inventory_source_is_gone() returns trigger language plpgsql as $$
begin
  delete from inventory_country where source = old.name;
  delete from inventory_area where source = old.name;
  delete from inventory_asn_city where source = old.name;
  delete from inventory_asn_country where source = old.name;
  return null;
end $$;
comment on function inventory_source_is_gone() is 'Removes the rows of a source that was removed.';

create trigger inventory_source_is_gone after delete on inventory_source
  for each row execute function inventory_source_is_gone();

create function inventory_source_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('turnpike_feed', '{"type":"places_changed"}');
  return null;
end $$;
comment on function inventory_source_changed() is
  'Notifies gateways, which cache answers about places. A trigger does so because inventories change in '
  'several ways: by an import, a removal, or with the exit they belong to.';

create trigger inventory_source_changed after insert or update or delete on inventory_source
  for each statement execute function inventory_source_changed();

create table inventory_file (
  id bigint generated always as identity primary key,
  source text not null check (source ~ '^[a-z0-9_]{1,32}$'),
  rows bigint not null check (rows > 0),
  gzip bytea,
  imported_by text not null,
  imported_at timestamptz not null
);
comment on table inventory_file is
  'A file that was imported. The last three of a source are kept; the last one is what the source has, '
  'unless it was removed.';
comment on column inventory_file.gzip is 'Compressed by gzip (RFC 1952); null: it was too large to keep.';

create index inventory_file_source on inventory_file (source, id);

-- The file is compressed already.
alter table inventory_file alter column gzip set storage external;
