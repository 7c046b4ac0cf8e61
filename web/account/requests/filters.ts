/** The filters of the list, as they stand in the address. */
import type { Input } from '#contract/contract'
import { proxyCodes } from '#contract/gateway/refusals'
import type { ListedRequest } from '#contract/requests/schemas'
import { pools } from '#contract/wire'

export const outcomes = ['done', 'refused', 'failed'] as const
export const times = ['hour', 'day', 'week'] as const
export const filterNames = ['outcome', 'pool', 'host', 'country', 'code', 'user', 'time'] as const

/** The filter for the login of the account itself. */
export const ownLogin = 'account'

const hoursOf = { hour: 1, day: 24, week: 168 } as const

export type Filters = Pick<
  Input<'get_requests'>,
  'outcome' | 'pool' | 'host' | 'country' | 'code' | 'user'
> & {
  time?: (typeof times)[number]
}

const oneOf = <T extends string>(list: readonly T[], value: string | null) =>
  list.find((each) => each === value)

/** The filters of an address; what is not one of them is left out. */
export function filtersIn(search: URLSearchParams): Filters {
  const [outcome, pool] = [oneOf(outcomes, search.get('outcome')), oneOf(pools, search.get('pool'))]
  const [code, time] = [oneOf(proxyCodes, search.get('code')), oneOf(times, search.get('time'))]
  const host = search.get('host')?.trim().toLowerCase().slice(0, 300)
  const country = search.get('country')?.toLowerCase()
  const user = search.get('user')
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...(pool === undefined ? {} : { pool }),
    ...(host === undefined || host === '' ? {} : { host }),
    ...(country !== undefined && /^[a-z]{2}$/.test(country) ? { country } : {}),
    ...(code === undefined ? {} : { code }),
    ...(user !== null && /^[a-z0-9]{1,64}$/.test(user) ? { user } : {}),
    ...(time === undefined ? {} : { time }),
  }
}

/** The input of `get_requests` for a page. */
export function inputOf(
  { time, ...filters }: Filters,
  after: string | null,
  nowMs: number,
): Input<'get_requests'> {
  return {
    ...filters,
    ...(time === undefined ? {} : { from: new Date(nowMs - hoursOf[time] * 3_600_000).toISOString() }),
    ...(after === null ? {} : { after }),
  }
}

/** host without the port, as `host` filters it. */
export function hostOf(target: string | null): string | null {
  if (target === null) return null
  const [, bracketed, bare] = /^(?:\[(.*)\]|([^:]*))(?::\d+)?$/.exec(target) ?? []
  return bracketed ?? bare ?? target
}

/** Whether a new request belongs to the list, as the server would say. */
export function fits(one: ListedRequest, { outcome, pool, host, country, code, user }: Filters): boolean {
  if (pool !== undefined && one.pool !== pool) return false
  if (host !== undefined && hostOf(one.target) !== host) return false
  if (country !== undefined && one.country !== country) return false
  if (code !== undefined && one.code !== code) return false
  if (user !== undefined && (one.user ?? ownLogin) !== user) return false
  return outcome === undefined || endOf(one) === outcome
}

/** Which of the three ends a request had. */
export function endOf({ code, outcome }: Pick<ListedRequest, 'code' | 'outcome'>): (typeof outcomes)[number] {
  if (code !== null) return 'refused'
  return outcome === 'done' ? 'done' : 'failed'
}

/** The newest first, each once. */
export function merged(
  fresh: readonly ListedRequest[],
  known: readonly ListedRequest[],
): readonly ListedRequest[] {
  if (fresh.length === 0) return known
  const ids = new Set(fresh.map(({ id }) => id))
  return [...fresh, ...known.filter(({ id }) => !ids.has(id))]
}
