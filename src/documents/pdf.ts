/** Renders the facts of a document as PDF (ISO 32000-1). */
import { digitsOf } from '#contract/rates/rates'
import { exactGbIn, longDayIn } from '#contract/amounts'
import { methodTitle } from '#contract/invoices'
import type { Language } from '#contract/language'
import type { Buyer, Facts, Line, Seller } from './facts.ts'
import { ink, type Look, page, right, Sheet } from './page.ts'
import { fonts } from './type.ts'
import { poolIn, printMoney, printPercent, words } from './words.ts'

const small: Look = { size: 8.5, colour: ink.quiet }
const body: Look = { size: 9.5 }
const strong: Look = { size: 9.5, weight: 'bold' }

const gap = 24
const half = (page.width - 2 * page.margin - gap) / 2

interface Paper {
  sheet: Sheet
  facts: Facts
  language: Language
}

/** The PDF of a document. The logo is a PNG, or null. */
export async function renderDocument(
  facts: Facts,
  { logo, at }: { logo: Uint8Array | null; at: Date },
): Promise<Buffer> {
  const { language, kind, number, brand } = facts
  const w = words[language]
  const name = kind === 'invoice' ? w.invoice : w.creditNote
  const sheet = new Sheet(await fonts(), {
    title: `${name} ${w.number(number)} \u2014 ${brand.name}`,
    author: facts.seller?.name ?? brand.name,
    at,
    language: language === 'ru' ? 'ru-RU' : 'en-US',
  })
  const paper = { sheet, facts, language }
  if (facts.specimen) watermark(paper)
  head(paper, logo)
  const parties = people(paper, 172)
  const table = lines(paper, parties + 26)
  const sums = totals(paper, table + 8)
  payment(paper, sums + 38)
  foot(paper)
  return sheet.bytes()
}

/** Whether pdfkit decodes the PNG by itself: 8 bits, not interlaced (PNG specification, 11.2.1). */
function isPlainPng(bytes: Uint8Array): boolean {
  const isPng = [0x89, 0x50, 0x4e, 0x47].every((byte, index) => bytes[index] === byte)
  return isPng && bytes[24] === 8 && bytes[28] === 0
}

function head({ sheet, facts, language }: Paper, logo: Uint8Array | null): void {
  const w = words[language]
  const top = page.margin
  if (logo !== null && isPlainPng(logo))
    sheet.pdf.image(Buffer.from(logo), page.margin, top, { fit: [170, 42] })
  else
    sheet.block(
      facts.brand.name,
      { x: page.margin, y: top + 16, width: half, mostLines: 2 },
      { size: 16, weight: 'bold' },
    )
  const title = facts.kind === 'invoice' ? w.invoice : w.creditNote
  sheet.line(title, right, top + 18, { size: 21, weight: 'bold', end: true })
  sheet.line(w.number(facts.number), right, top + 36, { size: 11, colour: ink.quiet, end: true })
  sheet.rule(top + 56, facts.brand.accent, 2)
  const isSale = facts.kind === 'invoice'
  const dates: [string, string][] = [
    [w.issued, longDayIn(facts.issued_on, language)],
    [isSale ? w.paidOn : w.refundedOn, longDayIn(facts.paid_on, language)],
  ]
  let x: number = page.margin
  for (const [label, value] of dates) {
    sheet.line(label, x, top + 78, small)
    sheet.line(value, x, top + 92, strong)
    x += 150
  }
  if (facts.corrects !== null) {
    const day = longDayIn(facts.corrects.issued_on, language)
    sheet.line(w.corrects(facts.corrects.number, day), right, top + 92, { ...body, end: true })
  }
}

/** Draws seller and buyer side by side; returns the y below them. */
function people({ sheet, facts, language }: Paper, y: number): number {
  const w = words[language]
  const column = (label: string, x: number, texts: readonly { text: string; look: Look }[]) => {
    sheet.line(label, x, y, small)
    let at = y + 17
    for (const { text, look } of texts) at = sheet.block(text, { x, y: at, width: half }, look) + 1.5
    return at
  }
  const left = column(w.seller, page.margin, sellerTexts(facts.seller, w.noSeller))
  const other = column(w.buyer, page.margin + half + gap, buyerTexts(facts.buyer, language))
  return Math.max(left, other)
}

const plain = (text: string) => ({ text, look: body })

function sellerTexts(seller: Seller | null, none: string) {
  if (seller === null) return [{ text: none, look: { ...body, colour: ink.quiet } }]
  const { name, address, tax_ids: taxIds, contacts } = seller
  return [
    { text: name, look: strong },
    ...[address, taxIds, contacts].flatMap((one) => (one === null ? [] : [plain(one)])),
  ]
}

function buyerTexts({ id, email, username, details }: Buyer, language: Language) {
  const w = words[language]
  const name = details?.name ?? username ?? email ?? w.customer(id)
  const rest = [
    details?.address ?? '',
    details === null || details.tax_id === '' ? '' : `${w.taxId} ${details.tax_id}`,
    name === email ? '' : (email ?? ''),
    name === w.customer(id) ? '' : w.customer(id),
  ]
  return [{ text: name, look: strong }, ...rest.filter((one) => one !== '').map(plain)]
}

const columns = { quantity: right - 180, price: right - 92 } as const
const describedWidth = columns.quantity - page.margin - 92

