import type { ReactNode } from 'react'
import { LogoMark } from '../../ui/graphics/logo.tsx'
import { LanguageChoice } from './language-choice.tsx'
import styles from './entry-page.module.css'

interface EntryPageProps {
  brand: string
  title: string
  lead?: ReactNode
  children: ReactNode
}

/** A page with a single form, before the desk opens. */
export function EntryPage({ brand, title, lead, children }: EntryPageProps) {
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <LogoMark size={26} />
        <span className={styles.brand}>{brand}</span>
        <div className={styles.language}>
          <LanguageChoice />
        </div>
      </header>
      <main className={styles.main}>
        <title>{`${title} · ${brand}`}</title>
        <h1>{title}</h1>
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        {children}
      </main>
    </div>
  )
}
