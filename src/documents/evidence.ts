/**
 * A document with facts about a sale, for a processor that decides a dispute: sections of labelled values and
 * tables, on any number of pages.
 */
import type { Language } from '#contract/language'
import { ink, type Look, page, right, Sheet } from './page.ts'
import { fonts } from './type.ts'

export interface EvidenceTable {
  /** Widths are parts of the page's width that add up to 1. */
  columns: readonly { name: string; width: number }[]
  rows: readonly (readonly string[])[]
}

export interface EvidenceSection {
  title: string
  facts?: readonly (readonly [string, string])[]
  table?: EvidenceTable
  /** A note below the section: what is unknown, and why. */
  note?: string
}

export interface Evidence {
  title: string
  subtitle: string
  seller: string
  language: Language
  sections: readonly EvidenceSection[]
}

const small: Look = { size: 8.5, colour: ink.quiet }
const body: Look = { size: 9 }
const heading: Look = { size: 12, weight: 'bold' }

const inner = right - page.margin
const bottom = page.height - page.margin - 24
const labelWidth = 150

/** The position of the next line; starts a new page when the current one is full. */
class Pen {
  readonly sheet: Sheet
  y = page.margin + 18

  constructor(sheet: Sheet) {
    this.sheet = sheet
  }

  need(height: number): void {
    if (this.y + height <= bottom) return
    this.sheet.nextPage()
    this.y = page.margin + 12
  }
}

/** Renders the evidence as PDF. */
export async function renderEvidence(
  { title, subtitle, seller, language, sections }: Evidence,
  at: Date,
): Promise<Buffer> {
  const sheet = new Sheet(await fonts(), {
    title: `${title} \u2014 ${seller}`,
    author: seller,
    at,
    language: language === 'ru' ? 'ru-RU' : 'en-US',
  })
  const pen = new Pen(sheet)
  pen.y = sheet.block(
    title,
    { x: page.margin, y: pen.y, width: inner, mostLines: 2 },
    { size: 18, weight: 'bold' },
  )
  pen.y = sheet.block(subtitle, { x: page.margin, y: pen.y - 4, width: inner, mostLines: 2 }, small) + 10
  for (const section of sections) write(pen, section)
  sheet.eachPage((number, count) => {
    sheet.line(seller, page.margin, page.height - page.margin + 8, small)
    sheet.line(`${number} / ${count}`, right, page.height - page.margin + 8, { ...small, end: true })
  })
  return sheet.bytes()
}

function write(pen: Pen, { title, facts = [], table, note }: EvidenceSection): void {
  const { sheet } = pen
  pen.need(60)
  sheet.line(title, page.margin, pen.y, heading)
  sheet.rule(pen.y + 6)
  pen.y += 22
  for (const [label, value] of facts) {
    pen.need(40)
    sheet.line(label, page.margin, pen.y, small)
    const box = { x: page.margin + labelWidth, y: pen.y, width: inner - labelWidth, mostLines: 3 }
    pen.y = sheet.block(value === '' ? '\u2014' : value, box, body) + 1
  }
  if (table !== undefined) writeTable(pen, table)
  if (note !== undefined) {
    pen.need(40)
    pen.y = sheet.block(note, { x: page.margin, y: pen.y, width: inner, mostLines: 4 }, small)
  }
  pen.y += 14
}

function writeTable(pen: Pen, { columns, rows }: EvidenceTable): void {
  const { sheet } = pen
  const starts = columns.map((_, index) =>
    columns.slice(0, index).reduce<number>((x, { width }) => x + width * inner, page.margin),
  )
  pen.y += 4
  const line = (cells: readonly string[], look: Look) => {
    pen.need(16)
    for (const [index, cell] of cells.entries()) {
      const width = (columns[index]?.width ?? 0) * inner - 8
      sheet.block(cell, { x: starts[index] ?? page.margin, y: pen.y, width, mostLines: 1 }, look)
    }
    pen.y += 13
  }
  line(
    columns.map(({ name }) => name),
    small,
  )
  for (const row of rows) line(row, body)
  if (rows.length === 0) line(['\u2014'], body)
  pen.y += 2
}
