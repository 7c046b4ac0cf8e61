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

/**
 * The target of the links in letters to the earlier address: the page explains the act, and a button performs
 * it.
 */
export function UndoEmailPage() {
  const [search] = useSearchParams()
  return search.has('answer_token') ? <AnswerChange /> : <UndoChange />
}

function UndoChange() {
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

/** Confirms or stops a change, from the earlier address. */
function AnswerChange() {
  const { t } = useTranslation('auth')
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const token = search.get('answer_token')?.trim() ?? ''
  const [failure, setFailure] = useState<string | null>(token === '' ? t('answer.missing') : null)
  const [pending, setPending] = useState<boolean | null>(null)
  const answer = async (agreed: boolean) => {
    setPending(agreed)
    try {
      const { changed } = await call('answer_email_change', { answer_token: token, agreed })
      toast.success(t(agreed ? (changed ? 'answer.changed' : 'answer.agreed') : 'answer.stopped'))
    } catch (error) {
      setFailure(error instanceof CallError ? error.message : t('answer.failed'))
      setPending(null)
      return
    }
    if (!agreed) {
      session.clear()
      clearCache()
    }
    await navigate('/login', { replace: true })
  }
  return (
    <CardPage title={t('answer.title')} heading={t('answer.heading')} back="/login">
      <div className={styles.form}>
        <p>{t('answer.text')}</p>
        {failure !== null && (
          <p className={styles.failure} role="alert">
            {failure}
          </p>
        )}
        {token !== '' && (
          <>
            <Button variant="primary" wide pending={pending === true} onClick={() => void answer(true)}>
              {t('answer.agree')}
            </Button>
            <Button wide pending={pending === false} onClick={() => void answer(false)}>
              {t('answer.stop')}
            </Button>
          </>
        )}
      </div>
    </CardPage>
  )
}
