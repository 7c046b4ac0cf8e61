import { CallError } from '#contract/client'
import type { Input } from '#contract/contract'
import { call } from '../../state/api.ts'
import { useFactorWords } from '../../state/factors/factor-words.ts'
import { useTranslation } from '../../state/i18n.ts'
import { FactorForm } from '../../ui/factors/factor-form.tsx'
import type { ProofWay } from '../../ui/factors/factor-words.ts'
import { provePasskey } from '../../ui/factors/passkey.ts'
import styles from './form.module.css'
import { StartError, startSession } from './start-session.ts'
import type { Step } from './step.ts'

type Proof = Input<'signin_second_step'>['proof']

async function proofOf(ticket: string, way: ProofWay, typed: string): Promise<Proof> {
  if (way !== 'passkey') return { kind: way === 'recovery_code' ? way : 'totp', code: typed }
  const { options } = await call('signin_passkey_options', { ticket })
  return { kind: way, response: await provePasskey(options) }
}

interface SecondStepProps {
  step: Step
  onSignedIn: () => void | Promise<void>
  onRestart: () => void
}

/** The second step of a sign-in. */
export function SecondStep({ step, onSignedIn, onRestart }: SecondStepProps) {
  const { t } = useTranslation(['factors', 'auth'])
  const words = useFactorWords()
  return (
    <div className={styles.form}>
      <p className={styles.lead}>{t('step.lead')}</p>
      <FactorForm
        words={words}
        ways={step.factors}
        submit={t('step.submit')}
        prove={async (way, typed) => {
          const proof = await proofOf(step.ticket, way, typed)
          await startSession(await call('signin_second_step', { ticket: step.ticket, proof }))
          await onSignedIn()
        }}
        faultOf={(error) =>
          error instanceof CallError
            ? error.message
            : error instanceof StartError
              ? t('auth:errors.profile')
              : undefined
        }
      />
      <p className={styles.lead}>{t('step.lost')}</p>
      <p>
        <button type="button" className={styles.restart} onClick={onRestart}>
          {t('step.again')}
        </button>
      </p>
    </div>
  )
}
