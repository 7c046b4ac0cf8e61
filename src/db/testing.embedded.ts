/** Clusters and processes for the tests of the embedded server. */
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach } from 'vitest'
import { type Database, openDatabase } from './db.ts'
import { postmasterPid } from './server-process.ts'

const require = createRequire(import.meta.url)

export const isRoot = process.geteuid?.() === 0
export const nobody = 65534
const door = fileURLToPath(new URL('db.ts', import.meta.url))

/** A program that opens the database and keeps it open. */
const opening = (dataDir: string, role: 'owner' | 'guest') => `
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

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-embedded-'))
  await (await openDatabase({ dataDir: folder, role: 'owner', durable: false })).close()
  return folder
}

/** What a test file creates, and removes after each test; called once by each file. */
export function embeddedScratch() {
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

  /** A cluster as a first start leaves it, of which tests that are not about its creation get a copy. */
  let template: Promise<string> | undefined
  afterAll(async () => {
    if (template !== undefined) await rm(await template, { recursive: true, force: true })
  })

  /** A folder with a cluster whose server does not run. */
  async function clusterDir(): Promise<string> {
    template ??= makeTemplate()
    const folder = await tempDir()
    await promisify(execFile)('cp', ['-a', join(await template, '.'), folder])
    return folder
  }

  async function open(
    dataDir: string,
    role: 'owner' | 'guest' = 'owner',
    durable = false,
  ): Promise<Database> {
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
    const [command, ...args] = [
      ...wrapper,
      process.execPath,
      '--input-type=module',
      '-e',
      opening(dataDir, role),
    ]
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

  /** Stops, after the test, the server that a killed process left running. */
  async function stopAfterwards(dataDir: string): Promise<void> {
    undo.push(async () => {
      if (postmasterPid(clusterOf(dataDir)) === undefined) return
      await (await openDatabase({ dataDir, role: 'guest', durable: false })).close()
    })
  }

  return {
    undo: (step: () => unknown) => void undo.push(step),
    tempDir,
    clusterDir,
    open,
    otherProcess,
    stopAfterwards,
  }
}

export async function until(what: string, condition: () => boolean | Promise<boolean>, withinMs = 15_000) {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`)
    await sleep(20)
  }
}

export const clusterOf = (dataDir: string) => join(dataDir, 'postgres/18')

export function serverOf(dataDir: string): number {
  const pid = postmasterPid(clusterOf(dataDir))
  if (pid === undefined) throw new Error('no server runs')
  return pid
}

/** The state in /proc: R running, S sleeping, Z a zombie; undefined: there is no such process. */
export function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\) (\S)/)?.[1]
  } catch {
    return undefined
  }
}

export async function queriesWork({ pool }: Database): Promise<boolean> {
  return pool.query('select').then(
    () => true,
    () => false,
  )
}

export async function setting({ pool }: Database, name: string): Promise<string> {
  const { rows } = await pool.query<{ value: string }>('select current_setting($1) as value', [name])
  return rows[0]?.value ?? ''
}

/** Connects to the socket under this user id and requests a superuser's session; returns the outcome. */
export async function visitAs(uid: number, socketFolder: string): Promise<string> {
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

/** The server's folder by way of /proc, which is open to processes of its own user and of root. */
export const through = (dataDir: string) => `/proc/${serverOf(dataDir)}/cwd`
