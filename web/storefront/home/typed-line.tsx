import { useTranslation } from '../../state/i18n.ts'
import { type LinePart, lineText } from './sample-line.ts'
import styles from './typed-line.module.css'
import { useTyping } from './use-typing.ts'

/**
 * A proxy line that is typed character by character, each part with its name below. Characters not yet typed
 * take up their space already, so that nothing moves. Screen readers get the whole line at once.
 */
export function TypedLine({ parts }: { parts: readonly LinePart[] }) {
  const { t } = useTranslation('home')
  const line = lineText(parts)
  let remaining = useTyping(line)
  return (
    <div className={styles.scroller}>
      <p className="sr-only" aria-live="polite">
        {`${t('builder.line')}: ${line}`}
      </p>
      <p className={styles.line} aria-hidden="true">
        {parts.map(({ kind, text }) => {
          const typed = Math.max(0, Math.min(text.length, remaining))
          remaining -= text.length
          return (
            <span key={kind} className={styles.part} data-kind={kind} data-typed={typed > 0 || undefined}>
              <span className={styles.text}>
                <span>{text.slice(0, typed)}</span>
                <span className={styles.untyped}>{text.slice(typed)}</span>
              </span>
              <span className={styles.label}>{t(`builder.${kind}`)}</span>
            </span>
          )
        })}
      </p>
    </div>
  )
}
