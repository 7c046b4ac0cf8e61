import type { ReactNode } from 'react'
import { BackLink } from '../app/back-link.tsx'
import { brand } from '../app/brand.ts'
import { Card } from '../ui/card.tsx'
import styles from './desk.module.css'

interface DeskProps {
  title: string
  heading: string
  /** Where the arrow leads. */
  back: string
  children: ReactNode
  /** Said under the card. */
  note?: ReactNode
}

/** A page with one small thing to do. */
export function Desk({ title, heading, back, children, note }: DeskProps) {
  return (
    <div className={styles.page}>
      <title>{`${title} — ${brand.name}`}</title>
      <div className={styles.titled}>
        <BackLink otherwise={back} always />
        <h1 className={styles.heading}>{heading}</h1>
      </div>
      <Card padding="large">{children}</Card>
      {note}
    </div>
  )
}
