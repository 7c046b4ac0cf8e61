import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { CallError } from '#contract/client'
import { call } from '../../state/api.ts'
import { clearCache } from '../../state/cache.ts'
import { useTranslation } from '../../state/i18n.ts'
import { session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { CardPage } from '../card-page.tsx'
import styles from './form.module.css'

/** The target of the link in the letter about a changed e-mail address: says what it does, and does it by a button. */
export function UndoEmailPage() {
  const { t } = useTranslation('auth')
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const token = search.get('undo_token')?.trim() ?? ''
  const [failure, setFailure] = useState<string | null>(token === '' ? t('undo.missing') : null)
  const [isPending, setPending] = useState(false)
  const undo = async () => {
    setPending(true)
    try {
      await call('undo_email_change', { undo_token: token })
    } catch (error) {
      setFailure(error instanceof CallError ? error.message : t('undo.failed'))
      setPending(false)
      return
    }
    // All sessions have ended, the one of this browser too.
    session.clear()
    clearCache()
    toast.success(t('undo.done'))
    await navigate('/login', { replace: true })
  }
  return (
    <CardPage title={t('undo.title')} heading={t('undo.heading')} back="/login">
      <div className={styles.form}>
        <p>{t('undo.text')}</p>
        {failure !== null && (
          <p className={styles.failure} role="alert">
            {failure}
          </p>
        )}
        {token !== '' && (
          <Button variant="primary" wide pending={isPending} onClick={() => void undo()}>
            {t('undo.submit')}
          </Button>
        )}
      </div>
    </CardPage>
  )
}
