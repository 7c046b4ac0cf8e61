import type { Pool } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import styles from './final.module.css'
import { recommendedGb } from './tariffs.ts'

/** The end of the page: a last button to buy. */
export function Final({ pool }: { pool: Pool }) {
  const { t } = useTranslation('home')
  const { number } = useFormat()
  const amount = t('pricing.gb', { formatted: number(recommendedGb) })
  return (
    <section className={styles.final}>
      <Button variant="primary" size="large" href={`/purchase?amount=${recommendedGb}&pool=${pool}`}>
        {t('pricing.buy', { amount })}
      </Button>
      <h2 className={styles.heading}>{t('final.heading')}</h2>
      <p className={styles.text}>{t('final.text')}</p>
    </section>
  )
}
