/** Two processes on one database: what the desk of one changes, the web server of the other uses at once. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '#contract/client'
import { app, testSecretKey } from '#test/app'
import { desk } from '#test/desk'
import { freePort } from '#test/ports'
import { FakeBtcpay } from '#test/processors/btcpay'
import { inherited, until } from '#test/stack'
import { shopEnv } from '../promises/machines.ts'

const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')

it('a key that the desk changes is used by a web server of another process, without a restart', async () => {
  const [fake, shop] = [new FakeBtcpay(), await app({ env: { DEMO: '0' } })]
  await fake.start()
  const office = await desk(shop)
  const owner = await office.staff('owner')
  const [port, dataDir] = [await freePort(), mkdtempSync(path.join(tmpdir(), 'turnpike-api-'))]
  const child = spawn(process.execPath, [main, 'api'], {
    env: {
      ...inherited(),
      ...shopEnv(shop.database.url),
      SECRET_KEY: testSecretKey,
      DATA_DIR: dataDir,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const there = (token: string | null) =>
    createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      token: () => token,
      language: () => 'en',
      timeoutMs: 20_000,
    })
  const offered = async () => (await there(null)('payment_systems', {})).map(({ name }) => name)
  const change = async (values: Record<string, string>) => {
    await office.stepUp(owner)
    await owner.call('change_variables', { group: 'crypto', values, reason: 'a test', leaves_open: true })
  }
  try {
    await until(() => said.includes('The web server listens'), 60_000, 'the web server')
    expect(await offered()).not.toContain('crypto')
    const keys = {
      BTCPAY_URL: fake.url.origin,
      BTCPAY_API_KEY: fake.apiKey,
      BTCPAY_STORE_ID: fake.storeId,
      BTCPAY_WEBHOOK_SECRET: fake.webhookSecret,
    }
    await change(keys)
    await expect.poll(offered, { timeout: 30_000 }).toContain('crypto')
    const person = { username: 'a-buyer', email: 'buyer@example.com', password: 'password of buyer' }
    await there(null)('signup', person)
    const token = await there(null)('signin', { username: person.username, password: person.password })
    const order = { payment_method: 'crypto', amount: 1, pool: 'residential' } as const
    await there(token)('create_invoice_web', order)
    expect(fake.invoices.size).toBe(1)
    await change(Object.fromEntries(Object.keys(keys).map((name) => [name, ''])))
    await expect.poll(offered, { timeout: 30_000 }).not.toContain('crypto')
  } finally {
    child.kill('SIGKILL')
    await office.close()
    await shop.close()
    fake.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 120_000)
