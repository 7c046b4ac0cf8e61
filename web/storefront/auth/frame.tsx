import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { brand } from '../../app/brand.ts'
import { useTranslation } from '../../app/i18n.ts'
import { LanguageSwitch } from '../../app/language-switch.tsx'
import { useLogoText } from '../../app/site.ts'
import { useLocal } from '../../app/use-local.ts'
import { LogoMark } from '../../ui/logo.tsx'
import styles from './frame.module.css'
import { RoadScene } from './road-scene.tsx'

interface AuthFrameProps {
  title: string
  heading: string
  children: ReactNode
  /** The way to the other form. */
  aside: ReactNode
}

/** A page with one decision: the form on one side, the road on the other. */
export function AuthFrame({ title, heading, children, aside }: AuthFrameProps) {
  const { t } = useTranslation(['auth', 'header'])
  const local = useLocal()
  return (
    <div className={styles.page}>
      <title>{`${title} · ${brand.name}`}</title>
      <div className={styles.side}>
        <div className={styles.top}>
          <Link to={local('/')} className={styles.brand} aria-label={t('header:home')}>
            <LogoMark />
            {useLogoText()}
          </Link>
          <LanguageSwitch />
        </div>
        <div className={styles.form}>
          <h1 className={styles.heading}>{heading}</h1>
          {children}
          <p className={styles.aside}>{aside}</p>
        </div>
      </div>
      <div className={styles.scene}>
        <RoadScene />
        <p className={styles.motto}>{t('scene')}</p>
      </div>
    </div>
  )
}
