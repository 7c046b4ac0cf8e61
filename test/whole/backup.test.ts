import { spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { press } from '#test/app'
import { inherited, type Stack, type StackCustomer, startStack, turnpike } from '#test/stack'
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

  /** The words of `restore --try` when no file may be larger than 4 MB, which stands for a full disk. */
  const triedOnFullDisk = (file: string, env: Record<string, string> = {}) => {
    // A segment of the database's log is larger.
    const limited = 'ulimit -f 8192; exec "$0" "$@"'
    const program = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')
    const words = [process.execPath, program, 'restore', file, '--try']
    const { status, stderr } = spawnSync('sh', ['-c', limited, ...words], {
      env: { ...inherited(), LOG_LEVEL: 'warn', DATA_DIR: stack.dataDir, ...env },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    return stderr
  }
  const backupIn = (parent: string) => readdirSync(parent).find((name) => name.startsWith('turnpike-')) ?? ''

  it('tries a restore beside the backup, and names the fault of the system that stops it', () => {
    const there = readdirSync(kept())
    const left = path.join(kept(), '.turnpike-restore-killed')
    mkdirSync(left)
    utimesSync(left, 1_000_000_000, 1_000_000_000)
    const said = triedOnFullDisk(path.join(kept(), backupIn(kept())))
    expect(said).toContain(path.join(kept(), '.turnpike-restore-'))
    expect(said).toContain('EFBIG')
    expect(said).not.toContain('is no backup')
    expect(readdirSync(kept())).toEqual(there)
  })

  it('tries a restore among temporary files where the folder of the backup cannot be written', () => {
    const temporary = path.join(folder, 'temporary')
    mkdirSync(temporary)
    // Nobody may make a folder there, not even root.
    const fd = openSync(path.join(kept(), backupIn(kept())), 'r')
    try {
      expect(triedOnFullDisk(`/proc/${process.pid}/fd/${fd}`, { TMPDIR: temporary })).toContain(
        path.join(temporary, '.turnpike-restore-'),
      )
    } finally {
      closeSync(fd)
    }
    expect(readdirSync(temporary)).toEqual([])
  })

  it('contains no backups, finished or not, and no scratch folders that stand in DATA_DIR', async () => {
    const inside = path.join(stack.dataDir, 'backups')
    mkdirSync(path.join(inside, '.turnpike-restore-abcdef'), { recursive: true })
    writeFileSync(path.join(inside, '.turnpike-restore-abcdef/file'), 'of a restore that was killed')
    writeFileSync(path.join(inside, 'turnpike-2026-01-02-030405.tar.gz.part'), 'of a backup that was killed')
    writeFileSync(path.join(inside, 'note'), 'kept')
    for (const _ of [1, 2]) {
      await turnpike({ DATA_DIR: stack.dataDir }, 'backup', inside)
      await sleep(1000)
    }
    const [last = ''] = readdirSync(inside)
      .filter((one) => one.endsWith('.tar.gz'))
      .toSorted()
      .toReversed()
    const list = spawnSync('tar', ['-tzf', path.join(inside, last)], { encoding: 'utf8' }).stdout.split('\n')
    expect(list.filter((one) => one.startsWith('backups'))).toEqual(['backups', 'backups/note'])
    rmSync(inside, { recursive: true })
  })

  it('never removes the backup just made, not even where files have later names', async () => {
    const later = path.join(folder, 'later')
    mkdirSync(later)
    for (const day of ['01', '02'])
      writeFileSync(path.join(later, `turnpike-2099-01-${day}-030405.tar.gz`), 'of a clock that was ahead')
    const { file } = JSON.parse(
      await turnpike({ DATA_DIR: stack.dataDir }, 'backup', later, '--keep', '1', '--json'),
    ) as { file: string }
    expect(readdirSync(later)).toEqual([path.basename(file)])
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
