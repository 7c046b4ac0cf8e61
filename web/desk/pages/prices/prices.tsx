import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { PriceHistory } from './price-history.tsx'
import { PriceEditor } from './price-editor.tsx'
import { TierMargins } from './price-preview.tsx'
import styles from './prices.module.css'

type Prices = DeskOutput<'prices'>

export function PricesPage() {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const prices = useQuery(query('prices', {}))
  const [isEditing, setEditing] = useState(false)
  return (
    <>
      <PageHead
        title={t('prices.title')}
        actions={
          may('change_prices') &&
          !isEditing && (
            <Button variant="primary" onClick={() => setEditing(true)}>
              {t('prices.change')}
            </Button>
          )
        }
      />
      <Loaded query={prices}>
        {(data) =>
          isEditing ? (
            <PriceEditor prices={data} onClose={() => setEditing(false)} />
          ) : (
            <PriceList prices={data} />
          )
        }
      </Loaded>
      {!isEditing && may('price_changes') && <PriceHistory />}
    </>
  )
}

function PriceList({ prices }: { prices: Prices }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, number, percent } = useFigures()
  return (
    <div className={styles.editor}>
      <div className={styles.columns}>
        <Section title={t('prices.perGb')}>
          <table className={styles.table}>
            <caption className="sr-only">{t('prices.perGb')}</caption>
            <tbody>
              {prices.prices.map(({ pool, per_gb_micros: perGb }) => (
                <tr key={pool}>
                  <th scope="row">{t(`header:pools.${pool}`)}</th>
                  <td>{usd(perGb)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
        <Section title={t('prices.tiers')}>
          {prices.tiers.length === 0 ? (
            <p className={styles.quiet}>{t('prices.noTiers')}</p>
          ) : (
            <table className={styles.table}>
              <caption className="sr-only">{t('prices.tiers')}</caption>
              <tbody>
                {prices.tiers.map((tier) => (
                  <tr key={tier.from_gb}>
                    <th scope="row">{t('prices.from', { gb: number(tier.from_gb) })}</th>
                    <td>{percent(tier.discount_ppm / 1e6)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Section>
      </div>
      <TierMargins prices={prices} />
    </div>
  )
}
