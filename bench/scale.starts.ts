/**
 * A gateway beside a shop with a thousand and with a million proxy users: how long `turnpike up` takes from
 * its start until a proxy user's first byte, and the memory of the gateway's workers then.
 */
import { openDatabase } from '#db'
import { press } from '#test/app'
import { startOrigin } from '#test/origin'
import { type Stack, startStack } from '#test/stack'
import { get, run } from '../test/whole/visitor.ts'
import { pssBytes } from './gateway/processes.ts'
import { fillUsers } from './scale.reseller.ts'

interface Start {
  users: number
  seconds: number
  workersMib: number
}

/** The memory of processes in MiB. */
const pssMib = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + pssBytes(pid) / 1024 / 1024, 0)

/** The sentence of the bench; a goal is missed when a start with all users takes much more than with few. */
export async function measureStarts(users: number, miss: (what: string) => void): Promise<string> {
  const [stack, origin] = await Promise.all([startStack(), startOrigin()])
  try {
    const customer = await stack.signIn()
    const order = { payment_method: 'sandbox', amount: 10, pool: 'residential' } as const
    const url = await customer.call('create_invoice_web', order)
    await press(stack.origin, url.split('/').at(-1) ?? '', 'paid')
    const [made] = (
      await customer.call('create_proxy_users', { pool: 'residential', users: [{ label: 'measured' }] })
    ).users
    if (made === undefined) throw new Error('no proxy user was made')
    const target = { host: origin.host, port: origin.httpPort }
    const way = { port: stack.portBase, login: made.login, password: made.password ?? '', target }
    const measure = async (count: number): Promise<Start> => {
      await stack.stop()
      const begun = performance.now()
      await stack.restart()
      await run('connect', way, get('connect', way, '/bytes/1000'))
      return {
        users: count,
        seconds: (performance.now() - begun) / 1000,
        workersMib: pssMib(stack.workers()),
      }
    }
    const starts: Start[] = []
    for (const count of [1000, users]) {
      await addUsers(stack, made.login, count)
      // The second start reads the programs from the cache of the machine's files.
      await measure(count)
      starts.push(await measure(count))
    }
    const [few, many] = starts as [Start, Start]
    if (many.seconds > few.seconds * 1.3) miss('The start takes over 1.3 times as long.')
    if (many.workersMib > few.workersMib * 1.1) miss('The gateway takes over 1.1 times the memory.')
    return starts
      .map(
        (one) =>
          `With ${one.users} proxy users \`turnpike up\` relays the first byte of one after ${one.seconds.toFixed(1)} s, and its gateway workers take ${one.workersMib.toFixed(0)} MiB.`,
      )
      .join(' ')
  } finally {
    await stack.close()
    await origin.close()
  }
}

/** Adds proxy users beside the measured one, up to a number in the shop. */
async function addUsers(stack: Stack, login: string, count: number): Promise<void> {
  const database = await openDatabase({ dataDir: stack.dataDir, role: 'guest' })
  try {
    const { access_id: accessId } = await database.db
      .selectFrom('proxy_user')
      .select('access_id')
      .where('login', '=', login)
      .executeTakeFirstOrThrow()
    const { held } = await database.db
      .selectFrom('proxy_user')
      .select(({ fn }) => fn.countAll<bigint>().as('held'))
      .executeTakeFirstOrThrow()
    await fillUsers({ database }, accessId, { users: count - Number(held), after: Number(held) })
  } finally {
    await database.close()
  }
}
