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
import { startSession } from './start-session.ts'
import { telegramErrorOf } from './telegram-error.ts'

/** Signing in with the six digits that the bot sends. */
export function TelegramLoginPage() {
  const { t } = useTranslation('auth')
  const { bot } = useContacts()
  return (
    <AuthLayout
      title={t('telegram.title')}
      heading={t('telegram.heading')}
      aside={<Link to="/login">{t('telegram.back')}</Link>}
    >
      <p className={styles.lead}>
        {t('telegram.lead')}{' '}
        {bot === null ? (
          t('telegram.noBot')
        ) : (
          <a href={bot} target="_blank" rel="noreferrer">
            {t('telegram.bot')}
          </a>
        )}
      </p>
      <Form />
    </AuthLayout>
  )
}

function Form() {
  const { t } = useTranslation('auth')
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [isPending, setPending] = useState(false)
  const showError = (text: string) => {
    setError(text)
    toast.error(text)
  }
  const signIn = async () => {
    setPending(true)
    try {
      await startSession(await call('telegram_code_signin', { p_code: code.trim() }))
    } catch (failure) {
      showError(t(`telegram.${telegramErrorOf(failure)}`))
      return
    } finally {
      setPending(false)
    }
    toast.success(t('telegram.success'))
    await navigate(takeDestination())
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    if (code.trim() === '') showError(t('telegram.empty'))
    else void signIn()
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t('telegram.code')}
        value={code}
        error={error}
        mono
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        maxLength={64}
        onChange={(event) => {
          setCode(event.target.value)
          setError(undefined)
        }}
      />
      <Button type="submit" variant="primary" size="large" wide pending={isPending} className={styles.submit}>
        {t('telegram.submit')}
      </Button>
    </form>
  )
}
