import { useMemo, useState } from 'react'
import { priceKinds } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { UnsavedDialog } from '../../parts/unsaved-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { isSoldBelowCost, PricePreview, usePreview } from './price-preview.tsx'
import styles from './prices.module.css'
import { TierFields } from './tier-fields.tsx'
import { type ListDraft, parseList, type PriceKind, type PriceList } from './list-draft.ts'

interface ListEditorProps {
  /** Null: a new list. */
  list: PriceList | null
  /** What the fields show at first: the list, or terms that it had before. */
  start: ListDraft
  isChanged?: boolean
  onClose: () => void
}

/** Edits a price list, and compares what its customers pay with what they pay now. */
export function ListEditor({ list, start, isChanged = false, onClose }: ListEditorProps) {
  const { t } = useTranslation(['deskPages', 'desk'])
  // The version at the start of the edit: the server refuses the change if the list has changed since.
  const [seen] = useState(list)
  const [first] = useState(start)
  const [draft, setDraft] = useState(first)
  const [isSaving, setSaving] = useState(false)
  const create = useAct('create_price_list', onClose)
  const change = useAct('change_price_list', onClose)
  const act = seen === null ? create : change
  const wanted = useMemo(() => parseList(draft), [draft])
  const asked = useMemo((): DeskInput<'preview_price_list'> | null => {
    const priced = parseList({ ...draft, name: 'x' })
    return priced && { id: seen?.id ?? null, prices: priced.prices, tiers: priced.tiers }
  }, [draft, seen])
  const preview = usePreview('preview_price_list', asked)
  const isBelowCost = preview.data?.some(isSoldBelowCost) === true
  const save = (reason: string) => {
    if (wanted === null) return
    if (seen === null) create.run({ ...wanted, reason })
    else change.run({ ...wanted, id: seen.id, version: seen.version, reason })
  }
  return (
    <div className={styles.editor}>
      <UnsavedDialog isUnsaved={(isChanged || draft !== first) && !act.pending} />
      <TextField
        label={t('column.name')}
        hint={t('priceLists.nameHint')}
        value={draft.name}
        maxLength={60}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <div className={styles.columns}>
        <Section title={t('prices.perGb')}>
          <PriceFields draft={draft} onChange={(prices) => setDraft({ ...draft, prices })} />
        </Section>
        <Section title={t('prices.tiers')}>
          <div className={styles.fields}>
            <Segmented
              label={t('prices.tiers')}
              value={draft.hasOwnTiers ? 'own' : 'shop'}
              options={[
                { value: 'shop', label: t('priceLists.shopTiers') },
                { value: 'own', label: t('priceLists.ownTiers') },
              ]}
              onChange={(next) => setDraft({ ...draft, hasOwnTiers: next === 'own' })}
            />
            {draft.hasOwnTiers && (
              <>
                {draft.tiers.length === 0 && <p className={styles.quiet}>{t('prices.noTiers')}</p>}
                <TierFields tiers={draft.tiers} onChange={(tiers) => setDraft({ ...draft, tiers })} />
              </>
            )}
          </div>
        </Section>
      </div>
      {asked === null ? <Fault text={t('prices.incomplete')} /> : <PricePreview preview={preview} />}
      <div className={styles.acts}>
        <Button
          variant="primary"
          disabled={wanted === null}
          onClick={() => {
            act.reset()
            setSaving(true)
          }}
        >
          {t('priceLists.save')}
        </Button>
        <Button onClick={onClose}>{t('desk:cancel')}</Button>
      </div>
      {isSaving && wanted !== null && (
        <ActDialog
          title={t('priceLists.saveTitle', { name: wanted.name })}
          description={[t('priceLists.saveText'), ...(isBelowCost ? [t('prices.saveBelowCost')] : [])].join(
            ' ',
          )}
          submit={t('priceLists.save')}
          pending={act.pending}
          fault={act.fault}
          onClose={() => setSaving(false)}
          onSubmit={save}
        />
      )}
    </div>
  )
}

interface PriceFieldsProps {
  draft: ListDraft
  onChange: (prices: ListDraft['prices']) => void
}

/** For each pool: the shop's price, a fixed price, or a discount from the shop's price. */
function PriceFields({ draft: { prices }, onChange }: PriceFieldsProps) {
  const { t } = useTranslation(['deskPages', 'header'])
  return (
    <div className={styles.fields}>
      {pools.map((pool) => {
        const { kind, text } = prices[pool]
        const name = t(`header:pools.${pool}`)
        return (
          <div key={pool} className={styles.listPrice}>
            <SelectField<PriceKind>
              label={name}
              value={kind}
              options={priceKinds.map((value) => ({ value, label: t(`priceLists.kind.${value}`) }))}
              onChange={(next) => onChange({ ...prices, [pool]: { kind: next, text: '' } })}
            />
            {kind !== 'shop' && (
              <DecimalField
                label={t(`priceLists.value.${kind}`, { pool: name })}
                value={text}
                onType={(typed) => onChange({ ...prices, [pool]: { kind, text: typed } })}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}
