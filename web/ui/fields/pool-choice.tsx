import type { Pool } from '#contract/wire'
import { type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import { DisabledReason } from '../disabled-reason.tsx'
import styles from './pool-choice.module.css'
import { PoolIcon } from '../graphics/pool-icon.tsx'

interface PoolChoiceProps {
  label: string
  /** The pools to show, in this order. */
  offered: readonly Pool[]
  value: Pool
  onChange: (pool: Pool) => void
  names: Record<Pool, string>
  /** A figure under the name, such as a balance or a price. */
  figures?: Partial<Record<Pool, ReactNode>>
  /** Pools that cannot be chosen, each with the reason. */
  disabled?: Partial<Record<Pool, string>>
}

/** A choice of a pool. */
export function PoolChoice({ label, offered, value, onChange, names, figures, disabled }: PoolChoiceProps) {
  const group = useId()
  return (
    <fieldset className={styles.group}>
      <legend className="sr-only">{label}</legend>
      {offered.map((pool) => {
        const reason = disabled?.[pool]
        const option = (
          <label className={classNames(styles.option, reason !== undefined && styles.disabled)}>
            <input
              type="radio"
              name={group}
              className={styles.input}
              checked={pool === value}
              disabled={reason !== undefined}
              onChange={() => onChange(pool)}
            />
            <PoolIcon pool={pool} size={22} />
            <span className={styles.name}>{names[pool]}</span>
            {figures !== undefined && (
              <span translate="no" className={classNames(styles.figure, 'mono')}>
                {figures[pool]}
              </span>
            )}
          </label>
        )
        if (reason === undefined) return <div key={pool}>{option}</div>
        return (
          <DisabledReason key={pool} text={reason} label={names[pool]}>
            {option}
          </DisabledReason>
        )
      })}
    </fieldset>
  )
}
