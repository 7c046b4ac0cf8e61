import { useMemo } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Moment } from '../../parts/moment.tsx'
import { useMay } from '../../state/session.ts'
import { useRefusalReason } from '../../subjects/refusal-reason.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import styles from './customer.module.css'

/**
 * The requests of the customer that gateways refused, the latest first, with the reason and the exit's
 * answer.
 */
export function CustomerRefusals({ id }: { id: string }) {
  const { t } = useTranslation(['deskRefusals', 'deskCustomer', 'deskPages', 'header'])
  const reasonOf = useRefusalReason()
  const mayRequest = useMay()('connections')
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_refusals'>>[] => [
      {
        id: 'at',
        title: t('deskPages:column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} exact />,
      },
      {
        id: 'why',
        title: t('reason'),
        phone: true,
        cell: ({ code, sentence }) => (
          <span className={styles.why}>
            <span>{reasonOf(code)}</span> <code translate="no">{code}</code>
            {sentence !== null && <q className={styles.told}>{sentence}</q>}
          </span>
        ),
      },
      {
        id: 'reply',
        title: t('reply'),
        cell: (row) => [row.exit_status, row.exit_word].filter((part) => part !== null).join(' '),
      },
      {
        id: 'where',
        title: t('where'),
        cell: (row) =>
          [
            row.pool === null ? null : t(`header:pools.${row.pool}`),
            row.exit,
            row.country?.toUpperCase(),
            row.protocol,
          ]
            .filter(Boolean)
            .join(' · '),
      },
      ...(mayRequest
        ? [
            {
              id: 'request',
              title: t('deskCustomer:live.request'),
              cell: (row: RowOf<'customer_refusals'>) => (
                <Link to={`/connections?request_id=${row.request_id}`}>{t('more')}</Link>
              ),
            },
          ]
        : []),
    ],
    [t, reasonOf, mayRequest],
  )
  return (
    <List
      call="customer_refusals"
      label={t('deskCustomer:lists.refusals')}
      filters={useMemo(() => ({ id }), [id])}
      columns={columns}
      rowId={(row) => row.request_id}
      empty={<p>{t('none')}</p>}
    />
  )
}
