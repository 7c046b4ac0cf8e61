import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { call } from '../../state/api.ts'
import { takeDestination } from '../../state/destination.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useContacts } from '../../state/site.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { AuthLayout } from './auth-layout.tsx'
import styles from './form.module.css'
import { SecondStep } from './second-step.tsx'
import { type Step, stepIn } from './step.ts'
import { startSession } from './start-session.ts'
import { telegramErrorOf } from './telegram-error.ts'
import { useFailure } from './use-failure.ts'

/** Signing in with the six digits that the bot sends. */
export function TelegramLoginPage() {
  const { t } = useTranslation(['auth', 'factors'])
  const { bot } = useContacts()
  const navigate = useNavigate()
  const [step, setStep] = useState<Step | null>(null)
  const onSignedIn = async () => {
    toast.success(t('telegram.success'))
    await navigate(takeDestination())
  }
  return (
    <AuthLayout
      title={t('telegram.title')}
      heading={t(step === null ? 'telegram.heading' : 'factors:step.title')}
      aside={<Link to="/login">{t('telegram.back')}</Link>}
    >
      {step !== null && <SecondStep step={step} onSignedIn={onSignedIn} onRestart={() => setStep(null)} />}
      <p className={styles.lead} hidden={step !== null}>
        <span>{t('telegram.lead')}</span>{' '}
        {bot === null ? (
          <span>{t('telegram.noBot')}</span>
        ) : (
          <a href={bot} target="_blank" rel="noreferrer">
            {t('telegram.bot')}
          </a>
        )}
      </p>
      {step === null && <Form onSignedIn={onSignedIn} onStep={setStep} />}
    </AuthLayout>
  )
}

interface FormProps {
  onSignedIn: () => Promise<void>
  onStep: (step: Step) => void
}

function Form({ onSignedIn, onStep }: FormProps) {
  const { t } = useTranslation('auth')
  const [code, setCode] = useState('')
  const { failure, fail, clear } = useFailure()
  const [isPending, setPending] = useState(false)
  const signIn = async () => {
    clear()
    setPending(true)
    try {
      await startSession(await call('telegram_code_signin', { p_code: code.trim() }))
    } catch (failure) {
      const step = stepIn(failure)
      if (step !== null) return onStep(step)
      fail(t(`telegram.${telegramErrorOf(failure)}`))
      return
    } finally {
      setPending(false)
    }
    await onSignedIn()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    if (code.trim() === '') fail(t('telegram.empty'))
    else void signIn()
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t('telegram.code')}
        value={code}
        error={failure ?? undefined}
        mono
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        maxLength={64}
        onChange={(event) => {
          setCode(event.target.value)
          clear()
        }}
      />
      <Button type="submit" variant="primary" size="large" wide pending={isPending} className={styles.submit}>
        {t('telegram.submit')}
      </Button>
    </form>
  )
}
