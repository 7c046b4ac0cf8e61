import type { MouseEvent } from 'react'
import { useTranslation } from './i18n.ts'
import { Link, useLocation } from 'react-router'
import type { Language } from '../ui/format.ts'
import { LanguageFlag } from '../ui/language-flag.tsx'
import styles from './language-switch.module.css'
import { switchLanguage, useLanguage } from './language.ts'
import { twinOf } from './paths.ts'

const names = { ru: 'RU, русский', en: 'EN, English' } as const

export function LanguageSwitch() {
  const { t } = useTranslation('header')
  return (
    <div className={styles.languages} role="group" aria-label={t('language')}>
      <Choice language="ru" />
      <Choice language="en" />
    </div>
  )
}

/** Where the page has a twin it is a link, which crawlers follow and which works before any script does. */
function Choice({ language }: { language: Language }) {
  const isOn = useLanguage() === language
  const twin = twinOf(useLocation(), language)
  const choose = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey
    if (elsewhere) return
    event.preventDefault()
    void switchLanguage(language)
  }
  const face = (
    <>
      <LanguageFlag language={language} />
      {language.toUpperCase()}
    </>
  )
  const shared = {
    className: styles.language,
    lang: language,
    'aria-label': names[language],
    onClick: choose,
  }
  if (twin === null) {
    return (
      <button type="button" {...shared} aria-pressed={isOn}>
        {face}
      </button>
    )
  }
  return (
    <Link to={twin} {...shared} hrefLang={language} aria-current={isOn ? 'true' : undefined}>
      {face}
    </Link>
  )
}
