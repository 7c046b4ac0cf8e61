import type { MouseEvent } from 'react'
import { Link } from 'react-router'
import { type Language, languages } from '#contract/language'
import { LanguageFlag } from '../graphics/language-flag.tsx'
import styles from './language-switch.module.css'

const names = { ru: 'RU, русский', en: 'EN, English' } as const

interface LanguageSwitchProps {
  label: string
  current: Language
  /** The address of the page in a language; null where it has one address. */
  hrefOf: (language: Language) => string | null
  onSwitch: (language: Language, event: MouseEvent) => void
}

export function LanguageSwitch({ label, ...option }: LanguageSwitchProps) {
  return (
    <div className={styles.languages} role="group" aria-label={label}>
      {languages.map((language) => (
        <Option key={language} language={language} {...option} />
      ))}
    </div>
  )
}

type OptionProps = Omit<LanguageSwitchProps, 'label'> & { language: Language }

/**
 * A link where the page has an address in each language: crawlers follow it, and it works without scripts.
 */
function Option({ language, current, hrefOf, onSwitch }: OptionProps) {
  const href = hrefOf(language)
  const content = (
    <>
      <LanguageFlag language={language} />
      <span>{language.toUpperCase()}</span>
    </>
  )
  const shared = {
    className: styles.language,
    lang: language,
    'aria-label': names[language],
    onClick: (event: MouseEvent) => onSwitch(language, event),
  }
  if (href === null) {
    return (
      <button type="button" {...shared} aria-pressed={language === current}>
        {content}
      </button>
    )
  }
  return (
    <Link to={href} {...shared} hrefLang={language} aria-current={language === current ? 'true' : undefined}>
      {content}
    </Link>
  )
}
