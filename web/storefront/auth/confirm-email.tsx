import { useEffect, useRef } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { call } from '../../app/api.ts'
import { brand } from '../../app/brand.ts'
import { useTranslation } from '../../app/i18n.ts'
import { logFault } from '../../app/log.ts'
import { toast } from '../../app/toast.ts'
import { useLocal } from '../../app/use-local.ts'
import { Spinner } from '../../ui/spinner.tsx'
import styles from './confirm-email.module.css'

/** Where the link of the letter leads: it confirms and goes on, to /login when that went well, else to the home page. */
export function ConfirmEmailPage() {
  const { t } = useTranslation('auth')
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const local = useLocal()
  // A link is good once: it is used once, however often this is painted.
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const leave = (result: 'success' | 'failed' | 'invalid') => {
      if (result === 'success') toast.success(t('confirm.success'))
      else toast.error(t(`confirm.${result}`))
      void navigate(result === 'success' ? '/login' : local('/'), { replace: true })
    }
    const token = search.get('confirmation_token')?.trim() ?? ''
    if (token === '') return leave('invalid')
    call('confirm_email', { confirmation_token: token }).then(
      (done) => leave(done ? 'success' : 'failed'),
      (error: unknown) => {
        logFault('the e-mail was not confirmed', error)
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
