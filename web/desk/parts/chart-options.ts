/**
 * The options of the desk's bar charts, in the colours of the design tokens. Times are UTC, as days are
 * counted.
 */
import UPlot from 'uplot'
import type { Language } from '#contract/language'
import { colourResolver, hatched } from '../../ui/graphics/chart-parts.ts'

interface ChartContext {
  container: HTMLElement
  language: Language
  /** The time that a bar stands for. */
  stepMs: number
  format: (amount: bigint) => string
  /** Called with the index of the bar under the pointer, or null. */
  onHover: (index: number | null) => void
}

const hour = 3600
const dayMs = 86_400_000

/** At most this many of the labels of months. */
const mostLabels = 6

const sparse = (times: number[]) => {
  const every = Math.ceil(times.length / mostLabels)
  return times.filter((_, index) => (times.length - 1 - index) % every === 0)
}

export function chartOptions({ container, language, stepMs, format, onHover }: ChartContext): UPlot.Options {
  const colour = colourResolver(container)
  const family = getComputedStyle(container).fontFamily
  const axis = { stroke: colour('ink-quiet'), font: `12px ${family}`, ticks: { show: false } }
  const isOfDays = stepMs >= dayMs
  const isOfMonths = stepMs >= 28 * dayMs
  const shown = new Intl.DateTimeFormat(
    language,
    isOfMonths
      ? { month: 'short', year: '2-digit', timeZone: 'UTC' }
      : isOfDays
        ? { day: 'numeric', month: 'short', timeZone: 'UTC' }
        : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' },
  )
  const paths = UPlot.paths.bars?.({ size: [0.62, 44], radius: 0.08 })
  const bars = { ...(paths === undefined ? {} : { paths }), points: { show: false }, width: 0 }
  const half = stepMs / 2000
  return {
    width: container.clientWidth,
    height: container.clientHeight,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_chart, least, most) => [least - half, most + half] },
      y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 56,
        // Months have different lengths: each bar has its own label.
        ...(isOfMonths ? { splits: ({ data: [times] }: UPlot) => sparse([...times]) } : {}),
        incrs: isOfDays
          ? [1, 2, 3, 5, 7, 14, 30].map((days) => days * 24 * hour)
          : [1, 2, 3, 4, 6, 12].map((n) => n * hour),
        values: (_chart, ticks) => ticks.map((tick) => shown.format(new Date(tick * 1000))),
      },
      {
        ...axis,
        grid: { stroke: colour('line'), width: 1 },
        size: 76,
        // Small counts have ticks between whole numbers, which would all be rounded to the same ones.
        values: (_chart, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? format(BigInt(tick)) : '')),
      },
    ],
    series: [
      {},
      { ...bars, fill: () => hatched(colour('paint-text'), colour('paint-wash')) },
      { ...bars, fill: colour('paint'), stroke: colour('paint-edge'), width: 1 },
    ],
    hooks: { setCursor: [(chart) => onHover(chart.cursor.idx ?? null)] },
  }
}
