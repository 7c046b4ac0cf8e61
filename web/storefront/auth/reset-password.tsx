import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useNavigate, useSearchParams } from 'react-router'
import { CallError } from '#contract/client'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { CardPage } from '../card-page.tsx'
import styles from './form.module.css'
import { firstError, type NewPasswordForm, newPasswordForm } from './forms.ts'

/** The target of the link in the reset e-mail. */
export function ResetPasswordPage() {
  const { t } = useTranslation('auth')
  const [search] = useSearchParams()
  const token = search.get('reset_token')?.trim() ?? ''
  return (
    <CardPage
      title={t('reset.title')}
      heading={token === '' ? t('reset.missingHeading') : t('reset.heading')}
      back="/login"
    >
      {token === '' ? (
        <div className={styles.form}>
          <p>{t('reset.missing')}</p>
          <Button variant="primary" href="/forgot_password">
            {t('reset.request')}
          </Button>
        </div>
      ) : (
        <Form token={token} />
      )}
    </CardPage>
  )
}

function Form({ token }: { token: string }) {
  const { t } = useTranslation('auth')
  const { submit, register, errorOf, isSubmitting, failure } = useReset(token)
  const toggle = { showText: t('showPassword'), hideText: t('hidePassword') }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <PasswordField
        {...register('password')}
        {...toggle}
        label={t('reset.password')}
        hint={t('register.passwordHint')}
        autoComplete="new-password"
        autoFocus
        error={errorOf('password')}
      />
      <PasswordField
        {...register('repeat')}
        {...toggle}
        label={t('reset.repeat')}
        autoComplete="new-password"
        error={errorOf('repeat')}
      />
      <label className={styles.check}>
        <input type="checkbox" {...register('endPrograms')} />
        <span>{t('reset.endPrograms')}</span>
      </label>
      <p className={styles.lead}>{t('reset.note')}</p>
      {failure !== null && (
        <p className={styles.failure} role="alert">
          {failure}
        </p>
      )}
      <Button type="submit" variant="primary" size="large" wide pending={isSubmitting}>
        {t('reset.submit')}
      </Button>
      {failure !== null && (
        <Button wide href="/forgot_password">
          {t('reset.request')}
        </Button>
      )}
    </form>
  )
}

function useReset(token: string) {
  const { t } = useTranslation('auth')
  const navigate = useNavigate()
  const [failure, setFailure] = useState<string | null>(null)
  const { register, handleSubmit, formState } = useForm<NewPasswordForm>({
    resolver: standardSchemaResolver(newPasswordForm),
    defaultValues: { password: '', repeat: '', endPrograms: true },
  })
  const onValid = async ({ password, endPrograms }: NewPasswordForm) => {
    setFailure(null)
    try {
      await call('reset_account_password', {
        reset_token: token,
        new_password: password,
        end_programs: endPrograms,
      })
    } catch (error) {
      const text = error instanceof CallError ? error.message : t('reset.failed')
      setFailure(text)
      toast.error(text)
      return
    }
    // The reset ended all sessions, including one of this browser.
    session.clear()
    toast.success(t('login.passwordChanged'))
    await navigate('/login', { replace: true })
  }
  const errorOf = (field: 'password' | 'repeat'): string | undefined => {
    const error = firstError([formState.errors[field]?.message])
    if (error === undefined) return undefined
    return t(error === 'fillFields' ? 'errors.fillField' : `errors.${error}`)
  }
  return { submit: handleSubmit(onValid), register, errorOf, isSubmitting: formState.isSubmitting, failure }
}
