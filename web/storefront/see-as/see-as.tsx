import { useEffect, useRef, useState } from 'react'
import { CallError } from '#contract/client'
import { brand } from '../../state/brand.ts'
import { useTranslation } from '../../state/i18n.ts'
import { logError } from '../../state/log.ts'
import { openView } from '../../state/view-calls.ts'
import { Spinner } from '../../ui/spinner.tsx'
import styles from './see-as.module.css'

type State = { kind: 'opening' } | { kind: 'ended' } | { kind: 'failed'; text: string | null }

/**
 * The target of the desk's link: opens a customer's account read-only. Without a link it says that the view
 * has ended.
 */
export function SeeAsPage() {
  const { t } = useTranslation('seeAs')
  const [state, setState] = useState<State>({ kind: 'opening' })
  // The token is valid once, and effects can run twice.
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    const token = window.location.hash.slice(1)
    if (token === '') return setState({ kind: 'ended' })
    window.history.replaceState(window.history.state, '', window.location.pathname)
    openView(token).catch((error: unknown) => {
      logError('the view was not opened', error)
      setState({ kind: 'failed', text: error instanceof CallError ? error.message : null })
    })
  }, [])
  const heading = t(state.kind)
  return (
    <div className={styles.page} role="status">
      <title>{`${heading} — ${brand.name}`}</title>
      {state.kind === 'opening' && <Spinner label={heading} />}
      <h1 className={styles.heading}>{heading}</h1>
      {state.kind === 'ended' && <p className={styles.text}>{t('endedText')}</p>}
      {state.kind === 'failed' && <p className={styles.text}>{state.text ?? t('failedText')}</p>}
    </div>
  )
}
