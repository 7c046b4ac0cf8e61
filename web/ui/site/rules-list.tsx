import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import styles from './rules-list.module.css'

interface RulesListProps {
  rules: readonly { text: string; more_link: string | null }[]
  /** The last point of the list: a text, and where it leads. */
  partner: { text: string; link: string | null } | null
  ending: string
  note: string
  /** The link to more about a rule: its visible text, and the note on the new tab for screen readers. */
  more: { label: string; newTab: string }
}

/** Rules along a dashed line, as customers see them. */
export function RulesList({ rules, partner, ending, note, more }: RulesListProps) {
  return (
    <>
      <ol className={styles.rules}>
        {rules.map(({ text, more_link: link }, index) => (
          // Two rules may say the same; the list is not reordered while it is shown.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className={styles.rule}>
            <p>
              <span>{text}</span>
              {link !== null && (
                <>
                  {' '}
                  <a className={styles.more} href={link} target="_blank" rel="noreferrer">
                    <span>{more.label}</span>
                    <span className="sr-only">{`, ${more.newTab}`}</span>
                    <ArrowUpRight size={16} strokeWidth={2} aria-hidden="true" />
                  </a>
                </>
              )}
            </p>
          </li>
        ))}
        {partner !== null && (
          <li className={styles.rule}>
            <p>
              {partner.link === null ? (
                partner.text
              ) : (
                <a href={partner.link} target="_blank" rel="noreferrer">
                  {partner.text}
                </a>
              )}
            </p>
          </li>
        )}
      </ol>
      <div className={styles.close}>
        <p className={styles.ending}>{ending}</p>
        <p className={styles.note}>{note}</p>
      </div>
    </>
  )
}
