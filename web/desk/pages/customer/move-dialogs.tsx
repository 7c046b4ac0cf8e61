import { useState } from 'react'
import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseGb, parseUsd } from '../../parts/amounts.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { useSession } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import { heldIn, isBoundByDay } from './held.ts'
import type { Customer } from './types.ts'

interface MoveProps<Way> {
  customer: Customer
  way: Way
  onClose: () => void
}

/** Credits or debits traffic. The key makes a repeated request one act. */
export function TrafficDialog({ customer, way, onClose }: MoveProps<'give' | 'take'>) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { traffic } = useFigures()
  const { member, limits } = useSession()
  const [pool, setPool] = useState<Pool>(customer.pools[0]?.pool ?? 'residential')
  const [typed, setTyped] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const { pending, fault, run } = useAct(way === 'give' ? 'give_traffic' : 'take_traffic', onClose)
  const bytes = parseGb(typed)
  const isLimited = isBoundByDay(way, member.permissions)
  return (
    <ActDialog
      title={t(`act.${way}Title`, { name: customerName(customer) })}
      description={t('act.held', { amount: traffic(heldIn(customer.pools, pool)) })}
      submit={t(`act.${way}Submit`, { amount: bytes === null ? t('act.gb') : traffic(bytes) })}
      isDanger={way === 'take'}
      pending={pending}
      fault={fault}
      ready={bytes !== null}
      onClose={onClose}
      onSubmit={(reason) =>
        bytes !== null && run({ id: customer.id, pool, bytes: String(bytes), reason, key })
      }
    >
      <SelectField<Pool>
        label={t('column.pool')}
        value={pool}
        options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
        onChange={setPool}
      />
      <DecimalField
        label={t('act.amountGb')}
        {...(isLimited ? { hint: t('act.limit', { limit: traffic(limits.support_bytes_per_day) }) } : {})}
        value={typed}
        onType={setTyped}
      />
    </ActDialog>
  )
}

/** Credits or debits the referral balance or the money balance. */
export function MoneyDialog({ customer, way, onClose }: MoveProps<'giveMoney' | 'takeMoney'>) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd } = useFigures()
  const [of, setOf] = useState<'referral' | 'balance'>('balance')
  const held = of === 'referral' ? customer.referral_micros : customer.money_micros
  const [typed, setTyped] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const { pending, fault, run } = useAct(way === 'giveMoney' ? 'give_money' : 'take_money', onClose)
  const micros = parseUsd(typed)
  return (
    <ActDialog
      title={t(`act.${way}Title`, { name: customerName(customer) })}
      description={t(of === 'referral' ? 'act.heldMoney' : 'act.heldBalance', { amount: usd(held) })}
      submit={t(`act.${way}Submit`, { amount: micros === null ? t('act.usd') : usd(micros) })}
      isDanger={way === 'takeMoney'}
      pending={pending}
      fault={fault}
      ready={micros !== null}
      onClose={onClose}
      onSubmit={(reason) =>
        micros !== null && run({ id: customer.id, micros: String(micros), of, reason, key })
      }
    >
      <SelectField<'referral' | 'balance'>
        label={t('column.balance')}
        value={of}
        options={[
          { value: 'balance', label: t('header:pools.balance') },
          { value: 'referral', label: t('customer.referral') },
        ]}
        onChange={setOf}
      />
      <DecimalField label={t('act.amountUsd')} value={typed} onType={setTyped} />
    </ActDialog>
  )
}
