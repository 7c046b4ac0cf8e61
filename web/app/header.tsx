import LogOut from 'lucide-react/icons/log-out'
import Menu from 'lucide-react/icons/menu'
import User from 'lucide-react/icons/user-round'
import X from 'lucide-react/icons/x'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { Button } from '../ui/button.tsx'
import { LogoMark } from '../ui/logo.tsx'
import styles from './header.module.css'
import { useTranslation } from './i18n.ts'
import { LanguageSwitch } from './language-switch.tsx'
import { sections } from './navigation.ts'
import { publicPageOf } from './paths.ts'
import { useSession } from './session.ts'
import { signOut } from './sign-out.ts'
import { useLogoText } from './site.ts'
import { useLocal } from './use-local.ts'

export function Header() {
  const { t } = useTranslation('header')
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
        <div className={styles.acts}>
          <LanguageSwitch />
          <Account />
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
        <div className={styles.menuActs}>
          <Account wide />
          <LanguageSwitch />
        </div>
      </div>
    </header>
  )
}

function Brand() {
  const { t } = useTranslation('header')
  const local = useLocal()
  return (
    <Link to={local('/')} className={styles.brand} aria-label={t('home')}>
      <LogoMark />
      {useLogoText()}
    </Link>
  )
}

function SectionLinks() {
  const { t } = useTranslation('header')
  const here = publicPageOf(useLocation().pathname)
  const local = useLocal()
  return (
    <ul className={styles.list}>
      {sections.map(({ to, text }) => (
        <li key={to}>
          <Link to={local(to)} className={styles.link} aria-current={here === to ? 'page' : undefined}>
            {t(text)}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Account({ wide = false }: { wide?: boolean }) {
  const { t } = useTranslation('header')
  const user = useSession()
  const navigate = useNavigate()
  const local = useLocal()
  if (user === null) {
    return (
      <>
        <Button href="/login" variant={wide ? 'plain' : 'quiet'} size={wide ? 'medium' : 'small'} wide={wide}>
          {t('signIn')}
        </Button>
        <Button href="/register" variant="plain" size={wide ? 'medium' : 'small'} wide={wide}>
          {t('signUp')}
        </Button>
      </>
    )
  }
  const name = user.username ?? String(user.user_id)
  const leave = () => {
    signOut()
    void navigate(local('/'))
  }
  return (
    <>
      <Link to="/account" className={styles.account} aria-label={t('account', { name })} title={name}>
        <User size={18} strokeWidth={1.75} aria-hidden="true" />
        <span className={styles.name}>{name}</span>
      </Link>
      <button
        type="button"
        className={styles.leave}
        aria-label={t('signOut')}
        title={t('signOut')}
        onClick={leave}
      >
        <LogOut size={18} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </>
  )
}
