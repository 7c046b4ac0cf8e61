import type { ReactNode } from 'react'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import styles from './setting-rows.module.css'

/** A group of settings under one heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{title}</h2>
      {children}
    </section>
  )
}

/** One setting: its label on the left, its control on the right. */
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
  /** The names of the chosen items; without any, the placeholder is shown. */
  names: readonly string[]
  placeholder: string
  actionLabel: string
  /** A warning about the double tariff, and its long form as a tooltip. */
  warning?: { short: string; long: string }
  /** Why the setting is disabled. */
  disabledReason?: string | undefined
  note?: ReactNode
  onOpen: () => void
}

const shownNames = 4

/** A setting that is chosen in a picker. */
export function PickRow(props: PickRowProps) {
  const { label, names, placeholder, actionLabel, warning, disabledReason, note, onOpen } = props
  const more = names.length - shownNames
  const isDisabled = disabledReason !== undefined
  const control = (
    <button type="button" className={styles.pick} disabled={isDisabled} onClick={onOpen}>
      <span className="sr-only">{`${label}: `}</span>
      <span className={styles.names}>
        {names.length === 0 && <span className={styles.placeholder}>{disabledReason ?? placeholder}</span>}
        {names.slice(0, shownNames).map((name) => (
          <span key={name} className={styles.name}>
            {name}
          </span>
        ))}
        {more > 0 && <span className={styles.more}>{`+${more}`}</span>}
      </span>
      {!isDisabled && <span className={styles.action}>{actionLabel}</span>}
    </button>
  )
  return (
    <Row
      label={
        <>
          <span>{label}</span>
          {warning !== undefined && (
            <span className={styles.warning} title={warning.long}>
              <span aria-hidden="true">×2</span>
              <span>{warning.short}</span>
            </span>
          )}
        </>
      }
      hint={note}
    >
      {isDisabled ? (
        <DisabledReason text={disabledReason} label={label}>
          {control}
        </DisabledReason>
      ) : (
        control
      )}
    </Row>
  )
}
