import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { type Role, roles } from '#contract/desk/roles'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { useAct } from '../../state/use-act.ts'
import { OneTimeLink } from './one-time-link.tsx'
import styles from './staff.module.css'

interface MemberDialogProps {
  member: DeskOutput<'staff'>[number]
  onClose: () => void
}

/** The changes that an owner may make to a member. Each act asks for a fresh factor itself. */
export function MemberDialog({ member, onClose }: MemberDialogProps) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const { id } = member
  const [role, setRole] = useState<Role>(member.role)
  const setStaffRole = useAct('set_staff_role')
  const reset = useAct('reset_staff')
  const block = useAct('block_staff')
  const unblock = useAct('unblock_staff')
  const end = useAct('end_staff_sessions')
  const fault = [setStaffRole, reset, block, unblock, end].find((act) => act.fault !== undefined)?.fault
  return (
    <Dialog open compact onClose={onClose} title={member.name} closeLabel={t('desk:close')}>
      <SelectField<Role>
        label={t('staff.role')}
        value={role}
        options={roles.map((value) => ({ value, label: t(`desk:role.${value}`) }))}
        onChange={setRole}
      />
      <p>{t(`staff.about.${role}`)}</p>
      {role !== member.role && (
        <div>
          <Button
            variant="primary"
            pending={setStaffRole.pending}
            onClick={() => setStaffRole.run({ id, role })}
          >
            {t('staff.saveRole')}
          </Button>
        </div>
      )}
      {reset.result !== undefined && (
        <OneTimeLink url={reset.result.url} expiresAt={reset.result.expires_at} />
      )}
      {fault !== undefined && <Fault text={fault} />}
      <div className={styles.acts}>
        <Button size="small" pending={reset.pending} onClick={() => reset.run({ id })}>
          {t('staff.reset')}
        </Button>
        <Button size="small" pending={end.pending} onClick={() => end.run({ id })}>
          {t('staff.end')}
        </Button>
        {member.state === 'blocked' ? (
          <Button size="small" pending={unblock.pending} onClick={() => unblock.run({ id })}>
            {t('act.unblock')}
          </Button>
        ) : (
          <Button size="small" pending={block.pending} onClick={() => block.run({ id })}>
            {t('act.block')}
          </Button>
        )}
      </div>
      <p>{t('staff.resetText')}</p>
    </Dialog>
  )
}
