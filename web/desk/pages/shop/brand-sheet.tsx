import type { CSSProperties } from 'react'
import { isColour, ownAccent, type Theme, themes, tokensOf } from '#contract/colours'
import type { Language } from '#contract/language'
import { textIn, useTranslation } from '../../../state/i18n.ts'
import { LogoMark } from '../../../ui/graphics/logo.tsx'
import { BrandImage } from './brand-image.tsx'
import styles from './brand.module.css'
import type { ShopContent } from './content.parts.ts'

type Brand = ShopContent['parts']['brand']

/** A preview of a page's head in both themes, in the chosen colours. */
export function BrandSheet({ brand, language }: { brand: Brand; language: Language }) {
  return (
    <>
      {themes.map((theme) => (
        <ThemeSheet key={theme} brand={brand} theme={theme} language={language} />
      ))}
    </>
  )
}

function ThemeSheet({ brand, theme, language }: { brand: Brand; theme: Theme; language: Language }) {
  const { t } = useTranslation('deskShop')
  const accent = isColour(brand.accent[theme]) ? brand.accent[theme] : ownAccent[theme]
  const tokens = Object.fromEntries(
    Object.entries(tokensOf(accent, theme)).map(([name, colour]) => [`--${name}`, colour]),
  )
  const logo = theme === 'dark' ? (brand.logo_dark ?? brand.logo) : brand.logo
  return (
    <div
      className={styles.theme}
      role="group"
      aria-label={t(`brand.theme.${theme}`)}
      style={{ colorScheme: theme, ...tokens } as CSSProperties}
    >
      <p className={styles.tab}>
        {brand.icon === null ? (
          <LogoMark size={14} />
        ) : (
          <BrandImage picture={brand.icon} alt="" height={14} />
        )}
        <span>{brand.name}</span>
      </p>
      <p className={styles.head}>
        {logo === null ? <LogoMark /> : <BrandImage picture={logo} alt={brand.name} height={32} />}
        <span>{brand.logo_text}</span>
      </p>
      <p className={styles.title}>{textIn(language, 'home', 'hero.heading')}</p>
      <p className={styles.acts}>
        <span className={styles.buy}>{textIn(language, 'home', 'hero.buy')}</span>
        <span className={styles.words}>{textIn(language, 'header', 'signUp')}</span>
      </p>
      <p className={styles.band}>
        <span>{language === 'ru' ? '12,40' : '12.40'}</span>{' '}
        <span>{textIn(language, 'header', 'footer.unit')}</span>
      </p>
    </div>
  )
}
