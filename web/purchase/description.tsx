import createDOMPurify from 'dompurify'
import { useMemo } from 'react'
import { kept } from './description-rules.ts'
import styles from './description.module.css'

const purifier = createDOMPurify(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noreferrer')
})

/** What the operator says of a payment method, in the operator's HTML. */
export function Description({ html }: { html: string }) {
  const clean = useMemo(() => ({ __html: purifier.sanitize(html, kept) }), [html])
  return <div className={styles.description} dangerouslySetInnerHTML={clean} />
}
