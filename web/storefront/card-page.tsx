import type { ReactNode } from 'react'
import { BackLink } from './back-link.tsx'
import { brand } from '../state/brand.ts'
import { Card } from '../ui/card.tsx'
import styles from './card-page.module.css'

interface CardPageProps {
  title: string
  heading: string
  /** The target of the back link. */
  back: string
  children: ReactNode
  /** Shown below the card. */
  note?: ReactNode
}

/** A page with a single task in a card. */
export function CardPage({ title, heading, back, children, note }: CardPageProps) {
  return (
    <div className={styles.page}>
      <title>{`${title} — ${brand.name}`}</title>
      <div className={styles.titled}>
        <BackLink fallback={back} always />
        <h1 className={styles.heading}>{heading}</h1>
      </div>
      <Card padding="large">{children}</Card>
      {note}
    </div>
  )
}
