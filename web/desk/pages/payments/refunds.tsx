import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { refundStates } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge } from '../../parts/badge.tsx'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { MethodFilter } from './events.tsx'
import styles from './payments.module.css'
import { useMethodName } from '../../subjects/method-name.ts'
import { invoiceColumn } from '../../subjects/invoice-column.tsx'
import { refundTones } from '../../subjects/refund-tones.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'

type Filters = Omit<DeskInput<'payment_refunds'>, 'after' | 'limit'>
type Row = RowOf<'payment_refunds'>

/** Refunds that the shop made, and those that wait to be sent by hand. */
export function Refunds() {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, ['state', 'method']) as Filters, [search])
  return (
    <>
      <p className={styles.note}>{t('payments.failedHint')}</p>
      <List
        call="payment_refunds"
        label={t('payments.tab.refunds')}
        filters={filters}
        columns={useRefundColumns()}
        rowId={(row) => row.id}
        empty={<p>{t('payments.noRefunds')}</p>}
        bar={
          <FilterBar>
            <ChoiceFilter
              field="state"
              label={t('deskPages:column.state')}
              all={t('payments.anyRefund')}
              options={refundStates.map((value) => ({ value, label: t(`deskPages:refund.state.${value}`) }))}
            />
            <MethodFilter />
          </FilterBar>
        }
      />
    </>
  )
}

function useRefundColumns(): readonly Column<Row>[] {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const { number, money } = useFigures()
  const methodName = useMethodName()
  return useMemo(
    () => [
      invoiceColumn(t('deskPages:column.invoice')),
      {
        id: 'state',
        title: t('deskPages:column.state'),
        phone: true,
        cell: ({ state }) => <Badge tone={refundTones[state]}>{t(`deskPages:refund.state.${state}`)}</Badge>,
      },
      {
        id: 'sum',
        title: t('payments.sum'),
        numeric: true,
        phone: true,
        cell: ({ micros, currency }) => money(String(Number(micros) / 1e6), currency),
      },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        cell: (row) => <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
      { id: 'method', title: t('deskPages:column.method'), cell: ({ method }) => methodName(method) },
      { id: 'way', title: t('payments.way'), cell: ({ way }) => t(`deskPages:refund.by.${way}`) },
      { id: 'fault', title: t('payments.fault'), cell: ({ fault }) => fault },
      { id: 'attempts', title: t('payments.attempts'), numeric: true, cell: (row) => number(row.attempts) },
      {
        id: 'reference',
        title: t('payments.reference'),
        optional: true,
        cell: ({ reference }) => reference,
      },
      {
        id: 'asked',
        title: t('payments.asked'),
        numeric: true,
        cell: (row) => <Moment iso={row.asked_at} recent />,
      },
      {
        id: 'sent',
        title: t('payments.sentAt'),
        numeric: true,
        optional: true,
        cell: (row) => row.sent_at !== null && <Moment iso={row.sent_at} recent />,
      },
    ],
    [t, number, money, methodName],
  )
}
