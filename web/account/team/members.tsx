import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '#contract/contract'
import { type TeamRole, teamRoles } from '#contract/acting/roles'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { toast } from '../../state/toast.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { callProved, needsProof } from '../proof/proof.ts'
import protection from '../security/protection.module.css'
import { Row, Waiting } from '../security/two-factor.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './team.module.css'

type Member = Output<'get_team'>['members'][number]

const refresh = () => void queryClient.invalidateQueries({ queryKey: ['get_team'] })

/** The roles that the viewer may give: only the owner makes administrators. */
export function useRoleOptions(managesAdmins: boolean) {
  const { t } = useTranslation('team')
  return teamRoles
    .filter((role) => managesAdmins || role !== 'admin')
    .map((role) => ({ value: role, label: t(`role.${role}`) }))
}

/** The members with their roles, and a line on each role. */
export function Members() {
  const { t } = useTranslation('team')
  const team = useQuery(query('get_team', {}))
  const { data } = team
  return (
    <section aria-labelledby="team-members">
      <h2 id="team-members" className={protection.heading}>
        {t('members.title')}
      </h2>
      <p className={protection.lead}>
        {t(data?.manages_admins === false ? 'members.textAdmin' : 'members.text')}
      </p>
      <Card>
        {data === undefined ? (
          <Waiting isError={team.isError} onRetry={() => void team.refetch()} />
        ) : (
          <ul className={protection.rows}>
            {data.members.map((member) => (
              <MemberRow key={member.account} member={member} managesAdmins={data.manages_admins} />
            ))}
            {data.members.length === 0 && <li className={protection.row}>{t('members.none')}</li>}
            <li className={protection.row}>
              <dl className={styles.roles}>
                {teamRoles.map((role) => (
                  <div key={role}>
                    <dt>{t(`role.${role}`)}</dt>
                    <dd>{t(`roleText.${role}`)}</dd>
                  </div>
                ))}
              </dl>
            </li>
          </ul>
        )}
      </Card>
    </section>
  )
}

function MemberRow({ member, managesAdmins }: { member: Member; managesAdmins: boolean }) {
  const { t } = useTranslation('team')
  const language = useLanguage()
  const isView = useView() !== null
  const options = useRoleOptions(managesAdmins)
  const { account, role } = member
  const name = member.email ?? member.name ?? `#${account}`
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (chosen: TeamRole) => callProved('change_member', { account, role: chosen }),
    onSuccess: () => {
      refresh()
      toast.success(t('members.changed'))
    },
    onError: (error) => {
      if (!needsProof(error)) toastFailure(error, t('failed'))
    },
  })
  const isChangeable = !isView && (managesAdmins || role !== 'admin')
  return (
    <Row
      name={name}
      badge={isChangeable ? null : t(`role.${role}`)}
      about={t('members.since', { date: formatDateTime(member.joined_at, language) })}
    >
      {isChangeable && (
        <div className={styles.acts}>
          <SelectField
            label={t('members.roleOf', { name })}
            labelHidden
            value={isPending ? variables : role}
            options={options}
            disabled={isPending}
            onChange={(chosen) => mutate(chosen)}
          />
          <Removal account={account} name={name} />
        </div>
      )}
    </Row>
  )
}

function Removal({ account, name }: { account: string; name: string }) {
  const { t } = useTranslation('team')
  const [isAsking, setAsking] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('remove_member', { account }),
    onSuccess: () => {
      setAsking(false)
      refresh()
      toast.success(t('members.removed'))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
  return (
    <>
      <Button aria-label={t('members.removeOf', { name })} onClick={() => setAsking(true)}>
        {t('members.remove')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('members.removeTitle', { name })}
          consequences={[t('members.removeAtOnce'), t('members.removeSecrets')]}
          confirmLabel={t('members.remove')}
          pending={isPending}
          onConfirm={() => mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