function describe(line: Line, language: Language): string {
  const w = words[language]
  const pool = poolIn(line.pool, language)
  const percent = printPercent(line.ppm ?? 0, language)
  switch (line.what) {
    case 'traffic':
      return w.traffic(pool)
    case 'part':
      return w.part(pool)
    case 'volume_discount':
      return w.volumeDiscount(percent)
    case 'promo_discount':
      return w.promoDiscount(percent, line.promocode ?? '')
    case 'overpayment':
      return w.overpayment
    case 'refund':
      return w.refund(pool)
  }
}

/** Draws the lines; returns the y below them. */
function lines({ sheet, facts, language }: Paper, y: number): number {
  const w = words[language]
  sheet.line(w.description, page.margin, y, small)
  sheet.line(w.quantity, columns.quantity, y, { ...small, end: true })
  sheet.line(w.price, columns.price, y, { ...small, end: true })
  sheet.line(w.amount, right, y, { ...small, end: true })
  sheet.rule(y + 8)
  let at = y + 25
  for (const line of facts.lines) {
    if (line.bytes !== null)
      sheet.line(exactGbIn(BigInt(line.bytes), language), columns.quantity, at, { ...body, end: true })
    if (line.per_gb_micros !== null)
      sheet.line(printMoney(BigInt(line.per_gb_micros), language), columns.price, at, { ...body, end: true })
    sheet.line(printMoney(BigInt(line.amount_micros), language), right, at, { ...body, end: true })
    const end = sheet.block(
      describe(line, language),
      { x: page.margin, y: at, width: describedWidth, mostLines: 4 },
      body,
    )
    sheet.rule(end - 4, ink.faint)
    at = end + 12
  }
  return at
}

/** Draws the sums; returns the y below them. */
function totals({ sheet, facts, language }: Paper, y: number): number {
  const w = words[language]
  const label = right - 150
  const total = `${printMoney(BigInt(facts.total_micros), language)} USD`
  const big = { size: 12.5, weight: 'bold' } as const
  sheet.line(w.total, label, y + 4, { ...big, end: true })
  sheet.line(total, right, y + 4, { ...big, end: true })
  let at = y + 24
  sheet.line(facts.kind === 'invoice' ? w.paid : w.returned, label, at, {
    ...body,
    colour: ink.quiet,
    end: true,
  })
  sheet.line(total, right, at, { ...body, end: true })
  if (facts.collected !== null) {
    const { currency, micros } = facts.collected
    at += 15
    sheet.line(w.collected(currency), label, at, { ...body, colour: ink.quiet, end: true })
    sheet.line(`${printMoney(BigInt(micros), language)} ${currency}`, right, at, { ...body, end: true })
  }
  if (facts.vat !== null) {
    const { rate, currency, micros } = facts.vat
    at += 15
    sheet.line(w.vat(rate), label, at, { ...body, colour: ink.quiet, end: true })
    sheet.line(`${printMoney(BigInt(micros), language)} ${currency}`, right, at, { ...body, end: true })
  }
  return at
}

function payment({ sheet, facts, language }: Paper, y: number): void {
  const w = words[language]
  const { collected, seller } = facts
  sheet.rule(y - 14)
  const told: [string, string][] = [
    [w.method, facts.method_name ?? methodTitle(facts.method, language)],
    [w.order, facts.order],
  ]
  if (collected !== null)
    told.push([
      collected.currency,
      w.rate(
        printMoney(BigInt(collected.rate_micros), language),
        collected.currency,
        longDayIn(collected.rate_on, language),
      ),
    ])
  if (facts.shown !== null) {
    const { currency, micros, rate_micros: rate, rate_on: on } = facts.shown
    const amount = printMoney(BigInt(micros), language, digitsOf(currency))
    const at = w.rate(printMoney(BigInt(rate), language), currency, longDayIn(on, language))
    told.push([w.shownAs, `≈ ${amount} ${currency} (${at})`])
  }
  let at = y + 4
  for (const [label, value] of told) {
    sheet.line(label, page.margin, at, small)
    at = sheet.block(
      value,
      { x: page.margin + 130, y: at, width: right - page.margin - 130, mostLines: 3 },
      body,
    )
    at += 2
  }
  for (const [label, text] of [
    [w.bank, seller?.bank ?? null],
    ['', seller?.tax_note ?? null],
  ] as const) {
    if (text === null) continue
    sheet.line(label, page.margin, at, small)
    for (const line of text.split('\n'))
      at = sheet.block(line, { x: page.margin + 130, y: at, width: right - page.margin - 130 }, body)
    at += 2
  }
}

function foot({ sheet, facts, language }: Paper): void {
  const w = words[language]
  const y = page.height - page.margin
  sheet.rule(y - 18)
  const title = facts.kind === 'invoice' ? w.invoice : w.creditNote
  const name = facts.seller?.name ?? facts.brand.name
  sheet.block(
    facts.specimen ? w.specimenNote : name,
    { x: page.margin, y: y - 2, width: half + 60, mostLines: 1 },
    small,
  )
  sheet.line(`${title} ${w.number(facts.number)}`, right, y - 2, { ...small, end: true })
}

function watermark({ sheet, language }: Paper): void {
  const text = words[language].specimen
  const look = { size: 92, weight: 'bold', colour: ink.faint } as const
  const [x, y] = [page.width / 2, page.height / 2]
  sheet.pdf.save().rotate(-35, { origin: [x, y] })
  sheet.line(text, x - sheet.width(text, look) / 2, y, look)
  sheet.pdf.restore()
}
