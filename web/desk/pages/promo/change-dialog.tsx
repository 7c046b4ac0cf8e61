import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import type { RowOf } from '../../table/list.tsx'
import { BelowCost } from './below-cost.tsx'
import { LimitFields } from './limit-fields.tsx'
import { localOf } from '../../parts/local-time.ts'
import { limitsOf } from './limits.ts'

/** Changes the limits of a code. */
export function ChangeDialog({ code, onClose }: { code: RowOf<'promo_codes'>; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const [draft, setDraft] = useState({
    uses: code.max_uses ?? '',
    perPerson: String(code.uses_per_person),
    until: localOf(code.expires_at),
    firstPurchase: code.first_purchase,
    pools: code.pools ?? [],
  })
  const { pending, fault, run } = useAct('change_promo_code', onClose)
  const kind = code.discount_ppm === null ? 'traffic' : 'discount'
  const limits = limitsOf(draft, kind)
  return (
    <ActDialog
      title={t('promo.changeTitle', { code: code.code })}
      submit={t('promo.saveChange')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={limits !== null}
      onClose={onClose}
      onSubmit={(reason) =>
        limits !== null && run({ code: code.code, ...limits, ...(reason === '' ? {} : { reason }) })
      }
    >
      <LimitFields
        draft={draft}
        kind={kind}
        onChange={(next) => setDraft({ ...next, pools: [...next.pools] })}
      />
      <BelowCost
        discount={
          code.discount_ppm === null
            ? null
            : {
                discount_ppm: code.discount_ppm,
                min_gb: Number(code.min_gb ?? '1'),
                pools: limits?.pools ?? null,
              }
        }
      />
    </ActDialog>
  )
}
