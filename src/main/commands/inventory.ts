/** turnpike inventory: the places that customers can choose. */
import { type Command, Option } from 'commander'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { findExits } from '#exits'
import { importPlaces, namePlaces, removePlaces } from '#desk'
import { ImportFault, isDemoInventory, type KnownSource, listInventory } from '#inventory'
import { systemAuthor } from '#staff'
import { CommandFault, json, print, printJson, printTable, withServices } from './terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'

interface ImportOptions {
  exit?: string
  source?: string
  json?: boolean
}

export function inventoryCommands(turnpike: Command): void {
  const inventory = turnpike.command('inventory').description('numbers of addresses by place and network')
  inventory
    .command('list', { isDefault: true })
    .addOption(json())
    .description('sources of inventories')
    .action(list)
  inventory
    .command('import')
    .argument('<csv>', 'a file in UTF-8 with a header: pool, country, state, city, zip, asn, as_name, count')
    .addOption(
      new Option('--exit <exit>', 'these are the addresses of this exit: its name or number').conflicts(
        'source',
      ),
    )
    .option('--source <name>', 'a name for these addresses, of a–z, 0–9 and _')
    .addOption(json())
    .description('replace the inventory of an exit or source with a file')
    .action(importFile)
  asking(inventory.command('remove'))
    .argument('<source>', 'a name of `inventory list`; `demo` for addresses of the demo')
    .addOption(json())
    .description('remove the addresses of a source')
    .action((name: string, options: ConfirmOptions) =>
      withServices(async ({ database: { db, clock } }) => {
        const source = (await listInventory(db)).find((one) => one.name === name)
        if (source === undefined) throw new CommandFault(`There is no source ${name}.`)
        const sentence = `The ${source.rows} rows of ${name} will be taken out of all lists; customers' lines are judged by what is left.`
        if (!(await mayProceed([sentence], options))) return
        await removePlaces(db, systemAuthor(), { source: name, reason: null }, clock.now())
        if (options.json) return printJson({ removed: name })
        return print(`The addresses of ${name} are gone.`)
      }),
    )
  inventory
    .command('names')
    .argument('<csv>', 'a file in UTF-8 with a header: id, name_ru, name_en')
    .addOption(json())
    .description('set names of states and cities, by their ids: us_ca, us_ca_los_angeles')
    .action((file: string, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const names = await sentencesOf(namePlaces(database.db, systemAuthor(), file, database.clock.now()))
        if (options.json) printJson({ names })
        else print(names === 1 ? 'One name is in use.' : `${names} names are in use.`)
      }),
    )
}

const list = (options: { json?: boolean }) =>
  withServices(async ({ database: { db } }) => {
    const sources = await listInventory(db)
    const exits = new Map<bigint, string>()
    for (const { exitId } of sources) {
      const found = exitId === null ? [] : await findExits(db, String(exitId))
      for (const exit of found) exits.set(exit.id, exit.name)
    }
    const exitOf = ({ exitId }: KnownSource) => (exitId === null ? null : (exits.get(exitId) ?? null))
    if (options.json) {
      return printJson(
        sources.map((source) => ({
          source: source.name,
          demo: source.kind === 'demo',
          exit: exitOf(source),
          exit_id: source.exitId,
          pools: source.pools,
          countries: source.countries,
          addresses: source.addresses,
          rows: source.rows,
          loaded_at: source.loadedAt,
        })),
      )
    }
    const headings = ['SOURCE', 'OF', 'POOLS', 'COUNTRIES', 'ADDRESSES', 'ROWS', 'LOADED']
    const rows = sources.map((source) => [
      source.name,
      source.kind === 'demo'
        ? 'demo: made up'
        : `${exitOf(source) === null ? 'import' : `exit ${exitOf(source)}`}`,
      source.pools.join(' '),
      String(source.countries),
      String(source.addresses),
      String(source.rows),
      source.loadedAt.toISOString().slice(0, 16),
    ])
    return printTable(headings, rows, 'There is no inventory: customers have no places to choose.')
  })

const importFile = (file: string, options: ImportOptions) =>
  withServices(async ({ database }) => {
    const startedMs = performance.now()
    const order = { file, importer: await importerOf(database, options) }
    const { source, rows } = await sentencesOf(
      importPlaces(database, systemAuthor(), order, database.clock.now()),
    )
    const seconds = (performance.now() - startedMs) / 1000
    const known = (await listInventory(database.db)).find(({ name }) => name === source)
    const addresses = known?.addresses ?? 0n
    if (options.json) return printJson({ source, rows, addresses, seconds })
    print(`${rows} rows with ${addresses} addresses are in use as ${source}, after ${seconds.toFixed(1)} s.`)
    if (await isDemoInventory(database.db))
      print(
        'The made-up addresses of the demo still add to them: `turnpike inventory remove demo` ends that.',
      )
  })

async function importerOf({ db }: Database, { exit, source }: ImportOptions) {
  if (source !== undefined) return { source }
  if (exit === undefined) throw new CommandFault('The source is missing: add --exit or --source.')
  const found = await findExits(db, exit)
  const [only] = found
  if (only === undefined) throw new CommandFault(`There is no exit ${exit}.`)
  if (found.length === 1) return { exit: only }
  const numbers = found.map(({ id, pool }: { id: bigint; pool: Pool }) => `${id} (${pool})`).join(', ')
  throw new CommandFault(`Several exits are called ${exit}; say the number of one: ${numbers}.`)
}

/** Turns faults of a file into sentences for the operator. */
async function sentencesOf<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ImportFault)
      throw new CommandFault(`Nothing was changed:\n${error.message}`, { cause: error })
    throw error
  }
}
