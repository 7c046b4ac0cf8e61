import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ownQuery, query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { soldPool, useSitePools } from '../../state/places/sold-pools.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ReadFailed } from '../read-failed.tsx'
import { coveredGb } from './coverage.ts'
import { PayoutForm } from './payout-form.tsx'
import { Payouts } from './payouts.tsx'
import styles from './take-out.module.css'

/**
 * The uses of the balance: buy traffic, or have it paid out to a wallet where the shop offers that; and the
 * payouts so far.
 */
export function TakeOut() {
  const { t } = useTranslation('payouts')
  const isView = useView() !== null
  const [way, setWay] = useState<'traffic' | 'wallet'>('traffic')
  const { data, isError, refetch } = useQuery(query('get_payouts', {}))
  return (
    <section aria-labelledby="referral-take-out">
      <div className={styles.head}>
        <h2 id="referral-take-out" className={styles.title}>
          {t('title')}
        </h2>
        {data?.is_on === true && (
          <Segmented
            label={t('way')}
            value={way}
            options={[
              { value: 'traffic', label: t('traffic') },
              { value: 'wallet', label: t('wallet') },
            ]}
            onChange={setWay}
          />
        )}
      </div>
      {data !== undefined && (
        <>
          {way === 'traffic' || !data.is_on ? (
            <ToTraffic balanceUsd={Number(data.balance_micros) / 1e6} />
          ) : (
            !isView && <PayoutForm payouts={data} />
          )}
          <Payouts rows={data.rows} />
        </>
      )}
      {data === undefined &&
        (isError ? (
          <div role="status" className={styles.body}>
            <p>{t('loadFailed')}</p>
            <div>
              <Button onClick={() => void refetch()}>{t('retry')}</Button>
            </div>
          </div>
        ) : (
          <Skeleton characters={40} />
        ))}
    </section>
  )
}

/** The order that the balance covers, filled in; pool and amount can be changed there. */
function ToTraffic({ balanceUsd }: { balanceUsd: number }) {
  const { t } = useTranslation(['payouts', 'header'])
  const { traffic } = useFormat()
  const pool = soldPool(useSitePools().sold, 'residential')
  const prices = useQuery(ownQuery('prices', {}))
  const baseUsd = prices.data?.[pool]
  const plain = coveredGb(balanceUsd, baseUsd ?? 0, 0)
  const discounts = useQuery({ ...ownQuery('calculate', { amounts: [plain] }), enabled: plain > 0 })
  const unread = [prices, discounts].find(({ isError, data }) => isError && data === undefined)
  if (unread !== undefined)
    return (
      <ReadFailed what={t('traffic')} pending={unread.isFetching} onRetry={() => void unread.refetch()} />
    )
  if (baseUsd === undefined || (plain > 0 && discounts.data === undefined)) return null
  // The discount of an amount that the balance covers without a discount: the larger amount then has it too.
  const gb = coveredGb(balanceUsd, baseUsd, discounts.data?.[0] ?? 0)
  const name = t(`header:pools.${pool}`)
  const amount = traffic(BigInt(gb) * 1_000_000_000n)
  return (
    <div className={styles.body}>
      <p>{gb === 0 ? t('coversNone', { pool: name }) : t('covers', { amount, pool: name })}</p>
      {gb > 0 && (
        <div>
          <Button variant="primary" href={`/purchase?method=referral&pool=${pool}&amount=${gb}`}>
            {t('buy', { amount })}
          </Button>
        </div>
      )}
    </div>
  )
}
