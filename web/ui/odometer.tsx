import { classNames } from './class-names.ts'
import styles from './odometer.module.css'

/**
 * A value whose digits roll when it changes. Digits are keyed from the right, so that the units stay the
 * units when the number gains a digit. Screen readers get the final value only.
 */
export function Odometer({ value, className }: { value: string; className?: string | undefined }) {
  const characters = [...value]
  return (
    <span className={classNames(styles.odometer, className)} translate="no">
      <span className="sr-only">{value}</span>
      <span className={styles.wheels} aria-hidden="true">
        {characters.map((character, index) => {
          const place = characters.length - index
          return /\d/.test(character) ? (
            <span key={place} className={styles.wheel} data-digit={character} />
          ) : (
            <span key={place} className={styles.sign}>
              {character}
            </span>
          )
        })}
      </span>
    </span>
  )
}
