import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { call, callWith, queryClient } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { type Profile, session } from '../../app/session.ts'
import { useContacts } from '../../app/site.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import styles from './form.module.css'
import { AuthFrame } from './frame.tsx'
import { codeFault, profileFault, type TelegramFault } from './telegram-fault.ts'

/** Signing in with the six digits the bot gives. */
export function TelegramLoginPage() {
  const { t } = useTranslation('auth')
  const { bot } = useContacts()
  return (
    <AuthFrame
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
    </AuthFrame>
  )
}

function Form() {
  const { t } = useTranslation('auth')
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | undefined>()
  const [isPending, setPending] = useState(false)
  const fail = (text: string) => {
    setError(text)
    toast.error(text)
  }
  const signIn = async () => {
    setPending(true)
    const result = await exchange(code.trim())
    setPending(false)
    if (typeof result === 'string') return fail(t(`telegram.${result}`))
    toast.success(t('telegram.success'))
    await navigate('/account')
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
      <Button type="submit" variant="paint" size="large" wide pending={isPending} className={styles.submit}>
        {t('telegram.submit')}
      </Button>
    </form>
  )
}

/** Code for token, token for profile; then somebody is signed in. Answers what went wrong, or nothing. */
async function exchange(code: string): Promise<TelegramFault | null> {
  let token: string
  try {
    token = (await call('telegram_code_signin', { p_code: code })).trim()
  } catch (error) {
    return codeFault(error)
  }
  if (token === '') return 'noToken'
  let profile: Profile | undefined
  try {
    profile = (await callWith(token)('legacy_profile', {}))[0]
  } catch (error) {
    return profileFault(error)
  }
  if (profile === undefined) return 'noProfile'
  queryClient.clear()
  session.set({ ...profile, token })
  return null
}
