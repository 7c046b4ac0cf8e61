import { receiptFaults } from '#contract/desk/choices'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../state/i18n.ts'
import { Badge, type Tone } from '../parts/badge.tsx'

export type Receipt = DeskOutput<'receipts'>['rows'][number]

const tones: Readonly<Record<Receipt['state'], Tone>> = {
  due: 'warning',
  pending: 'quiet',
  registered: 'good',
  failed: 'bad',
  void: 'quiet',
}

/** Whether staff may write down that it was registered by other means, or correct what they wrote. */
export const registrable = ({ need, state, number }: Receipt): boolean =>
  need !== null || (state === 'registered' && number !== null)

/** The state of a receipt. One that the processor has had for too long is marked. */
export function ReceiptState({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation('deskReceipts')
  const { state, need } = receipt
  if (need === 'by_hand') return <Badge tone="warning">{t('need.by_hand')}</Badge>
  if (need === 'trouble' && state !== 'failed') return <Badge tone="bad">{t('overdue')}</Badge>
  return <Badge tone={tones[state]}>{t(`state.${state}`)}</Badge>
}

/** Why a receipt failed. */
export function ReceiptFaultText({ fault }: { fault: string }) {
  const { t } = useTranslation('deskReceipts')
  const known = receiptFaults.find((each) => each === fault)
  return <span>{known === undefined ? fault : t(`faults.${known}`)}</span>
}

/**
 * The numbers of the tax service, or the one that staff wrote down, with its link. `short`: of the three
 * numbers that of the document.
 */
export function ReceiptNumbers({ receipt, short = false }: { receipt: Receipt; short?: boolean }) {
  const { t } = useTranslation('deskReceipts')
  const { number, link } = receipt
  const numbers = [
    [t('document'), receipt.fiscal_document_number],
    [t('storage'), receipt.fiscal_storage_number],
    [t('attribute'), receipt.fiscal_attribute],
  ] as const
  const told = numbers
    .slice(0, short ? 1 : 3)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  const text = [...told, ...(number === null ? [] : [number])].join(', ')
  if (text === '') return null
  return link === null ? (
    <span translate="no" className="mono">
      {text}
    </span>
  ) : (
    <a translate="no" href={link} target="_blank" rel="noreferrer" className="mono">
      {text}
    </a>
  )
}
