import { type FormEvent, useRef, useState } from 'react'
import { balanceMethod, referralMethod } from '#contract/invoices'
import { type Pool, pools } from '#contract/wire'
import { brand } from '../../state/brand.ts'
import { usePrice } from '../../state/currency.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { useProfilePolling } from '../../state/reads/profile-polling.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useSite } from '../../state/site.ts'
import { useFormat } from '../../state/use-format.ts'
import { useSession } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { PoolChoice } from '../../ui/fields/pool-choice.tsx'
import { ToSignIn } from '../to-sign-in.tsx'
import { recordByPool } from '../pool-picker.tsx'
import { amountText } from './amount.ts'
import { AmountField } from './amount-field.tsx'
import { useChoices } from './use-choices.ts'
import { methodsQuery } from './methods-query.ts'
import { PaymentMethods } from './payment-methods.tsx'
import { usePayments } from './payment.ts'
import { ReceiptField, useReceiptAddress } from './receipt-field.tsx'
import { SaveField, useSaving } from './save-field.tsx'
import styles from './purchase-page.module.css'
import { type Quote, usePromocode, useQuote } from './quote.ts'
import { PromoField } from './promo-field.tsx'
import { OrderSummary } from './order-summary.tsx'

/** The order form: amount, pool, payment method, promo code. */
export function PurchasePage() {
  const user = useSession()
  const isNothingSold = useSite()?.pools.sold.length === 0
  if (user === null) return <ToSignIn />
  if (!roleAllows(user, 'create_invoice_web')) return <Closed why="closedToRole" />
  return isNothingSold ? <Closed why="nothingSold" /> : <Purchase balanceUsd={user.ref_balance_usd} />
}

function Closed({ why }: { why: 'closedToRole' | 'nothingSold' }) {
  const { t } = useTranslation('purchase')
  return (
    <div className={styles.page}>
      <title>{`${t('title')} — ${brand.name}`}</title>
      <h1 className={styles.title}>{t('title')}</h1>
      <p className={styles.lead}>{t(why)}</p>
    </div>
  )
}

/** The balance that a method pays from; null: none. */
const balanceBehind = (method: string | null) =>
  method === referralMethod ? 'referral' : method === balanceMethod ? 'balance' : null

function Purchase({ balanceUsd }: { balanceUsd: number }) {
  const { t } = useTranslation(['purchase', 'header'])
  const { usd } = useFormat()
  useProfilePolling()
  const payments = usePayments()
  const { amount, pool, notSold, sold, method, code, choose, setMethod } = useChoices(payments.edited)
  const [isSubmitted, setSubmitted] = useState(false)
  const amountInput = useRef<HTMLInputElement>(null)
  const gb = Number(amount)
  const promocode = usePromocode(code, { gb, pool })
  const quote = useQuote({ pool, gb, promoDiscount: promocode.discount })
  const money = useOptionalRead(query('money_balance', {}))
  const receipt = useReceiptAddress(method)
  const saving = useSaving(method)
  const least = useLeast(method)
  const isBelow =
    quote.state === 'ready' && quote.price.finalUsd > 0 && least !== null && quote.price.finalUsd < least
  // The prices are newer than the site's settings.
  const offered = sold.length === 0 ? pools.filter((each) => quote.basePrices[each] !== undefined) : sold
  const amountFault = isBelow ? t('amountBelowMethod', { least: usd(least) }) : undefined

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSubmitted(true)
    if (payments.again !== null) return payments.again()
    if (quote.state === 'unsold') return
    if (gb === 0) {
      toast.error(t('enterAmount'))
      amountInput.current?.focus()
      return
    }
    if (amountFault !== undefined) {
      toast.error(amountFault)
      amountInput.current?.focus()
      return
    }
    if (method === null) {
      toast.error(t('selectPayment'))
      return
    }
    if (receipt.isNeeded && !receipt.isValid) {
      toast.error(t('receiptEmailMissing'))
      document.getElementById('receipt-email')?.focus()
      return
    }
    // An unknown code is left out; a code that is still being checked is left to the server.
    const promo = ['none', 'unknown', 'refused'].includes(promocode.state) ? null : code.trim()
    const address = receipt.forOrder === undefined ? {} : { receipt_email: receipt.forOrder }
    const saved = saving.forOrder === undefined ? {} : { save_consent: saving.forOrder }
    payments.pay(method, { amount: gb, promocode: promo, pool }, { ...address, ...saved })
  }

  return (
    <div className={styles.page}>
      <title>{`${t('title')} — ${brand.name}`}</title>
      <h1 className={styles.title}>{t('title')}</h1>
      <p className={styles.lead}>{t('lead')}</p>
      <form className={styles.form} onSubmit={submit} onChange={payments.edited} noValidate>
        <div className={styles.steps}>
          <section className={styles.step}>
            <AmountField
              ref={amountInput}
              value={amount}
              error={isSubmitted && gb === 0 ? t('enterAmount') : amountFault}
              onChange={(text) => choose('amount', amountText(text))}
            />
          </section>
          <section className={styles.step}>
            <h2 className={styles.heading}>{t('pool')}</h2>
            {notSold !== null && <p role="status">{t('notSold', { pool: t(`header:pools.${notSold}`) })}</p>}
            <PoolChoice
              label={t('pool')}
              offered={offered}
              value={pool}
              names={recordByPool((each) => t(`header:pools.${each}`))}
              figures={usePoolPrices(quote)}
              onChange={(chosen) => choose('pool', chosen)}
            />
          </section>
          <section className={styles.step}>
            <h2 className={styles.heading}>{t('method')}</h2>
            <PaymentMethods
              value={method}
              onChange={(name) => choose('method', name)}
              onDefault={setMethod}
              error={isSubmitted && method === null ? t('selectPayment') : null}
              balanceUsd={balanceUsd}
              moneyUsd={money?.balance_usd ?? 0}
              costUsd={quote.state === 'ready' ? quote.price.finalUsd : null}
            />
          </section>
          {saving.isOffered && (
            <section className={styles.step}>
              <SaveField saving={saving} />
            </section>
          )}
          {receipt.isNeeded && (
            <section className={styles.step}>
              <ReceiptField address={receipt} isSubmitted={isSubmitted} />
            </section>
          )}
          <section className={styles.step}>
            <PromoField value={code} promocode={promocode} onChange={(typed) => choose('promocode', typed)} />
          </section>
        </div>
        <OrderSummary
          pool={pool}
          gb={gb}
          quote={quote}
          promoDiscount={promocode.discount}
          byBalance={balanceBehind(method)}
          isUnsure={payments.again !== null}
          pending={payments.pending}
        />
      </form>
    </div>
  )
}

/** The minimum order amount of the payment method, in USD; null: no minimum. */
function useLeast(method: string | null): number | null {
  const data = useOptionalRead(methodsQuery(useLanguage()))
  return data?.find(({ name }) => name === method)?.least_usd ?? null
}

/** The base price of each pool; a blank line until it is known. */
function usePoolPrices(quote: Quote): Record<Pool, string> {
  const { t } = useTranslation('purchase')
  const shown = usePrice()
  return recordByPool((pool) => {
    const price = quote.basePrices[pool]
    return price === undefined ? '\u00a0' : t('perGbShort', { price: shown(price) })
  })
}
