import X from 'lucide-react/icons/x'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { TierDraft } from './draft.ts'
import styles from './prices.module.css'

interface TierFieldsProps {
  tiers: TierDraft
  onChange: (tiers: TierDraft) => void
}

/** The fields of volume discounts, with a button that adds one. */
export function TierFields({ tiers, onChange }: TierFieldsProps) {
  const { t } = useTranslation('deskPages')
  const setTier = (key: number, change: Partial<TierDraft[number]>) =>
    onChange(tiers.map((tier) => (tier.key === key ? { ...tier, ...change } : tier)))
  const addTier = () => {
    const key = Math.max(-1, ...tiers.map((tier) => tier.key)) + 1
    onChange([...tiers, { key, fromGb: '', discount: '' }])
  }
  return (
    <div className={styles.fields}>
      {tiers.length > 0 && (
        <ul className={styles.fields}>
          {tiers.map((tier) => (
            <li key={tier.key} className={styles.tier}>
              <TextField
                label={t('prices.fromGb')}
                value={tier.fromGb}
                onChange={(event) => setTier(tier.key, { fromGb: event.target.value })}
                inputMode="numeric"
                mono
              />
              <DecimalField
                label={t('prices.discount')}
                value={tier.discount}
                onType={(text) => setTier(tier.key, { discount: text })}
              />
              <button
                type="button"
                className={styles.remove}
                aria-label={t('prices.removeTier')}
                onClick={() => onChange(tiers.filter(({ key }) => key !== tier.key))}
              >
                <X size={16} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button size="small" onClick={addTier}>
          {t('prices.addTier')}
        </Button>
      </div>
    </div>
  )
}
