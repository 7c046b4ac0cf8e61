import Check from 'lucide-react/icons/check'
import type { Output } from '#contract/contract'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { readStored } from '../../state/storage.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { firstLineKey } from '../panel/first-line.ts'
import { knownPools } from '../profile.ts'
import { tabHref } from '#contract/account-tabs'
import styles from './first-steps.module.css'
import { useResend } from './use-resend.ts'

const steps = ['mail', 'buy', 'line', 'request'] as const
type Step = (typeof steps)[number]

/**
 * The completed steps of a new customer, according to the shop. The server keeps no record of generated
 * lines: the browser remembers the first.
 */
function doneSteps(user: Session, day: Output<'get_overview'>): Record<Step, boolean> {
  const hasRequests = day.has_requests
  return {
    mail: user.email === null || user.confirmed,
    buy: knownPools(user).length > 0,
    line: hasRequests || readStored(firstLineKey) !== null,
    request: hasRequests,
  }
}

/**
 * Whether a customer has completed the first steps: an unconfirmed address is no reason to show all of them
 * again.
 */
export function isThrough(user: Session, day: Output<'get_overview'>): boolean {
  const { buy, line, request } = doneSteps(user, day)
  return buy && line && request
}

/** The next step of a new customer; nothing when all are done. */
export function FirstSteps({ user, day }: { user: Session; day: Output<'get_overview'> }) {
  const { t } = useTranslation(['requests', 'userBtns'])
  const done = doneSteps(user, day)
  const next = steps.find((step) => !done[step] && step !== 'mail') ?? null
  if (isThrough(user, day)) return null
  return (
    <Card as="section" tone="highlighted" aria-labelledby="first-steps">
      <h2 id="first-steps" className={styles.title}>
        {t('requests:overview.next')}
      </h2>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step} className={classNames(styles.step, done[step] && styles.done)}>
            <span className={styles.mark} aria-hidden="true">
              {done[step] && <Check size={16} />}
            </span>
            <div>
              <h3 className={styles.name}>
                <span>{t(`requests:overview.steps.${step}`)}</span>
                {done[step] && <span className="sr-only">{`: ${t('requests:overview.done')}`}</span>}
              </h3>
              {!done[step] && <p className={styles.text}>{t(`requests:overview.steps.${step}Text`)}</p>}
              {step === 'mail' && !done.mail && <Resend />}
              {step === next && step === 'buy' && (
                <Button variant="primary" href="/purchase" className={styles.act}>
                  {t('userBtns:firstPurchase')}
                </Button>
              )}
              {step === next && step === 'line' && (
                <Button variant="primary" href={tabHref('panel')} className={styles.act}>
                  {t('requests:repair.generator')}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** The letter with the link, once more. */
function Resend() {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const { mutate, isPending, isSuccess } = useResend()
  if (isView || isSuccess) return null
  return (
    <Button className={styles.act} pending={isPending} onClick={() => mutate()}>
      {t('confirmAgain')}
    </Button>
  )
}
