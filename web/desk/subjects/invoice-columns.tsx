import { useMemo } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { Badge } from '../parts/badge.tsx'
import { Moment } from '../parts/moment.tsx'
import type { Column } from '../table/columns.ts'
import type { RowOf } from '../table/list.tsx'
import { useFigures } from '../parts/use-figures.ts'
import { CustomerLink } from './customer-link.tsx'
import { InvoiceState } from './invoice-state.tsx'
import { useMethodName } from './method-name.ts'
import { InvoiceLink } from './invoice-link.tsx'

type Row = RowOf<'invoices'>

/** The columns of invoices; of one customer's, without the customer. */
export function useInvoiceColumns({ ofOne = false } = {}): readonly Column<Row>[] {
  const { t } = useTranslation(['deskPages', 'header'])
  const methodName = useMethodName()
  const { usd, number } = useFigures()
  return useMemo(() => {
    const customer: Column<Row> = {
      id: 'customer',
      title: t('column.customer'),
      cell: (row) => <CustomerLink id={row.customer_id} name={row.customer_name ?? row.email} />,
    }
    return [
      {
        id: 'number',
        title: t('column.invoice'),
        fixed: true,
        phone: true,
        cell: ({ number: text, short_number: short }) => <InvoiceLink number={text} short={short} />,
      },
      {
        id: 'state',
        title: t('column.state'),
        phone: true,
        cell: (row) => (
          <>
            <InvoiceState state={row.state} disputed={row.disputed_at !== null} />
            {row.is_test && <Badge tone="quiet">{t('invoices.test')}</Badge>}
          </>
        ),
      },
      ...(ofOne ? [] : [customer]),
      { id: 'pool', title: t('column.pool'), cell: ({ pool }) => t(`header:pools.${pool}`) },
      { id: 'gb', title: t('column.gb'), numeric: true, cell: ({ gb }) => number(gb) },
      {
        id: 'cost',
        title: t('column.cost'),
        numeric: true,
        phone: true,
        cell: (row) => usd(row.cost_micros),
      },
      { id: 'received', title: t('column.received'), numeric: true, cell: (row) => usd(row.received_micros) },
      {
        id: 'refunded',
        title: t('column.refunded'),
        numeric: true,
        optional: true,
        cell: (row) => usd(row.refunded_micros),
      },
      { id: 'method', title: t('column.method'), cell: ({ method }) => methodName(method) },
      { id: 'promo', title: t('column.promo'), optional: true, cell: (row) => row.promo_code },
      {
        id: 'created',
        title: t('column.created'),
        numeric: true,
        cell: (row) => <Moment iso={row.created_at} recent />,
      },
      {
        id: 'settled',
        title: t('column.settled'),
        numeric: true,
        optional: true,
        cell: (row) => row.settled_at !== null && <Moment iso={row.settled_at} recent />,
      },
    ]
  }, [t, usd, number, ofOne, methodName])
}
