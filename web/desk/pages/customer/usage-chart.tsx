import { useTranslation } from '../../../state/i18n.ts'
import { type Bar, Chart } from '../../parts/chart.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useToldRead } from '../../state/told-read.ts'

/** At most four pools a day make 120 rows, which one page of the list holds. */
const chartDays = 30
const dayMs = 86_400_000
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The traffic of each day; the part that is bonus is hatched. */
export function UsageChart({ id, nowMs }: { id: string; nowMs: number }) {
  const { t } = useTranslation('deskCustomer')
  const { traffic } = useFigures()
  const from = isoDay(nowMs - (chartDays - 1) * dayMs)
  const usage = useToldRead(query('customer_usage', { id, from, until: isoDay(nowMs), limit: 200 }))
  const ofDay = Map.groupBy(usage.data?.rows ?? [], ({ day }) => day)
  if (ofDay.size === 0) return null
  const bars = Array.from({ length: chartDays }, (_, index): Bar => {
    const at = isoDay(Date.parse(from) + index * dayMs)
    const sum = (field: 'charged_bytes' | 'bonus_bytes') =>
      (ofDay.get(at) ?? []).reduce((all, row) => all + BigInt(row[field]), 0n)
    const total = sum('charged_bytes')
    return { at, total, front: total - sum('bonus_bytes') }
  })
  const readout = (bar: Bar | null) =>
    bar === null ? t('usage.chart', { days: chartDays }) : `${bar.at}: ${traffic(bar.total)}`
  return <Chart bars={bars} stepMs={dayMs} format={traffic} readout={readout} />
}
