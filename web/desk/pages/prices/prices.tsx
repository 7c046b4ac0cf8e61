import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { Currencies } from './currencies/currencies.tsx'
import { PriceLists } from './price-lists.tsx'
import { PriceHistory } from './price-history.tsx'
import { PriceEditor } from './price-editor.tsx'
import { TierMargins } from './price-preview.tsx'
import styles from './prices.module.css'

type Prices = DeskOutput<'prices'>

const tabs = ['prices', 'lists', 'currencies'] as const

/** The prices, and the currencies in which they are shown and charged. */
export function PricesPage() {
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const may = useMay()
  const [search, setParameter] = useSearchParameter()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'prices'
  const [isEditing, setEditing] = useState(false)
  return (
    <>
      <PageHead
        title={t('prices.title')}
        actions={
          may('change_prices') &&
          tab === 'prices' &&
          !isEditing && (
            <Button variant="primary" onClick={() => setEditing(true)}>
              {t('prices.change')}
            </Button>
          )
        }
      />
      <div className={styles.editor}>
        <Segmented
          label={t('deskCurrencies:tabsLabel')}
          value={tab}
          options={tabs.map((value) => ({ value, label: t(`deskCurrencies:tabs.${value}`) }))}
          onChange={(next) => setParameter('tab', next === 'prices' ? null : next)}
        />
        {tab === 'prices' && <PricesTab isEditing={isEditing} onClose={() => setEditing(false)} />}
        {tab === 'lists' && <PriceLists />}
        {tab === 'currencies' && <Currencies />}
      </div>
    </>
  )
}

function PricesTab({ isEditing, onClose }: { isEditing: boolean; onClose: () => void }) {
  const may = useMay()
  const prices = useQuery(query('prices', {}))
  return (
    <div>
      <Loaded query={prices}>
        {(data) =>
          isEditing ? <PriceEditor prices={data} onClose={onClose} /> : <PriceList prices={data} />
        }
      </Loaded>
      {!isEditing && may('price_changes') && <PriceHistory />}
    </div>
  )
}

function PriceList({ prices }: { prices: Prices }) {
  const { t } = useTranslation(['deskPages', 'deskCurrencies', 'header'])
  const { usd, number, percent } = useFigures()
  return (
    <div className={styles.editor}>
      <div className={styles.columns}>
        <Section title={t('prices.perGb')}>
          {prices.prices.length === 0 && <p className={styles.quiet}>{t('prices.nothingSold')}</p>}
          <table className={styles.table}>
            <caption className="sr-only">{t('prices.perGb')}</caption>
            <tbody>
              {prices.prices.map(({ pool, per_gb_micros: perGb }) => (
                <tr key={pool}>
                  <th scope="row">{t(`header:pools.${pool}`)}</th>
                  <td translate="no">{usd(perGb)}</td>
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
                    <td translate="no">{percent(tier.discount_ppm / 1e6)}</td>
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
