import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { brand } from '../../state/brand.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useLanguageSwitch, useLocalPath } from '../../state/language.ts'
import { useLogo } from '../../state/site.ts'
import { LanguageSwitch } from '../../ui/fields/language-switch.tsx'
import { Logo } from '../../ui/graphics/logo.tsx'
import styles from './auth-layout.module.css'
import { RoadScene } from './road-scene.tsx'

interface AuthLayoutProps {
  title: string
  heading: string
  children: ReactNode
  /** The link to the other form. */
  aside: ReactNode
}

/** The layout of sign-in and registration: the form on one side, an illustration on the other. */
export function AuthLayout({ title, heading, children, aside }: AuthLayoutProps) {
  const { t } = useTranslation(['auth', 'header'])
  const localPath = useLocalPath()
  return (
    <div className={styles.page}>
      <title>{`${title} · ${brand.name}`}</title>
      <div className={styles.side}>
        <div className={styles.top}>
          <Link to={localPath('/')} className={styles.brand} aria-label={t('header:home')}>
            <Logo {...useLogo()} />
          </Link>
          <LanguageSwitch {...useLanguageSwitch()} />
        </div>
        <div className={styles.form}>
          <h1 className={styles.heading}>{heading}</h1>
          {children}
          <p className={styles.aside}>{aside}</p>
        </div>
      </div>
      <div className={styles.illustration}>
        <RoadScene />
        <p className={styles.motto}>{t('scene')}</p>
      </div>
    </div>
  )
}
