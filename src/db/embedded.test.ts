import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { closeFolder } from '#lib/unprivileged'
import { clusterPaths } from './cluster.ts'
import { type Database, openDatabase } from './db.ts'
import { installedNative, usableNative } from './native.ts'
import { postmasterPid } from './server-process.ts'
import { startServer } from './server.ts'

const require = createRequire(import.meta.url)

const isRoot = process.geteuid?.() === 0
const door = fileURLToPath(new URL('db.ts', import.meta.url))

/** Clean-up after each test, in reverse order. */
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

async function tempDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-embedded-'))
  undo.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function open(dataDir: string, role: 'owner' | 'guest' = 'owner', durable = false): Promise<Database> {
  const database = await openDatabase({ dataDir, role, durable, report: () => undefined })
  undo.push(() => database.close())
  return database
}

/** Another process that opens the database and keeps it open until it is asked to end, or killed. */
async function otherProcess(
  dataDir: string,
  role: 'owner' | 'guest',
  { uid, wrapper = [] }: { uid?: number; wrapper?: string[] } = {},
) {
  const program = `
    import { openDatabase } from ${JSON.stringify(door)}
    const options = { dataDir: ${JSON.stringify(dataDir)}, role: '${role}', durable: false }
    const refuse = (error) => {
      console.log('refused', error.message)
      process.exit(error.name === 'DatabaseUnavailable' ? 3 : 4)
    }
    process.once('uncaughtException', refuse)
    const database = await openDatabase(options).catch(refuse)
    process.once('SIGTERM', () => database.close())
    console.log('open')
  `
  const [command, ...args] = [...wrapper, process.execPath, '--input-type=module', '-e', program]
  const child = spawn(command, args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  undo.push(() => child.kill('SIGKILL'))
  const said = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once('exit', () => resolve('ended'))
  })
  return { child, ended, said }
}

