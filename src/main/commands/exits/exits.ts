/** turnpike exits: the exits of the gateways. */
import { type Command, Option } from 'commander'
import { countryName } from '#contract/countries'
import { sentenceOf } from '#contract/desk/faults'
import { echoPath, type Pool } from '#contract/wire'
import { createExit, dropExit, setExit } from '#desk'
import {
  credentialsOf,
  type ExitChange,
  ExitFault,
  findExits,
  type KnownExit,
  noteExitTest,
  readExit,
  showExits,
} from '#exits'
import { parseAllow, tryExit } from '#gateway'
import { registeredCountryOf } from '#proxies/networks'
import { systemAuthor } from '#staff'
import { trialFault } from '../../desk.ts'
import { shopAuthority } from '../../gateway/shop.ts'
import type { Services } from '../../services.ts'
import {
  CommandFault,
  json,
  poolArgument,
  print,
  printJson,
  printTable,
  withServices,
} from '../terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from '../terminal/confirm.ts'
import { costCommand } from './exits.cost.ts'
import { addressOf, changeOf, type ExitOptions, exitOptions, readFile } from './exits.options.ts'
import { presetsCommand } from './exits.presets.ts'

export function exitsCommands(turnpike: Command): void {
  const exits = turnpike.command('exits').description('the exits that gateways connect through')
  exits
    .command('list', { isDefault: true })
    .addOption(new Option('--pool <pool>', 'of this pool only').argParser(poolArgument))
    .addOption(json())
    .description('all exits, with everything but their passwords')
    .action(list)
  exitOptions(
    exits.command('add').argument('<pool>', 'the pool', poolArgument).argument('<name>', 'new in the pool'),
  )
    .option('--direct', 'this machine itself')
    .option('--disabled', 'do not use it yet')
    .addOption(json())
    .description('add an exit; gateways use it within seconds')
    .action(add)
  exitOptions(exits.command('set').argument('<exit>', 'its name or number'))
    .option('--enable', 'use it')
    .option('--disable', 'use it no more; what is open stays open')
    .addOption(json())
    .description('change the named settings of an exit only')
    .action(set)
  asking(exits.command('remove'))
    .argument('<exit>', 'its name or number')
    .addOption(json())
    .description('delete an exit and its inventory')
    .action((name: string, options: ConfirmOptions) =>
      withServices(async ({ database, secrets }) => {
        const { db, clock } = database
        const exit = await oneExit(db, name)
        const sentence = `The exit ${exit.name} of ${exit.pool} (${exit.id}) will be removed for good, with its login and the places that it brought.`
        if (!(await mayProceed([sentence], options))) return
        await dropExit(db, { secrets, author: systemAuthor() }, { exitId: exit.id }, clock.now())
        if (options.json === true) return printJson({ removed: exit })
        return print(`The exit ${exit.name} of ${exit.pool} is gone.`)
      }),
    )
  exits
    .command('test')
    .argument('<exit>', 'its name or number')
    .argument('[url]', 'what to get through it; the shop’s own /api/echo unless told otherwise')
    .option('--line <settings>', 'as a customer’s line would ask: cc-us-sid-a', '')
    .option('--ca <file>', 'the authority that vouches for the URL, as PEM, where it is your own')
    .addOption(json())
    .description('request a URL through an exit, enabled or not')
    .action(test)
  costCommand(exits, oneExit)
  presetsCommand(exits)
}

/** The exit with this name or number. Refuses with a sentence when there is none, or several. */
async function oneExit(
  db: Services['database']['db'],
  name: string,
): Promise<{ id: bigint; pool: Pool; name: string }> {
  const found = await findExits(db, name)
  const [only] = found
  if (only === undefined) throw new CommandFault(`There is no exit ${name}.`)
  if (found.length === 1) return only
  const numbers = found.map(({ id, pool }) => `${id} (${pool})`).join(', ')
  throw new CommandFault(`Several exits are called ${name}; say the number of one: ${numbers}.`)
}

/** Turns faults of a description into sentences for the operator. */
async function sentencesOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ExitFault) throw new CommandFault(error.message, { cause: error })
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code === '23514')
      throw new CommandFault(`These settings do not go together (${constraint}).`, { cause: error })
    throw error
  }
}

const wayText = (exit: KnownExit) => {
  if (exit.kind === 'direct') return exit.bindAddress === null ? 'direct' : `direct from ${exit.bindAddress}`
  const host = exit.host?.includes(':') === true ? `[${exit.host}]` : exit.host
  return `${exit.kind}${exit.tls ? '+tls' : ''} ${host}:${exit.port}`
}

const placesText = ({ places, countries }: KnownExit) => {
  if (places === null) return 'everywhere'
  const shown = countries.slice(0, 6).join(' ')
  return `${places} in ${shown}${countries.length > 6 ? ' …' : ''}`.trimEnd()
}

const list = (options: { pool?: Pool; json?: boolean }) =>
  withServices(async ({ database, secrets }) => {
    const known = (await showExits(database.db, secrets)).filter(
      ({ pool }) => options.pool === undefined || pool === options.pool,
    )
    if (options.json === true) return printJson(known.map(asJson))
    const headings = ['NR', 'POOL', 'NAME', 'WAY', 'PRESET', 'WEIGHT', 'MOST', 'WARM', 'PLACES', 'USED']
    const rows = known.map((exit) => [
      String(exit.id),
      exit.pool,
      exit.name,
      wayText(exit),
      exit.preset ?? '-',
      String(exit.weight),
      exit.maxConnections === null ? '-' : String(exit.maxConnections),
      exit.warmConnections === 0 ? '-' : String(exit.warmConnections),
      placesText(exit),
      exit.fault !== null ? 'out of order' : exit.enabled ? 'yes' : 'no',
    ])
    printTable(headings, rows, 'There is no exit: gateways refuse every connection with 503.')
    for (const { id, name, fault } of known)
      if (fault !== null) print(`${id} (${name}) is out of order. ${sentenceOf(fault, 'en')}`)
  })

