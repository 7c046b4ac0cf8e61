import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '#contract/contract'
import type { TeamRole } from '#contract/acting/roles'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved } from '../proof/proof.ts'
import protection from '../security/protection.module.css'
import { Row } from '../security/two-factor.tsx'
import { useEmailForm } from '../security/use-email-form.ts'
import { toastFailure } from '../toast-failure.ts'
import { useRoleOptions } from './members.tsx'
import styles from './team.module.css'

type Team = Output<'get_team'>

const refresh = () => void queryClient.invalidateQueries({ queryKey: ['get_team'] })

/** The form that invites a person by letter. */
export function Invite({ team }: { team: Team }) {
  const { t } = useTranslation('team')
  const isView = useView() !== null
  const options = useRoleOptions(team.manages_admins)
  const [role, setRole] = useState<TeamRole>('viewer')
  const { email, error, type, submit, isPending } = useEmailForm({
    send: (address) => callProved('invite_member', { email: address, role }),
    onSent: () => {
      type('')
      refresh()
      toast.success(t('invite.sent'))
    },
    invalid: t('invite.bad'),
    failed: t('failed'),
  })
  if (isView) return null
  const count = team.members.length + team.invitations.length
  return (
    <section aria-labelledby="team-invite">
      <h2 id="team-invite" className={protection.heading}>
        {t('invite.title')}
      </h2>
      <p className={protection.lead}>{t('invite.text')}</p>
      <Card>
        <form className={styles.form} noValidate onSubmit={submit}>
          <TextField
            label={t('invite.email')}
            type="email"
            autoComplete="off"
            value={email}
            error={error}
            onChange={(event) => type(event.target.value)}
          />
          <SelectField label={t('invite.role')} value={role} options={options} onChange={setRole} />
          <Button type="submit" pending={isPending}>
            {t('invite.submit')}
          </Button>
        </form>
        <p className={protection.quiet}>{t('invite.room', { count, most: team.most })}</p>
      </Card>
    </section>
  )
}

/** The invitations that nobody has accepted yet. */
export function OpenInvitations({ team }: { team: Team }) {
  const { t } = useTranslation('team')
  return (
    <section aria-labelledby="team-open">
      <h2 id="team-open" className={protection.heading}>
        {t('open.title')}
      </h2>
      <p className={protection.lead}>{t('open.text')}</p>
      <Card>
        <ul className={protection.rows}>
          {team.invitations.map((each) => (
            <InvitationRow
              key={each.id}
              invitation={each}
              isChangeable={team.manages_admins || each.role !== 'admin'}
            />
          ))}
        </ul>
      </Card>
    </section>
  )
}

interface RowProps {
  invitation: Team['invitations'][number]
  isChangeable: boolean
}

function InvitationRow({ invitation, isChangeable }: RowProps) {
  const { t } = useTranslation('team')
  const language = useLanguage()
  const isView = useView() !== null
  const { id, email, role, expires_at: expiresAt } = invitation
  const [openedAt] = useState(Date.now)
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (what: 'resend_invitation' | 'revoke_invitation') => call(what, { id }),
    onSuccess: (_done, what) => {
      refresh()
      toast.success(t(what === 'revoke_invitation' ? 'open.revoked' : 'invite.sent'))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
  const text = Date.parse(expiresAt) > openedAt ? 'open.until' : 'open.expired'
  return (
    <Row name={email} about={t(text, { role: t(`role.${role}`), date: formatDateTime(expiresAt, language) })}>
      {isChangeable && !isView && (
        <div className={styles.acts}>
          <Button
            size="small"
            aria-label={t('open.againTo', { email })}
            pending={isPending && variables === 'resend_invitation'}
            onClick={() => mutate('resend_invitation')}
          >
            {t('open.again')}
          </Button>
          <Button
            size="small"
            aria-label={t('open.revokeOf', { email })}
            pending={isPending && variables === 'revoke_invitation'}
            onClick={() => mutate('revoke_invitation')}
          >
            {t('open.revoke')}
          </Button>
        </div>
      )}
    </Row>
  )
}
