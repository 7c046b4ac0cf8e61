import { useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ActDialog } from '../parts/act-dialog.tsx'
import { useFigures } from '../parts/use-figures.ts'
import { useAct } from '../state/use-act.ts'
import type { Receipt } from './receipt.tsx'

/** Writes down that a receipt was registered by other means: its number, and where the customer sees it. */
export function RegisterReceiptDialog({ receipt, onClose }: { receipt: Receipt; onClose: () => void }) {
  const { t } = useTranslation('deskReceipts')
  const { money } = useFigures()
  const [number, setNumber] = useState(receipt.number ?? '')
  const [link, setLink] = useState(receipt.link ?? '')
  const { pending, fault, run } = useAct('register_receipt', onClose)
  const sum = money(receipt.amount, receipt.currency)
  const about = receipt.registrar === 'manual' ? (receipt.kind === 'refund' ? 'cancel' : 'income') : 'till'
  return (
    <ActDialog
      title={t('mark.title', { kind: t(`kind.${receipt.kind}`), sum })}
      description={t(`mark.about.${about}`, { description: receipt.description, sum })}
      submit={t('mark.act')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={number.trim() !== ''}
      onClose={onClose}
      onSubmit={(reason) =>
        run({
          id: receipt.id,
          number: number.trim(),
          link: link.trim() === '' ? null : link.trim(),
          ...(reason === '' ? {} : { reason }),
        })
      }
    >
      <TextField
        label={t('mark.number')}
        value={number}
        onChange={(event) => setNumber(event.target.value)}
        maxLength={64}
        mono
        autoComplete="off"
      />
      <TextField
        label={t('mark.link')}
        hint={t('mark.linkHint')}
        type="url"
        value={link}
        onChange={(event) => setLink(event.target.value)}
        maxLength={500}
        autoComplete="off"
      />
    </ActDialog>
  )
}
