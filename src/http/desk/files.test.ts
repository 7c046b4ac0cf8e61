import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileFormat, fileFormats } from '#contract/desk/wire'
import type { DeskHandlers } from '#staff/call'
import { blockStaff } from '#staff'
import { app, type App } from '#test/app'
import { desk, type Desk, type StaffMember } from '#test/desk'
import { cellsOf } from '#test/unzip'
import type { FileLimits } from './reader.ts'
import { cellOf } from './xlsx.ts'

let shop: App
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
})
afterAll(() => shop.close())

const row = (number: number) => ({
  id: String(number + 1),
  at: '2026-11-22T23:30:00.250Z',
  actor: { kind: 'staff' as const, staff_id: '1', name: 'somebody' },
  action: 'block_customer',
  subject_kind: 'customer',
  subject_id: '7',
  customer_id: '7',
  customer_name: null,
  before: null,
  after: null,
  // Random bytes: they hardly compress in a workbook.
  reason: randomBytes(3000).toString('base64'),
  ip: null,
  request_id: null,
})

interface Endless {
  office: Desk
  owner: StaffMember
  /** The number of pages read. */
  pages: () => number
}

/** A desk whose audit trail has no end. */
async function endless(
  fileLimits: FileLimits,
  onPage: (page: number) => Promise<void> = async () => undefined,
): Promise<Endless> {
  let pages = 0
  const audit: DeskHandlers['audit'] = async ({ limit = 50 }, { database }) => {
    pages += 1
    await onPage(pages)
    await database.pool.query('select 1')
    return { rows: Array.from({ length: limit }, (_, index) => row(index)), next: String(pages) }
  }
  const office = await desk(shop, { fileLimits, handlers: { audit } })
  return { office, owner: await office.staff('owner'), pages: () => pages }
}

const limits = { rowsAtOnce: 100, stallMs: 60_000, totalMs: 60_000, atOnce: 1 }
const get = (owner: StaffMember, format: FileFormat, signal?: AbortSignal) =>
  owner.browser.fetch(`/api/audit.${format}`, signal === undefined ? {} : { signal })

/** Waits until the member may read another file: the previous one has ended, and none of it is being read. */
async function untilEnded(owner: StaffMember) {
  await expect
    .poll(
      async () => {
        const leaving = new AbortController()
        const answer = await get(owner, 'csv', leaving.signal)
        leaving.abort()
        return answer.status
      },
      { timeout: 20_000 },
    )
    .toBe(200)
}

describe.each(fileFormats)('a file (%s)', (format) => {
  it('is read from the database only as fast as its reader takes it; an idle reader is cut off', async () => {
    const { office, owner, pages } = await endless({ ...limits, stallMs: 300 })
    const { hostname, port } = new URL(office.origin)
    const socket = connect({ host: hostname, port: Number(port) })
    const fields = [`host: ${hostname}`, `cookie: ${owner.browser.cookie}`, 'sec-fetch-site: same-origin']
    socket.pause()
    socket.write(`GET /api/audit.${format} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
    await expect.poll(pages).toBeGreaterThan(0)
    await untilEnded(owner)
    const read = pages()
    // A page is some 400 kB, and the sockets of this machine hold a few MB.
    expect(read).toBeLessThan(60)
    await expect.poll(() => shop.database.pool.totalCount - shop.database.pool.idleCount).toBe(0)
    socket.destroy()
    await office.close()
  })

  it('is not read any further when its reader goes away', async () => {
    const { office, owner, pages } = await endless(limits)
    const leaving = new AbortController()
    const answer = await get(owner, format, leaving.signal)
    const reader = answer.body?.getReader()
    await reader?.read()
    expect((await get(owner, format)).status).toBe(429)
    leaving.abort()
    await untilEnded(owner)
    expect(pages()).toBeGreaterThan(0)
    await office.close()
  })

  it('is cut off at its time limit, visibly incomplete', async () => {
    const { office, owner } = await endless({ ...limits, totalMs: 300 })
    const answer = await get(owner, format)
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    await office.close()
  })

  it('ends when the member is blocked', async () => {
    const system = { kind: 'system', staffId: null, name: 'root', ip: null, requestId: null } as const
    let id = 0n
    const { office, owner, pages } = await endless(limits, async (page) => {
      if (page === 2) await blockStaff(shop.database.db, system, id, shop.clock.now)
    })
    await office.staff('owner')
    id = owner.id
    const answer = await get(owner, format)
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    expect(pages()).toBe(2)
    await office.close()
  })
})

describe('a workbook', () => {
  const names = [
    '=cmd|calc!A1',
    '+1+1',
    '-2+3',
    '@sum',
    '\t=1',
    '\r=1',
    'a "b"',
    "'=1",
    '_x0041_',
    '<b>&amp;',
  ]

  it('has numbers, dates of the zone and texts, and no formula', async () => {
    const rows = names.map((name, index) => ({ ...row(index), reason: name }))
    const audit: DeskHandlers['audit'] = () => Promise.resolve({ rows, next: null })
    const office = await desk(shop, { zone: 'Europe/Moscow', handlers: { audit } })
    const owner = await office.staff('owner')
    const answer = await get(owner, 'xlsx')
    expect(answer.headers.get('content-type')).toBe(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    )
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="audit-[\d-]{10}\.xlsx"$/,
    )
    const file = Buffer.from(await answer.arrayBuffer())
    const [head = [], ...cells] = cellsOf(file)
    expect(head.slice(0, 4)).toEqual(['id', 'at, Europe/Moscow', 'actor', 'action'])
    // 2:30 of the next day in Moscow; days since 1899-12-30.
    const days = (Date.parse('2026-11-23T02:30:00.250Z') - Date.parse('1899-12-30')) / 86_400_000
    for (const [index, cell] of cells.entries()) {
      expect(cell[0]).toBe(String(index + 1))
      expect(Number(cell[1])).toBeCloseTo(days, 6)
    }
    const texts = cells.map((cell) => cell[9])
    expect(texts.slice(0, 5)).toEqual(names.slice(0, 5))
    expect(texts.slice(5)).toEqual(['_x000D_=1', 'a "b"', "'=1", '_x005F_x0041_', '<b>&amp;'])
    await office.close()
  })

  it('holds amounts exactly: as numbers of 15 digits at most, else as texts', () => {
    const cell = (value: string, kind: 'number' | 'usd') => cellOf(value, kind, 'UTC')
    expect(cell('12345670000', 'usd')).toBe(12_345.67)
    expect(cell('-1', 'usd')).toBe(-0.000001)
    expect(cell('999999999999999', 'number')).toBe(999_999_999_999_999)
    expect(cell('1000000000000001', 'number')).toBe('1000000000000001')
    expect(cell('1000000000000001', 'usd')).toBe('1000000000.000001')
    expect(cellOf('2026-11-23', 'dated', 'Asia/Tokyo')).toEqual(new Date('2026-11-23'))
    expect(cellOf('SPRING', 'dated', 'UTC')).toBe('SPRING')
    expect(String(cellOf('x'.repeat(40_000), 'text', 'UTC'))).toHaveLength(32_767)
    expect(cellOf('a\u0000b\ufffe', 'text', 'UTC')).toBe('ab')
  })
})
