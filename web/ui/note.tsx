import type { ReactNode } from 'react'
import styles from './note.module.css'

/** A remark next to the text or the numbers it belongs to. */
export function Note({ children }: { children: ReactNode }) {
  return <span className={styles.note}>{children}</span>
}
