import type { ReactNode } from 'react'
import { BackLink } from '../app/back-link.tsx'
import { brand } from '../app/brand.ts'
import { useLocal } from '../app/use-local.ts'
import { classes } from '../ui/classes.ts'
import styles from './page.module.css'

interface PageProps {
  /** What the browser and search engines call it; the brand is added. */
  title: string
  description: string
  heading: string
  lead: ReactNode
  /** An arrow to the page before. */
  back?: boolean
  narrow?: boolean
  children: ReactNode
}

/** A public page: its head, its title, what it is about. */
export function Page({
  title,
  description,
  heading,
  lead,
  back = false,
  narrow = false,
  children,
}: PageProps) {
  const local = useLocal()
  return (
    <div className={classes(styles.page, narrow && styles.narrow)}>
      <title>{`${title} — ${brand.name}`}</title>
      <meta name="description" content={description} />
      <div className={styles.titled}>
        {back && <BackLink otherwise={local('/')} />}
        <h1 className={styles.heading}>{heading}</h1>
      </div>
      <p className={styles.lead}>{lead}</p>
      {children}
    </div>
  )
}

/** Where there is nothing yet: what it means, and the next step. */
export function Empty({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <section className={styles.empty}>
      <h2 className={styles.emptyTitle}>{title}</h2>
      <p className={styles.emptyText}>{text}</p>
      {children}
    </section>
  )
}
