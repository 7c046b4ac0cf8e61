import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { billHeader, billStart, verifyBill } from './bill.ts'

interface Hour {
  hours: number
  pool: 'residential' | 'mobile'
  credited: bigint
  share: number
  price: string
  requests: number
}

/** A file by the description in docs/bill.md, apart from the code that verifies it. */
function fileOf(hours: readonly Hour[]): string {
  const balances = new Map<string, bigint>()
  let [head, at] = [billStart, Date.UTC(2026, 10, 1)]
  const lines = hours.map(({ hours: later, pool, credited, share, price, requests }, index) => {
    at += later * 3_600_000
    const held = (balances.get(pool) ?? 0n) + credited
    const charged = (held * BigInt(share)) / 100n
    balances.set(pool, held - charged)
    const hour = `${new Date(at).toISOString().slice(0, 16)}Z`
    const line = [index + 1, hour, pool, credited, charged, price, requests, held - charged].join(',')
    head = createHash('sha256').update(`${head},${line}`).digest('hex')
    return `${line},${head}\n`
  })
  return `${billHeader}\n${lines.join('')}`
}

const hour = fc.record({
  hours: fc.integer({ min: 0, max: 30 }),
  pool: fc.constantFrom('residential' as const, 'mobile' as const),
  credited: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  share: fc.integer({ min: 0, max: 100 }),
  price: fc.constantFrom('', '2.500000', '0.000001'),
  requests: fc.nat(),
})
const file = fc.array(hour, { minLength: 1, maxLength: 12 }).map(fileOf)
const bytes = (text: string) => new TextEncoder().encode(text)

describe('verifyBill', () => {
  it('finds a bill in order and adds it up', async () => {
    const text = fileOf([
      { hours: 0, pool: 'residential', credited: 1000n, share: 10, price: '2.500000', requests: 3 },
      { hours: 2, pool: 'mobile', credited: 50n, share: 0, price: '', requests: 0 },
      { hours: 0, pool: 'residential', credited: 0n, share: 50, price: '2.500000', requests: 9 },
    ])
    expect(await verifyBill(bytes(text))).toEqual({
      ok: true,
      kept: [],
      lines: 3,
      head: text.slice(-65, -1),
      from: '2026-11-01T00:00Z',
      through: '2026-11-01T02:00Z',
      pools: [
        { pool: 'residential', creditedBytes: 1000n, chargedBytes: 550n, balanceBytes: 450n },
        { pool: 'mobile', creditedBytes: 50n, chargedBytes: 0n, balanceBytes: 50n },
      ],
    })
    await fc.assert(
      fc.asyncProperty(file, async (one) => {
        expect(await verifyBill(bytes(one))).toMatchObject({ ok: true, head: one.slice(-65, -1) })
      }),
    )
  })

  it('finds every changed byte, and names the line that it is in', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), fc.integer({ min: 1, max: 255 }), async (text, place, by) => {
        const changed = bytes(text)
        const at = place % changed.length
        changed[at] = (changed[at] ?? 0) ^ by
        const verdict = await verifyBill(changed)
        const line = text.slice(0, at).split('\n').length
        expect(verdict.ok).toBe(false)
        // A line end inserted into a line makes two lines of it; the second one has what followed.
        if (!verdict.ok) expect([line, line + 1]).toContain(verdict.line)
      }),
      { numRuns: 500 },
    )
  })

  it('finds bytes put in and left out, and lines that were left out or exchanged', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), fc.integer({ min: 0, max: 255 }), async (text, place, byte) => {
        const whole = [...bytes(text)]
        const at = place % whole.length
        for (const changed of [whole.toSpliced(at, 0, byte), whole.toSpliced(at, 1)])
          expect((await verifyBill(Uint8Array.from(changed))).ok).toBe(false)
      }),
      { numRuns: 200 },
    )
    const lines = fileOf(
      Array.from({ length: 4 }, () => ({
        hours: 1,
        pool: 'mobile',
        credited: 5n,
        share: 0,
        price: '',
        requests: 1,
      })),
    ).split('\n')
    const without = await verifyBill(bytes(lines.toSpliced(2, 1).join('\n')))
    expect(without).toMatchObject({ ok: false, line: 3, fault: 'number' })
  })

  it('finds a line that was made anew without the lines after it', async () => {
    const of = (share: number): Hour[] => [
      { hours: 0, pool: 'mobile', credited: 1000n, share, price: '', requests: 1 },
      { hours: 1, pool: 'mobile', credited: 0n, share: 10, price: '', requests: 1 },
    ]
    const [header, , second] = fileOf(of(10)).split('\n')
    const [, first] = fileOf(of(20)).split('\n')
    const mixed = `${[header, first, second].join('\n')}\n`
    expect(await verifyBill(bytes(mixed))).toMatchObject({ ok: false, line: 3, fault: 'hash' })
  })

  it('finds hours that do not sum to the balance, although their hashes are right', async () => {
    const line = '1,2026-11-01T00:00Z,mobile,1000,10,,1,991'
    const hash = createHash('sha256').update(`${billStart},${line}`).digest('hex')
    expect(await verifyBill(bytes(`${billHeader}\n${line},${hash}\n`))).toMatchObject({
      ok: false,
      line: 2,
      fault: 'balance',
    })
  })

  it('accepts a bill without lines, and refuses a file that is no bill', async () => {
    expect(await verifyBill(bytes(`${billHeader}\n`))).toMatchObject({ ok: true, lines: 0, head: billStart })
    for (const text of ['', '\n', billHeader, `\u{feff}${billHeader}\n`, `${billHeader}\r\n`, 'a picture'])
      expect(await verifyBill(bytes(text))).toMatchObject({ ok: false, fault: 'form' })
  })
})
