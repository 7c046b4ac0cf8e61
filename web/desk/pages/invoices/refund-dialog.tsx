import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { downToCent, isWholeCents } from '#contract/price'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseUsd, usdText } from '../../parts/amounts.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './invoice.module.css'

const kinds = ['whole', 'unused', 'amount'] as const
type Kind = (typeof kinds)[number]
type What = DeskInput<'refund_invoice'>['what']

const senders = ['processor', 'hand'] as const
type Sender = (typeof senders)[number]

/** Half of an amount, rounded down to whole cents. */
const halfOf = (micros: string) => downToCent(BigInt(micros) / 2n)

/** What is refunded; null: the amount is missing or cannot be refunded. */
function whatOf(kind: Kind, amount: string, most: string): What | null {
  if (kind !== 'amount') return { kind }
  const micros = parseUsd(amount)
  const isPossible = micros !== null && micros > 0n && micros <= BigInt(most) && isWholeCents(micros)
  return isPossible ? { kind, micros: String(micros) } : null
}

export function RefundDialog({ invoice, onClose }: { invoice: DeskOutput<'invoice'>; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const { usd } = useFigures()
  const { number } = invoice
  const [kind, setKind] = useState<Kind>('whole')
  const [amount, setAmount] = useState('')
  const [key] = useState(() => crypto.randomUUID())
  const [sender, setSender] = useState<Sender>('processor')
  const { pending, fault, result, run } = useAct('refund_invoice')
  const what = whatOf(kind, amount, invoice.refundable_micros)
  const preview = useQuery({
    ...query('preview_refund', { number, what: what ?? { kind: 'whole' } }),
    enabled: what !== null && result === undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  if (result !== undefined) return <Ordered result={result} onClose={onClose} />
  const byHand = sender === 'hand'
  return (
    <ActDialog
      title={t('refund.title', { number: invoice.short_number })}
      description={t('refund.text', { left: usd(invoice.refundable_micros) })}
      submit={t('refund.act')}
      pending={pending}
      fault={fault}
      ready={what !== null}
      onClose={onClose}
      onSubmit={(reason) =>
        what !== null && run({ number, what, key, reason, ...(byHand ? { by_hand: true } : {}) })
      }
    >
      <Segmented<Kind>
        label={t('refund.what')}
        wide
        value={kind}
        options={kinds.map((value) => ({ value, label: t(`refund.kind.${value}`) }))}
        onChange={setKind}
      />
      <p>{t(`refund.about.${kind}`)}</p>
      {kind === 'amount' && (
        <div className={styles.amount}>
          <DecimalField label={t('refund.amountUsd')} value={amount} onType={setAmount} />
          <Button onClick={() => setAmount(usdText(halfOf(invoice.refundable_micros)))}>
            {t('refund.half')}
          </Button>
        </div>
      )}
      {what !== null && (
        <Loaded query={preview}>
          {(ahead) => (
            <>
              {/* Until the answer arrives, its place is kept: the figures of another refund would be read
                 as its own. */}
              <div className={preview.isPlaceholderData ? styles.expected : undefined}>
                <Ahead of={ahead} />
              </div>
              {ahead.way === 'processor' && (
                <div className={styles.labelled}>
                  {/* Read aloud as the name of the choice. */}
                  <p aria-hidden="true">{t('refund.sender')}</p>
                  <Segmented<Sender>
                    label={t('refund.sender')}
                    wide
                    value={sender}
                    options={senders.map((value) => ({ value, label: t(`refund.senders.${value}`) }))}
                    onChange={setSender}
                  />
                </div>
              )}
              {(byHand || ahead.way === 'hand') && <p>{t('refund.handAhead')}</p>}
            </>
          )}
        </Loaded>
      )}
    </ActDialog>
  )
}

/** The effect of a refund made now: the money returned, the money left, and the traffic taken. */
function Ahead({ of }: { of: DeskOutput<'preview_refund'> }) {
  const { t } = useTranslation('deskPages')
  const { usd, traffic } = useFigures()
  return (
    <>
      <p>
        {t('refund.ahead', {
          money: usd(of.refunded_micros),
          traffic: traffic(of.taken_back_bytes),
          left: usd(of.left_micros),
        })}
      </p>
      <TakenTraffic of={of} isAhead />
    </>
  )
}

function Ordered({ result, onClose }: { result: DeskOutput<'refund_invoice'>; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const { usd, traffic } = useFigures()
  const isPlanned = result.state === 'planned'
  const isFailed = result.state === 'failed' || result.state === 'refused'
  const money = usd(result.refunded_micros)
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t(isPlanned ? 'refund.planned' : isFailed ? 'refund.failed' : 'refund.done')}
      closeLabel={t('desk:close')}
      footer={<Button onClick={onClose}>{t('desk:close')}</Button>}
    >
      {isPlanned && <p role="status">{t('refund.plannedResult', { money })}</p>}
      {isFailed && <p role="status">{t('refund.failedResult', { fault: result.fault ?? '' })}</p>}
      {!isPlanned && !isFailed && (
        <>
          <p role="status">{t('refund.result', { money, traffic: traffic(result.taken_back_bytes) })}</p>
          <TakenTraffic of={result} />
          <p>{t(`refund.way.${result.way}`)}</p>
        </>
      )}
    </Dialog>
  )
}

/** The pools that a refund takes traffic from, and the invoice's traffic that was given to others. */
export function TakenTraffic({
  of,
  isAhead = false,
}: {
  of: Pick<DeskOutput<'refund_invoice'>, 'taken' | 'given_bytes'>
  isAhead?: boolean
}) {
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
