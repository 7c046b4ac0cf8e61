import { useTranslation } from '../../app/i18n.ts'
import { Lane } from '../../ui/lane.tsx'
import { About } from './about.tsx'
import { Advantages } from './advantages.tsx'
import { Contacts } from './contacts.tsx'
import { Features } from './features.tsx'
import { Final } from './final.tsx'
import { Hero } from './hero.tsx'
import styles from './home.module.css'
import { Pricing } from './pricing.tsx'
import { usePool } from './use-pool.ts'

/** One road from the first words to the last button: the lane runs between the two halves of the page. */
export function HomePage() {
  const { t } = useTranslation('home')
  const [pool, choosePool] = usePool()
  return (
    <div className={styles.road}>
      <title>{t('title')}</title>
      <meta name="description" content={t('description')} />
      <Lane className={styles.lane} />
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
