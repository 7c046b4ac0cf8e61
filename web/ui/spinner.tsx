import styles from './spinner.module.css'

/** Something is loading; the label is for screen readers. */
export function Spinner({ label }: { label: string }) {
  return (
    <span className={styles.spinner} role="status">
      <span className="sr-only">{label}</span>
    </span>
  )
}
