/**
 * Turnpike as a contender: the whole of `turnpike up` as installed, with metering and a line in the log for
 * each tunnel.
 */
import type { createClient } from '#contract/client'
import { pools } from '#contract/wire'
import { press } from '#test/app'
import { type Stack, type StackCustomer, startStack } from '#test/stack'
import type { Subject } from './load.ts'
import { commandOf } from './processes.ts'

/** More than any run of the bench can transfer. */
const GIGABYTES = 2000

export interface Rival {
  stack: Stack
  customer: StackCustomer
  subject: Subject
}

/** Starts it on a fresh embedded database, and buys traffic in every pool. */
export async function startTurnpike(targets: number[], env: Record<string, string> = {}): Promise<Rival> {
  const stack = await startStack({ LOG_LEVEL: 'info', GATEWAY_STANDBY: '1', ...env })
  try {
    const customer = await stack.signIn()
    const logins = []
    for (const pool of pools) {
      await buy(stack, customer.call, pool)
      const { login, password } = await customer.proxy(pool)
      logins.push({ user: login, password })
    }
    const ports = pools.map((_, index) => stack.portBase + index * 1000)
    const processes = { gateway: stack.workers(), ...restOf(stack) }
    return { stack, customer, subject: { proxy: { protocol: 'connect', ports, logins }, targets, processes } }
  } catch (error) {
    await stack.close()
    throw error
  }
}

function restOf(stack: Stack): { server: number[]; postgres: number[] } {
  const workers = stack.workers()
  const others = stack.pids().filter((pid) => !workers.includes(pid))
  const isPostgres = (pid: number) => commandOf(pid).includes('postgres')
  return {
    server: others.filter((pid) => !isPostgres(pid)),
    postgres: others.filter(isPostgres),
  }
}

async function buy(
  stack: Stack,
  call: ReturnType<typeof createClient>,
  pool: (typeof pools)[number],
): Promise<void> {
  const url = await call('create_invoice_web', { payment_method: 'sandbox', amount: GIGABYTES, pool })
  await press(stack.origin, url.split('/').at(-1) ?? '', 'paid')
}
