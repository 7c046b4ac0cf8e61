import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { type FieldErrors, useForm } from 'react-hook-form'
import { Link, useNavigate } from 'react-router'
import { CallError } from '#contract/client'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { keptOrder } from '../../state/destination.ts'
import { forgetReferral, storedReferral } from '../../state/referral.ts'
import { soldPool, useSitePools } from '../../state/places/sold-pools.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import styles from './form.module.css'
import { type Agreement, AgreementFields, useAgreement } from './agreement.tsx'
import { AuthLayout } from './auth-layout.tsx'
import type { FromRegistration } from './login.tsx'
import { firstError, type RegisterForm, registerForm } from './forms.ts'
import { startSession } from './start-session.ts'
import { useFailure } from './use-failure.ts'

export function RegisterPage() {
  const { t } = useTranslation('auth')
  return (
    <AuthLayout
      title={t('register.title')}
      heading={t('register.heading')}
      aside={
        <>
          <span>{t('register.already')}</span> <Link to="/login">{t('register.signIn')}</Link>
        </>
      }
    >
      <Form />
    </AuthLayout>
  )
}

function Form() {
  const { t } = useTranslation('auth')
  const [invited] = useState(storedReferral)
  const [order] = useState(keptOrder)
  const { submit, register, errorOf, isSubmitting, failure, agreement, isRefused } = useRegistration()
  const toggle = { showText: t('showPassword'), hideText: t('hidePassword') }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {order !== null && <KeptOrder {...order} />}
      {invited.referral !== null && (
        <p className={styles.invited}>{t('register.referral', { code: invited.referral })}</p>
      )}
      <TextField
        {...register('username')}
        label={t('register.username')}
        hint={t('register.usernameHint')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        error={errorOf('username')}
      />
      <TextField
        {...register('email')}
        label={t('register.email')}
        type="email"
        inputMode="email"
        autoComplete="email"
        error={errorOf('email')}
      />
      <PasswordField
        {...register('password')}
        {...toggle}
        label={t('register.password')}
        hint={t('register.passwordHint')}
        autoComplete="new-password"
        error={errorOf('password')}
      />
      <PasswordField
        {...register('repeat')}
        {...toggle}
        label={t('register.repeat')}
        autoComplete="new-password"
        error={errorOf('repeat')}
      />
      <AgreementFields agreement={agreement} isRefused={isRefused} />
      {failure !== null && (
        <p className={styles.failure} role="alert">
          {failure}
        </p>
      )}
      <Button
        type="submit"
        variant="primary"
        size="large"
        wide
        pending={isSubmitting}
        className={styles.submit}
      >
        {t('register.submit')}
      </Button>
    </form>
  )
}

/** The order that the visitor began before the site asked for an account. */
function KeptOrder({ gb, pool: asked }: { gb: number; pool: Pool | undefined }) {
  const { t } = useTranslation(['auth', 'header'])
  const { number } = useFormat()
  const { sold } = useSitePools()
  const pool = soldPool(sold, asked)
  if (asked !== undefined && asked !== pool)
    return (
      <p className={styles.order}>{t('auth:register.orderNotSold', { pool: t(`header:pools.${asked}`) })}</p>
    )
  return (
    <div className={styles.order}>
      <PoolIcon pool={pool} size={24} />
      <div>
        <p className={styles.orderTitle}>
          {t('auth:register.order', { gb: number(gb), pool: t(`header:pools.${pool}`) })}
        </p>
        <p>{t('auth:register.orderText')}</p>
      </div>
    </div>
  )
}

/** The fields at which refusals are shown; others are shown below the form. */
const fieldByRefusal: Readonly<Record<string, keyof RegisterForm>> = {
  username_taken: 'username',
  invalid_username: 'username',
  username_like_link: 'username',
  email_taken: 'email',
  invalid_email: 'email',
  invalid_password: 'password',
  password_too_common: 'password',
}

function useRegistration() {
  const { t } = useTranslation(['auth', 'legal'])
  const navigate = useNavigate()
  const { failure, fail, clear } = useFailure()
  // The field that the server refused; the reason is shown at it.
  const [refused, setRefused] = useState<keyof RegisterForm | undefined>()
  const agreement = useAgreement()
  const [isRefused, setIsRefused] = useState(false)
  const { register, handleSubmit, formState, setFocus } = useForm<RegisterForm>({
    resolver: standardSchemaResolver(registerForm),
    defaultValues: { username: '', email: '', password: '', repeat: '' },
  })
  const showError = (error: unknown) => {
    const text = error instanceof CallError ? error.message : t('errors.registration')
    const field = error instanceof CallError ? fieldByRefusal[error.code] : undefined
    setRefused(field)
    fail(text)
    if (field !== undefined) setFocus(field)
  }
  const onValid = async (form: RegisterForm) => {
    clear()
    const { missing, consents } = agreement
    setIsRefused(missing !== null)
    if (missing !== null) {
      setRefused(undefined)
      fail(t(missing === 'unread' ? 'legal:agree.unread' : `legal:agree.missing.${missing}`))
      if (missing === 'unread') await agreement.renew()
      return
    }
    try {
      if (!(await signUp(form, consents))) throw new Error('the server did not create the account')
    } catch (error) {
      if (error instanceof CallError && error.code === 'consents_outdated') await agreement.renew()
      showError(error)
      return
    }
    forgetReferral()
    const username = form.username.trim()
    if (await signInNew(username, form.password)) toast.success(t('register.done'))
    // The sign-in page redirects a signed-in customer to the page requested before.
    const state: FromRegistration = { registered: username }
    await navigate('/login', { state })
  }
  // An error of one field is shown only there; empty fields are also reported for the form.
  const onInvalid = (errors: FieldErrors<RegisterForm>) => {
    clear()
    setIsRefused(agreement.missing !== null)
    const first = firstError(Object.values(errors).map((error) => error.message))
    if (first === 'fillFields') toast.info(t('errors.fillFields'))
  }
  const errorOf = (field: keyof RegisterForm): string | undefined => {
    const message = formState.errors[field]?.message
    if (message === undefined) return field === refused ? (failure ?? undefined) : undefined
    const error = firstError([message])
    return error === undefined ? message : t(error === 'fillFields' ? 'errors.fillField' : `errors.${error}`)
  }
  return {
    submit: handleSubmit(onValid, onInvalid),
    register,
    errorOf,
    isSubmitting: formState.isSubmitting,
    failure: refused === undefined ? failure : null,
    agreement,
    isRefused,
  }
}

/** Signs in the new customer; false: that failed, and the customer has to use the sign-in form. */
async function signInNew(username: string, password: string): Promise<boolean> {
  try {
    await startSession(await call('signin', { username, password }))
    return true
  } catch {
    return false
  }
}

function signUp(form: RegisterForm, consents: Agreement['consents']): Promise<boolean> {
  const { referral, admin } = storedReferral()
  return call('signup', {
    username: form.username.trim(),
    email: form.email.trim(),
    password: form.password,
    referral_id: referral,
    ...(admin === null ? {} : { admin_referral_code: admin }),
    consents,
  })
}
