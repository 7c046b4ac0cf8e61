/** `turnpike reports` on files as a gateway leaves them. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import type { Report } from '#feed'
import { encode } from '#feed/frames'
import { dismissDeadLetter } from '#gateway'
import { testDatabase } from '#test/database'
import { listAudit } from '#staff'
import { openTerminal, type Terminal } from '#test/terminal'
import { reportsCheck } from './doctor/machine.ts'
import { reportCommands } from './reports.ts'

let database: Database
let terminal: Terminal
let folder: string

beforeAll(async () => {
  database = await testDatabase()
  terminal = openTerminal(database, [reportCommands])
  folder = path.join(terminal.dataDir, 'gateway')
  mkdirSync(folder)
})
afterAll(async () => {
  terminal.close()
  await database.close()
})

const letter = (sequence: number, gateway = 'gw1-0') => {
  const report: Report = { gateway, boot: 'b1', sequence, at_ms: 0, lines: [] }
  return `${encode({ refused: '2026-01-01T00:00:00.000Z', reason: 'no such account', report })}\n`
}
const ids = async (...words: string[]) =>
  ((await terminal.data('reports', 'list', ...words)) as { id: string }[]).map(({ id }) => id)
const dismiss = (id: string, ...words: string[]) => terminal.run('reports', 'dismiss', id, ...words)

beforeEach(() => {
  for (const file of readdirSync(folder)) writeFileSync(path.join(folder, file), '')
  writeFileSync(path.join(folder, 'gw1-0.refused'), `${letter(1)}not a report\n${letter(2)}`)
  writeFileSync(path.join(folder, 'gw1-1.refused'), letter(1, 'gw1-1'))
})

describe('turnpike reports dismiss', () => {
  it('asks for confirmation, and requires a reason', async () => {
    await expect(dismiss('gw1-0/b1/1', '--yes')).rejects.toThrow('--reason')
    await expect(dismiss('gw1-0/b1/1', '--reason', ' ', '--yes')).rejects.toThrow(
      '--reason must not be empty',
    )
    await expect(dismiss('gw1-0/b1/1', '--reason', 'gone')).rejects.toThrow('Add --yes to do it.')
    expect(await dismiss('gw1-0/b1/1', '--reason', 'gone', '--dry-run')).toContain('Nothing was done.')
    await expect(dismiss('gw1-0/b1/9', '--reason', 'gone', '--yes')).rejects.toThrow('No report gw1-0/b1/9')
    expect(await ids()).toEqual(['gw1-0/b1/1', 'gw1-0/b1/2', 'gw1-1/b1/1'])
    expect(await ids('--dismissed')).toEqual([])
  })

  it('keeps the report with the reason, stops counting it, and changes no other', async () => {
    await dismiss('gw1-0/b1/1', '--reason', 'the account went with the backup', '--yes')
    expect(await ids()).toEqual(['gw1-0/b1/2', 'gw1-1/b1/1'])
    expect(await terminal.data('reports', 'list', '--dismissed')).toMatchObject([
      { id: 'gw1-0/b1/1', reason: 'no such account', because: 'the account went with the backup' },
    ])
    expect(readFileSync(path.join(folder, 'gw1-0.refused'), 'utf8')).toBe(`not a report\n${letter(2)}`)
    expect(statSync(path.join(folder, 'gw1-0.dismissed')).mode & 0o777).toBe(0o600)
    expect(reportsCheck(terminal).sentence).toMatch(/^2 put aside/)
    await dismiss('gw1-0/b1/2', '--reason', 'the same', '--yes')
    await dismiss('gw1-1/b1/1', '--reason', 'the same', '--yes')
    expect(reportsCheck(terminal)).toMatchObject({ severity: 'ok' })
    await expect(dismiss('gw1-0/b1/1', '--reason', 'again', '--yes')).rejects.toThrow('No report')
    // A dismissed report is no longer sent.
    expect(await terminal.data('reports', 'replay')).toEqual({ settled: 0, failed: [] })
    const told = await listAudit(database.db, { subjectKind: 'report' }, { before: null, limit: 9 })
    expect(told.map(({ action, subject_id: id }) => [action, id])).toEqual([
      ['replay_reports', 'all'],
      ['dismiss_report', 'gw1-1/b1/1'],
      ['dismiss_report', 'gw1-0/b1/2'],
      ['dismiss_report', 'gw1-0/b1/1'],
    ])
    expect(told.at(-1)?.reason).toBe('the account went with the backup')
  })

  it('leaves every other report in place when it is interrupted', async () => {
    writeFileSync(path.join(folder, 'gw1-0.refused.sending'), letter(3))
    const one = { id: 'gw1-0/b1/3', because: 'the test', at: new Date(0) }
    expect(await dismissDeadLetter(folder, one)).toBe(true)
    expect(await dismissDeadLetter(folder, one)).toBe(false)
    expect((await ids()).toSorted()).toEqual(['gw1-0/b1/1', 'gw1-0/b1/2', 'gw1-1/b1/1'])
  })
})