async function until(what: string, condition: () => boolean | Promise<boolean>, withinMs = 15_000) {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`)
    await sleep(20)
  }
}

const clusterOf = (dataDir: string) => join(dataDir, 'postgres/18')

function serverOf(dataDir: string): number {
  const pid = postmasterPid(clusterOf(dataDir))
  if (pid === undefined) throw new Error('no server runs')
  return pid
}

/** The state in /proc: R running, S sleeping, Z a zombie; undefined: there is no such process. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\) (\S)/)?.[1]
  } catch {
    return undefined
  }
}

/** Stops, after the test, the server that a killed process left running. */
async function stopAfterwards(dataDir: string): Promise<void> {
  undo.push(async () => {
    if (postmasterPid(clusterOf(dataDir)) === undefined) return
    await (await openDatabase({ dataDir, role: 'guest', durable: false })).close()
  })
}

async function queriesWork({ pool }: Database): Promise<boolean> {
  return pool.query('select').then(
    () => true,
    () => false,
  )
}

async function setting({ pool }: Database, name: string): Promise<string> {
  const { rows } = await pool.query<{ value: string }>('select current_setting($1) as value', [name])
  return rows[0]?.value ?? ''
}

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
    const database = await open(await tempDir(), 'owner', true)
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
    const dataDir = await tempDir()
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
    const dataDir = await tempDir()
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
    const dataDir = await tempDir()
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
    const dataDir = await tempDir()
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
    const dataDir = await tempDir()
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

  it('of one backend: the server restarts itself and the owner stays the owner', async () => {
    const dataDir = await tempDir()
    const owner = await open(dataDir)
    const server = serverOf(dataDir)
    const { rows } = await owner.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
    await until('queries work', () => queriesWork(owner))
    expect(serverOf(dataDir)).toBe(server)
    await until('the owner is the owner again', async () => {
      const second = await otherProcess(dataDir, 'owner')
      return second.said.includes('already runs')
    })
  })

  it('of owner and server, while a statement runs on and keeps the shared memory', async () => {
    const dataDir = await tempDir()
    await stopAfterwards(dataDir)
    const killed = await otherProcess(dataDir, 'owner')
    const guest = await open(dataDir, 'guest')
    const { rows } = await guest.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    const busy = guest.pool
      .query('select count(*) from generate_series(1, 1e11) where random() < 0')
      .catch((error: unknown) => error)
    await until('it is busy', () => stateOf(rows[0]?.pid ?? 0) === 'R')
    process.kill(rows[0]?.pid ?? 0, 'SIGSTOP')
    killed.child.kill('SIGKILL')
    process.kill(serverOf(dataDir), 'SIGKILL')
    process.kill(rows[0]?.pid ?? 0, 'SIGCONT')
    expect(await busy).toBeInstanceOf(Error)
    await until('queries work', () => queriesWork(guest))
    expect(stateOf(rows[0]?.pid ?? 0)).not.toBe('R')
  })

  it('of a server whose parent hangs: neither the zombie nor the parent prevents a new start', async () => {
    const dataDir = await tempDir()
    await stopAfterwards(dataDir)
    const parent = await otherProcess(dataDir, 'owner')
    const pid = serverOf(dataDir)
    parent.child.kill('SIGSTOP')
    process.kill(pid, 'SIGKILL')
    await until('it is a zombie', () => stateOf(pid) === 'Z')
    const next = await open(dataDir)
    expect(stateOf(pid)).toBe('Z')
    expect(serverOf(dataDir)).not.toBe(pid)
    expect(await queriesWork(next)).toBe(true)
    // Once resumed, the former owner finds another owner and exits.
    parent.child.kill('SIGCONT')
    expect(await parent.ended).toBe(3)
    expect(await queriesWork(next)).toBe(true)
  })

  it('of everything: an unrelated process with the old process id does not prevent a new start', async () => {
    const dataDir = await tempDir()
    await (await open(dataDir)).close()
    const uid = isRoot ? { uid: 65534, gid: 65534 } : {}
    const bystander = spawn('sleep', ['1000'], { cwd: '/', ...uid })
    undo.push(() => bystander.kill('SIGKILL'))
    const lines = [bystander.pid, '/proc/self/cwd', '1', '5432', '.', '', '    1 1', 'ready   ', '']
    await writeFile(join(clusterOf(dataDir), 'postmaster.pid'), lines.join('\n'))
    await writeFile(join(clusterOf(dataDir), '.s.PGSQL.5432.lock'), lines.join('\n'))
    expect(await queriesWork(await open(dataDir))).toBe(true)
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
  })
})

/** Connects to the socket under this user id and requests a superuser's session; returns the outcome. */
async function visitAs(uid: number, socketFolder: string): Promise<string> {
  const program = `
    const pg = require(${JSON.stringify(require.resolve('pg'))})
    const client = new pg.Client({ host: ${JSON.stringify(socketFolder)}, user: 'postgres', database: 'postgres' })
    client.connect().then(
      () => client.query('select current_setting($1) as it', ['is_superuser']).then(({ rows }) => 'superuser ' + rows[0].it),
      (error) => error.code,
    ).then((said) => { console.log(said); process.exit() })`
  const child = spawn(process.execPath, ['-e', program], {
    uid,
    gid: uid,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await child.stdout.toArray()
  return String(said).trim()
}

const nobody = 65534
/** The server's folder by way of /proc, which is open to processes of its own user and of root. */
const through = (dataDir: string) => `/proc/${serverOf(dataDir)}/cwd`

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

  /** The state that an earlier release leaves: the cluster belongs to nobody, with `trust` authentication. */
  async function ofAnEarlierRelease(): Promise<string> {
    const dataDir = await tempDir()
    const first = await open(dataDir)
    await first.pool.query(`create table note (text text); insert into note values ('kept')`)
    await first.close()
    await writeFile(join(clusterOf(dataDir), 'pg_hba.conf'), 'local all all trust\n')
    closeFolder(clusterOf(dataDir), { uid: nobody, gid: nobody })
    return dataDir
  }
  async function isClosed(dataDir: string): Promise<void> {
    expect(await visitAs(nobody, through(dataDir))).toBe('EACCES')
    expect(statSync(`/proc/${serverOf(dataDir)}`).uid).toBe(statSync(clusterOf(dataDir)).uid)
    expect(await readFile(join(clusterOf(dataDir), 'pg_hba.conf'), 'utf8')).toBe(
      'local all all peer map=turnpike\n',
    )
  }

  it('does so too when its folder was created by an earlier release', async () => {
    const dataDir = await ofAnEarlierRelease()
    const database = await open(dataDir)
    expect((await database.pool.query('select text from note')).rows).toEqual([{ text: 'kept' }])
    await isClosed(dataDir)
  })

  it('is restarted when one of an earlier release still runs', async () => {
    const dataDir = await ofAnEarlierRelease()
    const paths = clusterPaths(dataDir)
    const as = { uid: nobody, gid: nobody, wrapper: [] }
    startServer(paths, { native: await usableNative(installedNative(), as), as, durable: false })
    await until('the old server trusts nobody’s processes', async () => {
      const isUp = postmasterPid(clusterOf(dataDir)) !== undefined
      return isUp && (await visitAs(nobody, through(dataDir))) === 'superuser on'
    })
    // A guest uses it as it is; its owner restarts it.
    const guest = await open(dataDir, 'guest')
    expect(statSync(`/proc/${serverOf(dataDir)}`).uid).toBe(nobody)
    const owner = await open(dataDir)
    await isClosed(dataDir)
    expect((await owner.pool.query('select text from note')).rows).toEqual([{ text: 'kept' }])
    await until('the guest is back', () => queriesWork(guest))
  })

  it('follows no link that was planted in its folder', async () => {
    const dataDir = await ofAnEarlierRelease()
    const victim = join(dataDir, 'a file of root')
    await writeFile(victim, 'untouched', { mode: 0o600 })
    for (const name of ['pg_hba.conf', 'pg_ident.conf', 'pg_ident.conf.new', 'planted']) {
      await rm(join(clusterOf(dataDir), name), { force: true })
      await symlink(victim, join(clusterOf(dataDir), name))
    }
    expect(await queriesWork(await open(dataDir))).toBe(true)
    expect(await readFile(victim, 'utf8')).toBe('untouched')
    expect(statSync(victim).uid).toBe(0)
  })
})

describe.runIf(isRoot)('as root', () => {
  it('takes back a cluster that was given to root', async () => {
    const dataDir = await tempDir()
    await (await open(dataDir)).close()
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
