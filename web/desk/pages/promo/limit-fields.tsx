import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { LimitDraft } from './limits.ts'
import styles from './promo.module.css'

interface LimitFieldsProps {
  draft: LimitDraft
  kind: 'discount' | 'traffic'
  onChange: (draft: LimitDraft) => void
}

/** The limits of a code: number of uses, expiry, pools and amounts. */
export function LimitFields({ draft, kind, onChange }: LimitFieldsProps) {
  const { t } = useTranslation(['deskPages', 'header'])
  const change = (changed: Partial<LimitDraft>) => onChange({ ...draft, ...changed })
  const choose = (pool: Pool, isChosen: boolean) =>
    change({ pools: isChosen ? [...draft.pools, pool] : draft.pools.filter((one) => one !== pool) })
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label={t('promo.maxUses')}
          hint={t('promo.emptyNoLimit')}
          inputMode="numeric"
          autoComplete="off"
          mono
          value={draft.uses}
          onChange={(event) => change({ uses: event.target.value })}
        />
        <TextField
          label={t('promo.perPerson')}
          hint={t('promo.perPersonHint')}
          inputMode="numeric"
          autoComplete="off"
          mono
          value={draft.perPerson}
          onChange={(event) => change({ perPerson: event.target.value })}
        />
      </div>
      <TextField
        type="datetime-local"
        label={t('promo.expires')}
        hint={t('promo.emptyNever')}
        value={draft.until}
        onChange={(event) => change({ until: event.target.value })}
      />
      {kind === 'discount' && (
        <>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={draft.firstPurchase}
              onChange={(event) => change({ firstPurchase: event.target.checked })}
            />
            <span>{t('promo.firstPurchase')}</span>
          </label>
          <fieldset className={styles.pools}>
            <legend>{t('promo.pools')}</legend>
            {pools.map((pool) => (
              <label key={pool} className={styles.check}>
                <input
                  type="checkbox"
                  checked={draft.pools.includes(pool)}
                  onChange={(event) => choose(pool, event.target.checked)}
                />
                <span>{t(`header:pools.${pool}`)}</span>
              </label>
            ))}
            <p className={styles.hint}>{t('promo.poolsHint')}</p>
          </fieldset>
        </>
      )}
    </>
  )
}
