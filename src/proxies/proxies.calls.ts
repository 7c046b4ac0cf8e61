/** The generator's call, and the renewal of a pool's password. */
import { transaction } from '#db'
import { callerOf, type Handlers, type JsonAnswers, longText } from '#db/call'
import { Refusal } from '#lib/refusal'
import { makeLines, type ProxiesDeps } from './order.ts'
import { endConnections, type Ending } from './ended.ts'
import { findAccess, resetPassword } from './proxies.ts'

export { entryPort, makeLinesOfUsers, type ProxiesDeps } from './order.ts'

/** The headers that state what lines cost, also for lines as text. */
const multiplierHeader = 'x-traffic-multiplier'
const payloadHeader = 'x-payload-bytes'

/** The lines as JSON. */
export const proxiesJsonAnswers: Pick<JsonAnswers, 'get_proxy'> = {
  get_proxy: async (text, _context, { [multiplierHeader]: multiplier, [payloadHeader]: payload }) => ({
    lines: text === '' ? [] : text.split('\n'),
    multiplier: Number(multiplier),
    payload_bytes: Number(payload),
  }),
}

export function proxiesCalls(
  deps: ProxiesDeps,
): Pick<Handlers, 'get_proxy' | 'reset_password' | 'end_connections'> {
  return {
    async get_proxy(input, context) {
      const { id: accountId, view } = callerOf(context)
      const customer = { accountId, isView: view !== undefined }
      const made = await makeLines(deps, context.database.db, customer, input)
      context.setHeader(multiplierHeader, String(made.multiplier))
      context.setHeader(payloadHeader, String(made.payloadBytes))
      return made.lines.length > longText ? made.lines : made.lines.toString()
    },
    async end_connections({ pool, proxy_user: number, session, request_id: requestId }, context) {
      const { db } = context.database
      const access = await findAccess(db, { accountId: callerOf(context).id, pool })
      if (access === null) throw new Refusal('no_subuser')
      const user = number ? await deps.proxyUserOf(db, { accessId: access.id, number }) : access
      const holder = { accessId: access.id, id: user.id, login: user.login, pool }
      const endings: Ending[] = []
      if (session) endings.push({ kind: 'session', name: session })
      if (requestId) endings.push({ kind: 'request', name: requestId.toLowerCase() })
      if (endings.length === 0) endings.push({ kind: 'all' })
      await transaction(db, async (tx) => {
        for (const ending of endings) await endConnections(tx, holder, ending)
      })
      return true
    },
    async reset_password({ pool }, context) {
      const key = { accountId: callerOf(context).id, pool }
      const { db } = context.database
      return { password: await transaction(db, (tx) => resetPassword(tx, deps.secrets, key)) }
    },
  }
}
