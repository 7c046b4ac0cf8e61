import { useTranslation } from '../../state/i18n.ts'
import { DashedLine } from '../../ui/graphics/dashed-line.tsx'
import { About } from './about.tsx'
import { Advantages } from './advantages.tsx'
import { Contacts } from './contacts.tsx'
import { Features } from './features.tsx'
import { Final } from './final.tsx'
import { Hero } from './hero.tsx'
import styles from './home.module.css'
import { Pricing } from './pricing.tsx'
import { usePool } from './use-pool.ts'

/** The home page. A dashed line runs down its middle to the button at the end. */
export function HomePage() {
  const { t } = useTranslation('home')
  const [pool, choosePool] = usePool()
  return (
    <div className={styles.page}>
      <title>{t('title')}</title>
      <meta name="description" content={t('description')} />
      <DashedLine className={styles.line} />
      <Hero />
      <Features />
      <Pricing pool={pool} onPool={choosePool} />
      <About />
      <Advantages pool={pool} />
      <Contacts />
      <Final pool={pool} />
    </div>
  )
}
