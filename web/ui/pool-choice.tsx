import type { Pool } from '#contract/wire'
import { pools } from '#contract/wire'
import { type ReactNode, useId } from 'react'
import { classes } from './classes.ts'
import { Hint } from './hint.tsx'
import styles from './pool-choice.module.css'
import { PoolMark } from './pool-mark.tsx'

interface PoolChoiceProps {
  label: string
  value: Pool
  onChange: (pool: Pool) => void
  names: Record<Pool, string>
  /** The figure under the name: a balance, a price. */
  figures?: Partial<Record<Pool, ReactNode>>
  /** Pools that cannot be chosen, each with the reason. */
  closed?: Partial<Record<Pool, string>>
}

/** The four pools as lanes, of which one is taken. */
export function PoolChoice({ label, value, onChange, names, figures, closed }: PoolChoiceProps) {
  const group = useId()
  return (
    <fieldset className={styles.group}>
      <legend className="sr-only">{label}</legend>
      {pools.map((pool) => {
        const reason = closed?.[pool]
        const lane = (
          <label className={classes(styles.lane, reason !== undefined && styles.closed)}>
            <input
              type="radio"
              name={group}
              className={styles.input}
              checked={pool === value}
              disabled={reason !== undefined}
              onChange={() => onChange(pool)}
            />
            <PoolMark pool={pool} size={22} className={styles.mark} />
            <span className={styles.name}>{names[pool]}</span>
            {figures !== undefined && <span className={classes(styles.figure, 'mono')}>{figures[pool]}</span>}
          </label>
        )
        if (reason === undefined) return <div key={pool}>{lane}</div>
        return (
          <Hint key={pool} text={reason} label={names[pool]}>
            {lane}
          </Hint>
        )
      })}
    </fieldset>
  )
}
