import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'
import { SettleReturnDialog } from './settle-return.tsx'
import styles from './invoice.module.css'

type Invoice = DeskOutput<'invoice'>

/** The processor's fee, refunds made at the processor, and disputes. */
export function ProcessorSide({ invoice }: { invoice: Invoice }) {
  return (
    <>
      <Fee invoice={invoice} />
      <Returns invoice={invoice} />
      <Disputes invoice={invoice} />
    </>
  )
}

function Fee({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('deskPages')
  const { usd } = useFigures()
  if (invoice.settled_at === null || invoice.method === 'referral') return null
  const { fees, fee_micros: known } = invoice
  const kept = BigInt(invoice.received_micros) - BigInt(invoice.refunded_micros)
  const all = fees.reduce((sum, fee) => sum + BigInt(fee.usd_micros), 0n)
  const facts: Fact[] = [
    // Leaves out zero fees other than the payment's: Stripe reports one for most refunds.
    ...fees
      .filter(({ kind, usd_micros: usdMicros }) => kind === 'payment' || usdMicros !== '0')
      .map((fee) => ({
        name: t(`invoice.fee.kind.${fee.kind}`),
        value: `${usd(fee.usd_micros)}${fee.source === 'terms' ? `, ${t('invoice.fee.terms')}` : ''}`,
      })),
    ...(known === null ? [{ name: t('invoice.fee.kind.payment'), value: t('invoice.fee.unknown') }] : []),
    ...(known === null
      ? []
      : [{ name: t('invoice.fee.net'), value: <strong translate="no">{usd(String(kept - all))}</strong> }]),
  ]
  return (
    <Section title={t('invoice.fee.title')}>
      <Facts facts={facts} />
    </Section>
  )
}

const toneOf = (state: Invoice['returns'][number]['state']) =>
  state === 'counted' || state === 'own' ? 'good' : state === 'unclear' ? 'warning' : 'quiet'

function Returns({ invoice }: { invoice: Invoice }) {
  const { returns } = invoice
  const { t } = useTranslation('deskPages')
  const { amount, traffic } = useFigures()
  const maySay = useMay()('settle_return')
  const [said, setSaid] = useState<Invoice['returns'][number] | null>(null)
  if (returns.length === 0) return null
  return (
    <Section title={t('invoice.returns.title')}>
      <ul className={styles.returns}>
        {returns.map((one) => (
          <li key={one.id}>
            <span>
              <span>{t(`invoice.returns.cause.${one.cause}`)}</span>{' '}
              <strong>{`${amount(one.micros)} ${one.currency}`}</strong>{' '}
              <Badge tone={toneOf(one.state)}>{t(`invoice.returns.state.${one.state}`)}</Badge>
            </span>
            <span className={styles.quiet}>
              <Moment iso={one.at} /> <code translate="no">{one.id}</code>
            </span>
            {one.state === 'unclear' && <span className={styles.quiet}>{t('invoice.returns.unclear')}</span>}
            {one.state === 'unclear' && maySay && (
              <Button size="small" onClick={() => setSaid(one)}>
                {t('settleReturn.act')}
              </Button>
            )}
            {one.state === 'counted' && (
              <span className={styles.quiet}>
                {`${t('invoice.returns.taken', { taken: traffic(one.taken_back_bytes) })} ${one.lost_bytes !== '0' ? t('invoice.returns.lost', { lost: traffic(one.lost_bytes) }) : ''}`}
              </span>
            )}
          </li>
        ))}
      </ul>
      {said !== null && <SettleReturnDialog invoice={invoice} refund={said} onClose={() => setSaid(null)} />}
    </Section>
  )
}

function Disputes({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['deskPages', 'deskMoney'])
  const { amount, traffic } = useFigures()
  if (invoice.disputes.length === 0) return null
  return (
    <Section title={t('invoice.disputes.title')}>
      <ul className={styles.returns}>
        {invoice.disputes.map((one) => (
          <li key={one.id}>
            <span>
              <strong>{`${amount(one.micros)} ${one.currency}`}</strong>{' '}
              <Badge tone={one.state === 'won' ? 'good' : one.state === 'lost' ? 'bad' : 'warning'}>
                {t(`deskMoney:payments.disputeState.${one.state}`)}
              </Badge>
            </span>
            {one.respond_by !== null && one.state === 'needs_response' && (
              <span>
                <span>{`${t('invoice.disputes.respondBy')}:`}</span> <Moment iso={one.respond_by} />
              </span>
            )}
            <span className={styles.quiet}>
              <Moment iso={one.opened_at} /> <code translate="no">{one.id}</code>
            </span>
            {one.frozen_bytes !== '0' && (
              <span className={styles.quiet}>
                {t('invoice.disputes.frozen', { traffic: traffic(one.frozen_bytes) })}
              </span>
            )}
            {one.gifts.map((gift) => (
              <span key={gift.customer_id + gift.bytes} className={styles.quiet}>
                <span>{t('invoice.disputes.gift', { traffic: traffic(gift.bytes) })}</span>{' '}
                <CustomerLink id={gift.customer_id} name={gift.customer_name} />{' '}
                <span>{t(`invoice.disputes.signal.${gift.signal ?? 'none'}`)}</span>{' '}
                {gift.frozen_bytes !== '0' && (
                  <span>{t('invoice.disputes.frozen', { traffic: traffic(gift.frozen_bytes) })}</span>
                )}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  )
}
