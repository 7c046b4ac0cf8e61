import type { ReportDivision } from '#contract/desk/choices'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { type Bar, Chart } from '../../parts/chart.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import type { ReportFigure } from './columns.tsx'
import { timeName } from './part.ts'

const dayMs = 86_400_000
const steps = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
type Time = keyof typeof steps

export const isTime = (by: ReportDivision): by is Time => Object.hasOwn(steps, by)

interface ReportChartProps {
  answer: DeskOutput<'report'>
  by: Time
  /** The first figure of the report. */
  figure: ReportFigure | undefined
}

/** The first figure of a report over time; the part of traffic that is bonus is hatched. */
export function ReportChart({ answer, by, figure }: ReportChartProps) {
  const { t } = useTranslation('deskMoney')
  const { language } = useFigures()
  if (figure === undefined) return null
  const { field, title, format } = figure
  // Leaves out rows whose keys are not days.
  const bars = answer.rows
    .filter(({ key }) => !Number.isNaN(Date.parse(key)))
    .map(({ key, bonus_bytes: bonus, ...row }): Bar => {
      const total = BigInt(row[field as 'micros'] ?? 0)
      return { at: key, total, front: field === 'bytes' ? total - BigInt(bonus ?? 0) : total }
    })
  if (bars.length < 2) return null
  const readout = (bar: Bar | null) =>
    bar === null
      ? t('reports.chart', { title })
      : `${timeName(by, bar.at, language)}: ${format(String(bar.total))}`
  return (
    <Chart bars={bars} stepMs={steps[by]} format={(amount) => format(String(amount))} readout={readout} />
  )
}
