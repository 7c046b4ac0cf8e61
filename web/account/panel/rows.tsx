import type { ReactNode } from 'react'
import { Hint } from '../../ui/hint.tsx'
import styles from './rows.module.css'

/** A group of settings under one heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{title}</h2>
      {children}
    </section>
  )
}

/** One setting: what it is on the left, the control on the right. */
export function Row({ label, hint, children }: { label: ReactNode; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <div className={styles.label}>{label}</div>
      <div className={styles.control}>
        {children}
        {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      </div>
    </div>
  )
}

interface PickRowProps {
  label: string
  /** The chosen names; none of them means the placeholder. */
  names: readonly string[]
  placeholder: string
  actLabel: string
  /** Warns of the double tariff: the short words, and the long ones for a reader. */
  warning?: { short: string; long: string }
  /** Why it cannot be used now. */
  closedReason?: string | undefined
  note?: ReactNode
  onOpen: () => void
}

const shownNames = 4

/** A setting that is chosen in a window of its own. */
export function PickRow(props: PickRowProps) {
  const { label, names, placeholder, actLabel, warning, closedReason, note, onOpen } = props
  const more = names.length - shownNames
  const closed = closedReason !== undefined
  const control = (
    <button type="button" className={styles.pick} disabled={closed} onClick={onOpen}>
      <span className="sr-only">{label}: </span>
      <span className={styles.names}>
        {names.length === 0 && <span className={styles.placeholder}>{closedReason ?? placeholder}</span>}
        {names.slice(0, shownNames).map((name) => (
          <span key={name} className={styles.name}>
            {name}
          </span>
        ))}
        {more > 0 && <span className={styles.more}>+{more}</span>}
      </span>
      {!closed && <span className={styles.act}>{actLabel}</span>}
    </button>
  )
  return (
    <Row
      label={
        <>
          {label}
          {warning !== undefined && (
            <span className={styles.warning} title={warning.long}>
              <span aria-hidden="true">×2</span>
              <span className={styles.warningText}>{warning.short}</span>
            </span>
          )}
        </>
      }
      hint={note}
    >
      {closed ? (
        <Hint text={closedReason} label={label}>
          {control}
        </Hint>
      ) : (
        control
      )}
    </Row>
  )
}
