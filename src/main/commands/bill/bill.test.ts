import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { billHeader, billStart } from '#contract/bill/bill'
import { rootsHeader } from '#contract/bill/roots'
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

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

/** A bill with one more valid line. */
function continued(): { text: string; head: string } {
  const next = '2,2026-11-01T01:00Z,mobile,0,90,2.500000,1,900'
  const head = sha256(`${hash},${next}`)
  return { text: `${bill}${next},${head}\n`, head }
}

/** Another history, all hashes of which were computed anew. */
function rewritten(): { text: string; head: string } {
  const other = '1,2026-11-01T00:00Z,mobile,1000,20,2.500000,1,980'
  const head = sha256(`${billStart},${other}`)
  return { text: `${billHeader}\n${other},${head}\n`, head }
}

/** A proof that the head of line 1 is in a root of two leaves, and the file of roots. */
function provenOn(day: string) {
  const nonce = 'ab'.repeat(32)
  const leaf = sha256(Buffer.from(`00${nonce}${hash}`, 'hex'))
  const other = 'cd'.repeat(32)
  const root = sha256(Buffer.from(`01${other}${leaf}`, 'hex'))
  const proof = { day, line: 1, head: hash, nonce, index: 1, path: [other], root }
  const roots = `${rootsHeader}\n${day},${root},${sha256(`${billStart},${day},${root}`)}\n`
  return { proof, roots }
}

describe('turnpike verify-bill', () => {
  it('says that a bill agrees with itself, its last hash, and that this alone proves little', async () => {
    const [said, code] = await verify(bill)
    expect(said).toContain('1 lines, from 2026-11-01T00:00Z')
    expect(said).toContain('mobile: 1000 bytes credited, 10 charged, 990 left')
    expect(said).toContain(`Its last hash is ${hash}.`)
    expect(said).toContain('By itself this does not prove')
    expect(said).not.toMatch(/in order|the account shows the same/)
    expect(code).toBeUndefined()
    const [compared, equal] = await verify(bill, '--head', ` ${hash.toUpperCase()} `)
    expect(compared).toContain('no more and no fewer')
    expect(compared).not.toContain('By itself')
    expect(equal).toBeUndefined()
  })

  it('names the line with a changed byte, and fails', async () => {
    const [said, code] = await verify(bill.replace(',10,', ',11,'))
    expect(said).toContain('Line 2 of the file: its hash is another')
    expect(code).toBe(1)
    expect((await verify('\u001b[2J'))[0]).toContain('?[2J')
  })

  it('fails for a file without its last lines, with lines appended, and with a rewritten history, and names both hashes', async () => {
    const longer = continued()
    const other = rewritten()
    const cases: [string, string, string, RegExp][] = [
      [bill, hash, longer.head, /which no line has: lines are missing at its end, or .*computed anew/],
      [longer.text, longer.head, hash, /that of line 1: the 1 after it are newer .* or are not the shop's/],
      [other.text, other.head, hash, /which no line has: .*computed anew/],
      [`${billHeader}\n`, billStart, hash, /which no line has/],
    ]
    for (const [text, end, head, why] of cases) {
      const [said, code] = await verify(text, '--head', head)
      expect(said).toContain(`the file ends with ${end}, and the given hash is ${head}`)
      expect(said).toMatch(why)
      expect(code).toBe(1)
      const [told] = await verify(text, '--head', head, '--json')
      expect(JSON.parse(told)).toMatchObject({ ok: true, head: end, head_matches: false })
    }
  })

  it('finds an older hash in a longer bill, and says which lines it does not prove', async () => {
    const longer = continued()
    const [said, code] = await verify(longer.text, '--head', longer.head, '--kept', hash)
    expect(said).toContain(`The kept hash ${hash} is that of line 1`)
    expect(said).toContain('It proves nothing of the 1 after it')
    expect(code).toBeUndefined()
    const [missing, failed] = await verify(rewritten().text, '--kept', hash)
    expect(missing).toContain(`no line has the kept hash ${hash}; the file ends with ${rewritten().head}`)
    expect(failed).toBe(1)
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await expect(verify(bill, '--kept', 'abc')).rejects.toThrow('64 hexadecimal digits')
    stderr.mockRestore()
  })

  it('verifies that a head is in the published root of a day', async () => {
    const { proof, roots } = provenOn('2026-11-02')
    const [proofFile, rootsFile] = ['proof.json', 'roots.csv'].map((name) => path.join(folder, name)) as [
      string,
      string,
    ]
    const prove = (one: unknown, published: string | null, text = continued().text) => {
      writeFileSync(proofFile, typeof one === 'string' ? one : JSON.stringify(one))
      if (published !== null) writeFileSync(rootsFile, published)
      return verify(text, '--proof', proofFile, ...(published === null ? [] : ['--roots', rootsFile]))
    }
    const [good, code] = await prove(proof, roots)
    expect(good).toContain('Line 1 is in the published root of 2026-11-02')
    expect(good).toContain('It proves nothing of the 1 after it')
    expect(code).toBeUndefined()
    expect((await prove(proof, null))[0]).toContain(`to the root ${proof.root}. It proves something once`)
    const wrong: [unknown, string, string][] = [
      ['no proof', roots, 'is none'],
      [{ ...proof, nonce: 'ef'.repeat(32) }, roots, 'does not lead to its root'],
      [{ ...proof, index: 3 }, roots, 'does not lead to its root'],
      [{ ...proof, head: rewritten().head }, roots, 'which the file does not have'],
      [proof, provenOn('2026-11-03').roots, 'have none of 2026-11-02'],
      [
        proof,
        `${rootsHeader}\n2026-11-02,${hash},${sha256(`${billStart},2026-11-02,${hash}`)}\n`,
        `published one is ${hash}`,
      ],
    ]
    for (const [one, published, why] of wrong) {
      const [said, failed] = await prove(one, published)
      expect(said).toContain(why)
      expect(failed).toBe(1)
    }
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await expect(prove(proof, roots.replace('11-02', '11-01'))).rejects.toThrow('Line 2 of the file of roots')
    stderr.mockRestore()
  })

  it('says when there is no such file', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await expect(terminal.run('verify-bill', path.join(folder, 'none'))).rejects.toThrow('cannot be read')
    stderr.mockRestore()
  })
})
