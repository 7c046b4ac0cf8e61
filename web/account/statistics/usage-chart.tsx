import { useEffect, useMemo, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { useShownTheme } from '../../ui/graphics/chart-parts.ts'
import { UsageSwatch } from '../../ui/graphics/usage-bars.tsx'
import { chartOptions, chartData } from './chart-options.ts'
import type { Usage } from './usage.ts'
import styles from './usage-chart.module.css'

/**
 * Paid and bonus traffic as bars, requests as a line. Hidden from screen readers, which have the list of
 * days.
 */
export function UsageChart({ usage }: { usage: Usage }) {
  const { t } = useTranslation(['userPanel', 'usage'])
  const language = useLanguage()
  const container = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const theme = useShownTheme()
  const data = useMemo(() => chartData(usage), [usage])
  const latest = useRef(data)
  const chart = useRef<UPlot | null>(null)

  useEffect(() => {
    const element = container.current
    if (element === null) return
    const options = chartOptions({ container: element, language, onHover: setHovered })
    const created = new UPlot(options, latest.current, element)
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
  }, [language, theme])

  useEffect(() => {
    latest.current = data
    chart.current?.setData(data)
  }, [data])

  return (
    <figure className={styles.chart} aria-hidden="true">
      <figcaption className={styles.caption}>
        <span className={styles.legend}>
          <UsageSwatch kind="paid" />
          <span>{t('usage:statistics.paid')}</span>
        </span>
        <span className={styles.legend}>
          <UsageSwatch kind="bonus" />
          <span>{t('usage:statistics.bonus')}</span>
        </span>
        <span className={styles.legend}>
          <span className={styles.line} />
          <span>{t('usage:statistics.requests')}</span>
        </span>
        <Readout usage={usage} index={hovered} />
      </figcaption>
      <div ref={container} className={styles.canvas} />
    </figure>
  )
}

/** The figures of the day under the pointer. */
function Readout({ usage, index }: { usage: Usage; index: number | null }) {
  const { t } = useTranslation(['userPanel', 'usage'])
  const language = useLanguage()
  const { traffic, number } = useFormat()
  const day = index === null ? undefined : usage.days[index]
  if (day === undefined) return <span className={styles.readout}>{t('usage:statistics.hover')}</span>
  const date = new Date(`${day.date}T00:00:00Z`).toLocaleDateString(language, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const values = {
    date,
    paid: traffic(day.bytes - day.bonusBytes),
    bonus: traffic(day.bonusBytes),
    requests: number(day.requests),
  }
  return <span className={styles.readout}>{t('usage:statistics.readout', values)}</span>
}
