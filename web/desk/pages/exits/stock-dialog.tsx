import { useToldRead } from '../../state/told-read.ts'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseGb } from '../../parts/amounts.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'

/** Enters the stock that a member of staff has read on the seller's site. */
export function StockDialog({ exit, onClose }: { exit: DeskOutput<'exits'>[number]; onClose: () => void }) {
  const { t } = useTranslation('deskExits')
  const { traffic, time } = useFigures()
  const stocks = useToldRead(query('exit_stocks', {}))
  const known = stocks.data?.find(({ id }) => id === exit.id)
  const [left, setLeft] = useState('')
  const { pending, fault, run } = useAct('set_exit_stock', onClose)
  const bytes = left.trim() === '0' ? 0n : parseGb(left)
  const now = known && t('stock.now', { left: traffic(known.left_bytes), at: time(known.set_at) })
  return (
    <ActDialog
      title={t('stock.title', { name: exit.name })}
      description={now === undefined ? t('stock.text') : `${t('stock.text')} ${now}`}
      submit={t('stock.save')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={bytes !== null}
      onClose={onClose}
      onSubmit={(reason) =>
        bytes !== null &&
        run({ id: exit.id, left_bytes: String(bytes), ...(reason === '' ? {} : { reason }) })
      }
    >
      <DecimalField label={t('stock.left')} value={left} onType={setLeft} />
    </ActDialog>
  )
}
