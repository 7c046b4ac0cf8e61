import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PlainTable } from '../../table/plain-table.tsx'
import type { Column } from '../../table/columns.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberDialog } from './member-dialog.tsx'
import styles from './staff.module.css'

type Row = DeskOutput<'staff'>[number]

const tones = { active: 'good', invited: 'quiet', blocked: 'bad' } as const

export function StaffPage() {
  const { t } = useTranslation(['deskPages', 'desk'])
  const may = useMay()
  const staff = useQuery(query('staff', {}))
  const [open, setOpen] = useState<string | null>(null)
  const mayManage = may('invite_staff')
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'name',
        title: t('column.name'),
        fixed: true,
        phone: true,
        cell: (row) =>
          mayManage ? (
            <button type="button" className={styles.name} onClick={() => setOpen(row.id)}>
              {row.name}
            </button>
          ) : (
            row.name
          ),
      },
      { id: 'role', title: t('staff.role'), phone: true, cell: ({ role }) => t(`desk:role.${role}`) },
      {
        id: 'state',
        title: t('column.state'),
        phone: true,
        cell: ({ state }) => <Badge tone={tones[state]}>{t(`staff.state.${state}`)}</Badge>,
      },
      {
        id: 'factors',
        title: t('staff.factors'),
        cell: ({ factors }) => factors.map((factor) => t(`staff.factor.${factor}`)).join(', '),
      },
      { id: 'sessions', title: t('staff.sessions'), numeric: true, cell: ({ sessions }) => sessions },
      {
        id: 'seen',
        title: t('column.seen'),
        numeric: true,
        cell: (row) => row.seen_at !== null && <Moment iso={row.seen_at} recent />,
      },
      {
        id: 'created',
        title: t('column.created'),
        numeric: true,
        optional: true,
        cell: (row) => <Moment iso={row.created_at} />,
      },
    ],
    [t, mayManage],
  )
  const member = staff.data?.find(({ id }) => id === open)
  return (
    <>
      <PageHead
        title={t('staff.title')}
        actions={
          mayManage && (
            <Button variant="primary" onClick={() => setOpen('invite')}>
              {t('staff.invite')}
            </Button>
          )
        }
      />
      <Loaded query={staff}>
        {(rows) => (
          <PlainTable
            table="staff"
            label={t('staff.title')}
            columns={columns}
            rows={rows}
            rowId={(row) => row.id}
          />
        )}
      </Loaded>
      {open === 'invite' && <InviteDialog onClose={() => setOpen(null)} />}
      {member !== undefined && <MemberDialog member={member} onClose={() => setOpen(null)} />}
    </>
  )
}
