import { useMemo, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Moment } from '../../parts/moment.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useInvoiceColumns } from '../../subjects/invoice-columns.tsx'

/** Each change of each balance. */
export function CustomerLedger({ id }: { id: string }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { trafficChange, usdChange } = useFigures()
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_ledger'>>[] => [
      {
        id: 'at',
        title: t('column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} recent />,
      },
      {
        id: 'account',
        title: t('ledger.account'),
        phone: true,
        cell: ({ account, part }) =>
          account === 'referral'
            ? t('customer.referral')
            : `${t(`header:pools.${account}`)}${part === 'bonus' ? `, ${t('ledger.bonus')}` : ''}`,
      },
      {
        id: 'amount',
        title: t('ledger.amount'),
        numeric: true,
        phone: true,
        cell: ({ account, amount }) => (account === 'referral' ? usdChange(amount) : trafficChange(amount)),
      },
      { id: 'kind', title: t('ledger.kind'), cell: ({ kind }) => <code>{kind}</code> },
      { id: 'reference', title: t('ledger.reference'), cell: ({ reference }) => <code>{reference}</code> },
    ],
    [t, trafficChange, usdChange],
  )
  return (
    <List
      call="customer_ledger"
      label={t('customer.tab.ledger')}
      filters={useMemo(() => ({ id }), [id])}
      columns={columns}
      rowId={(row) => `${row.id}-${row.account}-${row.part}`}
      empty={<p>{t('ledger.none')}</p>}
    />
  )
}

export function CustomerInvoices({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  return (
    <List
      call="invoices"
      label={t('invoices.title')}
      filters={useMemo(() => ({ customer_id: id }), [id])}
      columns={useInvoiceColumns({ ofOne: true })}
      rowId={(row) => row.number}
      empty={<p>{t('customer.noInvoices')}</p>}
    />
  )
}

const daysShown = 90
const dayMs = 86_400_000
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Traffic by day and pool, of the last three months. */
export function CustomerUsage({ id }: { id: string }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { traffic, number } = useFigures()
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_usage'>>[] => [
      { id: 'day', title: t('usage.day'), fixed: true, phone: true, cell: ({ day }) => day },
      { id: 'pool', title: t('column.pool'), phone: true, cell: ({ pool }) => t(`header:pools.${pool}`) },
      {
        id: 'charged',
        title: t('usage.charged'),
        numeric: true,
        phone: true,
        cell: (row) => traffic(row.charged_bytes),
      },
      { id: 'bonus', title: t('customer.bonus'), numeric: true, cell: (row) => traffic(row.bonus_bytes) },
      { id: 'requests', title: t('usage.requests'), numeric: true, cell: ({ requests }) => number(requests) },
    ],
    [t, traffic, number],
  )
  const [until] = useState(() => Date.now())
  const filters = useMemo(
    () => ({ id, from: isoDay(until - daysShown * dayMs), until: isoDay(until) }),
    [id, until],
  )
  return (
    <List
      call="customer_usage"
      label={t('customer.tab.usage')}
      filters={filters}
      columns={columns}
      rowId={(row) => `${row.day}-${row.pool}`}
      empty={<p>{t('usage.none')}</p>}
    />
  )
}
