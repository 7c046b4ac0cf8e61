import { useTranslation } from '../../state/i18n.ts'
import { useContacts } from '../../state/site.ts'
import { Button } from '../../ui/button.tsx'
import { pools } from '#contract/wire'
import { knownEnd } from './outcome.tsx'
import { knownCode, repairHref, repairs, type Repair } from './repairs.ts'

interface Ended {
  outcome: string
  code: string | null
  pool: string | null
}

/** What a failed request means and what to do, in plain words; null: it is done. */
export function useAdvice() {
  const { t } = useTranslation(['requests', 'proxyCodes'])
  return ({ outcome, code }: Pick<Ended, 'outcome' | 'code'>): string | null => {
    if (code !== null) {
      const known = knownCode(code)
      return known === null ? t('requests:unknownCode') : t(`proxyCodes:codes.${known}`)
    }
    const end = knownEnd(outcome)
    return end === 'done' || end === 'refused' ? null : t(`requests:endText.${end}`)
  }
}

/** The button that leads to what repairs a failed request; nothing where another request may do. */
export function RepairButton({
  outcome,
  code,
  pool,
  size = 'medium',
  variant = 'secondary',
}: Ended & { size?: 'small' | 'medium'; variant?: 'primary' | 'secondary' }) {
  const { t } = useTranslation('requests')
  const { support } = useContacts()
  const repair = repairFor({ outcome, code })
  const href = repairHref(repair, pools.find((each) => each === pool) ?? null, support)
  if (repair === 'retry' || href === null) return null
  return (
    <Button href={href} size={size} variant={variant}>
      {t(`repair.${repair}`)}
    </Button>
  )
}

function repairFor({ outcome, code }: Pick<Ended, 'outcome' | 'code'>): Repair {
  if (code === null) return outcome === 'no_traffic' ? 'buy' : 'retry'
  const known = knownCode(code)
  return known === null ? 'support' : repairs[known]
}
