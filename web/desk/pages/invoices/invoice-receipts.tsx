import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import {
  type Receipt,
  ReceiptFaultText,
  ReceiptNumbers,
  ReceiptState,
  registrable,
} from '../../subjects/receipt.tsx'
import { RegisterReceiptDialog } from '../../subjects/register-receipt.tsx'
import styles from './invoice.module.css'

/** The fiscal receipts of an invoice, and the act on a receipt that needs staff. */
export function InvoiceReceipts({ receipts }: { receipts: DeskOutput<'invoice'>['receipts'] }) {
  const { t } = useTranslation('deskReceipts')
  const mayMark = useMay()('register_receipt')
  const [marked, setMarked] = useState<Receipt | null>(null)
  const facts = useReceiptFacts()
  if (receipts.length === 0) return null
  return (
    <Section title={t('title')}>
      {receipts.map((receipt) => (
        <div key={receipt.id} className={styles.receipt}>
          <Facts facts={facts(receipt)} />
          {mayMark && registrable(receipt) && (
            <Button size="small" className={styles.mark} onClick={() => setMarked(receipt)}>
              {t(receipt.number === null ? 'mark.act' : 'mark.correct')}
            </Button>
          )}
        </div>
      ))}
      {marked !== null && <RegisterReceiptDialog receipt={marked} onClose={() => setMarked(null)} />}
    </Section>
  )
}

function useReceiptFacts(): (receipt: Receipt) => Fact[] {
  const { t } = useTranslation('deskReceipts')
  const { money } = useFigures()
  return (receipt) => {
    const { kind, amount, currency, email, fault, due_at: dueAt, registered_at: registeredAt } = receipt
    return [
      {
        name: `${t(`kind.${kind}`)}, ${money(amount, currency)}`,
        value: <ReceiptState receipt={receipt} />,
      },
      ...(receipt.fiscal_document_number === null && receipt.number === null
        ? []
        : [{ name: t('numbers'), value: <ReceiptNumbers receipt={receipt} /> }]),
      ...(email === null ? [] : [{ name: t('email'), value: email }]),
      ...(registeredAt === null ? [] : [{ name: t('registeredAt'), value: <Moment iso={registeredAt} /> }]),
      ...(receipt.state === 'due' && dueAt !== null
        ? [{ name: t('dueAt'), value: <Moment iso={dueAt} /> }]
        : []),
      ...(fault === null ? [] : [{ name: t('fault'), value: <ReceiptFaultText fault={fault} /> }]),
    ]
  }
}
