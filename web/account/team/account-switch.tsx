import { useMutation } from '@tanstack/react-query'
import { useTranslation } from '../../state/i18n.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import type { Session } from '../../state/session.ts'
import { actOn } from '../../state/team.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { toastFailure } from '../toast-failure.ts'

/** Chooses the account to work in; nothing for a person without teams. */
export function AccountSwitch({ user }: { user: Session }) {
  const { t } = useTranslation('team')
  const mine = useOptionalRead(query('my_teams', {}))
  const { mutate, isPending, variables } = useMutation({
    mutationFn: actOn,
    onError: (error) => toastFailure(error, t('failed')),
  })
  if (mine === undefined || mine.teams.length === 0) return null
  const { own, teams } = mine
  const shown = String(user.user_id)
  const options = [
    { value: own.account, label: t('switch.own', { name: own.name ?? `#${own.account}` }) },
    ...teams
      .filter(({ open, account }) => open || account === shown)
      .map(({ account, name }) => ({ value: account, label: name ?? `#${account}` })),
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
