/** Routes of buttons that name a pool and one of its proxy users. */
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import { type Asking, poolIn, type Route, stale } from '../base/route.ts'
import type { Screen } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'

export type User = Output<'get_proxy_users'>['users'][number]

export interface UserAt {
  pool: Pool
  number: number
}

/** The proxy user with this number among those of the customer, so that another customer's is never found. */
export async function found({ call }: Visit, { pool, number }: UserAt): Promise<User> {
  const {
    users: [user],
  } = await call('get_proxy_users', { pool, number, after: 0, limit: 1, passwords: false })
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

/** The route of one user of a pool. */
export const ofUser = (
  prefix: string,
  act: (visit: Visit, at: UserAt, rest: string[], asking: Asking) => Promise<Screen>,
  rest = '',
): Route => ({
  data: new RegExp(`^${prefix}:(\\w{1,32}):(\\d{1,11})${rest}$`),
  show: async (visit, [name, number, ...more], asking) => {
    const pool = poolIn(name)
    return pool === null ? stale(visit) : act(visit, { pool, number: Number(number) }, more, asking)
  },
})

/** The route of a pool. */
export const ofPool = (
  prefix: string,
  act: (visit: Visit, pool: Pool, asking: Asking) => Promise<Screen>,
): Route => ({
  data: new RegExp(`^${prefix}:(\\w{1,32})$`),
  show: async (visit, [name], asking) => {
    const pool = poolIn(name)
    return pool === null ? stale(visit) : act(visit, pool, asking)
  },
})
