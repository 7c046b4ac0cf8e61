import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Clone } from './fixture.ts'

const clones: Clone[] = []
const clone = (turnpike?: string) => {
  const made = new Clone(turnpike)
  clones.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(clones.splice(0).map((made) => made.remove()))
})

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 10_000, interval: 20 })

describe('a fresh clone', () => {
  it('installs once, and again when the lockfile has changed', async () => {
    const fresh = clone()
    const first = fresh.start(['doctor', '--json'])
    expect(await first.ended, first.errors).toEqual({ code: 0, signal: null })
    expect(first.output).toBe('doctor --json\n')
    expect(readFileSync(join(fresh.path, 'npm.calls'), 'utf8')).toContain(
      'ci --include=dev --include=optional',
    )

    const second = fresh.start(['doctor'])
    expect(await second.ended).toEqual({ code: 0, signal: null })
    expect(second.errors).toBe('')
    expect(fresh.calls('npm')).toBe(1)

    fresh.write(
      'package-lock.json',
      '{"packages":{"":{"name":"other"}, "node_modules/x":{"version":"1.0.0"}}}',
    )
    await fresh.start(['doctor']).ended
    expect(fresh.calls('npm')).toBe(2)
  })

  it('is installed by one of several starts at the same moment', async () => {
    const fresh = clone()
    const runs = [1, 2, 3].map(() => fresh.start(['doctor'], { PRETENDED_INSTALL_MS: '300' }))
    for (const run of runs) expect(await run.ended, run.errors).toEqual({ code: 0, signal: null })
    expect(fresh.calls('npm')).toBe(1)
  })

  it('is installed again only after the npm of a killed start has ended', async () => {
    const fresh = clone()
    const killed = fresh.start(['doctor'], { PRETENDED_INSTALL_MS: '1000' })
    await until(() => expect(fresh.calls('npm')).toBe(1))
    killed.child.kill('SIGKILL')
    const next = fresh.start(['doctor'])
    await until(() => expect(next.errors).toContain('Waiting for process'))
    expect(fresh.calls('npm')).toBe(1)
    expect(await next.ended, next.errors).toEqual({ code: 0, signal: null })
    expect(fresh.calls('npm')).toBe(2)
  })

  it('reports in sentences that the packages could not be installed', async () => {
    const run = clone().start(['doctor'], { PRETENDED_FAILURE: '1' })
    expect(await run.ended).toEqual({ code: 1, signal: null })
    expect(run.errors).toContain(
      'E404 no such package\nThe packages could not be installed (npm ci, exit code 1).',
    )
    expect(run.errors).not.toMatch(/^\s+at /m)
  })
})

describe('the pages', () => {
  it('are built for a command that serves them, and again only when their sources change', async () => {
    const fresh = clone()
    fresh.write('web/index.html', '<html>')
    await fresh.start(['doctor']).ended
    await fresh.start(['up', '--help']).ended
    expect(fresh.calls('build')).toBe(0)

    const up = fresh.start(['--quiet', '--settings', 'doctor', 'up'])
    expect(await up.ended, up.errors).toEqual({ code: 0, signal: null })
    for (const name of ['web', 'desk'])
      expect(readFileSync(join(fresh.path, 'dist', name, 'index.html'), 'utf8')).toBe('built')
    await fresh.start(['api']).ended
    expect(fresh.calls('build')).toBe(1)

    fresh.write('web/index.html', '<html lang="ru">')
    await fresh.start(['up']).ended
    expect(fresh.calls('build')).toBe(2)
  })
})

const patient = `
import { writeFileSync } from 'node:fs'
process.on('SIGTERM', () => { console.log('SIGTERM'); setTimeout(() => process.exit(7), 100) })
process.on('SIGINT', () => { console.log('SIGINT'); setTimeout(() => process.exit(0), 100) })
process.once('disconnect', () => { writeFileSync('orphaned', ''); process.exit(0) })
process.channel.unref()
setInterval(() => {}, 1000)
console.log('ready ' + process.pid)
`

describe('a running command', () => {
  it.each([
    ['SIGTERM', 7],
    ['SIGINT', 0],
  ] as const)('is told %s once, is waited for and passes its exit code on', async (signal, code) => {
    const run = clone(patient).start(['gateway'])
    await until(() => expect(run.output).toContain('ready'))
    run.child.kill(signal)
    expect(await run.ended).toEqual({ code, signal: null })
    expect(run.output.split('\n').filter((line) => line === signal)).toHaveLength(1)
  })

  it('that a signal ends makes the bootstrap end by the same signal', async () => {
    const run = clone('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)').start(['gateway'])
    expect(await run.ended).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('notices that the bootstrap was killed', async () => {
    const made = clone(patient)
    const run = made.start(['gateway'])
    await until(() => expect(run.output).toContain('ready'))
    run.child.kill('SIGKILL')
    await until(() => expect(existsSync(join(made.path, 'orphaned'))).toBe(true))
    await run.ended
  })
})
