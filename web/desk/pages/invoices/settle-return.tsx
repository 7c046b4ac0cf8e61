import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { isWholeCents } from '#contract/price'
import { useTranslation } from '../../../state/i18n.ts'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseUsd } from '../../parts/amounts.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { useAct } from '../../state/use-act.ts'

type Invoice = DeskOutput<'invoice'>

interface Props {
  invoice: Invoice
  refund: Invoice['returns'][number]
  onClose: () => void
}

const kinds = ['part', 'nothing'] as const
type Kind = (typeof kinds)[number]

/** Sets the value of a refund in another currency, in the currency of the invoice. */
export function SettleReturnDialog({ invoice, refund, onClose }: Props) {
  const { t } = useTranslation('deskPages')
  const { amount } = useFigures()
  const [kind, setKind] = useState<Kind>('part')
  const [typed, setTyped] = useState('')
  const { pending, fault, run } = useAct('settle_return', onClose)
  const micros = kind === 'nothing' ? 0n : parseUsd(typed)
  const { currency } = invoice.price
  const sum = `${amount(refund.micros)} ${refund.currency}`
  return (
    <ActDialog
      title={t('settleReturn.title', { sum })}
      description={t('settleReturn.text', { sum, currency })}
      submit={t('settleReturn.submit')}
      pending={pending}
      fault={fault}
      ready={micros !== null && isWholeCents(micros)}
      onClose={onClose}
      onSubmit={(reason) =>
        micros !== null && run({ number: invoice.number, id: refund.id, micros: String(micros), reason })
      }
    >
      <Segmented<Kind>
        label={t('settleReturn.what')}
        wide
        value={kind}
        options={kinds.map((value) => ({ value, label: t(`settleReturn.kind.${value}`) }))}
        onChange={setKind}
      />
      {kind === 'part' && (
        <DecimalField label={t('settleReturn.amount', { currency })} value={typed} onType={setTyped} />
      )}
    </ActDialog>
  )
}
