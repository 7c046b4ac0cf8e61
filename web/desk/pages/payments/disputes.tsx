import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { daysLeft, isSoon } from './days-left.ts'
import styles from './payments.module.css'
import { useMethodName } from '../../subjects/method-name.ts'
import { invoiceColumn } from '../../subjects/invoice-column.tsx'
import { CustomerLink } from '../../subjects/customer-link.tsx'

type Filters = Omit<DeskInput<'disputes'>, 'after' | 'limit'>
type Row = RowOf<'disputes'>

const tones: Readonly<Record<NonNullable<Row['state']>, Tone>> = {
  needs_response: 'bad',
  under_review: 'warning',
  won: 'good',
  lost: 'quiet',
}

/** The disputes of payers: first those that need an answer, by deadline. */
export function Disputes() {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, ['state']) as Filters, [search])
  return (
    <>
      <p className={styles.note}>{t('payments.disputeHint')}</p>
      <List
        call="disputes"
        label={t('payments.tab.disputes')}
        filters={filters}
        columns={useDisputeColumns()}
        rowId={(row) => row.invoice_number}
        empty={<p>{t('payments.noDisputes')}</p>}
        bar={
          <FilterBar>
            <ChoiceFilter
              field="state"
              label={t('deskPages:column.state')}
              all={t('payments.allDisputes')}
              options={[{ value: 'open', label: t('payments.openDisputes') }]}
            />
          </FilterBar>
        }
      />
    </>
  )
}

function useDisputeColumns(): readonly Column<Row>[] {
  const { t } = useTranslation(['deskMoney', 'deskPages'])
  const { usd } = useFigures()
  const methodName = useMethodName()
  return useMemo(
    () => [
      invoiceColumn(t('deskPages:column.invoice')),
      {
        id: 'state',
        title: t('deskPages:column.state'),
        phone: true,
        cell: ({ state }) =>
          state === null ? (
            <Badge tone="warning">{t('payments.disputeUnknown')}</Badge>
          ) : (
            <Badge tone={tones[state]}>{t(`payments.disputeState.${state}`)}</Badge>
          ),
      },
      {
        id: 'left',
        title: t('payments.daysLeft'),
        numeric: true,
        phone: true,
        cell: (row) => <DaysLeft row={row} />,
      },
      {
        id: 'due',
        title: t('payments.respondBy'),
        numeric: true,
        cell: (row) => row.respond_by !== null && <Moment iso={row.respond_by} recent />,
      },
      {
        id: 'sum',
        title: t('payments.sum'),
        numeric: true,
        cell: (row) => usd(row.received_micros),
      },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        cell: (row) => <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
      { id: 'method', title: t('deskPages:column.method'), cell: ({ method }) => methodName(method) },
      {
        id: 'since',
        title: t('payments.disputedAt'),
        numeric: true,
        cell: (row) => <Moment iso={row.disputed_at} recent />,
      },
    ],
    [t, usd, methodName],
  )
}

/** Whole days until the deadline of a dispute that is not answered yet. */
function DaysLeft({ row }: { row: Row }) {
  const { t } = useTranslation('deskMoney')
  const [now] = useState(() => new Date())
  if (!row.is_open || row.state === 'under_review') return null
  if (row.respond_by === null) return <span className={styles.untold}>{t('payments.notTold')}</span>
  const days = daysLeft(row.respond_by, now)
  const text =
    days < 0 ? t('payments.tooLate') : days === 0 ? t('payments.today') : t('payments.days', { count: days })
  return isSoon(row.respond_by, now) ? <strong className={styles.soon}>{text}</strong> : <span>{text}</span>
}
