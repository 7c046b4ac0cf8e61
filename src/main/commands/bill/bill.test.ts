import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { billHeader, billStart } from '#contract/bill/bill'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { openTerminal, type Terminal } from '#test/terminal'
import { billCommand } from './bill.ts'

let database: Database
let terminal: Terminal
const folder = mkdtempSync(path.join(tmpdir(), 'bill-'))
const file = path.join(folder, 'bill.csv')
const line = '1,2026-11-01T00:00Z,mobile,1000,10,2.500000,1,990'
const hash = createHash('sha256').update(`${billStart},${line}`).digest('hex')
const bill = `${billHeader}\n${line},${hash}\n`

beforeAll(async () => {
  database = await testDatabase()
  terminal = openTerminal(database, [billCommand])
})
afterAll(async () => {
  terminal.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

/** What it prints, and its exit code. */
async function verify(text: string, ...options: string[]): Promise<[string, unknown]> {
  writeFileSync(file, text)
  const before = process.exitCode
  try {
    process.exitCode = undefined
    return [await terminal.run('verify-bill', file, ...options), process.exitCode]
  } finally {
    process.exitCode = before
  }
}

describe('turnpike verify-bill', () => {
  it('says that a bill is in order, and its hash', async () => {
    const [said, code] = await verify(bill, '--head', hash)
    expect(said).toContain('1 lines, from 2026-11-01T00:00Z')
    expect(said).toContain('mobile: 1000 bytes credited, 10 charged, 990 left')
    expect(said).toContain(hash)
    expect(code).toBeUndefined()
  })

  it('names the line with a changed byte, and fails', async () => {
    const [said, code] = await verify(bill.replace(',10,', ',11,'))
    expect(said).toContain('Line 2 of the file: its hash is another')
    expect(code).toBe(1)
    expect((await verify('\u001b[2J'))[0]).toContain('?[2J')
  })

  it('fails for a file that does not end with the hash of the account', async () => {
    const [said, code] = await verify(`${billHeader}\n`, '--head', hash)
    expect(said).toContain('does not end with the given hash')
    expect(code).toBe(1)
  })

  it('says when there is no such file', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await expect(terminal.run('verify-bill', path.join(folder, 'none'))).rejects.toThrow('cannot be read')
    vi.restoreAllMocks()
  })
})
