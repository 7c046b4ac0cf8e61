import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { InvoiceState } from '../../subjects/invoice-state.tsx'
import styles from './invoice.module.css'
import { InvoiceTimeline } from './invoice-timeline.tsx'
import { RefundDialog } from './refund-dialog.tsx'

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
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const [isRefunding, setRefunding] = useState(false)
  const canRefund = may('refund_invoice') && invoice.state === 'paid'
  return (
    <>
      <PageHead
        title={t('invoice.title', { number: invoice.number })}
        back={{ to: '/invoices', label: t('invoices.title') }}
        meta={<InvoiceState state={invoice.state} disputed={invoice.disputed_at !== null} />}
        actions={canRefund && <Button onClick={() => setRefunding(true)}>{t('refund.act')}</Button>}
      />
      <div className={styles.columns}>
        <div className={styles.main}>
          <Quote invoice={invoice} />
          <Section title={t('invoice.timeline')}>
            <InvoiceTimeline invoice={invoice} />
          </Section>
        </div>
        <div className={styles.side}>
          <Money invoice={invoice} />
        </div>
      </div>
      {isRefunding && <RefundDialog invoice={invoice} onClose={() => setRefunding(false)} />}
    </>
  )
}

/** The terms as they were when the invoice was made. */
function Quote({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, number, percent } = useFigures()
  const { price } = invoice
  const facts: Fact[] = [
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
    { name: t('invoice.volumeDiscount'), value: percent(invoice.volume_discount_ppm / 1e6) },
    {
      name: t('invoice.promoDiscount'),
      value: `${percent(invoice.promo_discount_ppm / 1e6)}${invoice.promo_code === null ? '' : ` (${invoice.promo_code})`}`,
    },
    { name: t('column.cost'), value: <strong>{usd(invoice.cost_micros)}</strong> },
    {
      name: t('invoice.collected'),
      value: `${Number(price.micros) / 1e6} ${price.currency}`,
    },
    { name: t('column.method'), value: invoice.method },
    ...(invoice.external_id === null
      ? []
      : [{ name: t('invoice.externalId'), value: <code>{invoice.external_id}</code> }]),
  ]
  return (
    <Section title={t('invoice.quote')}>
      <Facts facts={facts} />
    </Section>
  )
}

function Money({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('deskPages')
  const { usd, traffic } = useFigures()
  const refund = invoice.processor_refund
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
      {refund !== null && (
        <Section title={t('invoice.refundAtProcessor')}>
          <Facts
            facts={[
              { name: t('column.state'), value: t(`refund.state.${refund.state}`) },
              { name: t('refund.amount'), value: `${Number(refund.micros) / 1e6} ${refund.currency}` },
              ...(refund.reference === null
                ? []
                : [{ name: t('refund.reference'), value: refund.reference }]),
              ...(refund.fault === null ? [] : [{ name: t('refund.fault'), value: refund.fault }]),
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
                  <Moment iso={payment.at} /> <code>{payment.external_id}</code>
                </>
              ),
            }))}
          />
        </Section>
      )}
    </>
  )
}
