import { useEffect, useMemo, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useLanguage } from '../../state/i18n.ts'
import { useShownTheme } from '../../ui/graphics/chart-parts.ts'
import { chartOptions } from './chart-options.ts'
import styles from './chart.module.css'

/** A bar: the whole of it, and the part of it that is drawn in front. The rest is hatched. */
export interface Bar {
  /** The time at which it begins, ISO, UTC. */
  at: string
  total: bigint
  front: bigint
}

interface ChartProps {
  bars: readonly Bar[]
  stepMs: number
  /** An amount of the axis. */
  format: (amount: bigint) => string
  /** The text of the bar under the pointer; for null: no bar is under the pointer. */
  readout: (bar: Bar | null) => string
}

/** Amounts over time as bars. Hidden from screen readers, for which the page has the same as a table. */
export function Chart({ bars, stepMs, format, readout }: ChartProps) {
  const language = useLanguage()
  const theme = useShownTheme()
  const container = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const data = useMemo(
    (): UPlot.AlignedData => [
      bars.map(({ at }) => Date.parse(at) / 1000),
      bars.map(({ total }) => Number(total)),
      bars.map(({ front }) => Number(front)),
    ],
    [bars],
  )
  const latest = useRef({ data, format })
  const chart = useRef<UPlot | null>(null)
  useEffect(() => {
    latest.current = { data, format }
    chart.current?.setData(data)
  }, [data, format])
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const created = new UPlot(
      chartOptions({
        container: element,
        language,
        stepMs,
        format: (amount) => latest.current.format(amount),
        onHover: setHovered,
      }),
      latest.current.data,
      element,
    )
    chart.current = created
    const observer = new ResizeObserver(() =>
      created.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      created.destroy()
      chart.current = null
    }
  }, [language, theme, stepMs])
  return (
    <div className={styles.chart} aria-hidden="true">
      <p className={styles.readout}>{readout((hovered === null ? undefined : bars[hovered]) ?? null)}</p>
      <div ref={container} className={styles.canvas} />
    </div>
  )
}
