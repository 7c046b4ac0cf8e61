import type { ReactNode } from 'react'
import { Moment } from './moment.tsx'
import styles from './timeline.module.css'

export interface TimelineItem {
  key: string
  at: string
  text: ReactNode
  /** Smaller, below: who, why. */
  note?: ReactNode
  action?: ReactNode
}

/** Events in the order of time, along a lane. */
export function Timeline({ items }: { items: readonly TimelineItem[] }) {
  return (
    <ol className={styles.list}>
      {items.map(({ key, at, text, note, action }) => (
        <li key={key} className={styles.item}>
          <div className={styles.text}>{text}</div>
          <div className={styles.note}>
            <Moment iso={at} />
            {note !== undefined && note !== null && <span>{note}</span>}
            <span>{action}</span>
          </div>
        </li>
      ))}
    </ol>
  )
}
