/**
 * DataImpulse, reseller API (the vendor's Postman collection 6095389 "Reseller API"): `user/token/get` with a
 * form of login and password gives a token; `user/balance` is in GB of the residential pool; `sub-user/list`
 * lists sub-users; `sub-user/usage-stat/get` has a row for each day; `common/pool_stats` counts addresses by
 * country. One GB is 2^30 bytes: the collection's `balance/get` shows 12900079458 bytes as "12.01 GB". Not
 * documented: the unit of `traffic` in a day's row, which an integrator's code takes for MB; the fields and
 * the unit are to be confirmed by a bill.
 */
import * as z from 'zod'
import type { Pool } from '#contract/wire'
import { addTo, type SellerAdapter, type SellerAsked } from './adapter.ts'
import { SellerFault, type SellerClient } from './client.ts'
import { binaryGb, bytesIn, dayOf } from './units.ts'

const mb = 2n ** 20n

async function authority(client: SellerClient): Promise<Record<string, string>> {
  const { login = '', password = '' } = client.credentials
  const { token } = await client.ask(
    { method: 'POST', path: 'user/token/get', form: { login, password }, isKept: false },
    z.object({ token: z.string().min(1) }),
  )
  return { authorization: `Bearer ${token}` }
}

async function balance({ client }: SellerAsked) {
  const headers = await authority(client)
  const told = await client.ask(
    { path: 'user/balance', headers },
    z.object({ balance: z.union([z.number(), z.string()]) }),
  )
  const leftBytes = bytesIn(told.balance, binaryGb)
  if (leftBytes === null) throw new SellerFault('malformed', 'user/balance: the balance is no number')
  return { leftBytes, leftMicros: null }
}

const pageSize = 1000
const mostPages = 20

const listShape = z.object({ accesses: z.array(z.object({ id: z.union([z.number(), z.string()]) })) })
const usageShape = z.union([
  z.object({ usage: z.array(z.object({ traffic: z.union([z.number(), z.string()]), d_usage: z.string() })) }),
  // What it answers for a sub-user without usage.
  z.array(z.never()).transform(() => ({ usage: [] })),
])

async function accessesOf(client: SellerClient, headers: Record<string, string>): Promise<string[]> {
  const all: string[] = []
  for (let page = 0; page < mostPages; page++) {
    const query = { limit: String(pageSize), offset: String(page * pageSize) }
    // The list contains passwords: it is not kept.
    const { accesses } = await client.ask({ path: 'sub-user/list', query, headers, isKept: false }, listShape)
    all.push(...accesses.map(({ id }) => String(id)))
    if (accesses.length < pageSize) return all
  }
  throw new SellerFault('rejected', `sub-user/list: more than ${mostPages * pageSize} sub-users`)
}

async function usage({ client, from, to }: SellerAsked) {
  const headers = await authority(client)
  const days = new Map<string, bigint>()
  for (const id of await accessesOf(client, headers)) {
    const query = { access_id: id, period: 'month' }
    const told = await client.ask({ path: 'sub-user/usage-stat/get', query, headers }, usageShape)
    for (const row of told.usage) {
      const day = dayOf(row.d_usage)
      const bytes = bytesIn(row.traffic, mb)
      if (day === null || bytes === null)
        throw new SellerFault('malformed', 'usage-stat/get: a row is no day')
      if (day >= from && day <= to) addTo(days, day, bytes)
    }
  }
  return days
}

/** The seller's names of the pools are ours. */
const statsShape = z.array(
  z.object({ country_code: z.string().regex(/^[A-Za-z]{2}$/), count: z.number().int().nonnegative() }),
)

async function places({ client, pools }: SellerAsked) {
  const headers = await authority(client)
  const ofPool = async (pool: Pool) => {
    const rows = await client.ask(
      { path: 'common/pool_stats', query: { pool_type: pool }, headers },
      statsShape,
    )
    return rows.map(({ country_code: country, count }) => ({
      pool,
      country: country.toLowerCase(),
      state: null,
      city: null,
      zip: null,
      asn: null,
      count,
    }))
  }
  const all = []
  for (const pool of pools) all.push(...(await ofPool(pool)))
  return all
}

export const dataimpulse: SellerAdapter = {
  name: 'dataimpulse',
  title: 'DataImpulse',
  base: 'https://api.dataimpulse.com/reseller/',
  fields: [
    { key: 'login', label: { en: 'Login', ru: 'Логин' }, isSecret: false },
    { key: 'password', label: { en: 'Password', ru: 'Пароль' }, isSecret: true },
  ],
  gbBytes: binaryGb,
  roundsToBytes: mb,
  balance,
  usage,
  places,
}
