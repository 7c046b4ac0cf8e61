import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import { hostOf } from './link-host.ts'
import styles from './review-links.module.css'

interface ReviewLinksProps {
  links: readonly { name: string; link: string }[]
  /** For screen readers: the link opens a new tab. */
  newTab: string
}

/** Links to discussions on other sites, as customers see them. */
export function ReviewLinks({ links, newTab }: ReviewLinksProps) {
  return (
    <ul className={styles.threads}>
      {links.map(({ name, link }) => (
        <li key={link}>
          <a className={styles.thread} href={link} target="_blank" rel="noreferrer">
            <span className={styles.name}>{name}</span>
            <span className={styles.host}>{hostOf(link)}</span>
            <ArrowUpRight className={styles.arrow} size={20} strokeWidth={1.75} aria-hidden="true" />
            <span className="sr-only">{newTab}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
