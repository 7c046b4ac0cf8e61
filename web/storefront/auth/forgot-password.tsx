import { type FormEvent, useState } from 'react'
import { CallError } from '#contract/client'
import { call } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Desk } from '../desk.tsx'
import styles from './form.module.css'
import { emailForm } from './rules.ts'

/** Asks for a letter with a link. What is said afterwards is the same whether there is such an account or not. */
export function ForgotPasswordPage() {
  const { t } = useTranslation('auth')
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <Desk
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
    </Desk>
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
    } catch (fault) {
      const text = fault instanceof CallError ? fault.message : t('forgot.failed')
      setError(text)
      toast.error(text)
    } finally {
      setPending(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    const fault = emailForm.safeParse({ email }).error?.issues[0]?.message
    if (fault === undefined) void send()
    else setError(t(fault === 'fillFields' ? 'errors.fillField' : 'errors.invalidEmail'))
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
      <Button type="submit" variant="paint" size="large" wide pending={isPending}>
        {t('forgot.submit')}
      </Button>
    </form>
  )
}
