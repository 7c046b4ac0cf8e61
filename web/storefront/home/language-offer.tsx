import X from 'lucide-react/icons/x'
import { Link } from 'react-router'
import { rememberLanguage } from '../../state/i18n.ts'
import { useLanguageSwitch } from '../../state/language.ts'
import { useTranslation } from '../../state/i18n.ts'
import styles from './language-offer.module.css'

/** Always in English, for readers who do not know the language of the page. */
const offer = 'View in English'

/** Offers the English page to a browser whose user reads English and has chosen no language here. */
export function LanguageOffer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('home')
  const { hrefOf, onSwitch } = useLanguageSwitch()
  return (
    <aside className={styles.offer} lang="en" translate="no" aria-label={offer}>
      <Link to={hrefOf('en') ?? '/en'} hrefLang="en" onClick={(event) => onSwitch('en', event)}>
        {offer}
      </Link>
      <button
        type="button"
        className={styles.close}
        lang="ru"
        aria-label={t('stay')}
        onClick={() => {
          rememberLanguage('ru')
          onClose()
        }}
      >
        <X size={18} aria-hidden="true" />
      </button>
    </aside>
  )
}
