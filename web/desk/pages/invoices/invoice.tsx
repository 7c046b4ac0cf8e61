import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { digitsOf, printRate } from '#contract/rates/rates'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { formatDay } from '../../../ui/format-time.ts'
import { formatMoney, formatRate } from '../../../ui/format.ts'
import { Badge } from '../../parts/badge.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { InvoiceState } from '../../subjects/invoice-state.tsx'
import { Documents } from './documents.tsx'
import styles from './invoice.module.css'
import { Evidence } from './evidence.tsx'
import { InvoiceReceipts } from './invoice-receipts.tsx'
import { InvoiceTimeline } from './invoice-timeline.tsx'
import { ProcessorSide } from './processor-side.tsx'
import { MadeRefunds } from './made-refunds.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { useMethodName } from '../../subjects/method-name.ts'
import { useVerdictName } from '../../subjects/verdict-name.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'

type Invoice = DeskOutput<'invoice'>

export function InvoicePage() {
  const { t } = useTranslation('deskPages')
  const { number = '' } = useParams()
  const invoice = useQuery(query('invoice', { number }))
  if (invoice.data === undefined)
    return (
      <>
        <PageHead
          title={t('invoice.title', { number })}
          back={{ to: '/invoices', label: t('invoices.title') }}
        />
        <Loaded query={invoice}>{() => null}</Loaded>
      </>
    )
  return <Content invoice={invoice.data} />
}

