/** A customer who wants that no host is kept: none leaves the worker, from the moment of the wish on. */
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, type Bench, silentLog, startBench } from './testing/bench.ts'
import { RawClient } from './testing/client.ts'

let bench: Bench
let origin: Server
const logged: string[] = []
beforeAll(async () => {
  origin = createServer((socket) => socket.on('data', (data) => socket.write(data)))
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  const log = { ...silentLog, info: (fields: unknown) => void logged.push(inspected(fields)) }
  bench = await startBench({ log })
})
afterAll(async () => {
  await bench.close()
  origin.close()
})

const inspected = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item))
const echo = () => `127.0.0.1:${(origin.address() as { port: number }).port}`
const records = () => bench.feed.records.flatMap((batch) => batch.records)

function wish(withholds: boolean): void {
  const { withholds_hosts: _, ...account } = bench.feed.accounts.get('residential alice1') ?? {
    withholds_hosts: undefined,
  }
  const changed = withholds ? { ...account, withholds_hosts: true as const } : account
  bench.feed.accounts.set('residential alice1', changed as never)
  bench.feed.emit({ type: 'account_changed', login: 'alice1' })
}

/** The host as the gateway reports it to operators. */
async function told(question: string): Promise<string | null | undefined> {
  bench.feed.emit({ type: 'account_changed', login: 'alice1', tell: question })
  await expect.poll(() => bench.feed.told.some((answer) => answer.question === question)).toBe(true)
  return bench.feed.told.find((answer) => answer.question === question)?.sessions[0]?.target
}

describe('hosts that are withheld', () => {
  it('are in no record, no log and no answer, not even those of tunnels opened before', async () => {
    const client = await new RawClient(bench.port).connect(echo(), basic())
    expect(client.status).toBe('200')
    expect(await told('before')).toBe(echo())
    wish(true)
    await expect.poll(() => told(`after ${Math.random()}`)).toBe('(withheld)')
    client.destroy()
    const refused = await new RawClient(bench.port).connect('secret-host.invalid:443', basic())
    expect(Number(refused.status)).toBeGreaterThanOrEqual(400)
    refused.destroy()
    await expect.poll(() => records().length, { timeout: 5000 }).toBe(2)
    for (const record of records())
      expect(record).toMatchObject({
        target: '(withheld)',
        target_address: null,
        sentence: null,
        exit_word: null,
      })
    expect(inspected(bench.feed.records)).not.toContain('secret-host')
    expect(inspected(bench.feed.records)).not.toContain(echo())
    expect(logged.join('\n')).not.toContain('secret-host')
    expect(logged.join('\n')).not.toContain(echo())
  })

  it('are reported again once the customer allows it', async () => {
    wish(false)
    const before = records().length
    const client = await new RawClient(bench.port).connect(echo(), basic())
    client.destroy()
    await expect.poll(() => records().length, { timeout: 5000 }).toBe(before + 1)
    expect(records().at(-1)?.target).toBe(echo())
  })
})