function asJson(exit: KnownExit) {
  return {
    id: exit.id,
    pool: exit.pool,
    name: exit.name,
    kind: exit.kind,
    enabled: exit.enabled,
    weight: exit.weight,
    max_connections: exit.maxConnections,
    bind_address: exit.bindAddress,
    host: exit.host,
    port: exit.port,
    username: exit.username,
    has_password: exit.hasPassword,
    preset: exit.preset,
    options: exit.options,
    tls: exit.tls,
    has_own_authority: exit.hasOwnAuthority,
    names: exit.names,
    plain_http: exit.plainHttp,
    probe_target: exit.probeTarget,
    warm_connections: exit.warmConnections,
    everywhere: exit.places === null,
    places: exit.places,
    countries: exit.countries,
    fault: exit.fault === null ? null : sentenceOf(exit.fault, 'en'),
  }
}

async function show(
  { database: { db }, secrets }: Services,
  id: bigint,
  sentence: string,
  options: ExitOptions,
): Promise<void> {
  const exit = (await showExits(db, secrets)).find((known) => known.id === id)
  if (exit === undefined) return
  if (options.json === true) printJson(asJson(exit))
  else print(sentence)
}

const add = (pool: Pool, name: string, options: ExitOptions & { direct?: boolean; disabled?: boolean }) =>
  withServices(async (services) => {
    const { database, secrets } = services
    await sentencesOf(async () => {
      const address = addressOf(options)
      if ((address === undefined) !== (options.direct === true))
        throw new CommandFault('The kind of exit is missing: add --direct, --http or --socks5.')
      const { username, password, bindAddress, places, ...rest } = changeOf(options)
      if (places === undefined)
        throw new CommandFault('The places are missing: add --everywhere, --countries or --places.')
      const common = { pool, name, ...rest, places }
      const exit =
        address === undefined
          ? ({ ...common, kind: 'direct', bindAddress: bindAddress ?? null } as const)
          : { ...common, ...address, credentials: credentialsOf({ username, password, preset: rest.preset }) }
      const by = { secrets, author: systemAuthor() }
      const enabled = options.disabled !== true
      const id = await createExit(database.db, by, exit, { enabled }, database.clock.now())
      await show(services, id, `The exit ${name} of ${pool} has the number ${id}.`, options)
    })
  })

const set = (name: string, options: ExitOptions & { enable?: boolean; disable?: boolean }) =>
  withServices(async (services) => {
    const { database, secrets } = services
    const exit = await oneExit(database.db, name)
    await sentencesOf(async () => {
      const address = addressOf(options)
      const change: ExitChange = { ...changeOf(options) }
      if (address !== undefined) {
        const known = (await showExits(database.db, secrets)).find(({ id }) => id === exit.id)
        if (known?.kind !== address.kind)
          throw new CommandFault(
            'The kind of an exit cannot be changed: add another exit and remove this one.',
          )
        Object.assign(change, { host: address.host, port: address.port })
      }
      if (options.enable === true || options.disable === true) change.enabled = options.enable === true
      if (Object.keys(change).length === 0) throw new CommandFault('No option names a change.')
      const by = { secrets, author: systemAuthor() }
      await setExit(database.db, by, { exitId: exit.id, change }, database.clock.now())
      await show(services, exit.id, `The exit ${exit.name} of ${exit.pool} is changed.`, options)
    })
  })

interface TestOptions {
  line: string
  ca?: string
  json?: boolean
}

const test = (name: string, url: string | undefined, options: TestOptions) =>
  withServices(async ({ database, secrets, settings }) => {
    const found = await oneExit(database.db, name)
    const exit = await sentencesOf(() => readExit(database.db, secrets, found.id))
    if (exit === null) throw new CommandFault(`There is no exit ${name}.`)
    const { publicUrl } = settings
    const target = new URL(url ?? new URL(echoPath, publicUrl))
    if (target.protocol !== 'http:' && target.protocol !== 'https:')
      throw new CommandFault('Only http:// and https:// addresses can be fetched.')
    const allow = [...settings.gateway.allow, shopAuthority(publicUrl)].flatMap(parseAllow)
    try {
      const trial = await tryExit(exit, target, {
        line: options.line,
        allow,
        ca: options.ca === undefined ? undefined : readFile(options.ca),
      })
      if (trial.status === 200) await noteExitTest(database.db, found.id, database.clock.now())
      if (options.json === true) return printJson({ exit: found, url: target.href, ...trial })
      const body = trial.body.trim().replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\u{fffd}')
      if (trial.username !== null) print(`Login at the exit: ${trial.username}`)
      print(
        `${target.href} answered ${trial.status} after ${trial.answeredMs} ms, connected after ${trial.connectedMs} ms.`,
      )
      print(`${trial.bytes} bytes: ${body}`)
      const address = /"ip":\s*"([^"]+)"/.exec(body)?.[1]
      const country = address === undefined ? null : await registeredCountryOf(address)
      if (country !== null) print(`${address} is registered in ${countryName(country, 'en')}.`)
    } catch (error) {
      throw new CommandFault(`${found.name}: ${trialFault(error)}`, { cause: error })
    }
  })
