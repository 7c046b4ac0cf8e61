import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  clusterOf,
  embeddedScratch,
  isRoot,
  nobody,
  queriesWork,
  serverOf,
  setting,
  stateOf,
  through,
  until,
  visitAs,
} from './testing.embedded.ts'

const { clusterDir, open, otherProcess, stopAfterwards, tempDir } = embeddedScratch()

describe('starting and stopping', () => {
  it('creates a cluster below a folder that only this user can enter, and finds it again', async () => {
    const parent = await tempDir()
    await chmod(parent, 0o700)
    const dataDir = join(parent, 'deeper/data')
    const first = await open(dataDir, 'owner', true)
    await first.pool.query(`create table note (text text); insert into note values ('kept')`)
    const pid = serverOf(dataDir)
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[5]).toBe(String(pid))
    await first.close()
    expect(stateOf(pid) ?? 'Z').toBe('Z')
    expect(await readdir(clusterOf(dataDir))).not.toContain('postmaster.pid')

    const second = await open(dataDir, 'owner', true)
    expect((await second.pool.query('select text from note')).rows).toEqual([{ text: 'kept' }])
  })

  it('waits for the disk, listens on no network, and works in C.UTF-8 as an ordinary role', async () => {
    const database = await open(await clusterDir(), 'owner', true)
    expect(await setting(database, 'fsync')).toBe('on')
    expect(await setting(database, 'synchronous_commit')).toBe('on')
    expect(await setting(database, 'full_page_writes')).toBe('on')
    expect(await setting(database, 'listen_addresses')).toBe('')
    expect(await setting(database, 'is_superuser')).toBe('off')
    expect(await setting(database, 'server_encoding')).toBe('UTF8')
    const { rows } = await database.pool.query(
      `select datlocprovider, datlocale, upper('é') as upper from pg_database where datname = current_database()`,
    )
    expect(rows).toEqual([{ datlocprovider: 'b', datlocale: 'C.UTF-8', upper: 'É' }])
  })

  it('reaches a socket whose path is too long for a socket address', async () => {
    const dataDir = join(await tempDir(), 'x'.repeat(120))
    const database = await open(dataDir)
    expect(await queriesWork(database)).toBe(true)
    const child = await otherProcess(dataDir, 'guest')
    expect(child.said).toBe('open')
    child.child.kill('SIGTERM')
    expect(await child.ended).toBe(0)
  })

  it('removes what a killed initdb left and creates the cluster anew', async () => {
    const dataDir = await tempDir()
    await mkdir(join(dataDir, 'postgres/new-half/base'), { recursive: true })
    await writeFile(join(dataDir, 'postgres/new-half/PG_VERSION'), '')
    await open(dataDir)
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['18'])
  })

  it('says in a sentence why the server does not start', async () => {
    const dataDir = await clusterDir()
    await (await open(dataDir)).close()
    await rm(join(clusterOf(dataDir), 'global'), { recursive: true })
    await expect(open(dataDir)).rejects.toThrow(/^The embedded database in .* did not start \(.+\)/)
  })

  it('refuses a DATA_DIR that is a file', async () => {
    const file = join(await tempDir(), 'file')
    await writeFile(file, '')
    await expect(open(file)).rejects.toThrow(/^DATA_DIR cannot be used: /)
  })
})

describe('several processes', () => {
  it('refuses a second owner at once, naming the first; guests come and go', async () => {
    const dataDir = await clusterDir()
    const owner = await open(dataDir)
    const second = await otherProcess(dataDir, 'owner')
    expect(second.said).toBe(
      `refused Turnpike already runs on ${dataDir} (process ${process.pid}): stop it first, or give this one another DATA_DIR.`,
    )
    expect(await second.ended).toBe(3)
    await expect(open(dataDir)).rejects.toThrow('Turnpike already runs')
    const guest = await otherProcess(dataDir, 'guest')
    guest.child.kill('SIGTERM')
    expect(await guest.ended).toBe(0)
    expect(await queriesWork(owner)).toBe(true)
  })

  it('keeps the server for a guest when the owner closes; the last one stops it', async () => {
    const dataDir = await clusterDir()
    const owner = await open(dataDir)
    const guest = await open(dataDir, 'guest')
    const pid = serverOf(dataDir)
    await owner.close()
    expect(await queriesWork(guest)).toBe(true)
    await guest.close()
    expect(stateOf(pid) ?? 'Z').toBe('Z')
  })

  it('lets several processes start it at the same moment', async () => {
    const dataDir = await tempDir()
    const others = await Promise.all(
      (['owner', 'guest', 'guest'] as const).map((role) => otherProcess(dataDir, role)),
    )
    expect(others.map((other) => other.said)).toEqual(['open', 'open', 'open'])
    const pid = serverOf(dataDir)
    for (const { child } of others) child.kill('SIGTERM')
    expect(await Promise.all(others.map((other) => other.ended))).toEqual([0, 0, 0])
    expect(stateOf(pid) ?? 'Z').toBe('Z')
  })
})

