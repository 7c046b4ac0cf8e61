/** Builds the tables that lists are read from, from the rows of a load; see stage.ts. */
import type pg from 'pg'

/**
 * Fills the tables of a source, which are empty for it, from the staged rows. Rows are grouped and joined by
 * the numbers of their places, not by their ids: this is the main reason why a million rows take seconds.
 */
export async function rollUp(client: pg.PoolClient, source: string): Promise<void> {
  await client.query(counts)
  await client.query(countries, [source])
  await client.query(areas, [source])
  await client.query(networksOfCities, [source])
  await client.query(networksOfCountries, [source])
}

// Cities are numbered in the order of their area's list, so that its zip codes can refer to them. Of several
// names the operator's own is used, then the first.
const counts = `
  create temporary table loading_name on commit drop as
  select distinct on (id) id, coalesce(o.name_ru, p.name_ru) as name_ru, coalesce(o.name_en, p.name_en) as name_en
  from loading_place p full join inventory_name o using (id) order by id, number;

  create temporary table loading_area_count on commit drop as
  select area, sum(count)::bigint as count from loading group by area;

  create temporary table loading_city_count on commit drop as
  select city, area, id, coalesce(name_ru, id) as name_ru, coalesce(name_en, id) as name_en, count,
    row_number() over (partition by area order by count desc, id)::integer as position
  from (select city, sum(count)::bigint as count from loading where city <> 0 group by city) counted
    join loading_city using (city) left join loading_name using (id);

  create temporary table loading_zip_count on commit drop as
  select area, zip, sum(count)::bigint as count, case when min(city) = max(city) then min(city) end as city
  from loading where zip <> '' group by area, zip;

  create temporary table loading_asn_count on commit drop as
  select area, asn, sum(count)::bigint as count from loading where asn is not null group by area, asn;

  analyze loading_name, loading_city_count, loading_zip_count, loading_asn_count`

const countries = `
  insert into inventory_country (pool, country, source, count)
  select pool, country, $1, sum(count) from loading_area join loading_area_count using (area)
  group by pool, country order by pool, country`

const areas = `
  with city as (
    select area, array_agg(id order by position) as ids, array_agg(count order by position) as counts,
      array_agg(name_ru order by position) as names_ru, array_agg(name_en order by position) as names_en
    from loading_city_count group by area
  ), zip as (
    select area, array_agg(zip order by count desc, zip) as ids, array_agg(count order by count desc, zip) as counts,
      array_agg(position order by count desc, zip) as cities
    from (
      select z.area, zip, z.count, coalesce(position, 0) as position
      from loading_zip_count z left join loading_city_count using (city)
    ) placed group by area
  ), asn as (
    select area, array_agg(asn order by count desc, asn) as ids, array_agg(count order by count desc, asn) as counts
    from loading_asn_count group by area
  )
  insert into inventory_area (
    pool, country, state, source, name_ru, name_en, count, cities, city_names_ru, city_names_en, city_counts,
    zips, zip_cities, zip_counts, asns, asn_counts
  )
  select pool, country, state, $1, coalesce(n.name_ru, state), coalesce(n.name_en, state), c.count,
    coalesce(city.ids, '{}'), coalesce(city.names_ru, '{}'), coalesce(city.names_en, '{}'), coalesce(city.counts, '{}'),
    coalesce(zip.ids, '{}'), coalesce(zip.cities, '{}'), coalesce(zip.counts, '{}'),
    coalesce(asn.ids, '{}'), coalesce(asn.counts, '{}')
  from loading_area join loading_area_count c using (area)
    left join loading_name n on n.id = state
    left join city using (area)
    left join zip using (area)
    left join asn using (area)
  order by pool, country, state`

const networksOfCities = `
  insert into inventory_asn_city (pool, country, state, city, source, asns, asn_counts)
  select pool, country, state, id, $1, asns, counts
  from (
    select city, array_agg(asn) as asns, array_agg(count) as counts
    from (
      select city, asn, sum(count)::bigint as count
      from loading where asn is not null and city <> 0 group by city, asn
    ) network group by city
  ) networks join loading_city using (city) join loading_area using (area)
  order by pool, id`

const networksOfCountries = `
  insert into inventory_asn_country (pool, country, asn, source, name, count)
  select pool, country, asn, $1, coalesce(n.name, 'Unknown'), count
  from (
    select pool, country, asn, sum(count) as count
    from loading_asn_count join loading_area using (area) group by pool, country, asn
  ) counted left join (select distinct on (asn) asn, name from loading_network order by asn, number) n using (asn)
  order by pool, country, asn`
