import { type FormEvent, useCallback, useRef, useState } from 'react'
import { Navigate, useSearchParams } from 'react-router'
import { type Pool, pools } from '#contract/wire'
import { brand } from '../app/brand.ts'
import { useFreshProfile } from '../app/fresh-profile.ts'
import { useTranslation } from '../app/i18n.ts'
import { useSession } from '../app/session.ts'
import { toast } from '../app/toast.ts'
import { useFormat } from '../app/use-format.ts'
import { PoolChoice } from '../ui/pool-choice.tsx'
import { amountFromAddress, amountText } from './amount.ts'
import { AmountField } from './amount-field.tsx'
import { Methods, referralMethod } from './methods.tsx'
import { usePay, usePayFromReferral } from './pay.ts'
import styles from './purchase.module.css'
import { type Quote, usePromocode, useQuote } from './quote.ts'
import { PromoField } from './promo-field.tsx'
import { Receipt } from './receipt.tsx'

/** Buying traffic: how much, of which pool, paid how. */
export function PurchasePage() {
  // Signing out in another tab of the browser ends it here too.
  const user = useSession()
  return user === null ? <Navigate to="/login" replace /> : <Purchase balanceUsd={user.ref_balance_usd} />
}

function Purchase({ balanceUsd }: { balanceUsd: number }) {
  const { t } = useTranslation(['purchase', 'header'])
  useFreshProfile()
  const [search] = useSearchParams()
  const [amount, setAmount] = useState(() => amountFromAddress(search.get('amount')))
  const [pool, setPool] = useState<Pool>(
    () => pools.find((each) => each === search.get('pool')) ?? 'residential',
  )
  const [code, setCode] = useState('')
  const [method, setMethod] = useState(() =>
    search.get('method') === referralMethod ? referralMethod : null,
  )
  const [asked, setAsked] = useState(false)
  const amountBox = useRef<HTMLInputElement>(null)
  const gb = Number(amount)
  const promocode = usePromocode(code, gb)
  const quote = useQuote({ pool, gb, promoDiscount: promocode.discount })
  const processor = usePay()
  const own = usePayFromReferral()
  const byReferral = method === referralMethod
  const choose = useCallback((name: string) => setMethod(name), [])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (gb === 0) {
      toast.error(t('enterAmount'))
      amountBox.current?.focus()
      return
    }
    if (method === null) {
      toast.error(t('selectPayment'))
      return
    }
    // A code that is known to be worth nothing is left out; one not yet judged is for the server to judge.
    const promo = promocode.state === 'none' || promocode.state === 'unknown' ? null : code.trim()
    const order = { amount: gb, promocode: promo, pool }
    if (byReferral) own.payFromReferral(order)
    else processor.pay({ payment_method: method, ...order })
  }

  return (
    <div className={styles.page}>
      <title>{`${t('title')} — ${brand.name}`}</title>
      <h1 className={styles.title}>{t('title')}</h1>
      <p className={styles.lead}>{t('lead')}</p>
      <form className={styles.form} onSubmit={submit} noValidate>
        <div className={styles.steps}>
          <section className={styles.step}>
            <AmountField
              ref={amountBox}
              value={amount}
              error={asked && gb === 0 ? t('enterAmount') : undefined}
              onChange={(text) => setAmount(amountText(text))}
            />
          </section>
          <section className={styles.step}>
            <h2 className={styles.heading}>{t('pool')}</h2>
            <PoolChoice
              label={t('pool')}
              value={pool}
              names={poolNames(t)}
              figures={usePoolPrices(quote)}
              onChange={setPool}
            />
          </section>
          <section className={styles.step}>
            <h2 className={styles.heading}>{t('method')}</h2>
            <Methods
              value={method}
              onChange={choose}
              error={asked && method === null ? t('selectPayment') : null}
              balanceUsd={balanceUsd}
              costUsd={quote.state === 'ready' ? quote.price.finalUsd : null}
            />
          </section>
          <section className={styles.step}>
            <PromoField value={code} promocode={promocode} onChange={setCode} />
          </section>
        </div>
        <Receipt
          pool={pool}
          gb={gb}
          quote={quote}
          promoDiscount={promocode.discount}
          byReferral={byReferral}
          pending={processor.pending || own.pending}
        />
      </form>
    </div>
  )
}

function poolNames(t: ReturnType<typeof useTranslation<['purchase', 'header']>>['t']): Record<Pool, string> {
  return {
    residential: t('header:pools.residential'),
    residential_premium: t('header:pools.residential_premium'),
    datacenter: t('header:pools.datacenter'),
    mobile: t('header:pools.mobile'),
  }
}

/** The base price under each pool's name; a line of its height until it is known. */
function usePoolPrices(quote: Quote): Partial<Record<Pool, string>> {
  const { t } = useTranslation('purchase')
  const { usd } = useFormat()
  return Object.fromEntries(
    pools.map((pool) => {
      const price = quote.basePrices[pool]
      return [pool, price === undefined ? '\u00a0' : t('perGbShort', { price: usd(price) })]
    }),
  )
}
