/** Gateways that report continually, in separate processes, and their cost. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { cpuMs } from './load.ts'
import type { Settled, SettleOrder } from './scale.settle.ts'
import { closing, type OpenShop } from './scale.shop.ts'

/** The work of one settling process. */
export interface SettlingLoad {
  processes: number
  customers: number
  reports: number
  /** Customers per second, of all processes together; null: as many as possible. */
  perSecond: number | null
}

export interface SettlingCost {
  customersPerSecond: number
  /** Microseconds of CPU per customer in a settlement. */
  postgresCpuUs: number
  processCpuUs: number
}

/** Settles during other work. */
export async function settleDuring(
  shop: OpenShop,
  { processes, customers, reports, perSecond }: SettlingLoad,
  meanwhile: () => Promise<unknown>,
): Promise<SettlingCost> {
  const each = perSecond === null ? null : perSecond / processes
  const children = await Promise.all(
    shop.size.gateways
      .slice(0, processes)
      .map((gateway) => begin({ dataDir: shop.dataDir, gateway, customers, reports, perSecond: each })),
  )
  const pids = children.map(({ child }) => child.pid ?? 0)
  const before = { processes: cpuMs(pids), postgres: shop.postgresCpuMs() }
  try {
    await meanwhile()
    // CPU time before the start is not counted, so that of the stop is not counted either.
    const cpu = {
      processes: cpuMs(pids) - before.processes,
      postgres: shop.postgresCpuMs() - before.postgres,
    }
    const ends = await Promise.all(children.map(({ child }) => endOf(child)))
    const settled = ends.reduce((sum, end) => sum + end.customers, 0)
    return {
      customersPerSecond: ends.reduce((sum, end) => sum + end.customers / end.seconds, 0),
      postgresCpuUs: (cpu.postgres * 1000) / settled,
      processCpuUs: (cpu.processes * 1000) / settled,
    }
  } finally {
    for (const { close } of children) await close()
  }
}

async function begin(order: SettleOrder): Promise<{ child: ChildProcess; close: () => Promise<void> }> {
  const child = fork(path.join(import.meta.dirname, 'scale.settle.ts'))
  const close = closing(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  child.send(order)
  await answerOf(child)
  return { child, close }
}

async function endOf(child: ChildProcess): Promise<Settled> {
  const answer = answerOf(child)
  const gone = once(child, 'exit')
  child.send('stop')
  const settled = (await answer) as Settled
  await gone
  return settled
}

/** The process's next message; fails when the process ends without one. */
function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`a settling process ended with ${code}`)))
  })
}
