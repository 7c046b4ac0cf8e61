/**
 * The family of `sub_users/…` APIs: PacketStream (reseller.packetstream.io, all POST, Bearer) and EarnFM and
 * InfiniteProxies (api.earn.fm/v2, api.infiniteproxies.com/v2, which white-label Evomi's reseller API,
 * X-API-KEY). Known from integrators' code: `sub_users/view_single` with the balances of a sub-user, by
 * product or as one number, in MB; EarnFM's `sub_users/view_txs` (taken to be the same at InfiniteProxies)
 * with a number of MB for each time; its `proxy_settings`. PacketStream offers neither usage by day nor
 * places: the differences of the balance are its usage. Not documented: the fields of PacketStream's
 * `view_single`, and how large a MB is: 10^6 bytes are taken, as in Evomi's own pages.
 */
import * as z from 'zod'
import { addTo, apiKey, type SellerAdapter, type SellerAsked, type SellerField } from './adapter.ts'
import { type SellerClient, SellerFault } from './client.ts'
import { bytesIn, dayOf, decimalGb } from './units.ts'
import { evomiPools, placesIn, settingsShape } from './evomi.ts'

const mb = 1_000_000n
const amount = z.union([z.number(), z.string()])
const username: SellerField = {
  key: 'username',
  label: { en: 'Sub-user whose login the exits use', ru: 'Субаккаунт, логином которого пользуются выходы' },
  isSecret: false,
}

const userShape = z.object({
  data: z.object({
    balance: amount.optional(),
    products: z.record(z.string(), z.object({ balance: amount.optional() }).nullable()).optional(),
  }),
})

interface Family {
  headers: (client: SellerClient) => Record<string, string>
  method: 'GET' | 'POST'
}

const userOf = ({ headers, method }: Family, client: SellerClient) => {
  const named = { username: client.credentials['username'] ?? '' }
  const body = method === 'GET' ? { query: named } : { json: named }
  return client.ask(
    { method, path: 'reseller/sub_users/view_single', ...body, headers: headers(client) },
    userShape,
  )
}

const balanceOf =
  (family: Family) =>
  async ({ client, pools }: SellerAsked) => {
    const { data } = await userOf(family, client)
    const told =
      data.products === undefined
        ? [data.balance]
        : Object.entries(data.products)
            .filter(([product]) => pools.some((pool) => evomiPools[product] === pool))
            .map(([, product]) => product?.balance)
    const known = told.filter((one) => one !== undefined)
    const left = known.map((one) => bytesIn(one, mb))
    if (left.includes(null)) throw new SellerFault('malformed', 'view_single: a balance is no number')
    const leftBytes = known.length === 0 ? null : left.reduce<bigint>((sum, bytes) => sum + (bytes ?? 0n), 0n)
    return { leftBytes, leftMicros: null }
  }

const historyShape = z.object({
  data: z.object({
    products: z.array(z.object({ name: z.string(), stats: z.record(z.string(), amount) })),
  }),
})

const usageOf =
  (family: Family) =>
  async ({ client, from, to }: SellerAsked) => {
    const query = { username: client.credentials['username'] ?? '', duration: '7d', granularity: 'day' }
    const told = await client.ask(
      { path: 'reseller/sub_users/view_txs', query, headers: family.headers(client) },
      historyShape,
    )
    const days = new Map<string, bigint>()
    for (const { stats } of told.data.products)
      for (const [at, value] of Object.entries(stats)) {
        const day = dayOf(at)
        const bytes = bytesIn(value, mb)
        if (day === null || bytes === null) throw new SellerFault('malformed', 'view_txs: a time is no day')
        if (day >= from && day <= to) addTo(days, day, bytes)
      }
    return days
  }

const packetstreamFamily: Family = {
  method: 'POST',
  headers: ({ credentials }) => ({ authorization: `Bearer ${credentials['api_key'] ?? ''}` }),
}
const evomiFamily: Family = {
  method: 'GET',
  headers: ({ credentials }) => ({ 'x-api-key': credentials['api_key'] ?? '' }),
}

const common = { fields: [apiKey, username], gbBytes: decimalGb, roundsToBytes: 0n } as const

export const packetstream: SellerAdapter = {
  ...common,
  name: 'packetstream',
  title: 'PacketStream',
  base: 'https://reseller.packetstream.io/',
  balance: balanceOf(packetstreamFamily),
  usage: null,
  meter: 'left',
  places: null,
}

/** A white label of Evomi's reseller API. */
const evomiLike = (own: Pick<SellerAdapter, 'name' | 'title' | 'base'>): SellerAdapter => ({
  ...common,
  ...own,
  balance: balanceOf(evomiFamily),
  usage: usageOf(evomiFamily),
  places: async ({ client, pools }) =>
    placesIn(
      await client.ask(
        { path: 'reseller/proxy_settings', headers: evomiFamily.headers(client) },
        settingsShape,
      ),
      pools,
    ),
})

export const earnfm = evomiLike({ name: 'earnfm', title: 'EarnFM', base: 'https://api.earn.fm/v2/' })
export const infiniteproxies = evomiLike({
  name: 'infiniteproxies',
  title: 'InfiniteProxies',
  base: 'https://api.infiniteproxies.com/v2/',
})
