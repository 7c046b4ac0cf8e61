import { useToldRead } from '../../state/told-read.ts'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { reportDivisions, type ReportDivision, type ReportName } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { pools } from '#contract/wire'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { useShopDays } from '../../parts/shop-day.ts'
import { Totals } from '../../parts/totals.tsx'
import { query } from '../../state/api.ts'
import { previousRows } from '../../state/previous-rows.ts'
import { List } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import { Books } from './books.tsx'
import { useReportColumns, useReportFigures } from './columns.tsx'
import { MarginReport } from './margin.tsx'
import { MonthBooks } from './month-books.tsx'
import { isTime, ReportChart } from './report-chart.tsx'
import { askedBy, reportNames } from './part.ts'
import { Period } from './period.tsx'
import styles from './reports.module.css'

/** Sales, usage, liability, refunds and referral, each by one dimension; the sums equal the books. */
export function ReportsPage() {
  const { t } = useTranslation('deskMoney')
  const [search] = useSearchParams()
  const [, setParameter] = useSearchParameter()
  const [now] = useState(() => Date.now())
  const isMargin = search.get('report') === 'margin'
  const { zone, dayOf } = useShopDays()
  const { report, by, from, until } = askedBy(search, dayOf(now))
  const divisions: readonly ReportDivision[] = reportDivisions[report]
  const part = useMemo(() => (report === 'usage' ? given(search, ['pool', 'exit']) : {}), [report, search])
  const filters = useMemo(
    () => ({ report, by, from, until, ...part }) as DeskInput<'report'>,
    [report, by, from, until, part],
  )
  const columns = useReportColumns(report, by, { from, until, zone })
  return (
    <>
      <PageHead
        title={t('reports.title')}
        actions={
          <>
            <MonthBooks />
            <SavedViews />
          </>
        }
      />
      <div className={styles.page}>
        <Segmented
          label={t('reports.show')}
          value={isMargin ? 'margin' : report}
          options={[...reportNames, 'margin' as const].map((value) => ({
            value,
            label: t(`reports.report.${value}`),
          }))}
          onChange={(value) => setParameter('report', value === 'sales' ? null : value)}
        />
        {isMargin ? (
          <MarginReport from={from} until={until} />
        ) : (
          <>
            <p className={styles.note}>{t(`reports.about.${report}`)}</p>
            <Sum filters={filters} report={report} by={by} />
            <List
              call="report"
              label={t(`reports.report.${report}`)}
              filters={filters}
              columns={columns}
              rowId={({ key }) => key}
              empty={<p>{t('reports.none')}</p>}
              bar={
                <FilterBar>
                  <SelectField
                    label={t('reports.divide')}
                    labelHidden
                    value={by}
                    options={divisions.map((value) => ({ value, label: t(`reports.by.${value}`) }))}
                    onChange={(value) => setParameter('by', value === divisions[0] ? null : value)}
                  />
                  {(report !== 'liability' || by !== 'pool') && <Period from={from} until={until} />}
                  {report === 'usage' && <Part />}
                </FilterBar>
              }
            />
          </>
        )}
      </div>
    </>
  )
}

/** The pool filter of usage, and a button that removes the exit filter if the address has one. */
function Part() {
  const { t } = useTranslation(['deskMoney', 'deskPages', 'header'])
  const [search, setParameter] = useSearchParameter()
  const exit = search.get('exit')
  return (
    <>
      <ChoiceFilter
        field="pool"
        label={t('deskPages:column.pool')}
        all={t('deskPages:filter.anyPool')}
        options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
      />
      {exit !== null && (
        <Button size="small" variant="ghost" onClick={() => setParameter('exit', null)}>
          {t('reports.allExits', { exit })}
        </Button>
      )}
    </>
  )
}

/** The sum of all rows, and whether the ledger has the same. */
function Sum({
  filters,
  report,
  by,
}: {
  filters: DeskInput<'report'>
  report: ReportName
  by: ReportDivision
}) {
  const read = useToldRead({ ...query('report', filters), placeholderData: previousRows(filters) })
  const figures = useReportFigures(report)
  const answer = read.data
  if (answer === undefined || answer.rows.length === 0) return null
  const [total, ledger, difference] = answer.foot
  if (total === undefined || ledger === undefined) return null
  return (
    <div className={styles.sum}>
      <Totals
        totals={figures.flatMap(({ field, title, format }) =>
          total[field] === null ? [] : [{ name: title, value: format(total[field]) }],
        )}
      />
      {isTime(by) && <ReportChart answer={answer} by={by} figure={figures[0]} />}
      <Books answer={answer} figures={figures} ledger={ledger} difference={difference} />
    </div>
  )
}
