import type { ReactNode } from 'react'
import { BackLink } from './back-link.tsx'
import { brand } from '../state/brand.ts'
import { useLocalPath } from '../state/language.ts'
import { classNames } from '../ui/class-names.ts'
import styles from './page.module.css'

interface PageProps {
  /** The title of the document; the brand is appended. */
  title: string
  description: string
  heading: string
  lead: ReactNode
  /** Shows a link to the previous page. */
  back?: boolean
  narrow?: boolean
  children: ReactNode
}

/** A public page: the elements of its head, heading, lead. */
export function Page({
  title,
  description,
  heading,
  lead,
  back = false,
  narrow = false,
  children,
}: PageProps) {
  const localPath = useLocalPath()
  return (
    <div className={classNames(styles.page, narrow && styles.narrow)}>
      <title>{`${title} — ${brand.name}`}</title>
      <meta name="description" content={description} />
      <div className={styles.titled}>
        {back && <BackLink fallback={localPath('/')} />}
        <h1 className={styles.heading}>{heading}</h1>
      </div>
      <p className={styles.lead}>{lead}</p>
      {children}
    </div>
  )
}

/** Shown instead of an empty list: what it means, and the next step. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <section className={styles.empty}>
      <h2 className={styles.emptyTitle}>{title}</h2>
      <p className={styles.emptyText}>{text}</p>
      {children}
    </section>
  )
}
