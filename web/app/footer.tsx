import { Link } from 'react-router'
import { LogoMark } from '../ui/logo.tsx'
import styles from './footer.module.css'
import { useTranslation } from './i18n.ts'
import { sections } from './navigation.ts'
import { useSession } from './session.ts'
import { useContacts, useLogoText } from './site.ts'
import { useLocal } from './use-local.ts'

export function Footer({ low }: { low: boolean }) {
  const { t } = useTranslation('header')
  const signedIn = useSession() !== null
  const local = useLocal()
  const brand = (
    <span className={styles.brand}>
      <LogoMark size={24} />
      {useLogoText()}
    </span>
  )
  if (low)
    return (
      <footer className={`${styles.footer} ${styles.low}`}>
        {brand}
        <Link to={local('/rules')}>{t('rules')}</Link>
        <ContactLinks />
      </footer>
    )
  return (
    <footer className={styles.footer}>
      <div className={styles.inside}>
        <div className={styles.claim}>
          {brand}
          <p>{t('footer.claim')}</p>
          <p className="mono">{t('footer.unit')}</p>
        </div>
        <Group title={t('footer.product')}>
          {sections.map(({ to, text }) => (
            <Link key={to} to={local(to)}>
              {t(text)}
            </Link>
          ))}
        </Group>
        <Group title={t('footer.account')}>
          {signedIn ? (
            <Link to="/account">{t('footer.account')}</Link>
          ) : (
            <>
              <Link to="/login">{t('signIn')}</Link>
              <Link to="/register">{t('signUp')}</Link>
            </>
          )}
          <Link to="/purchase">{t('footer.buy')}</Link>
        </Group>
        <Contacts />
      </div>
    </footer>
  )
}

const contacts = ['bot', 'support', 'channel'] as const

/** A heading over nothing is not shown. */
function Contacts() {
  const { t } = useTranslation('header')
  const links = useContacts()
  if (contacts.every((contact) => links[contact] === null)) return null
  return (
    <Group title={t('footer.contacts')}>
      <ContactLinks />
    </Group>
  )
}

/** Only those the operator has. */
function ContactLinks() {
  const { t } = useTranslation('header')
  const links = useContacts()
  return contacts
    .filter((contact) => links[contact] !== null)
    .map((contact) => (
      <a key={contact} href={links[contact] ?? ''} target="_blank" rel="noreferrer">
        {t(`footer.${contact}`)}
      </a>
    ))
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className={styles.group}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  )
}
