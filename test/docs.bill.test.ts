/** The verifier in docs/bill.md gives the same results as the shop's own. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { billHeader, billStart, verifyBill } from '#contract/bill/bill'

const page = readFileSync(path.join(import.meta.dirname, '../docs/bill.md'), 'utf8')
const program = /```python\n([^]*?)```/.exec(page)?.[1] ?? ''
const hasPython = spawnSync('python3', ['--version']).status === 0

let folder: string
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'bill-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A bill of hours in two pools. */
function billOf(charges: readonly bigint[]): { text: string; heads: string[] } {
  const balances = new Map<string, bigint>()
  let head = billStart
  const heads: string[] = []
  const lines = charges.map((charged, index) => {
    const pool = index % 2 === 0 ? 'residential' : 'mobile'
    const left = (balances.get(pool) ?? 0n) + 1_000_000_000n - charged
    balances.set(pool, left)
    const hour = new Date(Date.UTC(2026, 10, 1, index)).toISOString().slice(0, 16)
    const line = `${index + 1},${hour}Z,${pool},1000000000,${charged},2.500000,${index},${left}`
    head = sha256(`${head},${line}`)
    heads.push(head)
    return `${line},${head}\n`
  })
  return { text: `${billHeader}\n${lines.join('')}`, heads }
}

/** The result of the printed program's steps, executed here; null: the program stops. */
function bySteps(file: string, kept: readonly string[]): string | null {
  const lines = file.split('\n')
  if (lines.pop() !== '' || lines.shift()?.startsWith('line,') !== true) return null
  const balances = new Map<string, bigint>()
  const heads = new Set<string>()
  let [head, chargedBytes] = [billStart, 0n]
  for (const [index, line] of lines.entries()) {
    const at = line.lastIndexOf(',')
    const [text, hash] = [line.slice(0, at), line.slice(at + 1)]
    const [number, , pool = '', credited = '', charged = '', , , balance = ''] = text.split(',')
    head = sha256(`${head},${text}`)
    balances.set(pool, (balances.get(pool) ?? 0n) + BigInt(credited) - BigInt(charged))
    chargedBytes += BigInt(charged)
    heads.add(head)
    if (Number(number) !== index + 1 || head !== hash || BigInt(balance) !== balances.get(pool)) return null
  }
  return kept.every((one) => heads.has(one)) ? `${head} ${chargedBytes}` : null
}

/** The output of the printed program; without Python, the result of its steps. */
function printed(file: string, kept: readonly string[]): string | null {
  if (!hasPython) return bySteps(file, kept)
  const name = path.join(folder, 'bill.csv')
  writeFileSync(name, file)
  const { status, stdout } = spawnSync('python3', ['-c', program, name, ...kept], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

it('the printed verifier gives the same result as the shop’s own for intact, changed and truncated files', async () => {
  expect(program).toContain('hashlib')
  const { text, heads } = billOf([5n, 7_000_000n, 0n, 123_456_789n, 42n])
  const [, third = '', last = ''] = [0, heads[2], heads[4]]
  const sum = '130456836'
  expect(printed(text, [third, last])).toBe(`${last} ${sum}`)
  expect(printed(text, ['0'.repeat(64)])).toBeNull()
  const cut = `${text.split('\n').slice(0, 4).join('\n')}\n`
  expect([printed(cut, [third]), printed(cut, [last])]).toEqual([`${third} 7000005`, null])
  const files = [
    text,
    cut,
    text.replace('123456789', '123456788'),
    text.replace('2.500000', '1.500000'),
    text.replace(third, 'f'.repeat(64)),
    text.split('\n').toSpliced(2, 1).join('\n'),
    text.slice(0, -1),
  ]
  for (const file of files) {
    const verdict = await verifyBill(Buffer.from(file))
    const said = printed(file, [])
    expect(said === null, file).toBe(!verdict.ok)
    expect(said).toBe(bySteps(file, []))
    if (verdict.ok) expect(said?.split(' ')[0]).toBe(verdict.head)
  }
})
