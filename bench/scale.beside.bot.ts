/**
 * The process of a reseller's bot, which freezes and frees one proxy user after the other at a fixed rate while
 * it is told to; or which spends as much CPU time for nothing, to compare. Started by scale.beside.ts.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathOf } from '#contract/wire'

export interface BotOrder {
  origin: string
  token: string
  pool: string
  /** The numbers of the proxy users from 1 up to this one are changed. */
  users: number
  perSecond: number
  /** Milliseconds of CPU time that are spent in place of each change; null: changes are made. */
  spentMs: number | null
}

/** Starts the changes, or ends them; the bot answers with their number and the CPU time that it took, in ms. */
export type BotMessage = { order: BotOrder } | 'stop'

process.on('disconnect', () => process.exit(1))
let running: { stop: AbortController; before: NodeJS.CpuUsage; changed: Promise<number> } | null = null
let changes = 0
process.on('message', (message: BotMessage) => {
  if (message === 'stop') {
    running?.stop.abort()
    void running?.changed.then((count) => {
      const used = process.cpuUsage(running?.before)
      process.send?.([count, (used.user + used.system) / 1000])
    })
    return
  }
  const stop = new AbortController()
  running = { stop, before: process.cpuUsage(), changed: run(message.order, stop.signal) }
})

/** Sends each call at its own time, until the signal. */
async function run({ perSecond, spentMs, ...order }: BotOrder, stop: AbortSignal): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const calls: Promise<void>[] = []
  for (const began = performance.now(); !stop.aborted;) {
    const aheadMs = began + (calls.length / perSecond) * 1000 - performance.now()
    if (aheadMs > 1) await sleep(aheadMs)
    calls.push(spentMs === null ? change(agent, order, changes++) : spend(spentMs))
  }
  await Promise.all(calls)
  agent.destroy()
  return calls.length
}

/** Freezes proxy users in the order of their numbers, then frees them in that order, and so on. */
function change(
  agent: Agent,
  { origin, token, pool, users }: Omit<BotOrder, 'perSecond' | 'spentMs'>,
  index: number,
) {
  const frozen = Math.floor(index / users) % 2 === 0
  const body = JSON.stringify({ pool, number: 1 + (index % users), frozen })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return new Promise<void>((resolve, reject) => {
    const url = new URL(pathOf('freeze_proxy_user'), origin)
    const sent = request(url, { agent, method: 'POST', headers }, (answer) => {
      answer.resume()
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`freeze_proxy_user answered ${answer.statusCode}`))
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

function spend(ms: number): Promise<void> {
  const before = process.cpuUsage()
  for (let spentMs = 0; spentMs < ms;) {
    const used = process.cpuUsage(before)
    spentMs = (used.user + used.system) / 1000
  }
  return Promise.resolve()
}
