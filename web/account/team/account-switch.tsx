import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { session, type Session } from '../../state/session.ts'
import { actOn } from '../../state/team/team.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { toastFailure } from '../toast-failure.ts'

const nameOf = ({ account, name }: { account: string; name: string | null }) => name ?? `#${account}`

/** Chooses the account to work in; nothing for a person without teams. */
export function AccountSwitch({ user }: { user: Session }) {
  const { t } = useTranslation('team')
  const mine = useOptionalRead(query('my_teams', {}))
  const { mutate, isPending, variables } = useMutation({
    mutationFn: actOn,
    onError: (error) => toastFailure(error, t('failed')),
  })
  const role = mine?.teams.find(({ account }) => account === String(user.user_id))?.role
  useEffect(() => {
    if (role !== undefined && user.acting !== undefined && role !== user.acting.role) session.setRole(role)
  }, [role, user.acting])
  if (mine === undefined || mine.teams.length === 0) return null
  const { own, teams } = mine
  const shown = String(user.user_id)
  const options = [
    { value: own.account, label: t('switch.own', { name: nameOf(own) }) },
    ...teams
      .filter(({ open, account }) => open || account === shown)
      .map((team) => ({ value: team.account, label: nameOf(team) })),
  ]
  return (
    <SelectField
      label={t('switch.label')}
      labelHidden
      value={isPending ? variables : shown}
      options={options}
      disabled={isPending}
      onChange={(account) => mutate(account)}
    />
  )
}
