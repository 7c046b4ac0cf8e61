import { useEffect, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { type Attempts, attemptBars } from './attempt-bars.ts'
import styles from './health.module.css'

const width = 120
const height = 24
const step = width / 60

/** The attempts of the last hour by minute: answered ones, and failed ones on top in red. */
export function AttemptsChart({ minutes }: { minutes: Attempts }) {
  const { t } = useTranslation('deskPages')
  const { number } = useFigures()
  const [now, setNow] = useState(Date.now)
  // The hour ends at the time of the last read.
  useEffect(() => setNow(Date.now()), [minutes])
  const sum = (field: 'answered' | 'failed') =>
    number(minutes.reduce((total, minute) => total + BigInt(minute[field]), 0n))
  const label = t('health.attempts', { answered: sum('answered'), failed: sum('failed') })
  return (
    <svg className={styles.chart} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <title>{label}</title>
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className={styles.base} />
      {attemptBars(minutes, now).map(({ index, answered, failed }) => (
        <g key={index}>
          <rect
            className={styles.answered}
            x={index * step}
            y={height - answered * height}
            width={step - 0.5}
            height={answered * height}
          />
          <rect
            className={styles.failed}
            x={index * step}
            y={height - (answered + failed) * height}
            width={step - 0.5}
            height={failed * height}
          />
        </g>
      ))}
    </svg>
  )
}
