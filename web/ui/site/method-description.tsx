import createDOMPurify from 'dompurify'
import { useMemo } from 'react'
import { sanitizerOptions } from './sanitizer-options.ts'
import styles from './method-description.module.css'

const purifier = createDOMPurify(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noreferrer')
})

/** The operator's description of a payment method, as sanitised HTML. */
export function MethodDescription({ html }: { html: string }) {
  const clean = useMemo(() => ({ __html: purifier.sanitize(html, sanitizerOptions) }), [html])
  return <div className={styles.description} dangerouslySetInnerHTML={clean} />
}
