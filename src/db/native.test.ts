import { cpSync, lstatSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Native, installedNative, usableNative } from './native.ts'
import { ourselves, run } from './run-as.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

const isRoot = process.geteuid?.() === 0
/** The user that runs the server: nobody when this process is root, else the user of this process. */
const server = isRoot ? { uid: 65534, gid: 65534, wrapper: [] } : ourselves

let scratch: string
let twins: string
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'turnpike-native-'))
  await chmod(scratch, 0o755)
  twins = join(scratch, 'twins')
  await mkdir(twins)
})
afterEach(() => rm(scratch, { recursive: true, force: true }))

/** A copy of the installed package as npm unpacks it, without the links that its install script adds. */
function unpacked(): Native {
  const { folder, release } = installedNative()
  const copy = { folder: join(scratch, 'package/native'), release }
  cpSync(folder, copy.folder, {
    recursive: true,
    filter: (path) => !lstatSync(path).isSymbolicLink() && !path.endsWith('.a'),
  })
  return copy
}

async function version(folder: string): Promise<string> {
  return (await run(server, join(folder, 'bin/initdb'), ['--version'], { cwd: '/' })).output
}

it('the embedded server names DATABASE_URL on a platform without a package', () => {
  const onSparc = () => installedNative({ platform: 'sunos', arch: 'sparc' })
  expect(onSparc).toThrow(DatabaseUnavailable)
  expect(onSparc).toThrow(/^There is no built-in PostgreSQL for sunos-sparc .*set DATABASE_URL/)
})

it('the embedded server uses the installed folder where it can', async () => {
  const installed = unpacked()
  expect(await usableNative(installed, server, [twins])).toBe(installed.folder)
  expect(readdirSync(twins)).toEqual([])
})

it('the embedded server creates the library links that an install script would have created', async () => {
  const installed = unpacked()
  expect(await version(installed.folder)).toMatch(/error while loading shared libraries/)
  await usableNative(installed, server, [twins])
  expect(await version(installed.folder)).toMatch(/PostgreSQL\) 18/)
})

it('the embedded server explains in a sentence when the binaries cannot run', async () => {
  const installed = unpacked()
  truncateSync(join(installed.folder, 'bin/postgres'), 10)
  await expect(usableNative(installed, server, [twins])).rejects.toThrow(
    /^The built-in PostgreSQL does not run here \(postgres: .*\): set DATABASE_URL/,
  )
})

describe.runIf(isRoot)('a twin for a server that cannot reach the installed folder', () => {
  let installed: Native
  beforeEach(async () => {
    installed = unpacked()
    await chmod(join(scratch, 'package'), 0o700)
  })

  const twin = () => usableNative(installed, server, [twins])

  it('is hard-linked, complete, and used again', async () => {
    const folder = await twin()
    expect(folder.startsWith(twins)).toBe(true)
    expect(await version(folder)).toMatch(/PostgreSQL\) 18/)
    const inode = (base: string) => statSync(join(base, 'bin/postgres')).ino
    expect(inode(folder)).toBe(inode(installed.folder))
    expect(await twin()).toBe(folder)
  })

  it('is copied where other users cannot read the installed files', async () => {
    await chmod(join(installed.folder, 'bin/postgres'), 0o700)
    await chmod(join(installed.folder, 'share/postgresql/postgres.bki'), 0o600)
    await chmod(join(scratch, 'package'), 0o755)
    const folder = await twin()
    expect(folder.startsWith(twins)).toBe(true)
    expect(statSync(join(folder, 'bin/postgres')).mode & 0o777).toBe(0o755)
    expect(statSync(join(folder, 'share/postgresql/postgres.bki')).mode & 0o777).toBe(0o644)
    expect(statSync(join(installed.folder, 'bin/postgres')).mode & 0o777).toBe(0o700)
  })

  it('is copied on another file system', async () => {
    const elsewhere = await mkdtemp('/dev/shm/turnpike-native-')
    try {
      await chmod(elsewhere, 0o755)
      const folder = await usableNative(installed, server, [elsewhere])
      expect(await version(folder)).toMatch(/PostgreSQL\) 18/)
    } finally {
      await rm(elsewhere, { recursive: true })
    }
  })

  it('is repaired when files are missing or truncated', async () => {
    const folder = await twin()
    await unlink(join(folder, 'bin/initdb'))
    await unlink(join(folder, 'lib/libpq.so.5'))
    await rm(join(folder, 'share/postgresql/timezone'), { recursive: true })
    expect(await twin()).toBe(folder)
    expect(await version(folder)).toMatch(/PostgreSQL\) 18/)
    expect(statSync(join(folder, 'share/postgresql/timezone/UTC')).isFile()).toBe(true)
  })

  it('is refused in a folder that another user created or can change', async () => {
    const folder = await twin()
    await rm(folder, { recursive: true })
    await mkdir(folder)
    await chmod(folder, 0o777)
    await expect(twin()).rejects.toThrow(
      `${folder} is not a folder that only this user can change; remove it`,
    )
    expect(readdirSync(folder)).toEqual([])
    const second = join(scratch, 'second')
    await mkdir(second)
    expect((await usableNative(installed, server, [twins, second])).startsWith(second)).toBe(true)
  })
})
