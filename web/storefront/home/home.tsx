import { Suspense, useEffect, useState } from 'react'
import { chosenLanguage, useLanguage, useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { DashedLine } from '../../ui/graphics/dashed-line.tsx'
import { About } from './about.tsx'
import { Advantages } from './advantages.tsx'
import { Contacts } from './contacts.tsx'
import { Features } from './features.tsx'
import { Final } from './final.tsx'
import { Hero } from './hero.tsx'
import styles from './home.module.css'
import { Pricing } from './pricing.tsx'
import { useSoldKinds } from '../../state/places/sold-pools.ts'
import { usePool } from './use-pool.ts'

const LanguageOffer = lazyPart(async () => (await import('./language-offer.tsx')).LanguageOffer)

/** Whether to offer English on the Russian page: in an English browser, where no language was chosen. */
const readsEnglish = () => chosenLanguage() === null && navigator.language.startsWith('en')

/** The home page. A dashed line runs down its middle to the button at the end. */
export function HomePage() {
  const { t } = useTranslation('home')
  const [pool, choosePool] = usePool()
  const kinds = useSoldKinds()
  const language = useLanguage()
  const [isOffered, setOffered] = useState(false)
  useEffect(() => setOffered(readsEnglish()), [])
  return (
    <div className={styles.page}>
      <title>{t('title')}</title>
      <meta
        name="description"
        content={kinds === null ? t('descriptionPlain') : t('description', { kinds })}
      />
      <DashedLine className={styles.line} />
      <Hero />
      <Features />
      <Pricing pool={pool} onPool={choosePool} />
      <About />
      <Advantages pool={pool} />
      <Contacts />
      <Final pool={pool} />
      {isOffered && language === 'ru' && (
        <Suspense fallback={null}>
          <LanguageOffer onClose={() => setOffered(false)} />
        </Suspense>
      )}
    </div>
  )
}
