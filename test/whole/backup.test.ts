import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { press } from '#test/app'
import { type Stack, type StackCustomer, startStack, turnpike } from '#test/stack'
import { backupCommands } from '../../src/main/commands/database/backup.ts'

let stack: Stack
let customer: StackCustomer
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-backup-'))
  stack = await startStack({ GATEWAY_WORKERS: '1' })
  customer = await stack.signIn()
})
afterAll(async () => {
  await stack.close()
  rmSync(folder, { recursive: true, force: true })
})

const backedUp = () => path.join(folder, 'shop.tar.gz')
const anew = (name: string) => ({ DATA_DIR: path.join(folder, name) })

async function buy(): Promise<void> {
  const url = await customer.call('create_invoice_web', {
    payment_method: 'sandbox',
    amount: 1,
    pool: 'mobile',
  })
  expect((await press(stack.origin, url.split('/').at(-1) ?? '', 'paid')).status).toBe(303)
}

async function bought(who: StackCustomer): Promise<bigint> {
  const [profile] = await who.call('legacy_profile', {})
  return bytesFromWire(profile?.mobile.balance ?? 0) / 1_000_000_000n
}

/** The message with which a command refuses; the command runs in this process, which runs no shop. */
async function refusalOf(env: Record<string, string>, ...words: string[]): Promise<string> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const program = new Command('turnpike')
  backupCommands(program)
  try {
    await program.parseAsync(words, { from: 'user' })
    return 'it worked'
  } catch (error) {
    return (error as Error).message
  } finally {
    vi.unstubAllEnvs()
  }
}

describe('turnpike backup and restore', () => {
  /** GB on the balance before the first sale beside the backup, and after the last one. */
  let [before, after] = [0n, 0n]

  it('copies a shop that continues selling', async () => {
    before = await bought(customer)
    await buy()
    let selling = true
    const sales = (async () => {
      while (selling) {
        await buy()
        // Without pauses the sales would take the processor from the backup.
        await sleep(500)
      }
    })()
    const made = JSON.parse(await turnpike({ DATA_DIR: stack.dataDir }, 'backup', backedUp(), '--json')) as {
      bytes: number
    }
    selling = false
    await sales
    after = await bought(customer)
    expect(made.bytes).toBeGreaterThan(1_000_000)
  })

  it('restores it with consistent books', async () => {
    const restored = anew('restored')
    expect(JSON.parse(await turnpike(restored, 'restore', backedUp(), '--json'))).toEqual({
      dataDir: restored.DATA_DIR,
      findings: [],
    })
  })

  it('restores a complete shop', async () => {
    const copy = await startStack({ ...anew('restored'), GATEWAY_WORKERS: '1' })
    try {
      const again = await copy.signIn()
      // The copy has the sale before the backup, and may have some of the sales during it.
      expect(await bought(again)).toBeGreaterThan(before)
      expect(await bought(again)).toBeLessThanOrEqual(after)
      // The key was copied: sealed passwords can be opened.
      expect(await again.proxy('residential')).toEqual(await customer.proxy('residential'))
    } finally {
      await copy.close()
    }
  })

  const kept = () => path.join(folder, 'kept')

  it('keeps the newest of a folder, and hands it on', async () => {
    const env = { DATA_DIR: stack.dataDir }
    const copied = path.join(folder, 'copied')
    mkdirSync(kept())
    writeFileSync(path.join(kept(), 'turnpike-2026-01-02-030405.tar.gz'), 'an old one')
    writeFileSync(path.join(kept(), 'my-own.tar.gz'), 'not of this command')
    const program = path.join(folder, 'copy')
    writeFileSync(program, `#!/bin/sh\ncp "$1" '${copied}'\n`, { mode: 0o755 })
    await turnpike(env, 'backup', kept(), '--keep', '1', '--then', program)
    const [name = '', ...others] = readdirSync(kept()).toSorted().toReversed()
    expect(name).toMatch(/^turnpike-\d{4}-\d{2}-\d{2}-\d{6}\.tar\.gz$/)
    expect(others).toEqual(['my-own.tar.gz'])
    expect(readFileSync(copied).length).toBeGreaterThan(1_000_000)
    writeFileSync(program, '#!/bin/sh\nexit 3\n', { mode: 0o755 })
    expect(await refusalOf(env, 'backup', kept(), '--then', program)).toContain(
      'did not copy it: it ended with 3',
    )
  })

  it('tries a restore without touching the shop', async () => {
    const env = { DATA_DIR: stack.dataDir }
    expect(
      await turnpike(env, 'restore', path.join(folder, 'copied.none'), '--try', '--scheduled'),
    ).toContain('nothing was tried')
    expect(await turnpike(env, 'restore', kept(), '--try')).toContain('its books are in order')
  })

  it('lets doctor know when a backup was made, and that its restore was tried', async () => {
    const { checks } = JSON.parse(
      await turnpike({ DATA_DIR: stack.dataDir, DEMO: '0' }, 'doctor', '--json').catch(
        (error: { stdout: string }) => error.stdout,
      ),
    ) as { checks: { name: string; severity: string }[] }
    expect(checks.filter((check) => ['backup', 'restore'].includes(check.name))).toMatchObject([
      { name: 'backup', severity: 'ok' },
      { name: 'restore', severity: 'ok' },
    ])
  })

  it('reports in a sentence that a folder cannot be written to or made', async () => {
    expect(await refusalOf({ DATA_DIR: stack.dataDir }, 'backup', path.join(folder, 'none', 'x'))).toContain(
      'There is no folder',
    )
    expect(await refusalOf({ DATA_DIR: stack.dataDir }, 'backup', backedUp(), '--keep', '2')).toContain(
      '--keep is for a folder',
    )
  })

  it('overwrites nothing', async () => {
    const other = path.join(folder, 'taken')
    mkdirSync(other)
    writeFileSync(path.join(other, 'note'), 'mine')
    expect(await refusalOf({ DATA_DIR: stack.dataDir }, 'backup', path.join(other, 'note'))).toContain(
      'is there already',
    )
    expect(await refusalOf({ DATA_DIR: other }, 'restore', backedUp())).toContain('is not empty')
    expect(readFileSync(path.join(other, 'note'), 'utf8')).toBe('mine')
  })

  it('refuses an incomplete backup and other files, and leaves nothing behind', async () => {
    const whole = readFileSync(backedUp())
    const damaged = path.join(folder, 'damaged.tar.gz')
    const cases = [whole.subarray(0, 100_000), whole.subarray(0, whole.length - 20), Buffer.from('no backup')]
    for (const bytes of cases) {
      writeFileSync(damaged, bytes)
      expect(await refusalOf(anew('never'), 'restore', damaged)).toContain('is no backup of Turnpike')
    }
    expect(await refusalOf(anew('never'), 'restore', path.join(folder, 'nowhere'))).toContain(
      'There is no file',
    )
  })

  it('refuses an external database, which has its own tools', async () => {
    const env = { ...anew('never'), DATABASE_URL: 'postgresql://user@127.0.0.1:1/none' }
    expect(await refusalOf(env, 'backup', path.join(folder, 'x'))).toContain('is not in DATA_DIR')
    expect(await refusalOf(env, 'restore', backedUp())).toContain('is not in DATA_DIR')
  })
})
