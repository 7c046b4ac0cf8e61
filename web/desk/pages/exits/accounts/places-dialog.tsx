import { useState } from 'react'
import { useTranslation } from '../../../../state/i18n.ts'
import { Segmented } from '../../../../ui/fields/segmented.tsx'
import { ActDialog } from '../../../parts/act-dialog.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import { refreshAll } from '../../../state/api.ts'
import { useAct } from '../../../state/use-act.ts'
import type { Account } from './opened.ts'

/** Asks whether to accept a list of places that has shrunk, or to keep the previous one. */
export function PlacesDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation('deskSellers')
  const { number } = useFigures()
  const { pending, fault, run } = useAct('decide_seller_places', onClose, () => void refreshAll())
  const [decision, setDecision] = useState<'accept' | 'keep'>('keep')
  const { asked, places } = account
  const sizeOf = (size: { rows: string; addresses: string } | null) =>
    size === null
      ? t('sellers.placesNone')
      : t('sellers.placesOf', { rows: number(size.rows), addresses: number(size.addresses) })
  return (
    <ActDialog
      title={t('sellers.decideTitle', { name: account.label })}
      description={t('sellers.decideText', { was: sizeOf(places), now: sizeOf(asked) })}
      submit={t(decision === 'keep' ? 'sellers.keep' : 'sellers.accept')}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) =>
        run({ id: account.id, list: asked?.list ?? '', decision, ...(reason === '' ? {} : { reason }) })
      }
    >
      <Segmented
        label={t('sellers.placesColumn')}
        wide
        value={decision}
        options={[
          { value: 'keep', label: t('sellers.keep') },
          { value: 'accept', label: t('sellers.accept') },
        ]}
        onChange={setDecision}
      />
    </ActDialog>
  )
}
