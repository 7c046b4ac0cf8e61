import { useMemo } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { UseChart } from './use-chart.tsx'
import { CustomerLink } from '../../subjects/customer-link.tsx'

/** Who used a promo code, and when. The address has the code's id, and the code itself in `?code=`. */
export function PromoUsesPage() {
  const { t } = useTranslation(['deskPages', 'deskCustomer'])
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const code = search.get('code') ?? `#${id}`
  const columns = useMemo(
    (): readonly Column<RowOf<'promo_code_uses'>>[] => [
      {
        id: 'customer',
        title: t('column.customer'),
        fixed: true,
        phone: true,
        cell: (row) => <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
      {
        id: 'state',
        title: t('column.state'),
        phone: true,
        cell: ({ state }) => (
          <Badge tone={state === 'used' ? 'good' : 'quiet'}>
            {t(`deskCustomer:promoUses.state.${state}`)}
          </Badge>
        ),
      },
      {
        id: 'invoice',
        title: t('column.invoice'),
        cell: ({ invoice_number: number }) =>
          number !== null && (
            <Link to={`/invoices/${encodeURIComponent(number)}`} className="mono">
              {`${number.slice(0, 8)}…`}
            </Link>
          ),
      },
      { id: 'at', title: t('column.at'), numeric: true, cell: ({ at }) => <Moment iso={at} recent /> },
    ],
    [t],
  )
  return (
    <>
      <PageHead title={t('promo.usesOf', { code })} back={{ to: '/promo-codes', label: t('promo.title') }} />
      <UseChart id={id} />
      <List
        call="promo_code_uses"
        label={t('promo.uses')}
        filters={useMemo(() => ({ id }), [id])}
        columns={columns}
        rowId={(row) => `${row.customer_id} ${row.invoice_number} ${row.at}`}
        empty={<p>{t('promo.notUsed')}</p>}
      />
    </>
  )
}
