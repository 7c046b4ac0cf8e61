import { classes } from './classes.ts'
import styles from './lane-chart.module.css'

export interface LaneDay {
  key: string
  label: string
  /** Shares of the longest day, 0..1. */
  paid: number
  bonus: number
  figures: { traffic: string; bonus: string; requests: string }
}

interface LaneChartProps {
  label: string
  days: readonly LaneDay[]
  headings: { day: string; traffic: string; bonus: string; requests: string }
}

/**
 * Use by day, each day a lane filled from the left: paid in paint, bonus hatched. Read at a glance, and read out
 * as a plain list with all its figures.
 */
export function LaneChart({ label, days, headings }: LaneChartProps) {
  return (
    <div className={styles.chart}>
      <div className={classes(styles.row, styles.head)} aria-hidden="true">
        <span>{headings.day}</span>
        <span className={styles.track} />
        <span className={styles.figure}>{headings.traffic}</span>
        <span className={classes(styles.figure, styles.bonusFigure)}>{headings.bonus}</span>
        <span className={classes(styles.figure, styles.requests)}>{headings.requests}</span>
      </div>
      <ol aria-label={label}>
        {days.map((day) => (
          <li key={day.key} className={classes(styles.row, day.paid + day.bonus === 0 && styles.idle)}>
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
    <span className={classes(styles.figure, 'mono', className)}>
      <span className="sr-only">{name}: </span>
      {text}
    </span>
  )
}

/** What a lane of each kind looks like. */
export function LaneKey({ kind }: { kind: 'paid' | 'bonus' }) {
  return (
    <span
      className={classes(styles.swatch, kind === 'paid' ? styles.paid : styles.bonus)}
      aria-hidden="true"
    />
  )
}

const percent = (share: number) => `${(share * 100).toFixed(3)}%`
