import { Link } from 'react-router'
import type { ReportDivision, ReportName } from '#contract/desk/choices'
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import type { RowOf } from '../../table/list.tsx'
import { partOf, timeName } from './part.ts'
import { useMethodName } from '../../subjects/method-name.ts'

type Row = RowOf<'report'>
type Figure =
  | 'count'
  | 'micros'
  | 'referral_micros'
  | 'bytes'
  | 'bonus_bytes'
  | 'cost_micros'
  | 'dearest_cost_micros'

export interface ReportFigure {
  field: Figure
  title: string
  format: (amount: string) => string
}

/** The figures of a report, in order. */
export function useReportFigures(report: ReportName): ReportFigure[] {
  const { t } = useTranslation('deskMoney')
  const { number, usd, traffic } = useFigures()
  const money = (kind: 'sales' | 'refunds' | 'referral'): ReportFigure[] => [
    { field: 'micros', title: t(`reports.micros.${kind}`), format: usd },
    { field: 'referral_micros', title: t(`reports.balance.${kind}`), format: usd },
  ]
  const count = (kind: Exclude<ReportName, 'liability'>): ReportFigure => ({
    field: 'count',
    title: t(`reports.count.${kind}`),
    format: number,
  })
  const bytes = (kind: Exclude<ReportName, 'referral'>): ReportFigure => ({
    field: 'bytes',
    title: t(`reports.bytes.${kind}`),
    format: traffic,
  })
  const bonus: ReportFigure = { field: 'bonus_bytes', title: t('reports.bonus'), format: traffic }
  switch (report) {
    case 'sales':
    case 'refunds':
      return [...money(report), bytes(report), count(report)]
    case 'usage':
      return [bytes(report), bonus, count(report)]
    case 'liability':
      return [
        bytes(report),
        bonus,
        { field: 'cost_micros', title: t('reports.heldCost'), format: usd },
        { field: 'dearest_cost_micros', title: t('reports.heldDearest'), format: usd },
      ]
    case 'referral':
      return [...money(report), count(report)]
  }
}

interface Days {
  from: string
  until: string
  zone: string
}

/** The subject of each row, and its figures. */
export function useReportColumns(
  report: ReportName,
  by: ReportDivision,
  { from, until, zone }: Days,
): readonly Column<Row>[] {
  const { t } = useTranslation('deskMoney')
  const figures = useReportFigures(report)
  return [
    {
      id: 'key',
      title: t(`reports.key.${by}`, { zone }),
      fixed: true,
      phone: true,
      cell: (row) => <Key by={by} row={row} to={partOf({ report, by, from, until }, row.key)} />,
    },
    ...figures.map(({ field, title, format }, index): Column<Row> => ({
      id: field,
      title,
      numeric: true,
      phone: index === 0 || field === 'bytes',
      cell: (row) => {
        const amount = row[field]
        // A row may lack a figure.
        return amount == null ? '' : format(amount)
      },
    })),
  ]
}

/** The name of a row, which links to the items that its figures sum up. */
function Key({ by, row: { key, name }, to }: { by: ReportDivision; row: Row; to: string | null }) {
  const { t } = useTranslation(['deskMoney', 'header'])
  const methodName = useMethodName()
  const { language } = useFigures()
  const title = () => {
    if (key === '') return t('reports.without')
    if (by === 'pool') return t(`header:pools.${key as Pool}`)
    if (by === 'exit') return name ?? `#${key}`
    if (by === 'method') return methodName(key)
    return timeName(by, key, language)
  }
  return to === null ? <span>{title()}</span> : <Link to={to}>{title()}</Link>
}
