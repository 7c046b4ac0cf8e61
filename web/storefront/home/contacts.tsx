import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import { useTranslation } from '../../state/i18n.ts'
import { useContacts } from '../../state/site.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './contacts.module.css'
import page from './home.module.css'

const contacts = ['bot', 'support', 'channel'] as const

export function Contacts() {
  const { t } = useTranslation('home')
  const links = useContacts()
  const available = contacts.filter((contact) => links[contact] !== null)
  if (available.length === 0) return null
  return (
    <section className={page.halves} id="contacts">
      <div className={classNames(page.intro, page.ground)}>
        <h2>{t('contacts.heading')}</h2>
        <p className={page.lead}>{t('contacts.lead')}</p>
      </div>
      <Card padding="none">
        <ul>
          {available.map((contact) => (
            <li key={contact} className={styles.row}>
              <a className={styles.link} href={links[contact] ?? ''} target="_blank" rel="noreferrer">
                <span className={styles.name}>{t(`contacts.${contact}`)}</span>
                <span className={styles.text}>{t(`contacts.${contact}Text`)}</span>
                <ArrowUpRight className={styles.arrow} size={20} strokeWidth={1.75} aria-hidden="true" />
              </a>
            </li>
          ))}
        </ul>
      </Card>
    </section>
  )
}
