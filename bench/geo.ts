/**
 * How long the five lists of places take on a million rows, and how long these take to import:
 * `node bench/geo.ts [rows]`. On an embedded PostgreSQL of its own, as `npm start` has it.
 */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { type Name, pathOf } from '#contract/wire'
import { type Database, migrate, openDatabase } from '#db'
import { buildServer } from '#http'
import { asnsOf, citiesOf, countriesOf, importInventory, statesOf, zipsOf } from '#inventory'
import { inventoryCalls } from '#inventory/calls'
import { geoColumns, geoCountries, geoRows } from './geo.rows.ts'

const rounds = 200
const view = { pool: 'mobile', language: 'en' } as const

if (import.meta.main) {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-bench-geo-'))
  const total = Number(process.argv[2] ?? 1_000_000)
  const database = await openDatabase({ dataDir: dir, role: 'owner' })
  try {
    await migrate(database)
    for (const which of ['first', 'second'])
      console.log(`${which} import of ${total} rows: ${(await loadGeo(database, total)).toFixed(1)} s`)
    await measure(database)
  } finally {
    await database.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Imports so many rows from a CSV file; answers how many seconds that took. */
export async function loadGeo(database: Database, total: number): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-bench-csv-'))
  try {
    const file = join(dir, 'inventory.csv')
    await pipeline(Readable.from(csv(total)), createWriteStream(file))
    const startedMs = performance.now()
    await importInventory(database, file, { source: 'bench' })
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

/**
 * Prints how long the door alone takes and whole calls over HTTP. On a machine that does other things too, the least
 * of 200 is nearest to what it would take there alone.
 */
async function measure(opened: Database): Promise<void> {
  const server = await buildServer({
    database: opened,
    handlers: inventoryCalls,
    authenticate: () => Promise.resolve(null),
    webhooks: { receive: () => Promise.resolve() },
    sandbox: null,
    telegram: null,
    publicUrl: new URL('http://localhost:3000'),
    trustProxy: [],
    webRoot: null,
    metrics: { registry: new Registry(), token: null },
    demo: false,
    log: pino({ level: 'silent' }),
    now: () => new Date(),
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const rows = []
  for (const one of cases()) {
    const door = await medianOf(() => byDoor(opened, one))
    const http = await medianOf(() => byHttp({ agent, port }, one))
    const items = (JSON.parse(http.answer) as unknown[]).length
    if (items === 0) throw new Error(`${one.title}: the list is empty`)
    rows.push({
      list: one.title,
      items,
      kB: Math.round(http.answer.length / 1000),
      'door, median ms': door.median,
      'door, least ms': door.least,
      'HTTP, median ms': http.median,
      'HTTP, least ms': http.least,
      'HTTP, p95 ms': http.p95,
    })
  }
  console.table(rows)
  agent.destroy()
  await server.close()
}

async function medianOf<T>(work: () => Promise<T>) {
  const timesMs: number[] = []
  let answer = await work()
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    answer = await work()
    timesMs.push(performance.now() - startedMs)
  }
  timesMs.sort((a, b) => a - b)
  const at = (share: number) => (timesMs[Math.floor(rounds * share)] ?? 0).toFixed(2)
  return { answer, least: at(0), median: at(0.5), p95: at(0.95) }
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

/** Node's own client on one connection that stays open: fetch alone would take half a millisecond. */
function byHttp({ agent, port }: { agent: Agent; port: number }, { name, places }: Case): Promise<string> {
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
        port,
        host: '127.0.0.1',
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
