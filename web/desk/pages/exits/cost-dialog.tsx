import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { costRoundings, sellerCounts } from '#contract/desk/choices'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { usdText } from '../../parts/amounts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { costIn } from './cost-form.ts'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]
type Cost = DeskOutput<'exit_costs'>['rows'][number]

/** The cost of an exit from a given day, with its history. */
export function CostDialog({ exit, onClose }: { exit: Exit; onClose: () => void }) {
  const { t } = useTranslation(['deskExits', 'desk'])
  const may = useMay()
  const costs = useQuery(query('exit_costs', { id: exit.id }))
  const history = <Loaded query={costs}>{({ rows }) => <History rows={rows} />}</Loaded>
  if (may('set_exit_cost') && costs.data !== undefined)
    return (
      <CostForm exit={exit} known={costs.data.rows} onClose={onClose}>
        {history}
      </CostForm>
    )
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t('cost.title', { name: exit.name })}
      closeLabel={t('desk:close')}
    >
      {history}
    </Dialog>
  )
}

interface CostFormProps {
  exit: Exit
  known: readonly Cost[]
  onClose: () => void
  children: ReactNode
}

function CostForm({ exit, known, onClose, children }: CostFormProps) {
  const { t } = useTranslation('deskExits')
  const before = known.find((cost) => cost.in_force) ?? known[0]
  const [from, setFrom] = useState(() => new Date().toISOString().slice(0, 10))
  const [perGb, setPerGb] = useState(before === undefined ? '' : usdText(BigInt(before.per_gb_micros)))
  const [month, setMonth] = useState(before === undefined ? '0' : usdText(BigInt(before.month_micros)))
  const [currency, setCurrency] = useState(before?.currency ?? 'USD')
  const [counts, setCounts] = useState(before?.counts ?? 'both')
  const [failed, setFailed] = useState<'billed' | 'free'>(before?.counts_failed === false ? 'free' : 'billed')
  const [gb, setGb] = useState<'decimal' | 'binary'>(before?.binary_gb === true ? 'binary' : 'decimal')
  const [rounding, setRounding] = useState(before?.rounding ?? 'none')
  const { pending, fault, run } = useAct('set_exit_cost', onClose)
  const cost = costIn({ from, currency, perGb, month })
  const onSubmit = (reason: string) => {
    if (cost === null) return
    const seller = { binary_gb: gb === 'binary', rounding, counts, counts_failed: failed === 'billed' }
    run({ id: exit.id, ...cost, ...seller, ...(reason === '' ? {} : { reason }) })
  }
  return (
    <ActDialog
      title={t('cost.title', { name: exit.name })}
      description={t('cost.text')}
      submit={t('cost.save')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={cost !== null}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <div className={styles.pair}>
        <TextField
          label={t('cost.from')}
          type="date"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextField
          label={t('cost.currency')}
          hint={t('cost.currencyHint')}
          maxLength={3}
          value={currency}
          onChange={(event) => setCurrency(event.target.value)}
        />
      </div>
      <div className={styles.pair}>
        <DecimalField
          label={t('cost.perGb')}
          value={perGb}
          onType={setPerGb}
          error={perGb !== '' && cost === null ? t('cost.bad') : undefined}
        />
        <DecimalField label={t('cost.month')} hint={t('cost.monthHint')} value={month} onType={setMonth} />
      </div>
      <div className={styles.pair}>
        <SelectField
          label={t('cost.gb')}
          value={gb}
          options={(['decimal', 'binary'] as const).map((value) => ({
            value,
            label: t(`cost.gbOf.${value}`),
          }))}
          onChange={setGb}
        />
        <SelectField
          label={t('cost.rounding')}
          value={rounding}
          options={costRoundings.map((value) => ({ value, label: t(`cost.roundingOf.${value}`) }))}
          onChange={setRounding}
        />
      </div>
      <div className={styles.pair}>
        <SelectField
          label={t('cost.counts')}
          value={counts}
          options={sellerCounts.map((value) => ({ value, label: t(`cost.countsOf.${value}`) }))}
          onChange={setCounts}
        />
        <SelectField
          label={t('cost.failed')}
          value={failed}
          options={(['billed', 'free'] as const).map((value) => ({
            value,
            label: t(`cost.failedOf.${value}`),
          }))}
          onChange={setFailed}
        />
      </div>
      {children}
    </ActDialog>
  )
}

function History({ rows }: { rows: readonly Cost[] }) {
  const { t } = useTranslation('deskExits')
  const { time, language } = useFigures()
  const money = (micros: string, currency: string) =>
    formatMoney(BigInt(micros), { code: currency, digits: 2 }, language)
  if (rows.length === 0) return <p>{t('cost.none')}</p>
  return (
    <section className={styles.history} aria-label={t('cost.history')}>
      <h3>{t('cost.history')}</h3>
      <ul>
        {rows.map((cost) => (
          <li key={`${cost.from} ${cost.set_at}`}>
            <span>
              <span>{cost.from}</span> {cost.in_force && <Badge tone="good">{t('cost.inForce')}</Badge>}
            </span>
            <span>
              {`${t('cost.terms', {
                perGb: money(cost.per_gb_micros, cost.currency),
                month: money(cost.month_micros, cost.currency),
              })}${cost.counts !== 'both' || !cost.counts_failed ? ` · ${t(`cost.countsOf.${cost.counts}`)}, ${t(`cost.failedOf.${cost.counts_failed ? 'billed' : 'free'}`)}` : ''}`}
            </span>
            {!cost.rated && <Badge tone="warning">{t('cost.unrated', { currency: cost.currency })}</Badge>}
            <span className={styles.when}>{`${t('cost.set')}: ${time(cost.set_at)}`}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
