import type { ReactNode } from 'react'
import { Lane } from '../ui/lane.tsx'
import styles from './road-end.module.css'

interface RoadEndProps {
  /** A word on the barrier. */
  sign: string
  title: string
  text: string
  children: ReactNode
}

/** The lane comes down the page and stops at a barrier. */
export function RoadEnd({ sign, title, text, children }: RoadEndProps) {
  return (
    <div className={styles.page}>
      <title>{title}</title>
      <Lane className={styles.lane} />
      <div className={styles.barrier} aria-hidden="true">
        <span className={styles.sign}>{sign}</span>
      </div>
      <h1>{title}</h1>
      <p className={styles.text}>{text}</p>
      {children}
    </div>
  )
}
