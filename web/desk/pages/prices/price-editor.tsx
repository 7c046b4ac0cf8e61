import { useQuery } from '@tanstack/react-query'
import X from 'lucide-react/icons/x'
import { useMemo, useState } from 'react'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import { type Draft, draftOf, parseDraft } from './draft.ts'
import styles from './prices.module.css'

type Prices = DeskOutput<'prices'>

/** Prices and tiers, with what customers would pay beside what they pay now. */
export function PriceEditor({ prices, onClose }: { prices: Prices; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'header', 'desk'])
  // What the change was begun from: the server refuses it when somebody else has changed them meanwhile.
  const [seen] = useState(prices)
  const [draft, setDraft] = useState<Draft>(() => draftOf(prices))
  const [isSaving, setSaving] = useState(false)
  const { pending, fault, run, reset } = useAct('change_prices', onClose)
  const wanted = useMemo(() => parseDraft(draft), [draft])
  const setTier = (key: number, change: Partial<Draft['tiers'][number]>) =>
    setDraft({
      ...draft,
      tiers: draft.tiers.map((tier) => (tier.key === key ? { ...tier, ...change } : tier)),
    })
  const addTier = () => {
    const key = Math.max(-1, ...draft.tiers.map((tier) => tier.key)) + 1
    setDraft({ ...draft, tiers: [...draft.tiers, { key, fromGb: '', discount: '' }] })
  }
  return (
    <div className={styles.editor}>
      <div className={styles.columns}>
        <Section title={t('prices.perGb')}>
          <div className={styles.fields}>
            {pools.map((pool) => (
              <TextField
                key={pool}
                label={t(`header:pools.${pool}`)}
                value={draft.prices[pool]}
                onChange={(event) =>
                  setDraft({ ...draft, prices: { ...draft.prices, [pool]: event.target.value } })
                }
                inputMode="decimal"
                mono
                end={<span className={styles.unit}>{t('act.usd')}</span>}
              />
            ))}
          </div>
          <p className={styles.quiet}>{t('prices.emptyMeans')}</p>
        </Section>
        <Section
          title={t('prices.tiers')}
          actions={
            <Button size="small" onClick={addTier}>
              {t('prices.addTier')}
            </Button>
          }
        >
          <ul className={styles.fields}>
            {draft.tiers.map((tier) => (
              <li key={tier.key} className={styles.tier}>
                <TextField
                  label={t('prices.fromGb')}
                  value={tier.fromGb}
                  onChange={(event) => setTier(tier.key, { fromGb: event.target.value })}
                  inputMode="numeric"
                  mono
                />
                <TextField
                  label={t('prices.discount')}
                  value={tier.discount}
                  onChange={(event) => setTier(tier.key, { discount: event.target.value })}
                  inputMode="decimal"
                  mono
                />
                <button
                  type="button"
                  className={styles.remove}
                  aria-label={t('prices.removeTier')}
                  onClick={() =>
                    setDraft({ ...draft, tiers: draft.tiers.filter(({ key }) => key !== tier.key) })
                  }
                >
                  <X size={16} aria-hidden="true" />
                </button>
              </li>
            ))}
          </ul>
        </Section>
      </div>
      {wanted === null ? <Fault text={t('prices.incomplete')} /> : <Preview wanted={wanted} />}
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
          description={t('prices.saveText')}
          submit={t('prices.save')}
          pending={pending}
          fault={fault}
          onClose={() => setSaving(false)}
          onSubmit={(reason) => run({ ...wanted, reason, seen })}
        />
      )}
    </div>
  )
}

/** What orders would cost, beside what they cost now. */
function Preview({ wanted }: { wanted: DeskInput<'preview_prices'> }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, number } = useFigures()
  const preview = useQuery({
    queryKey: ['preview_prices', wanted],
    queryFn: ({ signal }) => call('preview_prices', wanted, { signal }),
    placeholderData: (before) => before,
  })
  return (
    <Section title={t('prices.preview')}>
      <Loaded query={preview}>
        {(rows) => (
          <table className={styles.table}>
            <caption className="sr-only">{t('prices.preview')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('column.pool')}</th>
                <td>{t('column.gb')}</td>
                <td>{t('prices.now')}</td>
                <td>{t('prices.then')}</td>
                <td>{t('prices.thenPerGb')}</td>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr
                  key={`${row.pool}-${row.gb}`}
                  className={classNames(row.now_micros !== row.then_micros && styles.changed)}
                >
                  <th scope="row">{t(`header:pools.${row.pool}`)}</th>
                  <td>{number(row.gb)}</td>
                  <td>{row.now_micros === null ? t('prices.notSold') : usd(row.now_micros)}</td>
                  <td>{row.then_micros === null ? t('prices.notSold') : usd(row.then_micros)}</td>
                  <td>{row.then_per_gb_micros !== null && usd(row.then_per_gb_micros)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </Section>
  )
}
