/**
 * Measures the cost of name lookups: `node bench/gateway/names.ts` compares the gateway's resolver with
 * `dns.lookup`. The name server is a separate process that takes 30 ms for every name and never answers
 * names in `.dead`. The bench runs in a network namespace with its own /etc/resolv.conf (unshare(1)), because
 * `dns.lookup` uses no other server.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { NameFault, NameResolver } from '../../src/gateway/targets/resolver.ts'
import { NameServer } from '../../src/gateway/testing/name.server.ts'
import { runInNamespace } from './namespace.ts'

const DELAY_MS = 30

async function serve(): Promise<void> {
  await NameServer.start(
    ({ name, type }) => {
      if (name.endsWith('.dead')) return null
      if (name.endsWith('.none')) return { rcode: 3, delayMs: DELAY_MS }
      return { addresses: [type === 1 ? '192.0.2.1' : '20010db8000000000000000000000001'], delayMs: DELAY_MS }
    },
    { port: 53 },
  )
  process.send?.('ready')
}

function startServer(): Promise<ChildProcess> {
  const child = fork(import.meta.filename, ['server'])
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child))
    child.once('exit', (code) => reject(new Error(`the name server ended with ${code}`)))
  })
}

type Look = (name: string, index: number) => Promise<unknown>

/** Looks up names with this concurrency, and prints a row of the table. */
async function run(
  title: string,
  { names, atOnce }: { names: string[]; atOnce: number },
  look: Look,
): Promise<void> {
  const tookMs: number[] = []
  const failures = new Map<string, number>()
  let next = 0
  const one = async () => {
    for (let index = next++; index < names.length; index = next++) {
      const started = performance.now()
      try {
        await look(names[index] ?? '', index)
      } catch (fault) {
        const code = fault instanceof NameFault ? fault.code : String((fault as NodeJS.ErrnoException).code)
        failures.set(code, (failures.get(code) ?? 0) + 1)
      }
      tookMs.push(performance.now() - started)
    }
  }
  const cpu = process.cpuUsage()
  const started = performance.now()
  await Promise.all(Array.from({ length: atOnce }, one))
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  tookMs.sort((left, right) => left - right)
  const at = (part: number) =>
    (tookMs[Math.ceil(tookMs.length * part) - 1] ?? 0).toFixed(seconds < 1 && atOnce === 1 ? 3 : 0)
  const failed = [...failures].map(([code, count]) => `${count} ${code}`).join(', ')
  const perName = ((user + system) / names.length).toFixed(1)
  const rate = Math.round(names.length / seconds).toLocaleString('en')
  console.log(
    `| ${title} | ${atOnce} | ${rate} | ${perName} | ${at(0.5)} / ${at(0.95)} / ${at(0.99)} / ${at(1)} | ${failed || '–'} |`,
  )
}

let made = 0
const fresh = (count: number, domain = 'example') =>
  Array.from({ length: count }, () => `n${made++}.${domain}`)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function measure(): Promise<void> {
  const server = await startServer()
  console.log('| way | at once | names/s | CPU µs each | p50 / p95 / p99 / max ms | failed |')
  console.log('|---|---:|---:|---:|---|---|')
  try {
    await measureLookup()
    await measureResolver()
  } finally {
    server.kill()
  }
}

async function measureLookup(): Promise<void> {
  const look: Look = (name) => lookup(name, { all: true })
  await run('`dns.lookup`', { names: fresh(300), atOnce: 300 }, look)
  const dead = fresh(2, 'dead').map((name) => look(name, 0).catch(() => undefined))
  await run('`dns.lookup`, two dead names of another', { names: fresh(20), atOnce: 20 }, look)
  await Promise.all(dead)
}

async function measureResolver(): Promise<void> {
  const resolver = new NameResolver()
  /** Looks up names for 20 customers in turn. */
  const look: Look = (name, index) => resolver.resolve(name, { account: BigInt(index % 20) })
  await run('the code is warmed up', { names: fresh(5000), atOnce: 300 }, look)
  for (const atOnce of [1, 300, 1000])
    await run('resolver, new names', { names: fresh(atOnce === 1 ? 100 : 15_000), atOnce }, look)
  const four: Look = (name, index) => resolver.resolve(name, { account: BigInt(index % 20), families: [4] })
  await run('resolver, new names, A alone', { names: fresh(15_000), atOnce: 1000 }, four)
  const alone: Look = (name) => resolver.resolve(name, { account: 1n })
  await run('resolver, new names of one customer', { names: fresh(5000), atOnce: 250 }, alone)

  const known = fresh(1000)
  await Promise.all(known.map(look))
  const often = Array.from({ length: 300_000 }, (_, index) => known[index % 1000] ?? '')
  await run('resolver, known names', { names: often, atOnce: 1 }, look)
  const none = fresh(100, 'none')
  await Promise.all(none.map((name, index) => look(name, index).catch(() => undefined)))
  const denied = Array.from({ length: 50_000 }, (_, index) => none[index % 100] ?? '')
  await run('resolver, names known not to exist', { names: denied, atOnce: 1 }, look)

  await measureBesideDead(resolver, look)
  resolver.close()
  await measureMemory()
}

/** Measures while many other customers continually wait for 250 names that are never answered. */
async function measureBesideDead(resolver: NameResolver, look: Look): Promise<void> {
  for (const customers of [1, 20]) {
    let isOver = false
    const one = async (account: bigint) => {
      while (!isOver) await resolver.resolve(fresh(1, 'dead')[0] ?? '', { account }).catch(() => pause(100))
    }
    const dead = Array.from({ length: 250 * customers }, (_, index) =>
      one(BigInt(1000 + (index % customers))),
    )
    await pause(7000)
    await run(
      `resolver, ${customers} customers with 250 dead names each`,
      { names: fresh(3000), atOnce: 50 },
      look,
    )
    isOver = true
    await Promise.all(dead)
  }
}

/** Measures the memory for a million names, each looked up once. */
async function measureMemory(): Promise<void> {
  const { NameCache } = await import('../../src/gateway/targets/name.cache.ts')
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const caches = [4, 6].map(
    (family) => new NameCache({ family: family as 4 | 6, entries: 20_000, now: () => 0 }),
  )
  const ips = [{ family: 4 as const, value: 1n }]
  for (let index = 0; index < 1_000_000; index++)
    for (const cache of caches)
      cache.store(`host-${index}.example`, { outcome: 'addresses', ips, ttlSeconds: 60, records: 1 })
  globalThis.gc?.()
  console.log(
    `\nA million names: ${((process.memoryUsage().heapUsed - before) / 2 ** 20).toFixed(1)} MiB, ${caches.map(({ size }) => size).join(' + ')} records.`,
  )
}

const [role] = process.argv.slice(2)

if (role === 'server') await serve()
else if (role === 'inside') await measure()
else {
  const code = await runInNamespace(['--expose-gc', import.meta.filename, 'inside'])
  if (code === null) console.error('this machine allows no network namespace (unshare)')
  process.exitCode = code ?? 1
}
