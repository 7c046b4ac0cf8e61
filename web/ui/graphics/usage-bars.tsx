import { classNames } from '../class-names.ts'
import styles from './usage-bars.module.css'

export interface UsageBar {
  key: string
  label: string
  /** Paid and bonus traffic, as shares (0..1) of the traffic of the busiest day. */
  paid: number
  bonus: number
  figures: { traffic: string; bonus: string; requests: string }
}

interface UsageBarsProps {
  label: string
  days: readonly UsageBar[]
  headings: { day: string; traffic: string; bonus: string; requests: string }
}

/**
 * Traffic by day as horizontal bars: paid traffic solid, bonus traffic hatched. Screen readers get a list
 * with all figures.
 */
export function UsageBars({ label, days, headings }: UsageBarsProps) {
  return (
    <div>
      <div className={classNames(styles.row, styles.head)} aria-hidden="true">
        <span>{headings.day}</span>
        <span className={styles.track} />
        <span className={styles.figure}>{headings.traffic}</span>
        <span className={classNames(styles.figure, styles.bonusFigure)}>{headings.bonus}</span>
        <span className={classNames(styles.figure, styles.requests)}>{headings.requests}</span>
      </div>
      <ol aria-label={label}>
        {days.map((day) => (
          <li key={day.key} className={classNames(styles.row, day.paid + day.bonus === 0 && styles.idle)}>
            <span className={styles.day}>{day.label}</span>
            <span className={styles.track} aria-hidden="true">
              {day.paid > 0 && <span className={styles.paid} style={{ width: percent(day.paid) }} />}
              {day.bonus > 0 && <span className={styles.bonus} style={{ width: percent(day.bonus) }} />}
            </span>
            <Figure name={headings.traffic} text={day.figures.traffic} />
            <Figure name={headings.bonus} text={day.figures.bonus} className={styles.bonusFigure} />
            <Figure name={headings.requests} text={day.figures.requests} className={styles.requests} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function Figure({ name, text, className }: { name: string; text: string; className?: string | undefined }) {
  return (
    <span translate="no" className={classNames(styles.figure, 'mono', className)}>
      <span className="sr-only">{`${name}: `}</span>
      <span>{text}</span>
    </span>
  )
}

/** The legend of one kind of bar. */
export function UsageSwatch({ kind }: { kind: 'paid' | 'bonus' }) {
  return (
    <span
      className={classNames(styles.swatch, kind === 'paid' ? styles.paid : styles.bonus)}
      aria-hidden="true"
    />
  )
}

const percent = (share: number) => `${(share * 100).toFixed(3)}%`
