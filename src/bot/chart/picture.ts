/**
 * The chart of daily usage as SVG, in the light colours of the site. It contains only our own texts, no names
 * from customers.
 */
import type { Language } from '#contract/language'

export interface Day {
  /** YYYY-MM-DD, UTC. */
  day: string
  paidBytes: number
  bonusBytes: number
}

export interface Picture {
  title: string
  subtitle: string
  /** The labels of the paid and the bonus part. */
  legend: { paid: string; bonus: string }
  language: Language
  days: readonly Day[]
}

export const size = { width: 1200, height: 675 } as const
const plot = { left: 110, right: 1150, top: 190, bottom: 570 } as const
const colour = {
  ground: '#F4F3EF',
  surface: '#FFFFFF',
  ink: '#14171A',
  quiet: '#555B63',
  line: '#DAD8D0',
  paint: '#FFC21A',
  bonus: '#8A5B00',
} as const

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The units of the axis, the largest first. */
const units = [
  { bytes: 1e12, ru: 'ТБ', en: 'TB' },
  { bytes: 1e9, ru: 'ГБ', en: 'GB' },
  { bytes: 1e6, ru: 'МБ', en: 'MB' },
] as const

/** A round number that is not below the value: 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10
  return factor * power
}

/** The top of the axis and its unit. */
export function axisOf(mostBytes: number): { top: number; unit: (typeof units)[number] } {
  const unit = units.find(({ bytes }) => mostBytes >= bytes) ?? units[2]
  return { top: roundUp(Math.max(mostBytes / unit.bytes, 1)) * unit.bytes, unit }
}

interface Writing {
  x: number
  y: number
  size?: number
  fill?: string
  anchor?: 'start' | 'middle' | 'end'
  weight?: 400 | 600
}

const write = (
  text: string,
  { x, y, size: px = 24, fill = colour.quiet, anchor = 'start', weight = 400 }: Writing,
) =>
  `<text x="${x}" y="${y}" font-size="${px}" fill="${fill}" text-anchor="${anchor}" font-weight="${weight}">${escape(text)}</text>`

const numberIn = (language: Language, value: number) =>
  new Intl.NumberFormat(language === 'ru' ? 'ru-RU' : 'en-GB', { maximumFractionDigits: 2 }).format(value)

/** Lines of the axis with their amounts. */
function axis(language: Language, top: number, unit: (typeof units)[number]): string {
  const steps = [0, 0.25, 0.5, 0.75, 1]
  return steps
    .map((part) => {
      const y = plot.bottom - part * (plot.bottom - plot.top)
      const text = part === 0 ? '0' : `${numberIn(language, (top * part) / unit.bytes)} ${unit[language]}`
      return `<line x1="${plot.left}" y1="${y}" x2="${plot.right}" y2="${y}" stroke="${colour.line}" stroke-width="2"/>${write(text, { x: plot.left - 14, y: y + 8, size: 22, anchor: 'end' })}`
    })
    .join('')
}

function bars({ days, language }: Picture, top: number): string {
  const slot = (plot.right - plot.left) / days.length
  const width = Math.min(slot * 0.7, 90)
  const every = Math.ceil(days.length / 10)
  const heightOf = (bytes: number) => (bytes / top) * (plot.bottom - plot.top)
  const format = new Intl.DateTimeFormat(language === 'ru' ? 'ru-RU' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  return days
    .map(({ day, paidBytes, bonusBytes }, index) => {
      const x = plot.left + slot * index + (slot - width) / 2
      const [paid, bonus] = [heightOf(paidBytes), heightOf(bonusBytes)]
      const bar = (y: number, height: number, fill: string) =>
        height <= 0 ? '' : `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"/>`
      const label =
        (days.length - 1 - index) % every === 0
          ? write(format.format(new Date(`${day}T00:00:00Z`)), {
              x: x + width / 2,
              y: plot.bottom + 36,
              size: 20,
              anchor: 'middle',
            })
          : ''
      return (
        bar(plot.bottom - paid, paid, colour.paint) +
        bar(plot.bottom - paid - bonus, bonus, colour.bonus) +
        label
      )
    })
    .join('')
}

const legendEntry = (x: number, fill: string, text: string) =>
  `<rect x="${x}" y="634" width="20" height="20" fill="${fill}"/>${write(text, { x: x + 32, y: 652, size: 22 })}`

export function drawUsage(picture: Picture): string {
  const { title, subtitle, legend, language, days } = picture
  const most = Math.max(0, ...days.map(({ paidBytes, bonusBytes }) => paidBytes + bonusBytes))
  const { top, unit } = axisOf(most)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" font-family="Onest">
<rect width="${size.width}" height="${size.height}" fill="${colour.ground}"/>
<rect x="0" y="0" width="${size.width}" height="10" fill="${colour.paint}"/>
${write(title, { x: 50, y: 84, size: 44, fill: colour.ink, weight: 600 })}
${write(subtitle, { x: 50, y: 132, size: 26 })}
${axis(language, top, unit)}
${bars(picture, top)}
${legendEntry(plot.left, colour.paint, legend.paid)}
${legendEntry(plot.left + 280, colour.bonus, legend.bonus)}
</svg>`
}
