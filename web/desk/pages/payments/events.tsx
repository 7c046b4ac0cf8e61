import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { paymentVerdicts } from '#contract/desk/choices'
import { processorMethods } from '#contract/invoices'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { EventDialog } from './event-dialog.tsx'
import styles from './payments.module.css'
import { Verdict } from './verdict.tsx'
import { useMethodName } from '../../subjects/method-name.ts'

type Filters = Omit<DeskInput<'payment_events'>, 'after' | 'limit'>
type Row = RowOf<'payment_events'>

/** The notifications of processors; each can be viewed as received. */
export function Events() {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, ['method', 'verdict', 'invoice']) as Filters, [search])
  const [open, setOpen] = useState<string | null>(null)
  return (
    <>
      <List
        call="payment_events"
        label={t('payments.tab.events')}
        filters={filters}
        columns={useEventColumns(setOpen)}
        rowId={(row) => row.id}
        empty={<p>{t('payments.noEvents')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="invoice" label={t('payments.invoiceFilter')} main />
            <ChoiceFilter
              field="verdict"
              label={t('payments.verdictColumn')}
              all={t('payments.anyVerdict')}
              options={paymentVerdicts.map((value) => ({ value, label: t(`payments.verdict.${value}`) }))}
            />
            <MethodFilter />
          </FilterBar>
        }
      />
      {open !== null && <EventDialog id={open} onClose={() => setOpen(null)} />}
    </>
  )
}

export function MethodFilter() {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const methodName = useMethodName()
  return (
    <ChoiceFilter
      field="method"
      label={t('deskPages:column.method')}
      all={t('payments.anyMethod')}
      options={processorMethods.map((value) => ({ value, label: methodName(value) }))}
    />
  )
}

function useEventColumns(onOpen: (id: string) => void): readonly Column<Row>[] {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const { number } = useFigures()
  const methodName = useMethodName()
  return useMemo(
    () => [
      {
        id: 'at',
        title: t('deskPages:column.at'),
        fixed: true,
        phone: true,
        cell: (row) => (
          <button type="button" className={styles.open} onClick={() => onOpen(row.id)}>
            <Moment iso={row.at} exact />
          </button>
        ),
      },
      {
        id: 'verdict',
        title: t('payments.verdictColumn'),
        phone: true,
        cell: ({ verdict }) => <Verdict verdict={verdict} />,
      },
      {
        id: 'method',
        title: t('deskPages:column.method'),
        phone: true,
        cell: ({ method }) => methodName(method),
      },
      {
        id: 'invoice',
        title: t('deskPages:column.invoice'),
        cell: ({ invoice_number: invoice }) =>
          invoice !== null && (
            <Link to={`/invoices/${encodeURIComponent(invoice)}`} className="mono">
              {invoice}
            </Link>
          ),
      },
      {
        id: 'deliveries',
        title: t('payments.deliveries'),
        numeric: true,
        cell: ({ deliveries }) => number(deliveries),
      },
    ],
    [t, number, onOpen, methodName],
  )
}
