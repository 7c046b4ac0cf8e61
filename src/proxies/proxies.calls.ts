/** The generator's call, and the renewal of a pool's password. */
import { transaction } from '#db'
import { callerOf, type Handlers, type JsonAnswers } from '#db/call'
import { makeLines, type ProxiesDeps } from './order.ts'
import { resetPassword } from './proxies.ts'

export { entryPort, makeLinesOfUsers, type ProxiesDeps } from './order.ts'

/** The lines as JSON. */
export const proxiesJsonAnswers: Pick<JsonAnswers, 'get_proxy'> = {
  get_proxy: async (text) => ({ lines: text === '' ? [] : text.split('\n') }),
}

export function proxiesCalls(deps: ProxiesDeps): Pick<Handlers, 'get_proxy' | 'reset_password'> {
  return {
    async get_proxy(input, context) {
      const { id: accountId, view } = callerOf(context)
      return makeLines(deps, context.database.db, { accountId, isView: view !== undefined }, input)
    },
    async reset_password({ pool }, context) {
      const key = { accountId: callerOf(context).id, pool }
      const { db } = context.database
      return { password: await transaction(db, (tx) => resetPassword(tx, deps.secrets, key)) }
    },
  }
}
