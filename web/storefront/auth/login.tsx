import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import Send from 'lucide-react/icons/send'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useLocation, useNavigate } from 'react-router'
import { CallError } from '#contract/client'
import { call } from '../../state/api.ts'
import { takeDestination } from '../../state/destination.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './form.module.css'
import { AuthLayout } from './auth-layout.tsx'
import { type LoginForm, loginForm } from './forms.ts'
import { StartError, startSession } from './start-session.ts'

/** The navigation state after registration: the new username. */
export interface FromRegistration {
  registered: string
}

export function LoginPage() {
  const { t } = useTranslation('auth')
  return (
    <AuthLayout
      title={t('login.title')}
      heading={t('login.heading')}
      aside={
        <>
          {t('login.new')} <Link to="/register">{t('login.register')}</Link>
        </>
      }
    >
      <Form />
    </AuthLayout>
  )
}

function Form() {
  const { t } = useTranslation('auth')
  const navigate = useNavigate()
  const { submit, register, errors, isSubmitting, failure, registered } = useLogin(() =>
    navigate(takeDestination()),
  )
  const emptyText = t('errors.fillField')
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {registered !== undefined && (
        <p className={styles.welcome} role="status">
          {t('login.registered')}
        </p>
      )}
      <TextField
        {...register('username')}
        label={t('login.name')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={registered === undefined}
        error={errors.username && emptyText}
      />
      <PasswordField
        {...register('password')}
        label={t('login.password')}
        autoComplete="current-password"
        autoFocus={registered !== undefined}
        showText={t('showPassword')}
        hideText={t('hidePassword')}
        error={errors.password && emptyText}
      />
      {failure !== null && <p className={styles.failure}>{failure}</p>}
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
      <Button
        href="/telegram-login"
        size="large"
        wide
        icon={<Send size={20} strokeWidth={1.75} aria-hidden="true" />}
      >
        {t('login.telegram')}
      </Button>
    </form>
  )
}

function useLogin(onSignedIn: () => void | Promise<void>) {
  const { t } = useTranslation('auth')
  const state = useLocation().state as FromRegistration | null
  const [failure, setFailure] = useState<string | null>(null)
  const { register, handleSubmit, formState } = useForm<LoginForm>({
    resolver: standardSchemaResolver(loginForm),
    defaultValues: { username: state?.registered ?? '', password: '' },
  })
  const onValid = async ({ username, password }: LoginForm) => {
    setFailure(null)
    try {
      await startSession(await call('signin', { username: username.trim(), password }))
    } catch (error) {
      const text =
        error instanceof StartError && error.failure !== 'noToken'
          ? t('errors.profile')
          : error instanceof CallError
            ? error.message
            : t('errors.authentication')
      // The notification disappears, so the form shows the text too.
      setFailure(text)
      toast.error(text)
      return
    }
    await onSignedIn()
  }
  const onInvalid = () => toast.info(t('errors.fillFields'))
  return {
    submit: handleSubmit(onValid, onInvalid),
    register,
    errors: formState.errors,
    isSubmitting: formState.isSubmitting,
    failure,
    registered: state?.registered,
  }
}
