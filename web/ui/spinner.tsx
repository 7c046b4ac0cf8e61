import styles from './spinner.module.css'

/** Something is on its way; the label is for those who do not see it turn. */
export function Spinner({ label }: { label: string }) {
  return (
    <span className={styles.spinner} role="status">
      <span className="sr-only">{label}</span>
    </span>
  )
}
