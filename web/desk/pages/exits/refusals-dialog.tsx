import { useMemo } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useRefusalReason } from '../../subjects/refusal-reason.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { CustomerLink } from '../../subjects/customer-link.tsx'

/** The latest refusals of an exit, with the seller's own codes. */
export function RefusalsDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { t } = useTranslation(['deskExits', 'deskPages', 'desk'])
  const reasonOf = useRefusalReason()
  const columns = useMemo(
    (): readonly Column<RowOf<'exit_refusals'>>[] => [
      {
        id: 'at',
        title: t('deskPages:column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} exact />,
      },
      {
        id: 'word',
        title: t('exit.word'),
        cell: (row) => [row.exit_status, row.exit_word].filter((part) => part !== null).join(' '),
      },
      {
        id: 'code',
        title: t('exit.code'),
        phone: true,
        cell: ({ code }) => <span title={code}>{reasonOf(code)}</span>,
      },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        cell: (row) =>
          row.customer_id !== null && <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
    ],
    [t, reasonOf],
  )
  return (
    <Dialog open wide onClose={onClose} title={t('exit.refusalsOf', { name })} closeLabel={t('desk:close')}>
      <List
        call="exit_refusals"
        label={t('exit.refusals')}
        filters={useMemo(() => ({ id }), [id])}
        columns={columns}
        rowId={(row) => row.request_id}
        empty={<p>{t('exit.noRefusals')}</p>}
      />
    </Dialog>
  )
}
