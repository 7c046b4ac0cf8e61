import { useMemo } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Moment } from '../../parts/moment.tsx'
import { useMay } from '../../state/session.ts'
import type { Column } from '../../table/columns.ts'
import type { RowOf } from '../../table/list.tsx'
import { useCountryName } from '../../parts/use-country-name.ts'
import { useFigures } from '../../parts/use-figures.ts'
import styles from './customers.module.css'
import { customerName } from '../../subjects/customer-name.ts'
import { CustomerState } from '../../subjects/customer-state.tsx'

type Row = RowOf<'customers'>

/** `byMargin`: the list is about margins, which a phone then shows instead of balances. */
export function useCustomerColumns({ byMargin }: { byMargin: boolean }): readonly Column<Row>[] {
  const { t } = useTranslation('deskPages')
  const { usd, traffic } = useFigures()
  const countryName = useCountryName()
  const mayMargin = useMay()('margin_report')
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('column.customer'),
        fixed: true,
        phone: true,
        cell: (row) => (
          <Link to={`/customers/${row.id}`} className={styles.name}>
            {customerName(row)}
          </Link>
        ),
      },
      { id: 'email', title: t('column.email'), cell: ({ email }) => email },
      { id: 'telegram', title: t('column.telegram'), optional: true, cell: ({ telegram }) => telegram },
      {
        id: 'state',
        title: t('column.state'),
        sort: { value: 'state', direction: 'ascending' },
        cell: ({ state }) => <CustomerState state={state} />,
      },
      {
        id: 'tags',
        title: t('column.tags'),
        cell: ({ tags }) => tags.join(', '),
      },
      {
        id: 'balance',
        title: t('column.balance'),
        numeric: true,
        phone: !byMargin,
        sort: { value: 'balance', direction: 'descending' },
        cell: (row) => traffic(row.balance_bytes),
      },
      {
        id: 'spent',
        title: t('column.spent'),
        numeric: true,
        phone: true,
        sort: { value: 'spent', direction: 'descending' },
        cell: (row) => <Link to={`/invoices?customer_id=${row.id}`}>{usd(row.spent_micros)}</Link>,
      },
      ...(mayMargin
        ? [
            {
              id: 'margin',
              title: t('customers.margin'),
              numeric: true as const,
              phone: byMargin,
              sort: { value: 'margin', direction: 'descending' as const },
              cell: ({ id, margin_micros: margin }: Row) =>
                margin !== null && (
                  <Link
                    to={`/customers/${id}?tab=usage`}
                    className={margin.startsWith('-') ? styles.loss : undefined}
                  >
                    {usd(margin)}
                  </Link>
                ),
            },
          ]
        : []),
      {
        id: 'seen',
        title: t('column.seen'),
        numeric: true,
        sort: { value: 'last_seen', direction: 'descending' },
        cell: (row) => row.last_seen_at !== null && <Moment iso={row.last_seen_at} recent />,
      },
      {
        id: 'created',
        title: t('column.signedUp'),
        numeric: true,
        sort: { value: 'oldest', direction: 'ascending' },
        cell: (row) => <Moment iso={row.created_at} />,
      },
      {
        id: 'country',
        title: t('column.signUpCountry'),
        optional: true,
        cell: ({ country }) => country !== null && countryName(country),
      },
      { id: 'priceList', title: t('priceLists.one'), optional: true, cell: (row) => row.price_list },
      {
        id: 'id',
        title: t('column.id'),
        numeric: true,
        optional: true,
        sort: { value: 'newest', direction: 'descending' },
        cell: ({ id }) => id,
      },
    ],
    [t, usd, traffic, countryName, mayMargin, byMargin],
  )
}
