import type { Repair } from '#contract/gateway/refusals'
import type { Name } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { roleAllows } from '../../state/team/team.ts'
import { useSession } from '../../state/session.ts'
import { useContacts } from '../../state/site.ts'
import { Button } from '../../ui/button.tsx'
import { knownEnd } from './outcome.tsx'
import { type Failed, knownCode, repairFor, repairHref } from './repairs.ts'

/** The meaning of a failed request and what to do, in plain words; null: nothing remains to be done. */
export function useAdvice() {
  const { t } = useTranslation(['requests', 'gatewayRefusals'])
  return ({ outcome, code }: Pick<Failed, 'outcome' | 'code'>): string | null => {
    if (code !== null) {
      const known = knownCode(code)
      return known === null ? t('requests:unknownCode') : t(`gatewayRefusals:advice.${known}`)
    }
    const end = knownEnd(outcome)
    return end === 'done' || end === 'refused' ? null : t(`requests:endText.${end}`)
  }
}

/** The call that a repair makes: members who may not make it get no link there. */
const callOf: Readonly<Partial<Record<Repair, Name>>> = {
  buy: 'create_invoice_web',
  generator: 'get_proxy',
  security: 'reset_password',
  limits: 'set_pool_limits',
  whitelist: 'add_ip_to_whitelist',
  users: 'change_proxy_user',
}

/** The button that leads to the repair of a failed request; nothing if a retry may suffice. */
export function RepairButton({
  size = 'medium',
  variant = 'secondary',
  ...failed
}: Failed & { size?: 'small' | 'medium'; variant?: 'primary' | 'secondary' }) {
  const { t } = useTranslation('requests')
  const { support } = useContacts()
  const user = useSession()
  const repair = repairFor(failed)
  const href = repairHref(failed, support)
  const made = callOf[repair]
  const isForbidden = user !== null && made !== undefined && !roleAllows(user, made)
  if (repair === 'retry' || href === null || isForbidden) return null
  const isOneUser = repair === 'users' && failed.user != null
  return (
    <Button href={href} size={size} variant={variant}>
      {t(isOneUser ? 'repair.user' : `repair.${repair}`)}
    </Button>
  )
}
