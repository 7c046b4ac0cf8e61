-- The lists of places, ready to be sent; and who wants to be told of sign-ins in Telegram.
--
-- A state's cities, zip codes and networks stay arrays, which are searched. A list sends them as lines of text, and
-- most of what a long list cost was the database writing its arrays as text for every reader. They are written once,
-- when a row is; whatever changes an array changes its lines with it.

-- PostgreSQL promises no more than that `array_to_string` is stable, since it takes arrays of anything. Of text and
-- whole numbers, which is all that is given here, it always writes the same.
create function inventory_lines(items anyarray) returns text immutable strict parallel safe language sql
  as $$ select array_to_string(items, E'\n') $$;

alter table inventory_area
  add column city_lines text not null generated always as (inventory_lines(cities)) stored,
  add column city_name_lines_ru text not null generated always as (inventory_lines(city_names_ru)) stored,
  add column city_name_lines_en text not null generated always as (inventory_lines(city_names_en)) stored,
  add column city_count_lines text not null generated always as (inventory_lines(city_counts)) stored,
  add column zip_lines text not null generated always as (inventory_lines(zips)) stored,
  add column zip_city_lines text not null generated always as (inventory_lines(zip_cities)) stored,
  add column zip_count_lines text not null generated always as (inventory_lines(zip_counts)) stored,
  add column asn_lines text not null generated always as (inventory_lines(asns)) stored,
  add column asn_count_lines text not null generated always as (inventory_lines(asn_counts)) stored;

-- A row of up to a page stays in one piece and is not compressed: a list of three countries reads a hundred and fifty
-- of them, and would spend more on unpacking than on anything else.
alter table inventory_area set (toast_tuple_target = 8160);

-- A sign-in by password is told to the owner of the account in Telegram, unless the owner wants no such
-- messages.
alter table telegram_identity add column tells_of_sign_ins boolean not null default true;
