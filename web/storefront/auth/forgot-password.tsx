import { type FormEvent, useState } from 'react'
import { CallError } from '#contract/client'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { CardPage } from '../card-page.tsx'
import styles from './form.module.css'
import { emailForm } from './forms.ts'

/** Requests an e-mail with a reset link. The result looks the same whether the account exists or not. */
export function ForgotPasswordPage() {
  const { t } = useTranslation('auth')
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <CardPage
      title={t('forgot.title')}
      heading={sentTo === null ? t('forgot.heading') : t('forgot.sentHeading')}
      back="/login"
    >
      {sentTo === null ? (
        <Form onSent={setSentTo} />
      ) : (
        <div className={styles.form} role="status">
          <p>{t('forgot.sent', { email: sentTo })}</p>
          <p className={styles.lead}>{t('forgot.spam')}</p>
          <Button onClick={() => setSentTo(null)}>{t('forgot.again')}</Button>
        </div>
      )}
    </CardPage>
  )
}

function Form({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useTranslation('auth')
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [isPending, setPending] = useState(false)
  const send = async () => {
    setPending(true)
    try {
      await call('request_password_reset', { email: email.trim() })
      onSent(email.trim())
    } catch (failure) {
      const text = failure instanceof CallError ? failure.message : t('forgot.failed')
      setError(text)
      toast.error(text)
    } finally {
      setPending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    const invalid = emailForm.safeParse({ email }).error?.issues[0]?.message
    if (invalid === undefined) void send()
    else setError(t(invalid === 'fillFields' ? 'errors.fillField' : 'errors.invalidEmail'))
  }
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <p className={styles.lead}>{t('forgot.lead')}</p>
      <TextField
        label={t('forgot.email')}
        type="email"
        inputMode="email"
        autoComplete="email"
        autoFocus
        value={email}
        error={error}
        onChange={(event) => {
          setEmail(event.target.value)
          setError(undefined)
        }}
      />
      <Button type="submit" variant="primary" size="large" wide pending={isPending}>
        {t('forgot.submit')}
      </Button>
    </form>
  )
}
