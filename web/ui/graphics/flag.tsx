import sprite from 'virtual:flags'
import styles from './flag.module.css'

/** The flag of a country, from the sprite. Decorative: the name always stands beside it as text. */
export function Flag({ country }: { country: string }) {
  return (
    <svg className={styles.flag} width="21" height="14" aria-hidden="true" focusable="false">
      <use href={`${sprite}#${country.toLowerCase()}`} />
    </svg>
  )
}
