import styles from './totals.module.css'

/** A few figures of a page in a row, each under its name. */
export function Totals({ totals }: { totals: readonly { name: string; value: string; note?: string }[] }) {
  return (
    <dl className={styles.totals}>
      {totals.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span>{value}</span>
            {note !== undefined && <span className={styles.note}>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
