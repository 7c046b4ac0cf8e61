import { methodTitle, receivedAndRest } from '#contract/invoices'
import { bytesFromWire } from '#contract/traffic'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useRoleAllows } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { methodsQuery } from '../purchase/methods-query.ts'
import { paymentUrl } from '../purchase/payment-answer.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { GoodsIcon } from './goods-icon.tsx'
import { formatRate } from '../../ui/format.ts'
import { formatDateTime, formatDay } from '../../ui/format-time.ts'
import { tabHref } from '#contract/account-tabs'
import { Documents } from './documents.tsx'
import styles from './invoice-page.module.css'
import { Receipts } from './receipts.tsx'
import { formatFrozen, groupDigits, type Invoice, toneByState } from './invoice-state.ts'
import { StateBadge } from './state-badge.tsx'

type Money = NonNullable<Invoice['charged']>

/** One invoice: its state, what it means for the payment, what to do next, and its figures. */
export function InvoiceDetails({ invoice, isOffline }: { invoice: Invoice; isOffline: boolean }) {
  const { t } = useTranslation('userPanel')
  return (
    <div className={styles.invoice}>
      <div className={styles.main}>
        <section
          className={styles.status}
          aria-labelledby="invoice-status"
          data-tone={toneByState[invoice.state]}
        >
          <div role="status">
            <StateBadge state={invoice.state} />
            <h2 id="invoice-status" className={styles.heading}>
              <Heading invoice={invoice} />
            </h2>
            <p className={styles.explanation}>
              <Explanation invoice={invoice} />
            </p>
          </div>
          <Actions invoice={invoice} />
          <Documents invoice={invoice} />
          {invoice.state === 'pending' && (
            <div className={styles.polling}>
              <span className={styles.progress} aria-hidden="true" />
              <p>{t(isOffline ? 'invoices.lost' : 'invoices.watching')}</p>
            </div>
          )}
        </section>
        <Receipts receipts={invoice.receipts} />
      </div>
      <Figures invoice={invoice} />
    </div>
  )
}

function Heading({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const { traffic } = useFormat()
  const credited = traffic(bytesFromWire(invoice.credited))
  return <span>{t(`invoices.heading.${invoice.state}`, { traffic: credited })}</span>
}

function explanationOf({ state, promo_lost: isPromoLost, payment_url: url }: Invoice) {
  if (state !== 'underpaid') return state
  if (isPromoLost) return 'promoLost'
  return url === null ? 'underpaidClosed' : 'underpaid'
}

function Explanation({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const { usd, traffic } = useFormat()
  const key = explanationOf(invoice)
  const text = t(`invoices.explain.${key}`, {
    until: formatDateTime(invoice.expires_at, language),
    received: usd(receivedAndRest(invoice.cost_usd, invoice.received_usd).received),
    cost: usd(invoice.cost_usd),
    refunded: usd(invoice.refunded_usd),
    traffic: traffic(bytesFromWire(invoice.credited)),
  })
  return <span>{text}</span>
}

function Actions({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const { usd } = useFormat()
  const { state, pool, gb } = invoice
  const mayBuy = useRoleAllows('create_invoice_web')
  const mayGenerate = useRoleAllows('get_proxy')
  const url = invoice.payment_url === null ? null : paymentUrl(invoice.payment_url)
  // In the same tab: the payment page leads back here.
  const pay = url !== null && (
    <Button variant="primary" size="large" onClick={() => window.location.assign(url)}>
      {state === 'pending'
        ? t('invoices.pay', { cost: usd(invoice.cost_usd) })
        : t('invoices.payRest', { rest: usd(receivedAndRest(invoice.cost_usd, invoice.received_usd).rest) })}
    </Button>
  )
  if (state === 'pending') return pay === false ? null : <div className={styles.actions}>{pay}</div>
  const orderAgain = pool === 'balance' ? tabHref('invoices') : `/purchase?amount=${gb}&pool=${pool}`
  return (
    <div className={styles.actions}>
      {pay}
      {mayGenerate && bytesFromWire(invoice.credited) > 0n && (
        <Button
          variant={pay === false ? 'primary' : 'secondary'}
          size="large"
          href={`${tabHref('panel')}&pool=${pool}`}
        >
          {t('invoices.generate')}
        </Button>
      )}
      {mayBuy && state !== 'paid' && state !== 'partly_refunded' && state !== 'refunded' && pay === false && (
        <Button size="large" href={orderAgain}>
          {t('invoices.again')}
        </Button>
      )}
    </div>
  )
}

function Figures({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['userPanel', 'header'])
  const language = useLanguage()
  const { usd, number, traffic } = useFormat()
  const inCurrency = (name: string, money: Money, sign = ''): [string, string] => [
    name,
    t('invoices.atRate', {
      amount: [sign, formatFrozen(money, language)].join(''),
      rate: formatRate(money.per_usd, language),
      day: formatDay(money.on, language),
    }),
  ]
  const title = useOptionalRead(methodsQuery(language))?.find(({ name }) => name === invoice.method)?.title
  const facts: [name: string, value: string, mono?: 'mono'][] = [
    [t('invoices.number'), invoice.short_number, 'mono'],
    [t('invoices.id'), groupDigits(invoice.number), 'mono'],
    ...(invoice.pool === 'balance'
      ? []
      : ([[t('invoices.traffic'), t('invoices.gb', { formatted: number(invoice.gb) }), 'mono']] satisfies [
          string,
          string,
          'mono',
        ][])),
    [t('invoices.method'), title ?? methodTitle(invoice.method, language)],
    [t('invoices.cost'), usd(invoice.cost_usd), 'mono'],
    ...(invoice.charged === null ? [] : [inCurrency(t('invoices.charged'), invoice.charged)]),
    ...(invoice.shown === null ? [] : [inCurrency(t('invoices.shownAs'), invoice.shown, '≈\u00a0')]),
    [t('invoices.received'), usd(receivedAndRest(invoice.cost_usd, invoice.received_usd).received), 'mono'],
    ...(invoice.refunded_usd > 0
      ? ([[t('invoices.refunded'), usd(invoice.refunded_usd), 'mono']] satisfies [string, string, 'mono'][])
      : []),
    ...(invoice.pool === 'balance'
      ? []
      : ([[t('invoices.credited'), traffic(bytesFromWire(invoice.credited)), 'mono']] satisfies [
          string,
          string,
          'mono',
        ][])),
    [t('invoices.made'), formatDateTime(invoice.created_at, language)],
    ...(invoice.settled_at === null
      ? []
      : ([[t('invoices.settled'), formatDateTime(invoice.settled_at, language)]] satisfies [
          string,
          string,
        ][])),
  ]
  return (
    <section className={styles.figures} aria-labelledby="invoice-figures">
      <h2 id="invoice-figures" className={styles.pool}>
        <GoodsIcon goods={invoice.pool} size={24} />
        <span>{t(`header:pools.${invoice.pool}`)}</span>
      </h2>
      <dl className={styles.facts}>
        {facts.map(([name, value, mono]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd className={classNames(mono)}>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
