/**
 * The demo's inventory: real places, made-up counts, the same on every machine. Its source is named `demo`,
 * so that an operator's own inventory can coexist with it and remain after it.
 */
import { readFile } from 'node:fs/promises'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { seeded } from '#lib/seeded'
import { type Atlas, type AtlasState, readAtlas } from './atlas.ts'
import { loadInventory } from './load.ts'
import type { InventoryNames, InventoryRow } from './rows.ts'

const source = 'demo'

/** Countries ordered by the number of addresses, most first. */
const ranking = (
  'us br in id ru gb de fr mx tr vn it es pl ca ph ua th eg jp ar co kr my pk bd ng za nl au ro ir sa ve pe ma cl kz ' +
  'ae dz ke iq se gr pt cz hu be tw at ch il ec dk rs bg fi no by sk hr ie lk np uz gh tn et tz ug ge az am md lt lv ' +
  'ee si ba al mk me cy mt lu is jo lb kw qa om bh ps ye sy ly sd ci cm sn zm zw ao mz mg rw ml bf bj tg ne td so mu ' +
  'na bw ga cg cd gn sl lr mw mr gm dj er ss gq cv sc km kh la mm mn bt mv af tj kg tm nz pg fj sg hk mo bn tl sb vu ' +
  'ws to gt hn sv ni cr pa do cu ht jm tt bs bb gy sr bz uy py bo pr gp mq gf re yt nc pf gu aw cw ag dm gd kn lc vc ' +
  'ky bm fo gl gi ad mc li sm im je gg xk'
).split(' ')

interface Shape {
  /** The number of addresses in the first country. */
  top: number
  /** The number of countries in the pool. */
  reach: number
  networks: Kind
}

type Kind = 'home' | 'mobile' | 'hosting'

const shapes: Record<Pool, Shape> = {
  residential: { top: 620_000, reach: ranking.length, networks: 'home' },
  residential_premium: { top: 148_000, reach: 150, networks: 'home' },
  datacenter: { top: 18_400, reach: 62, networks: 'hosting' },
  mobile: { top: 96_000, reach: 118, networks: 'mobile' },
}

/** Increment this when the demo's data or counts change: an older demo is then loaded again. */
const revision = 2

/**
 * Loads the demo's inventory when there is none of any source, or an older one; a start with a current one
 * makes one query. A demo's inventory that the operator removed is not loaded again.
 */
export async function seedDemoInventory(database: Pick<Database, 'db' | 'pool'>): Promise<void> {
  const sources = await database.db.selectFrom('inventory_source').select(['name', 'revision']).execute()
  const demo = sources.find((one) => one.name === source)
  if (demo === undefined ? sources.length > 0 : demo.revision >= revision) return
  const { rows, names } = await demoInventory()
  await loadInventory(database, { name: source, kind: 'demo', revision }, { rows, names: () => names })
}

/** The demo's rows and names, without a database. */
export async function demoInventory(): Promise<{ rows: InventoryRow[]; names: InventoryNames }> {
  const atlas = await readAtlas()
  const { networks, names } = await readNetworks()
  const chance = seeded(0x7475726e)
  const pools = Object.entries(shapes) as [Pool, Shape][]
  return {
    rows: pools.flatMap(([pool, shape]) => poolRows({ pool, shape, atlas, networks, chance })),
    names: { places: [...atlas.states, ...atlas.cities], networks: names },
  }
}

/** Three consecutive zip codes; one where zip codes are not numeric. */
function zipsFrom(first: string): (string | null)[] {
  if (first === '') return [null]
  if (!/^\d+$/.test(first)) return [first]
  return [0, 1, 2].map((step) => String(Number(first) + step).padStart(first.length, '0'))
}

/** By country and kind, `us home`. */
type Networks = Map<string, number[]>

/** A line is `us mobile 21928 T-Mobile USA, 6167 Verizon Wireless`. */
async function readNetworks(): Promise<{ networks: Networks; names: { asn: number; name: string }[] }> {
  const networks: Networks = new Map()
  const names: { asn: number; name: string }[] = []
  const text = await readFile(new URL('demo/networks.txt', import.meta.url), 'utf8')
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, key = '', list = ''] = /^(\w\w \w+) (.+)$/.exec(line) ?? []
    const numbers = list.split(', ').map((one) => {
      const [, asn = '', name = ''] = /^(\d+) (.+)$/.exec(one) ?? []
      names.push({ asn: Number(asn), name })
      return Number(asn)
    })
    networks.set(key, numbers)
  }
  return { networks, names }
}

interface Order {
  pool: Pool
  shape: Shape
  atlas: Atlas
  networks: Networks
  chance: () => number
}

function poolRows({ pool, shape, atlas, networks, chance }: Order): InventoryRow[] {
  return ranking.slice(0, shape.reach).flatMap((country, rank): InventoryRow[] => {
    const total = Math.max(3, Math.round((shape.top / (rank + 1) ** 1.05) * (0.75 + chance() / 2)))
    const nowhere = { pool, country, state: null, city: null, zip: null, asn: null }
    const states = atlas.countries.get(country)
    if (states === undefined) return [{ ...nowhere, count: total }]
    const asns = networks.get(`${country} ${shape.networks}`) ?? [null]
    return split(total, states, inhabitants).flatMap(([inState, state]) =>
      split(inState, state.cities, (city) => city.thousands).flatMap(([inCity, city]) =>
        split(inCity, zipsFrom(city.zip), falling).flatMap(([inZip, zip]) =>
          split(inZip, asns, falling).map(([count, asn]) => ({
            pool,
            country,
            state: state.id,
            city: city.id,
            zip,
            asn,
            count,
          })),
        ),
      ),
    )
  })
}

const inhabitants = (state: AtlasState) => state.cities.reduce((sum, city) => sum + city.thousands, 0)

/** The weight of a part by its index: each is smaller than the one before. */
const falling = (_part: unknown, index: number) => 1 / (index + 1) ** 0.9

/** Divides a whole number among parts by their weights; parts that get nothing are left out. */
function split<T>(total: number, parts: T[], weigh: (part: T, index: number) => number): [number, T][] {
  const weights = parts.map(weigh)
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let weightsSoFar = 0
  let given = 0
  const shares: [number, T][] = []
  for (const [index, part] of parts.entries()) {
    weightsSoFar += weights[index] ?? 0
    // Rounded at the end of the running sum, so that the shares add up to the total.
    const share = Math.round((total * weightsSoFar) / whole) - given
    given += share
    if (share > 0) shares.push([share, part])
  }
  return shares
}
