/**
 * Geonode, reseller API (app-api.geonode.com/api/reseller, header `r-api-key`): `user/traffic/{id}` has
 * `trafficLimitInBytes` and `usageBandwidth` in bytes, of a user since it was made; from integrators' code,
 * which divides both by 10^6 for MB. Its own statistics (docs.geonode.com, "Usage statistics") report the
 * bytes used and no limit, so they are not read. There is no usage by day, so the differences of
 * `usageBandwidth` are, and no list of places.
 */
import * as z from 'zod'
import { apiKey, type SellerAdapter, type SellerAsked } from './adapter.ts'
import { decimalGb } from './units.ts'

const bytes = z.number().int().nonnegative()

async function balance({ client }: SellerAsked) {
  const { data } = await client.ask(
    { path: 'user/traffic/{user_id}', headers: { 'r-api-key': client.credentials['api_key'] ?? '' } },
    z.object({ data: z.object({ trafficLimitInBytes: bytes, usageBandwidth: bytes }) }),
  )
  const left = BigInt(data.trafficLimitInBytes) - BigInt(data.usageBandwidth)
  return { leftBytes: left > 0n ? left : 0n, leftMicros: null, usedBytes: BigInt(data.usageBandwidth) }
}

export const geonode: SellerAdapter = {
  name: 'geonode',
  title: 'Geonode',
  base: 'https://app-api.geonode.com/api/reseller/',
  fields: [
    apiKey,
    {
      key: 'user_id',
      label: {
        en: 'Number of the user whose login the exits use',
        ru: 'Номер пользователя, логином которого пользуются выходы',
      },
      isSecret: false,
    },
  ],
  gbBytes: decimalGb,
  roundsToBytes: 0n,
  balance,
  usage: null,
  meter: 'used',
  places: null,
}
