/** How the chart is drawn, in the colours of the page's tokens. */
import UPlot from 'uplot'
import { formatNumber, formatTraffic, type Language } from '../../ui/format.ts'
import type { Usage } from './usage.ts'

const bytesPerGb = 1_000_000_000

/** Columns: days (seconds, UTC), whole traffic and its paid part in GB, requests. What is paid stands in front: the rest of the whole is bonus. */
export function tableOf(usage: Usage): UPlot.AlignedData {
  return [
    usage.days.map((day) => Date.parse(`${day.date}T00:00:00Z`) / 1000),
    usage.days.map((day) => Number(day.bytes) / bytesPerGb),
    usage.days.map((day) => Number(day.bytes - day.bonusBytes) / bytesPerGb),
    usage.days.map((day) => day.requests),
  ]
}

interface Look {
  box: HTMLElement
  language: Language
  /** The day under the pointer, or null. */
  onMark: (index: number | null) => void
}

/** A token's colour as a canvas needs it: resolved for the theme on the screen. */
function colourIn(box: HTMLElement) {
  const probe = document.createElement('span')
  return (token: string) => {
    probe.style.color = `var(--${token})`
    box.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}

/** Bonus is hatched, as in the lanes. */
function hatch(front: string, back: string): CanvasPattern | string {
  const scale = devicePixelRatio
  const size = 6 * scale
  const tile = document.createElement('canvas')
  tile.width = tile.height = size
  const pen = tile.getContext('2d')
  if (pen === null) return back
  pen.fillStyle = back
  pen.fillRect(0, 0, size, size)
  pen.strokeStyle = front
  pen.lineWidth = 1.6 * scale
  for (const shift of [-size, 0, size]) {
    pen.beginPath()
    pen.moveTo(shift, size)
    pen.lineTo(shift + size, 0)
    pen.stroke()
  }
  return pen.createPattern(tile, 'repeat') ?? back
}

export function drawing({ box, language, onMark }: Look): UPlot.Options {
  const colour = colourIn(box)
  const family = getComputedStyle(box).fontFamily
  const axis = {
    stroke: colour('ink-quiet'),
    font: `12px ${family}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const bars = UPlot.paths.bars?.({ size: [0.62, 44], radius: 0.08 })
  const barLook = { ...(bars === undefined ? {} : { paths: bars }), points: { show: false } }
  const ink = colour('ink')
  return {
    width: box.clientWidth,
    height: box.clientHeight,
    // The days are UTC days.
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
          ticks.map((tick) => formatTraffic(BigInt(Math.round(tick * bytesPerGb)), language)),
      },
      {
        ...axis,
        scale: 'requests',
        side: 1,
        size: 68,
        grid: { show: false },
        // A part of a request is none.
        values: (_chart, ticks) =>
          ticks.map((tick) => (Number.isInteger(tick) ? formatNumber(tick, language) : '')),
      },
    ],
    series: [
      {},
      { ...barLook, fill: () => hatch(colour('paint-text'), colour('paint-wash')), width: 0 },
      { ...barLook, fill: colour('paint'), stroke: colour('paint'), width: 0 },
      { scale: 'requests', stroke: ink, width: 2, points: { show: true, size: 6, fill: ink, stroke: ink } },
    ],
    hooks: { setCursor: [(chart) => onMark(chart.cursor.idx ?? null)] },
  }
}
