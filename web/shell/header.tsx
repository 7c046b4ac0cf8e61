import LogOut from 'lucide-react/icons/log-out'
import Menu from 'lucide-react/icons/menu'
import User from 'lucide-react/icons/user-round'
import X from 'lucide-react/icons/x'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { publicPageOf } from '#contract/pages'
import { useTranslation } from '../state/i18n.ts'
import { useLanguageSwitch, useLocalPath } from '../state/language.ts'
import { useSession } from '../state/session.ts'
import { signOut } from '../state/sign-out.ts'
import { useLogo } from '../state/site.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { LanguageSwitch } from '../ui/fields/language-switch.tsx'
import { Logo } from '../ui/graphics/logo.tsx'
import styles from './header.module.css'
import { sections } from './sections.ts'

export function Header() {
  const { t } = useTranslation('header')
  const languageSwitch = useLanguageSwitch()
  const [open, setOpen] = useState(false)
  const burger = useRef<HTMLButtonElement>(null)
  const { key } = useLocation()
  useEffect(() => setOpen(false), [key])
  useEffect(() => {
    if (!open) return
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      burger.current?.focus()
    }
    window.addEventListener('keydown', close)
    return () => window.removeEventListener('keydown', close)
  }, [open])
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <Brand />
        <nav className={styles.links} aria-label={t('main')}>
          <SectionLinks />
        </nav>
        <LanguageSwitch {...languageSwitch} />
        <div className={styles.actions}>
          <AccountLinks />
        </div>
        <button
          ref={burger}
          type="button"
          className={styles.burger}
          aria-expanded={open}
          aria-controls="menu"
          aria-label={t(open ? 'closeMenu' : 'openMenu')}
          onClick={() => setOpen(!open)}
        >
          {open ? <X size={24} aria-hidden="true" /> : <Menu size={24} aria-hidden="true" />}
        </button>
      </div>
      <div id="menu" className={styles.menu} hidden={!open}>
        <nav aria-label={t('main')}>
          <SectionLinks />
        </nav>
        <div className={styles.menuActions}>
          <AccountLinks wide />
        </div>
      </div>
    </header>
  )
}

function Brand() {
  const { t } = useTranslation('header')
  const localPath = useLocalPath()
  return (
    <Link to={localPath('/')} className={styles.brand} aria-label={t('home')}>
      <Logo {...useLogo()} />
    </Link>
  )
}

function SectionLinks() {
  const { t } = useTranslation('header')
  const here = publicPageOf(useLocation().pathname)
  const localPath = useLocalPath()
  return (
    <ul className={styles.list}>
      {sections.map(({ to, text }) => (
        <li key={to}>
          <Link to={localPath(to)} className={styles.link} aria-current={here === to ? 'page' : undefined}>
            {t(text)}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function AccountLinks({ wide = false }: { wide?: boolean }) {
  const { t } = useTranslation('header')
  const user = useSession()
  const view = useView()
  const navigate = useNavigate()
  const localPath = useLocalPath()
  const isFrame = useLocation().pathname === '/account' && import.meta.env.SSR
  if (user === null && !isFrame) {
    return (
      <>
        <Button
          href="/login"
          variant={wide ? 'secondary' : 'ghost'}
          size={wide ? 'medium' : 'small'}
          wide={wide}
        >
          {t('signIn')}
        </Button>
        <Button href="/register" variant="secondary" size={wide ? 'medium' : 'small'} wide={wide}>
          {t('signUp')}
        </Button>
      </>
    )
  }
  // The server renders without a user: it does not know who is signed in. start.ts fills in the name.
  const name = user === null ? '' : (user.username ?? String(user.user_id))
  const handleSignOut = () => {
    signOut()
    if (view === null) void navigate(localPath('/'))
  }
  return (
    <>
      <Link to="/account" className={styles.account} aria-label={t('account', { name })} title={name}>
        <User size={18} strokeWidth={1.75} aria-hidden="true" />
        <span translate="no" className={styles.name} data-account-name>
          {name}
        </span>
      </Link>
      <button
        type="button"
        className={styles.signOut}
        aria-label={t('signOut')}
        title={t('signOut')}
        onClick={handleSignOut}
      >
        <LogOut size={18} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </>
  )
}
