import { useMemo, useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { UnsavedDialog } from '../../parts/unsaved-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { type Draft, draftOf, parseDraft } from './draft.ts'
import { isSoldBelowCost, PricePreview, usePreview } from './price-preview.tsx'
import { TierFields } from './tier-fields.tsx'
import styles from './prices.module.css'

type Prices = DeskOutput<'prices'>

/** Edits prices and tiers, and compares the new prices with the present ones. */
export function PriceEditor({ prices, onClose }: { prices: Prices; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'header', 'desk'])
  // The prices at the start of the edit: the server refuses the change if they have changed since.
  const [seen] = useState(prices)
  const [first] = useState<Draft>(() => draftOf(prices))
  const [draft, setDraft] = useState<Draft>(first)
  const [isSaving, setSaving] = useState(false)
  const { pending, fault, run, reset } = useAct('change_prices', onClose)
  const isChanged = draft !== first
  const isFirst = prices.prices.length === 0
  const wanted = useMemo(() => parseDraft(draft), [draft])
  const preview = usePreview('preview_prices', wanted)
  const isBelowCost = preview.data?.some(isSoldBelowCost) === true
  return (
    <div className={styles.editor}>
      <UnsavedDialog isUnsaved={isChanged && !pending} />
      <div className={styles.columns}>
        <Section title={t('prices.perGb')}>
          <div className={styles.fields}>
            {pools.map((pool) => (
              <DecimalField
                key={pool}
                label={t(`header:pools.${pool}`)}
                value={draft.prices[pool]}
                onType={(text) => setDraft({ ...draft, prices: { ...draft.prices, [pool]: text } })}
                end={<span className={styles.unit}>{t('act.usd')}</span>}
              />
            ))}
          </div>
          <p className={styles.quiet}>{t('prices.emptyMeans')}</p>
        </Section>
        <Section title={t('prices.tiers')}>
          <TierFields tiers={draft.tiers} onChange={(tiers) => setDraft({ ...draft, tiers })} />
        </Section>
      </div>
      {wanted === null ? <Fault text={t('prices.incomplete')} /> : <PricePreview preview={preview} />}
      <div className={styles.acts}>
        <Button
          variant="primary"
          disabled={wanted === null}
          onClick={() => {
            reset()
            setSaving(true)
          }}
        >
          {t('prices.save')}
        </Button>
        <Button onClick={onClose}>{t('desk:cancel')}</Button>
      </div>
      {isSaving && wanted !== null && (
        <ActDialog
          title={t('prices.saveTitle')}
          description={
            isBelowCost ? `${t('prices.saveText')} ${t('prices.saveBelowCost')}` : t('prices.saveText')
          }
          submit={t('prices.save')}
          // The first prices of a shop change nothing that a reason would explain.
          reason={isFirst ? 'first' : 'required'}
          pending={pending}
          fault={fault}
          onClose={() => setSaving(false)}
          onSubmit={(reason) => run({ ...wanted, reason, seen })}
        />
      )}
    </div>
  )
}
