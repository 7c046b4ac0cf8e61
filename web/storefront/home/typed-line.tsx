import { useTranslation } from '../../app/i18n.ts'
import { type LinePart, lineText } from './sample-line.ts'
import styles from './typed-line.module.css'
import { useTyped } from './use-typed.ts'

/**
 * The line, typed out, each part with its name under it. What is not yet typed already takes its place, so nothing
 * moves; a screen reader gets the whole line at once.
 */
export function TypedLine({ parts }: { parts: readonly LinePart[] }) {
  const { t } = useTranslation('home')
  const whole = lineText(parts)
  let left = useTyped(whole)
  return (
    <div className={styles.road}>
      <p className="sr-only" aria-live="polite">
        {t('builder.line')}: {whole}
      </p>
      <p className={styles.line} aria-hidden="true">
        {parts.map(({ kind, text }) => {
          const shown = Math.max(0, Math.min(text.length, left))
          left -= text.length
          return (
            <span key={kind} className={styles.part} data-kind={kind} data-typed={shown > 0 || undefined}>
              <span className={styles.text}>
                {text.slice(0, shown)}
                <span className={styles.coming}>{text.slice(shown)}</span>
              </span>
              <span className={styles.label}>{t(`builder.${kind}`)}</span>
            </span>
          )
        })}
      </p>
    </div>
  )
}
