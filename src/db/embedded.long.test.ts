import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  clusterOf,
  embeddedScratch,
  isRoot,
  queriesWork,
  serverOf,
  stateOf,
  until,
} from './testing.embedded.ts'

const { clusterDir, open, otherProcess, stopAfterwards, undo } = embeddedScratch()

describe('kill -9', () => {
  it('of one backend: the server restarts itself and the owner stays the owner', async () => {
    const dataDir = await clusterDir()
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
    const dataDir = await clusterDir()
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
    const dataDir = await clusterDir()
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
    const dataDir = await clusterDir()
    await (await open(dataDir)).close()
    const uid = isRoot ? { uid: 65534, gid: 65534 } : {}
    const bystander = spawn('sleep', ['1000'], { cwd: '/', ...uid })
    undo(() => bystander.kill('SIGKILL'))
    const lines = [bystander.pid, '/proc/self/cwd', '1', '5432', '.', '', '    1 1', 'ready   ', '']
    await writeFile(join(clusterOf(dataDir), 'postmaster.pid'), lines.join('\n'))
    await writeFile(join(clusterOf(dataDir), '.s.PGSQL.5432.lock'), lines.join('\n'))
    expect(await queriesWork(await open(dataDir))).toBe(true)
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
  })
})

describe.runIf(isRoot)('the server of a shop that root runs', () => {
  it('follows no link that was planted in its folder', async () => {
    const dataDir = await clusterDir()
    await (await open(dataDir)).close()
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
