import { useState } from 'react'
import { type Role, roles } from '#contract/desk/roles'
import { useTranslation } from '../../../state/i18n.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { OneTimeLink } from './one-time-link.tsx'

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('support')
  const { pending, fault, result, run } = useAct('invite_staff')
  if (result !== undefined)
    return (
      <Dialog
        open
        compact
        onClose={onClose}
        title={t('staff.linkTitle', { name })}
        closeLabel={t('desk:close')}
      >
        <OneTimeLink url={result.url} expiresAt={result.expires_at} />
      </Dialog>
    )
  return (
    <ActDialog
      title={t('staff.invite')}
      description={t('staff.inviteText')}
      submit={t('staff.makeLink')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={name.trim() !== ''}
      onClose={onClose}
      onSubmit={() => run({ name: name.trim(), role })}
    >
      <TextField
        label={t('desk:signIn.name')}
        value={name}
        maxLength={64}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <SelectField<Role>
        label={t('staff.role')}
        value={role}
        options={roles.map((value) => ({ value, label: t(`desk:role.${value}`) }))}
        onChange={setRole}
      />
      <p>{t(`staff.about.${role}`)}</p>
    </ActDialog>
  )
}
