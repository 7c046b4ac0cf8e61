import { useEffect, useMemo, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { useFormat } from '../../app/use-format.ts'
import { LaneKey } from '../../ui/lane-chart.tsx'
import { drawing, tableOf } from './drawing.ts'
import type { Usage } from './usage.ts'
import styles from './usage-chart.module.css'

/** The same days for a closer look: paid and bonus traffic as bars, requests as a line. For eyes: the list is for all. */
export default function UsageChart({ usage }: { usage: Usage }) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const place = useRef<HTMLDivElement>(null)
  const [marked, setMarked] = useState<number | null>(null)
  const theme = useTheme()
  const table = useMemo(() => tableOf(usage), [usage])
  const latest = useRef(table)
  const chart = useRef<UPlot | null>(null)

  useEffect(() => {
    const box = place.current
    if (box === null) return
    const made = new UPlot(drawing({ box, language, onMark: setMarked }), latest.current, box)
    chart.current = made
    const watch = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: box.clientHeight }))
    watch.observe(box)
    return () => {
      watch.disconnect()
      made.destroy()
      chart.current = null
    }
  }, [language, theme])

  useEffect(() => {
    latest.current = table
    chart.current?.setData(table)
  }, [table])

  return (
    <figure className={styles.chart} aria-hidden="true">
      <figcaption className={styles.caption}>
        <span className={styles.key}>
          <LaneKey kind="paid" />
          {t('statistics.paid')}
        </span>
        <span className={styles.key}>
          <LaneKey kind="bonus" />
          {t('statistics.bonus')}
        </span>
        <span className={styles.key}>
          <span className={styles.line} />
          {t('statistics.requests')}
        </span>
        <Readout usage={usage} index={marked} />
      </figcaption>
      <div ref={place} className={styles.place} />
    </figure>
  )
}

/** The figures of the day under the pointer. */
function Readout({ usage, index }: { usage: Usage; index: number | null }) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const { traffic, number } = useFormat()
  const day = index === null ? undefined : usage.days[index]
  if (day === undefined) return <span className={styles.readout}>{t('statistics.hover')}</span>
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
  return <span className={styles.readout}>{t('statistics.readout', values)}</span>
}

/** Changes with the theme: a canvas does not repaint itself. */
function useTheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const change = () => setDark(media.matches)
    media.addEventListener('change', change)
    return () => media.removeEventListener('change', change)
  }, [])
  return isDark
}
