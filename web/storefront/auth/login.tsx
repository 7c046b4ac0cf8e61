import Send from 'lucide-react/icons/send'
import { Suspense, type SubmitEvent, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { CallError } from '#contract/client'
import { call } from '../../state/api.ts'
import { endedSession, takeDestination } from '../../state/destination.ts'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { useSite } from '../../state/site.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './form.module.css'
import { AuthLayout } from './auth-layout.tsx'
import { emptyFields, type LoginField, type LoginValues } from './login-fields.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { type Step, stepIn } from './step.ts'
import { StartError, startSession } from './start-session.ts'
import { useFailure } from './use-failure.ts'

const SecondStep = lazyPart(async () => (await import('./second-step.tsx')).SecondStep)

/** The navigation state after registration: the new username. */
export interface FromRegistration {
  registered: string
}

export function LoginPage() {
  const { t } = useTranslation(['auth', 'factors'])
  const navigate = useNavigate()
  const [step, setStep] = useState<Step | null>(null)
  const onSignedIn = () => navigate(takeDestination())
  return (
    <AuthLayout
      title={t('login.title')}
      heading={t(step === null ? 'login.heading' : 'factors:step.title')}
      aside={
        <>
          <span>{t('login.new')}</span> <Link to="/register">{t('login.register')}</Link>
        </>
      }
    >
      {step === null ? (
        <Form onSignedIn={onSignedIn} onStep={setStep} />
      ) : (
        <Suspense fallback={<Skeleton characters={24} />}>
          <SecondStep step={step} onSignedIn={onSignedIn} onRestart={() => setStep(null)} />
        </Suspense>
      )}
    </AuthLayout>
  )
}

interface FormProps {
  onSignedIn: () => void | Promise<void>
  onStep: (step: Step) => void
}

function Form({ onSignedIn, onStep }: FormProps) {
  const { t } = useTranslation('auth')
  const { submit, field, isSubmitting, failure, registered } = useLogin(onSignedIn, onStep)
  const [ended] = useState(() => (registered === undefined ? endedSession() : null))
  const bot = useSite()?.telegram_bot ?? null
  const name = registered ?? ended?.name ?? undefined
  return (
    // The form is sent by script. If the browser sends it, POST keeps the password out of the address.
    <form className={styles.form} method="post" onSubmit={(event) => void submit(event)} noValidate>
      <noscript>
        <p className={styles.ended}>{t('login.withoutScripts')}</p>
      </noscript>
      {registered !== undefined && (
        <p className={styles.welcome} role="status">
          {t('login.registered')}
        </p>
      )}
      {ended !== null && (
        <div className={styles.ended} role="status">
          <p className={styles.endedTitle}>{t('login.ended')}</p>
          <p>{t(ended.hasTyped ? 'login.endedTyped' : 'login.endedText')}</p>
        </div>
      )}
      <TextField
        {...field('username')}
        defaultValue={name}
        label={t('login.name')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={name === undefined}
      />
      <PasswordField
        {...field('password')}
        label={t('login.password')}
        autoComplete="current-password"
        autoFocus={name !== undefined}
        showText={t('showPassword')}
        hideText={t('hidePassword')}
      />
      {failure !== null && (
        <p className={styles.failure} role="alert">
          {failure}
        </p>
      )}
      <p className={styles.forgot}>
        <Link to="/forgot_password">{t('login.forgot')}</Link>
      </p>
      <Button
        type="submit"
        variant="primary"
        size="large"
        wide
        pending={isSubmitting}
        className={styles.submit}
      >
        {t('login.submit')}
      </Button>
      <p className={styles.or}>{t('login.or')}</p>
      <div className={styles.second}>
        <PasskeyButton onSignedIn={onSignedIn} />
        {bot !== null && (
          <Button
            href="/telegram-login"
            size="large"
            wide
            icon={<Send size={20} strokeWidth={1.75} aria-hidden="true" />}
          >
            {t('login.telegram')}
          </Button>
        )}
      </div>
    </form>
  )
}

function useLogin(onSignedIn: () => void | Promise<void>, onStep: (step: Step) => void) {
  const { t } = useTranslation('auth')
  const state = useLocation().state as FromRegistration | null
  const { failure, fail, clear } = useFailure()
  const [empty, setEmpty] = useState<readonly LoginField[]>([])
  const [isSubmitting, setSubmitting] = useState(false)
  const signIn = async ({ username, password }: LoginValues) => {
    clear()
    try {
      await startSession(await call('signin', { username: username.trim(), password }))
    } catch (error) {
      const step = stepIn(error)
      if (step !== null) return onStep(step)
      fail(
        error instanceof StartError && error.failure !== 'noToken'
          ? t('errors.profile')
          : error instanceof CallError
            ? error.message
            : t('errors.authentication'),
      )
      return
    }
    await onSignedIn()
  }
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSubmitting) return
    const form = event.currentTarget
    const data = new FormData(form)
    const valueOf = (field: LoginField) => {
      const value = data.get(field)
      return typeof value === 'string' ? value : ''
    }
    const values = { username: valueOf('username'), password: valueOf('password') }
    const missing = emptyFields(values)
    setEmpty(missing)
    if (missing[0] !== undefined) {
      form.querySelector<HTMLInputElement>(`[name="${missing[0]}"]`)?.focus()
      toast.info(t('errors.fillFields'))
      return
    }
    setSubmitting(true)
    await signIn(values).finally(() => setSubmitting(false))
  }
  return {
    submit,
    /** The properties of a field. */
    field: (name: LoginField) => ({
      name,
      error: empty.includes(name) ? t('errors.fillField') : undefined,
      onChange: () => setEmpty(empty.filter((each) => each !== name)),
    }),
    isSubmitting,
    failure,
    registered: state?.registered,
  }
}
