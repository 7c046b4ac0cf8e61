/**
 * The five lists of places on a million rows: the duration of the import, and of a list, one request at a
 * time. `bench/api.ts` runs it.
 */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Name, pathOf, wire } from '#contract/wire'
import type { Database } from '#db'
import { asnsOf, citiesOf, countriesOf, importInventory, statesOf, zipsOf } from '#inventory'
import { geoColumns, geoCountries, geoRows } from './geo.rows.ts'

const questions = 200
/** Fewer on a slow or busy machine. */
const longestMs = 2500
const view = { pool: 'residential', language: 'en' } as const

/** Imports this many rows from a CSV file; returns the number of seconds. */
export async function loadGeo(database: Database, total: number): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-bench-csv-'))
  try {
    const file = join(dir, 'inventory.csv')
    await pipeline(Readable.from(csv(total)), createWriteStream(file))
    const startedMs = performance.now()
    await importInventory(
      database,
      file,
      { source: 'bench' },
      { by: 'bench', at: new Date(), onLoaded: async () => undefined },
    )
    return (performance.now() - startedMs) / 1000
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function* csv(total: number): Generator<string> {
  let chunk = `${geoColumns.join(',')}\n`
  for (const row of geoRows(total)) {
    chunk += `${geoColumns.map((column) => row[column]).join(',')}\n`
    if (chunk.length < 65_536) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

interface Case {
  title: string
  name: Name
  places: { countries: string[]; states: string[]; cities: string[] }
}

/** The three countries with most rows, and places in them. */
function cases(): Case[] {
  const countries = geoCountries.slice(0, 3)
  const none = { countries: [], states: [], cities: [] }
  const states = [0, 1, 2, 3, 4].map((state) => `us_s${state}`)
  const severalStates = countries.flatMap((country) => [0, 1, 2].map((state) => `${country}_s${state}`))
  const cities = states.map((state, index) => `${state}_city_0_${index}_0`)
  const case_ = (title: string, name: Name, places: Partial<Case['places']>): Case => ({
    title,
    name,
    places: { ...none, ...places },
  })
  return [
    case_('countries', 'proxy_countries', {}),
    case_('states of 3 countries', 'proxy_states', { countries }),
    case_('cities of 5 states', 'proxy_cities', { countries: ['us'], states }),
    case_('cities of 9 states in 3 countries', 'proxy_cities', { countries, states: severalStates }),
    case_('cities of 3 countries', 'proxy_cities', { countries }),
    case_('ASNs of 3 countries', 'proxy_asns', { countries }),
    case_('ASNs of 9 states in 3 countries', 'proxy_asns', { countries, states: severalStates }),
    case_('ASNs of 5 cities', 'proxy_asns', { countries: ['us'], states, cities }),
    case_('zip codes of 5 states', 'proxy_zipcodes', { countries: ['us'], states }),
    case_('zip codes of the biggest country', 'proxy_zipcodes', { countries: ['us'] }),
    case_('zip codes of 3 countries', 'proxy_zipcodes', { countries }),
  ]
}

interface ListTimes {
  list: string
  items: number
  kB: number
  /** The slice alone: the query, and the list built from its result. */
  slice: Times
  /** Whole calls, each with new parameters; null where the call has no parameters. */
  first: Calls | null
  /** Whole calls with repeated parameters. */
  again: Calls
}

interface Calls {
  /** The time measured by a client on the same machine. */
  call: Times
  /** According to the histogram of the server's /metrics. */
  serverMeanMs: number
  serverUnder5Ms: number
}

interface Times {
  median: number
  least: number
}

/**
 * Measures the slice alone, and whole calls to the server at `origin`. On a shared machine the minimum of
 * many is closest to the time on an idle one.
 */
export async function measureLists(
  database: Database,
  origin: URL,
  isWanted: (list: string) => boolean,
): Promise<ListTimes[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const rows: ListTimes[] = []
  for (const one of cases().filter(({ title }) => isWanted(title))) {
    const slice = await timesOf(() => byDoor(database, one))
    const text = await byHttp(agent, origin, one)
    const items = (JSON.parse(text) as unknown[]).length
    if (items === 0) throw new Error(`${one.title}: the list is empty`)
    rows.push({
      list: one.title,
      items,
      kB: Math.round(Buffer.byteLength(text) / 1000),
      slice,
      first: one.name === 'proxy_countries' ? null : await measureCalls(agent, origin, one, { isNew: true }),
      again: await measureCalls(agent, origin, one, { isNew: false }),
    })
  }
  agent.destroy()
  return rows
}

async function measureCalls(
  agent: Agent,
  origin: URL,
  one: Case,
  { isNew }: { isNew: boolean },
): Promise<Calls> {
  let asked = 0
  // An additional country that does not exist makes the parameters new and leaves the answer the same.
  const question = (): Case =>
    isNew ? { ...one, places: { ...one.places, countries: [...one.places.countries, `x${asked++}`] } } : one
  await byHttp(agent, origin, question())
  const before = await histogramOf(origin, one.name)
  const call = await timesOf(() => byHttp(agent, origin, question()))
  const after = await histogramOf(origin, one.name)
  const count = after.count - before.count
  return {
    call,
    serverMeanMs: (1000 * (after.sumSeconds - before.sumSeconds)) / count,
    serverUnder5Ms: (after.under5Ms - before.under5Ms) / count,
  }
}

/** The table of docs/bench-api.md. */
export function markdown(rows: ListTimes[]): string {
  const cells = ({ median, least }: Times) => [median.toFixed(2), least.toFixed(2)]
  const calls = (measured: Calls | null) =>
    measured === null
      ? ['–', '–', '–', '–']
      : [
          ...cells(measured.call),
          measured.serverMeanMs.toFixed(2),
          `${(100 * measured.serverUnder5Ms).toFixed(1)} %`,
        ]
  return [
    '| list | items | kB | slice, median | least | first call, median | least | server, mean | under 5 ms | again, median | least | server, mean | under 5 ms |',
    `|---|${'---:|'.repeat(12)}`,
    ...rows.map(
      ({ list, items, kB, slice, first, again }) =>
        `| ${[list, items, kB, ...cells(slice), ...calls(first), ...calls(again)].join(' | ')} |`,
    ),
  ].join('\n')
}

async function timesOf(work: () => Promise<unknown>): Promise<Times> {
  await work()
  const timesMs: number[] = []
  const untilMs = performance.now() + longestMs
  while (timesMs.length < questions && (timesMs.length === 0 || performance.now() < untilMs)) {
    const startedMs = performance.now()
    await work()
    timesMs.push(performance.now() - startedMs)
  }
  timesMs.sort((a, b) => a - b)
  return { median: timesMs[timesMs.length >> 1] ?? 0, least: timesMs[0] ?? 0 }
}

/** The server's count of a call's successful answers, from their first byte in to their last byte out. */
async function histogramOf(origin: URL, name: Name) {
  const text = await (await fetch(new URL('/metrics', origin))).text()
  // The router's name of the call has the provider's constraint between these two parts.
  const [before = '', after = ''] = wire[name].path.split('{provider}')
  const lines = text
    .split('\n')
    .filter(
      (line) =>
        line.includes('status="200"') && line.includes(`"/api${before}`) && line.includes(`${after}"`),
    )
  const valueOf = (series: string, label = '') => {
    const line = lines.find(
      (one) => one.startsWith(`turnpike_http_request_seconds_${series}{`) && one.includes(label),
    )
    if (line === undefined) throw new Error(`/metrics has no ${series} of ${name}`)
    return Number(line.slice(line.lastIndexOf(' ')))
  }
  return {
    count: valueOf('count'),
    sumSeconds: valueOf('sum'),
    under5Ms: valueOf('bucket', 'le="0.005"'),
  }
}

function byDoor({ db }: Database, { name, places }: Case): Promise<unknown> {
  switch (name) {
    case 'proxy_states':
      return statesOf(db, view, places)
    case 'proxy_cities':
      return citiesOf(db, view, places)
    case 'proxy_asns':
      return asnsOf(db, view, places)
    case 'proxy_zipcodes':
      return zipsOf(db, view, places)
    default:
      return countriesOf(db, view)
  }
}

/** Node's own client on one persistent connection: fetch alone would take half a millisecond. */
function byHttp(agent: Agent, origin: URL, { name, places }: Case): Promise<string> {
  const path = pathOf(name, 'gateway')
  const isGet = name === 'proxy_countries'
  const { countries, states, cities } = places
  const body = JSON.stringify({
    pool: view.pool,
    countries,
    ...(name === 'proxy_states' ? {} : { states }),
    ...(name === 'proxy_asns' ? { cities } : {}),
  })
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: origin.hostname,
        port: origin.port,
        method: isGet ? 'GET' : 'POST',
        path: isGet ? `${path}?pool=${view.pool}` : path,
        headers: isGet ? {} : { 'content-type': 'application/json' },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${name}: ${response.statusCode} ${text}`))
        })
      },
    )
    sent.on('error', reject)
    sent.end(isGet ? undefined : body)
  })
}
