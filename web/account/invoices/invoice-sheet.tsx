import { bytesFromWire } from '#contract/traffic'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { useFormat } from '../../app/use-format.ts'
import { paymentAddress } from '../../purchase/pay.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { PoolMark } from '../../ui/pool-mark.tsx'
import { tabHref } from '../tabs.ts'
import styles from './invoice-watch.module.css'
import { type Invoice, momentText, spacedNumber, toneOf } from './standing.ts'
import { StateMark } from './state-mark.tsx'

const methods = ['sandbox', 'card', 'yookassa', 'cryptobot', 'crypto', 'referral'] as const

/** An invoice: what became of it, what that means for the money, what to do, and its figures. */
export function InvoiceSheet({ invoice, lost }: { invoice: Invoice; lost: boolean }) {
  const { t } = useTranslation('userPanel')
  return (
    <div className={styles.invoice}>
      <section className={styles.fate} aria-labelledby="invoice-fate" data-tone={toneOf[invoice.state]}>
        <div role="status">
          <StateMark state={invoice.state} />
          <h2 id="invoice-fate" className={styles.heading}>
            <Heading invoice={invoice} />
          </h2>
          <p className={styles.explain}>
            <Explanation invoice={invoice} />
          </p>
        </div>
        <Acts invoice={invoice} />
        {invoice.state === 'pending' && (
          <div className={styles.watching}>
            <span className={styles.road} aria-hidden="true" />
            <p>{t(lost ? 'invoices.lost' : 'invoices.watching')}</p>
          </div>
        )}
      </section>
      <Figures invoice={invoice} />
    </div>
  )
}

function Heading({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const { traffic } = useFormat()
  const credited = traffic(bytesFromWire(invoice.credited))
  return t(`invoices.heading.${invoice.state}`, { traffic: credited })
}

function Explanation({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const { usd, traffic } = useFormat()
  const { state } = invoice
  const why = state === 'underpaid' && invoice.promo_lost ? 'promoLost' : state
  return t(`invoices.explain.${why}`, {
    until: momentText(invoice.expires_at, language),
    received: usd(invoice.received_usd),
    cost: usd(invoice.cost_usd),
    refunded: usd(invoice.refunded_usd),
    traffic: traffic(bytesFromWire(invoice.credited)),
  })
}

function Acts({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const { usd } = useFormat()
  const { state, pool, gb } = invoice
  if (state === 'pending') {
    const page = invoice.payment_url === null ? null : paymentAddress(invoice.payment_url)
    return page === null ? null : (
      <div className={styles.acts}>
        {/* The same window: the payment page leads back here. */}
        <Button variant="paint" size="large" onClick={() => window.location.assign(page)}>
          {t('invoices.pay', { cost: usd(invoice.cost_usd) })}
        </Button>
      </div>
    )
  }
  const again = `/purchase?amount=${gb}&pool=${pool}`
  return (
    <div className={styles.acts}>
      {bytesFromWire(invoice.credited) > 0n && (
        <Button variant="paint" size="large" href={`${tabHref('panel')}&pool=${pool}`}>
          {t('invoices.generate')}
        </Button>
      )}
      {state !== 'paid' && state !== 'refunded' && (
        <Button size="large" href={again}>
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
  const known = methods.find((each) => each === invoice.method)
  const facts: [name: string, value: string, mono?: 'mono'][] = [
    [t('invoices.number'), spacedNumber(invoice.number), 'mono'],
    [t('invoices.traffic'), t('invoices.gb', { formatted: number(invoice.gb) }), 'mono'],
    [t('invoices.method'), known === undefined ? invoice.method : t(`invoices.methods.${known}`)],
    [t('invoices.cost'), usd(invoice.cost_usd), 'mono'],
    [t('invoices.received'), usd(invoice.received_usd), 'mono'],
    ...(invoice.refunded_usd > 0
      ? ([[t('invoices.refunded'), usd(invoice.refunded_usd), 'mono']] satisfies [string, string, 'mono'][])
      : []),
    [t('invoices.credited'), traffic(bytesFromWire(invoice.credited)), 'mono'],
    [t('invoices.made'), momentText(invoice.created_at, language)],
    ...(invoice.settled_at === null
      ? []
      : ([[t('invoices.settled'), momentText(invoice.settled_at, language)]] satisfies [string, string][])),
  ]
  return (
    <section className={styles.figures} aria-labelledby="invoice-figures">
      <h2 id="invoice-figures" className={styles.what}>
        <PoolMark pool={invoice.pool} size={24} />
        {t(`header:pools.${invoice.pool}`)}
      </h2>
      <dl className={styles.facts}>
        {facts.map(([name, value, mono]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd className={classes(mono)}>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