function Content({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer', 'deskMoney'])
  const may = useMay()
  const [isRefunding, setRefunding] = useState(false)
  const ask = useAct('ask_processor')
  const canRefund = may('refund_invoice') && BigInt(invoice.refundable_micros) > 0n
  const verdictName = useVerdictName()
  const canAsk = may('ask_processor') && invoice.external_id !== null && invoice.method !== 'referral'
  const { number } = invoice
  return (
    <>
      <PageHead
        title={t('invoice.title', { number: invoice.short_number })}
        back={{ to: '/invoices', label: t('invoices.title') }}
        meta={
          <>
            <InvoiceState state={invoice.state} disputed={invoice.disputed_at !== null} />
            {invoice.is_test && <Badge tone="quiet">{t('invoices.test')}</Badge>}
            {invoice.is_automatic && <Badge tone="quiet">{t('invoices.automatic')}</Badge>}
          </>
        }
        actions={
          <>
            {canAsk && (
              <Button pending={ask.pending} onClick={() => ask.run({ number })}>
                {t('deskCustomer:ask')}
              </Button>
            )}
            {canRefund && <Button onClick={() => setRefunding(true)}>{t('refund.act')}</Button>}
          </>
        }
      />
      {ask.fault !== undefined && <Fault text={ask.fault} />}
      {ask.result !== undefined && (
        <p role="status" className={styles.verdict}>
          {t('deskCustomer:verdict', { verdict: verdictName(ask.result.verdict) })}
        </p>
      )}
      {invoice.disputed_at !== null && (
        <div className={styles.dispute}>
          <span>{t('deskCustomer:dispute')}</span> <Moment iso={invoice.disputed_at} />
          {invoice.dispute_state !== null && (
            <>
              {' '}
              <span>{`· ${t(`deskMoney:payments.disputeState.${invoice.dispute_state}`)}`}</span>
            </>
          )}
          {invoice.dispute_respond_by !== null && invoice.dispute_state === 'needs_response' && (
            <>
              {' '}
              <span>{`· ${t('deskMoney:payments.respondBy')}:`}</span>{' '}
              <Moment iso={invoice.dispute_respond_by} />
            </>
          )}
          <Evidence number={number} />
        </div>
      )}
      <div className={styles.columns}>
        <div className={styles.main}>
          <Quote invoice={invoice} />
          <Section title={t('invoice.timeline')}>
            <InvoiceTimeline invoice={invoice} />
          </Section>
        </div>
        <div className={styles.side}>
          <Money invoice={invoice} />
          <ProcessorSide invoice={invoice} />
          <InvoiceReceipts receipts={invoice.receipts} />
          <Documents invoice={invoice} />
        </div>
      </div>
      {isRefunding && <RefundDialog invoice={invoice} onClose={() => setRefunding(false)} />}
    </>
  )
}

/** The terms at the creation of the invoice. */
function Quote({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, number, percent, language } = useFigures()
  const methodName = useMethodName()
  const { price } = invoice
  /** An amount in another currency, with the rate and its day. */
  const frozen = (
    rate: string,
    { currency: code, micros, rate_on: on }: { currency: string; micros: string; rate_on: string | null },
  ) =>
    t('invoice.atRate', {
      amount: formatMoney(BigInt(micros), { code, digits: digitsOf(code) }, language),
      rate: formatRate(printRate(BigInt(rate)), language),
      day: on === null ? '' : formatDay(on, language),
    })
  const facts: Fact[] = [
    {
      name: t('column.id'),
      value: (
        <span className="mono" translate="no">
          {invoice.number}
        </span>
      ),
    },
    {
      name: t('column.customer'),
      value: (
        <Link to={`/customers/${invoice.customer_id}`}>
          {invoice.customer_name ?? invoice.email ?? `#${invoice.customer_id}`}
        </Link>
      ),
    },
    { name: t('column.pool'), value: t(`header:pools.${invoice.pool}`) },
    { name: t('column.gb'), value: number(invoice.gb) },
    { name: t('invoice.perGb'), value: usd(invoice.per_gb_micros) },
    { name: t('invoice.fullCost'), value: usd(invoice.full_cost_micros) },
    ...(invoice.price_list === null ? [] : [{ name: t('priceLists.one'), value: invoice.price_list }]),
    { name: t('invoice.volumeDiscount'), value: percent(invoice.volume_discount_ppm / 1e6) },
    {
      name: t('invoice.promoDiscount'),
      value: `${percent(invoice.promo_discount_ppm / 1e6)}${invoice.promo_code === null ? '' : ` (${invoice.promo_code})`}`,
    },
    { name: t('column.cost'), value: <strong translate="no">{usd(invoice.cost_micros)}</strong> },
    {
      name: t('invoice.collected'),
      value: price.rate_micros === null ? usd(price.micros) : frozen(price.rate_micros, price),
    },
    ...(invoice.shown === null
      ? []
      : [{ name: t('invoice.shownAs'), value: frozen(invoice.shown.rate_micros, invoice.shown) }]),
    { name: t('column.method'), value: methodName(invoice.method) },
    ...(invoice.external_id === null
      ? []
      : [{ name: t('invoice.externalId'), value: <code translate="no">{invoice.external_id}</code> }]),
  ]
  return (
    <Section title={t('invoice.quote')}>
      <Facts facts={facts} />
    </Section>
  )
}

function Money({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer'])
  const { usd, traffic, percent } = useFigures()
  const { referral } = invoice
  return (
    <>
      <Section title={t('invoice.money')}>
        <Facts
          facts={[
            { name: t('column.received'), value: usd(invoice.received_micros) },
            { name: t('column.refunded'), value: usd(invoice.refunded_micros) },
            { name: t('invoice.credited'), value: traffic(invoice.credited_bytes) },
            { name: t('invoice.takenBack'), value: traffic(invoice.taken_back_bytes) },
          ]}
        />
      </Section>
      <MadeRefunds refunds={invoice.refunds} />
      {referral !== null && (
        <Section title={t('deskCustomer:share.title')}>
          <Facts
            facts={[
              {
                name: t('deskCustomer:share.inviter'),
                value: <CustomerLink id={referral.inviter_id} name={referral.inviter_name} />,
              },
              {
                name: t('deskCustomer:share.earned', { percent: percent(referral.share_ppm / 1e6) }),
                value: usd(referral.earned_micros),
              },
              ...(referral.undone_micros === '0'
                ? []
                : [{ name: t('deskCustomer:share.undone'), value: usd(referral.undone_micros) }]),
            ]}
          />
        </Section>
      )}
      {invoice.payments.length > 0 && (
        <Section title={t('invoice.payments')}>
          <Facts
            facts={invoice.payments.map((payment) => ({
              name: usd(payment.received_micros),
              value: (
                <>
                  <Moment iso={payment.at} /> <code translate="no">{payment.external_id}</code>
                </>
              ),
            }))}
          />
        </Section>
      )}
    </>
  )
}
