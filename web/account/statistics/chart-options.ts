/** The data and the options of the uPlot chart, in the colours of the design tokens. */
import UPlot from 'uplot'
import type { Language } from '#contract/language'
import { bytesPerGb } from '#contract/wire'
import { formatNumber, formatTraffic } from '../../ui/format.ts'
import { colourResolver, hatched } from '../../ui/graphics/chart-parts.ts'
import type { Usage } from './usage.ts'

const gbOf = (bytes: bigint) => Number(bytes) / Number(bytesPerGb)

/**
 * Columns: days (seconds, UTC), total traffic and its paid part in GB, requests. The bars of the paid part
 * are drawn in front of the total, so that the visible rest is bonus traffic.
 */
export function chartData(usage: Usage): UPlot.AlignedData {
  return [
    usage.days.map((day) => Date.parse(`${day.date}T00:00:00Z`) / 1000),
    usage.days.map((day) => gbOf(day.bytes)),
    usage.days.map((day) => gbOf(day.bytes - day.bonusBytes)),
    usage.days.map((day) => day.requests),
  ]
}

interface ChartContext {
  container: HTMLElement
  language: Language
  /** Called with the index of the day under the pointer, or null. */
  onHover: (index: number | null) => void
}

export function chartOptions({ container, language, onHover }: ChartContext): UPlot.Options {
  const colour = colourResolver(container)
  const family = getComputedStyle(container).fontFamily
  const axis = {
    stroke: colour('ink-quiet'),
    font: `12px ${family}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const bars = UPlot.paths.bars?.({ size: [0.62, 44], radius: 0.08 })
  const barStyle = { ...(bars === undefined ? {} : { paths: bars }), points: { show: false } }
  const ink = colour('ink')
  return {
    width: container.clientWidth,
    height: container.clientHeight,
    // Days are counted in UTC.
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_chart, least, most) => [least - 43_200, most + 43_200] },
      y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.08 : 1] },
      requests: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        space: 64,
        incrs: [1, 2, 3, 5, 7].map((days) => days * 86_400),
        values: (_chart, ticks) => ticks.map((tick) => day.format(new Date(tick * 1000))),
      },
      {
        ...axis,
        size: 76,
        values: (_chart, ticks) =>
          ticks.map((tick) => formatTraffic(BigInt(Math.round(tick * Number(bytesPerGb))), language)),
      },
      {
        ...axis,
        scale: 'requests',
        side: 1,
        size: 68,
        grid: { show: false },
        // Requests are whole numbers.
        values: (_chart, ticks) =>
          ticks.map((tick) => (Number.isInteger(tick) ? formatNumber(tick, language) : '')),
      },
    ],
    series: [
      {},
      { ...barStyle, fill: () => hatched(colour('paint-text'), colour('paint-wash')), width: 0 },
      { ...barStyle, fill: colour('paint'), stroke: colour('paint-edge'), width: 1 },
      { scale: 'requests', stroke: ink, width: 2, points: { show: true, size: 6, fill: ink, stroke: ink } },
    ],
    hooks: { setCursor: [(chart) => onHover(chart.cursor.idx ?? null)] },
  }
}
