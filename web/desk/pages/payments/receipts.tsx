import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { receiptNeeds, receiptStates } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { ReceiptFaultText, ReceiptNumbers, ReceiptState, registrable } from '../../subjects/receipt.tsx'
import { RegisterReceiptDialog } from '../../subjects/register-receipt.tsx'
import { useMethodName } from '../../subjects/method-name.ts'
import { invoiceColumn } from '../../subjects/invoice-column.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import styles from './payments.module.css'
import { CustomerLink } from '../../subjects/customer-link.tsx'

type Filters = Omit<DeskInput<'receipts'>, 'after' | 'limit'>
type Row = RowOf<'receipts'>

const filterNames = ['state', 'need', 'invoice', 'from', 'until'] as const

/** Fiscal receipts: those that the processor registers, and those that wait to be registered by hand. */
export function Receipts() {
  const { t } = useTranslation(['deskReceipts', 'deskPages'])
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, filterNames) as Filters, [search])
  const [marked, setMarked] = useState<Row | null>(null)
  return (
    <>
      {(filters.need === 'trouble' || filters.need === 'by_hand') && (
        <p className={styles.note}>{t(`whatToDo.${filters.need}`)}</p>
      )}
      <List
        call="receipts"
        label={t('title')}
        filters={filters}
        columns={useReceiptColumns(setMarked)}
        rowId={(row) => row.id}
        empty={<p>{t('none')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="invoice" label={t('invoiceFilter')} main />
            <ChoiceFilter
              field="need"
              label={t('needs')}
              all={t('anyNeed')}
              options={receiptNeeds.map((value) => ({ value, label: t(`need.${value}`) }))}
            />
            <ChoiceFilter
              field="state"
              label={t('deskPages:column.state')}
              all={t('anyState')}
              options={receiptStates.map((value) => ({ value, label: t(`state.${value}`) }))}
            />
            <DayFilter field="from" label={t('from')} />
            <DayFilter field="until" label={t('until')} />
          </FilterBar>
        }
      />
      {marked !== null && <RegisterReceiptDialog receipt={marked} onClose={() => setMarked(null)} />}
    </>
  )
}

function useReceiptColumns(onMark: (row: Row) => void): readonly Column<Row>[] {
  const { t } = useTranslation(['deskReceipts', 'deskPages'])
  const { money } = useFigures()
  const methodName = useMethodName()
  const may = useMay()
  const mayMark = may('register_receipt')
  return useMemo(
    () => [
      invoiceColumn(t('deskPages:column.invoice')),
      {
        id: 'state',
        title: t('deskPages:column.state'),
        phone: true,
        cell: (row) => <ReceiptState receipt={row} />,
      },
      {
        id: 'mark',
        title: t('mark.column'),
        phone: true,
        cell: (row) =>
          mayMark &&
          registrable(row) && (
            <Button size="small" onClick={() => onMark(row)}>
              {t(row.number === null ? 'mark.act' : 'mark.correct')}
            </Button>
          ),
      },
      { id: 'kind', title: t('kindColumn'), cell: ({ kind }) => t(`kind.${kind}`) },
      {
        id: 'sum',
        title: t('sum'),
        numeric: true,
        phone: true,
        cell: ({ amount, currency }) => money(amount, currency),
      },
      { id: 'numbers', title: t('numbers'), cell: (row) => <ReceiptNumbers receipt={row} short /> },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        cell: (row) => <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
      { id: 'description', title: t('description'), optional: true, cell: (row) => row.description },
      { id: 'email', title: t('email'), optional: true, cell: (row) => row.email },
      { id: 'method', title: t('deskPages:column.method'), cell: ({ method }) => methodName(method) },
      {
        id: 'fault',
        title: t('fault'),
        cell: ({ fault }) => fault !== null && <ReceiptFaultText fault={fault} />,
      },
      { id: 'at', title: t('at'), numeric: true, cell: (row) => <Moment iso={row.at} recent /> },
      {
        id: 'registered',
        title: t('registeredAt'),
        numeric: true,
        optional: true,
        cell: (row) => row.registered_at !== null && <Moment iso={row.registered_at} recent />,
      },
    ],
    [t, money, methodName, mayMark, onMark],
  )
}
