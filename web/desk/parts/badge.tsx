import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import styles from './badge.module.css'

export type Tone = 'good' | 'warning' | 'bad' | 'quiet'

/** A state in one word; its mark differs in shape, not in colour alone. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={classNames(styles.badge, styles[tone])}>{children}</span>
}