describe('kill -9', () => {
  it('of the owner: the next owner uses the running server', async () => {
    const dataDir = await clusterDir()
    await stopAfterwards(dataDir)
    const killed = await otherProcess(dataDir, 'owner')
    const pid = serverOf(dataDir)
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = await open(dataDir)
    expect(serverOf(dataDir)).toBe(pid)
    await next.close()
    expect(stateOf(pid) ?? 'Z').toBe('Z')
  })

  it('of the server: its owner restarts it, is still the owner, and is notified of the gap', async () => {
    const dataDir = await clusterDir()
    const owner = await open(dataDir, 'owner', true)
    await owner.pool.query('create table note (i int); insert into note values (1)')
    const heard: string[] = []
    let gaps = 0
    await owner.listen('news', (payload) => heard.push(payload), { onGap: () => gaps++ })
    for (let round = 1; round <= 3; round++) {
      process.kill(serverOf(dataDir), 'SIGKILL')
      await until('a gap was reported', () => gaps === round)
      await until('queries work', () => queriesWork(owner))
      await owner.pool.query(`insert into note values (2); notify news, '${round}'`)
      await until('the listener is back', () => heard.length === round)
    }
    expect((await owner.pool.query('select count(*) as count from note')).rows).toEqual([{ count: 4n }])
    await until('the owner is the owner again', async () => {
      const second = await otherProcess(dataDir, 'owner')
      return second.said.includes('already runs')
    })
  })
})

describe.runIf(isRoot)('the server of a shop that root runs', () => {
  it('runs as a dedicated user, and admits only root, not even that user', async () => {
    const dataDir = await tempDir()
    await chmod(dataDir, 0o755)
    const database = await open(dataDir)
    const { uid } = statSync(`/proc/${serverOf(dataDir)}`)
    expect(uid).toBeGreaterThan(60_000)
    expect(uid).not.toBe(nobody)
    expect(await visitAs(0, through(dataDir))).toBe('superuser on')
    for (const folder of [clusterOf(dataDir), through(dataDir)])
      expect(await visitAs(nobody, folder)).toMatch(/^(EACCES|ENOENT)$/)
    expect(await visitAs(uid, through(dataDir))).toBe('28000')
    expect(await queriesWork(database)).toBe(true)
  })
})

describe.runIf(isRoot)('as root', () => {
  it('takes back a cluster that was given to root', async () => {
    const dataDir = await clusterDir()
    const chown = spawn('chown', ['-R', '0:0', dataDir])
    await new Promise((resolve) => chown.once('exit', resolve))
    expect(await queriesWork(await open(dataDir))).toBe(true)
  })

  it('runs the server in a user namespace where root may become nobody else', async () => {
    const dataDir = await tempDir()
    const wrapper = ['unshare', '--user', '--map-root-user']
    const { said, child, ended } = await otherProcess(dataDir, 'owner', { wrapper })
    // "ended": user namespaces are not permitted here, so there is no such root either.
    expect(said).toMatch(/^(open|ended)$/)
    child.kill('SIGTERM')
    expect(await ended).toBe(said === 'open' ? 0 : 1)
  })

  it('a user without a name gets a database, or a sentence where user namespaces are not permitted', async () => {
    const dataDir = await tempDir()
    await chmod(dataDir, 0o777)
    const { said, child, ended } = await otherProcess(dataDir, 'owner', { uid: 12345 })
    if (said !== 'open')
      expect(said).toMatch(/^refused PostgreSQL's initdb needs a user with a name, user 12345/)
    child.kill('SIGTERM')
    expect(await ended).toBe(said === 'open' ? 0 : 3)
  })
})
