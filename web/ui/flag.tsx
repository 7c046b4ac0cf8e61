import sprite from 'virtual:flags'
import styles from './flag.module.css'

/** A country's flag out of the one sprite; decoration beside its name, which is always there as text. */
export function Flag({ country }: { country: string }) {
  return (
    <svg className={styles.flag} width="21" height="14" aria-hidden="true" focusable="false">
      <use href={`${sprite}#${country.toLowerCase()}`} />
    </svg>
  )
}
