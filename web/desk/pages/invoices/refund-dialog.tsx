import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { microsPerCent } from '#contract/price'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseUsd, usdText } from '../../parts/amounts.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './invoice.module.css'

const kinds = ['whole', 'unused', 'amount'] as const
type Kind = (typeof kinds)[number]

/** In whole cents. */
const halfOf = (micros: string) => (BigInt(micros) / (2n * microsPerCent)) * microsPerCent

export function RefundDialog({ invoice, onClose }: { invoice: DeskOutput<'invoice'>; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const { usd, traffic } = useFigures()
  const [kind, setKind] = useState<Kind>('whole')
  const [amount, setAmount] = useState('')
  const { pending, fault, result, run } = useAct('refund_invoice')
  const micros = parseUsd(amount)
  if (result !== undefined)
    return (
      <Dialog
        open
        compact
        onClose={onClose}
        title={t('refund.done')}
        closeLabel={t('desk:close')}
        footer={<Button onClick={onClose}>{t('desk:close')}</Button>}
      >
        <p role="status">
          {t('refund.result', {
            money: usd(result.refunded_micros),
            traffic: traffic(result.taken_back_bytes),
          })}
        </p>
        <TakenTraffic of={result} />
        <p>{t(`refund.way.${result.way}`)}</p>
      </Dialog>
    )
  const what =
    kind === 'amount' ? (micros === null ? null : { kind, micros: String(micros) }) : ({ kind } as const)
  return (
    <ActDialog
      title={t('refund.title', { number: invoice.number })}
      description={t('refund.text', { left: usd(invoice.refundable_micros) })}
      submit={t('refund.act')}
      pending={pending}
      fault={fault}
      ready={what !== null}
      onClose={onClose}
      onSubmit={(reason) => what !== null && run({ number: invoice.number, what, reason })}
    >
      <Segmented<Kind>
        label={t('refund.what')}
        wide
        value={kind}
        options={kinds.map((value) => ({ value, label: t(`refund.kind.${value}`) }))}
        onChange={setKind}
      />
      <p>{t(`refund.about.${kind}`)}</p>
      {invoice.refund_preview !== null && <TakenTraffic of={invoice.refund_preview} isAhead />}
      {kind === 'amount' && (
        <div className={styles.amount}>
          <DecimalField label={t('refund.amountUsd')} value={amount} onType={setAmount} />
          <Button onClick={() => setAmount(usdText(halfOf(invoice.refundable_micros)))}>
            {t('refund.half')}
          </Button>
        </div>
      )}
    </ActDialog>
  )
}

type Taken = NonNullable<DeskOutput<'invoice'>['refund_preview']>

/** Where the traffic of an invoice is taken from, or will be at most, and what of it others have. */
function TakenTraffic({ of, isAhead = false }: { of: Taken; isAhead?: boolean }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { traffic } = useFigures()
  const list = of.taken
    .map(({ pool, bytes }) =>
      t('refund.inPool', { traffic: traffic(bytes), pool: t(`header:pools.${pool}`) }),
    )
    .join(', ')
  return (
    <>
      {of.taken.length > 0 && <p>{t(isAhead ? 'refund.left' : 'refund.taken', { list })}</p>}
      {BigInt(of.given_bytes) > 0n && <p>{t('refund.given', { traffic: traffic(of.given_bytes) })}</p>}
    </>
  )
}
