/** An A4 page with functions that place text on it. */
import PDFDocument from 'pdfkit'
import { clean, type Face, type Fonts, linesOf, runsOf } from './type.ts'

/** In points. */
export const page = { width: 595.28, height: 841.89, margin: 52 } as const
export const right = page.width - page.margin

export const ink = { text: '#14161a', quiet: '#667080', line: '#d9dde3', faint: '#eef0f3' } as const

export interface Look {
  size: number
  weight?: 'regular' | 'bold'
  colour?: string
}

export class Sheet {
  readonly pdf: PDFKit.PDFDocument
  readonly #fonts: Fonts

  constructor(fonts: Fonts, info: { title: string; author: string; at: Date; language: string }) {
    this.#fonts = fonts
    this.pdf = new PDFDocument({
      size: [page.width, page.height],
      margin: 0,
      bufferPages: true,
      lang: info.language,
      displayTitle: true,
      pdfVersion: '1.7',
      info: {
        Title: clean(info.title),
        Author: clean(info.author),
        Creator: 'Turnpike',
        Producer: 'Turnpike',
        CreationDate: info.at,
        ModDate: info.at,
      },
    })
    for (const face of Object.keys(fonts) as Face[]) this.pdf.registerFont(face, fonts[face].bytes)
  }

  width(text: string, { size, weight = 'regular' }: Look): number {
    return runsOf(text, weight, this.#fonts).reduce(
      (sum, run) => sum + this.pdf.font(run.face).fontSize(size).widthOfString(run.text, { features: [] }),
      0,
    )
  }

  /** A line; `end`: x is its right end. */
  line(text: string, x: number, y: number, look: Look & { end?: boolean }): void {
    const { size, weight = 'regular', colour = ink.text, end = false } = look
    const shown = clean(text)
    let at = end ? x - this.width(shown, look) : x
    for (const run of runsOf(shown, weight, this.#fonts)) {
      this.pdf.font(run.face).fontSize(size).fillColor(colour)
      this.pdf.text(run.text, at, y, { lineBreak: false, features: [], baseline: 'alphabetic' })
      at += this.pdf.widthOfString(run.text, { features: [] })
    }
  }

  /** Lines below each other, of which the first has its base at y; returns the base of the next one. */
  block(
    text: string,
    { x, y, width, mostLines = 6 }: { x: number; y: number; width: number; mostLines?: number },
    look: Look,
  ): number {
    const lines = linesOf(text, { width, mostLines, measure: (one) => this.width(one, look) })
    const leading = look.size * 1.4
    for (const [index, one] of lines.entries()) this.line(one, x, y + index * leading, look)
    return y + lines.length * leading
  }

  rule(y: number, colour: string = ink.line, thick = 0.75, from: number = page.margin): void {
    this.pdf.moveTo(from, y).lineTo(right, y).lineWidth(thick).strokeColor(colour).stroke()
  }

  nextPage(): void {
    this.pdf.addPage()
  }

  /** Draws on each page, after all pages exist. */
  eachPage(put: (number: number, count: number) => void): void {
    const { start, count } = this.pdf.bufferedPageRange()
    for (let index = 0; index < count; index++) {
      this.pdf.switchToPage(start + index)
      put(index + 1, count)
    }
  }

  async bytes(): Promise<Buffer> {
    const chunks: Buffer[] = []
    this.pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
    const ended = new Promise<void>((resolve, reject) => {
      this.pdf.on('end', resolve)
      this.pdf.on('error', reject)
    })
    this.pdf.end()
    await ended
    return Buffer.concat(chunks)
  }
}
