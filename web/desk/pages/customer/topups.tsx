import { useToldRead } from '../../state/told-read.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { declineWords, offWords } from '#contract/topup/words'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { formatRecentTime } from '../../../ui/format-time.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import type { Customer } from './types.ts'

type TopUp = DeskOutput<'customer_top_ups'>['pools'][number]

/** The customer's settings of automatic top-up; nothing for customers who have never used it. */
export function CustomerTopUps({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskCustomer')
  const { data } = useToldRead(query('customer_top_ups', { id: customer.id }))
  const [ending, setEnding] = useState<TopUp | null>(null)
  const mayEnd = useMay()('switch_off_top_up')
  if (data === undefined || (data.saved.length === 0 && data.pools.length === 0)) return null
  const saved: Fact[] = [
    {
      name: t('topUp.saved'),
      value: data.saved.length === 0 ? t('topUp.none') : data.saved.map(({ card }) => card).join(', '),
    },
  ]
  return (
    <>
      <Section title={t('topUp.title')}>
        <Facts facts={saved} />
        {data.pools.map((topUp) => (
          <PoolTopUp
            key={topUp.pool}
            topUp={topUp}
            onEnd={mayEnd && topUp.on ? () => setEnding(topUp) : undefined}
          />
        ))}
      </Section>
      {ending !== null && (
        <SwitchOffDialog customer={customer} topUp={ending} onClose={() => setEnding(null)} />
      )}
    </>
  )
}

function PoolTopUp({ topUp, onEnd }: { topUp: TopUp; onEnd: (() => void) | undefined }) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const language = useLanguage()
  const { traffic, usd, number } = useFigures()
  const { on, off_reason: reason, charges } = topUp
  const facts: Fact[] = [
    {
      name: t(`header:pools.${topUp.pool}`),
      value: (
        <>
          <Badge tone={on ? 'good' : 'quiet'}>{t(on ? 'topUp.on' : 'topUp.off')}</Badge>{' '}
          {reason !== null && <span>{offWords[language][reason]}</span>}
        </>
      ),
    },
    {
      name: t('topUp.terms'),
      value: t('topUp.termsOf', {
        below: traffic(topUp.below_bytes),
        gb: number(topUp.gb),
        month: usd(topUp.month_micros),
      }),
    },
    ...charges.map((charge) => ({
      name: formatRecentTime(charge.made_at, language),
      value: (
        <>
          <Link to={`/invoices/${charge.invoice}`}>{charge.invoice}</Link>{' '}
          <span>
            {charge.reason === null
              ? t(charge.state === 'succeeded' ? 'topUp.succeeded' : 'topUp.underWay')
              : declineWords[language][charge.reason]}
          </span>
        </>
      ),
    })),
  ]
  return (
    <>
      <Facts facts={facts} />
      {onEnd !== undefined && (
        <Button size="small" onClick={onEnd}>
          {t('topUp.switchOff')}
        </Button>
      )}
    </>
  )
}

function SwitchOffDialog({
  customer,
  topUp,
  onClose,
}: {
  customer: Customer
  topUp: TopUp
  onClose: () => void
}) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const { pending, fault, run } = useAct('switch_off_top_up', onClose)
  return (
    <ActDialog
      title={t('topUp.switchOffTitle', {
        pool: t(`header:pools.${topUp.pool}`),
        name: customerName(customer),
      })}
      description={t('topUp.switchOffText')}
      submit={t('topUp.switchOff')}
      pending={pending}
      fault={fault}
      ready
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, pool: topUp.pool, reason })}
    />
  )
}
