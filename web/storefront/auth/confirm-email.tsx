import { useEffect, useRef } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { call } from '../../state/api.ts'
import { brand } from '../../state/brand.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { logError } from '../../state/log.ts'
import { toast } from '../../state/toast.ts'
import { useLocalPath } from '../../state/language.ts'
import { formatDateTime } from '../../ui/format-time.ts'
import { Spinner } from '../../ui/spinner.tsx'
import styles from './confirm-email.module.css'

/** The call and the token in a letter's link, which confirms the first address or a new one. */
function linkOf(search: URLSearchParams): ['confirm_email' | 'confirm_new_email', string] {
  const another = search.get('new_email_token')?.trim() ?? ''
  if (another !== '') return ['confirm_new_email', another]
  return ['confirm_email', search.get('confirmation_token')?.trim() ?? '']
}

/**
 * The target of the link in the confirmation e-mail. Goes on to /login after success, else to the home page.
 */
export function ConfirmEmailPage() {
  const { t } = useTranslation('auth')
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const localPath = useLocalPath()
  const language = useLanguage()
  // The token is valid once, and effects can run twice.
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    const leave = (result: 'success' | 'failed' | 'invalid') => {
      if (result === 'success') toast.success(t('confirm.success'))
      else toast.error(t(`confirm.${result}`))
      void navigate(result === 'success' ? '/login' : localPath('/'), { replace: true })
    }
    const [name, token] = linkOf(search)
    if (token === '') return leave('invalid')
    call(name, { confirmation_token: token }).then(
      (answer) => {
        if (typeof answer === 'boolean') return leave(answer ? 'success' : 'failed')
        const { waits_until: until } = answer
        if (until === null) return leave('success')
        toast.success(t('confirm.waits', { date: formatDateTime(until, language) }))
        void navigate('/account?tab=changePass', { replace: true })
      },
      (error: unknown) => {
        logError('the e-mail address was not confirmed', error)
        leave('failed')
      },
    )
  })
  return (
    <div className={styles.page}>
      <title>{`${t('confirm.title')} — ${brand.name}`}</title>
      <Spinner label={t('confirm.working')} />
      <h1 className={styles.heading}>{t('confirm.working')}</h1>
    </div>
  )
}
