import { Link } from 'react-router'
import { legalPaths } from '#contract/legal/pages'
import { useTranslation } from '../state/i18n.ts'
import { useLocalPath } from '../state/language.ts'
import { useSession } from '../state/session.ts'
import { useContacts, useLogo, useSite } from '../state/site.ts'
import { Logo } from '../ui/graphics/logo.tsx'
import { CurrencySelect } from './currency-select.tsx'
import styles from './footer.module.css'
import { sections } from './sections.ts'

/** The footer: the links of the site, or, where it is compact, one line. */
export function Footer({ compact }: { compact: boolean }) {
  const { t } = useTranslation('header')
  const signedIn = useSession() !== null
  const localPath = useLocalPath()
  const legal = useSite()?.legal.map(({ page, title }) => (
    <Link key={page} to={localPath(legalPaths[page])}>
      {title}
    </Link>
  ))
  const brand = (
    <span className={styles.brand}>
      <Logo {...useLogo()} size={24} />
    </span>
  )
  if (compact)
    return (
      <footer className={`${styles.footer} ${styles.compact}`}>
        {brand}
        <Link to={localPath('/rules')}>{t('rules')}</Link>
        <Link to={localPath('/status')}>{t('status')}</Link>
        {legal?.slice(0, 2)}
        <ContactLinks />
        <CurrencySelect />
      </footer>
    )
  return (
    <footer className={styles.footer}>
      <div className={styles.inside}>
        <div className={styles.claim}>
          {brand}
          <p>{t('footer.claim')}</p>
          <p translate="no" className="mono">
            {t('footer.unit')}
          </p>
          <CurrencySelect />
        </div>
        <Group title={t('footer.product')}>
          {sections.map(({ to, text }) => (
            <Link key={to} to={localPath(to)}>
              {t(text)}
            </Link>
          ))}
          <Link to={localPath('/status')}>{t('status')}</Link>
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
        <Group title={t('footer.documents')}>{legal}</Group>
        <Contacts />
      </div>
    </footer>
  )
}

const contacts = ['bot', 'support', 'channel'] as const

/** Left out with its heading where the operator has no contacts. */
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

/** The contacts that the operator has. */
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
