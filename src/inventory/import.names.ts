/** The operator's names of states and cities, from a CSV file: id, name_ru, name_en. */
import { sql, type Transaction } from 'kysely'
import { type DB, type Database, transaction } from '#db'
import type { Said } from '#contract/desk/faults'
import { ImportFault, readCsv } from '#lib/csv/read-csv'
import { isCountry } from '#contract/countries'
import { strangeIn } from './import.ts'

const columns = { required: ['id', 'name_ru', 'name_en'], optional: [] } as const

interface Name {
  id: string
  nameRu: string
  nameEn: string
}

const maxFaults = 10

/**
 * Sets the names of states and cities, in current inventories and all later ones. Places that the file does
 * not list keep their names. Returns the number of names read; throws an ImportFault for a file with any
 * fault.
 */
export async function importNames({ db }: Pick<Database, 'db'>, file: string): Promise<number> {
  const names = await readNames(file)
  await transaction(db, async (tx) => {
    await sql`
      insert into inventory_name (id, name_ru, name_en)
      select * from unnest(
        ${names.map((name) => name.id)}::text[], ${names.map((name) => name.nameRu)}::text[],
        ${names.map((name) => name.nameEn)}::text[])
      on conflict (id) do update set name_ru = excluded.name_ru, name_en = excluded.name_en`.execute(tx)
    await rename(tx)
  })
  return names.length
}

const nameless: Said = { code: 'import_name_missing', facts: {} }

async function readNames(file: string): Promise<Name[]> {
  const names = new Map<string, Name>()
  const faults: Said[] = []
  for await (const { line, fields } of readCsv(file, columns)) {
    const before = faults.length
    const fault = (column: string, { code, facts }: Said) =>
      void faults.push({ code, facts: { line, column, ...facts } })
    const id = fields.id.toLowerCase()
    if (!/^[a-z]{2}_[a-z0-9_]{1,61}$/.test(id) || !isCountry(id.slice(0, 2)))
      fault('id', { code: 'import_id', facts: { text: fields.id } })
    else if (names.has(id)) fault('id', { code: 'import_id_twice', facts: { text: id } })
    for (const column of ['name_ru', 'name_en'] as const) {
      const strange = fields[column] === '' ? nameless : strangeIn(fields[column])
      if (strange !== null) fault(column, strange)
    }
    if (faults.length === before) names.set(id, { id, nameRu: fields.name_ru, nameEn: fields.name_en })
    if (faults.length >= maxFaults) break
  }
  if (faults.length > 0) throw new ImportFault(faults)
  return [...names.values()]
}

/** Updates the names in the lists, which contain copies. */
async function rename(tx: Transaction<DB>): Promise<void> {
  await sql`set local statement_timeout = '10min'`.execute(tx)
  // First, in the order of a load, which locks its source, then its places. This also invalidates cached
  // lists.
  await sql`update inventory_source set loaded_at = loaded_at`.execute(tx)
  await sql`
    update inventory_area a set name_ru = n.name_ru, name_en = n.name_en from inventory_name n
    where n.id = a.state and (n.name_ru, n.name_en) <> (a.name_ru, a.name_en)`.execute(tx)
  await sql`
    update inventory_area a set city_names_ru = named.ru, city_names_en = named.en
    from (
      select area.ctid as row,
        array_agg(coalesce(n.name_ru, city.ru) order by position) as ru,
        array_agg(coalesce(n.name_en, city.en) order by position) as en
      from inventory_area area,
        unnest(cities, city_names_ru, city_names_en) with ordinality city (id, ru, en, position)
        left join inventory_name n using (id)
      group by area.ctid having bool_or((n.name_ru, n.name_en) <> (city.ru, city.en))
    ) named where a.ctid = named.row`.execute(tx)
}
