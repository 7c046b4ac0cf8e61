import { useState } from 'react'
import type { DeskInput } from '#contract/desk/contract'
import { maxOrderGb } from '#contract/price'
import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { downloadText } from '../../../ui/download-text.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parseGb, parsePercent } from '../../parts/amounts.ts'
import { useAct } from '../../state/use-act.ts'
import { BelowCost } from './below-cost.tsx'
import { LimitFields } from './limit-fields.tsx'
import { limitsOf, noLimits } from './limits.ts'
import styles from './promo.module.css'

type Input = DeskInput<'create_promo_codes'>
/** What a code gives, without the limits. */
type Grant =
  | { kind: 'discount'; discount_ppm: number; min_gb: number }
  | { kind: 'traffic'; pool: Pool; bytes: string }

const mostCodes = 1000

/** The codes to make; null while a field is missing. */
function codesOf(
  kind: 'one' | 'batch',
  { name, batch, count }: { name: string; batch: string; count: string },
): Input['codes'] | null {
  if (kind === 'one') return name.trim() === '' ? null : { kind, code: name.trim() }
  const wanted = wholeNumberIn(count, mostCodes)
  return wanted === null || wanted === 0
    ? null
    : { kind, name: batch.trim() === '' ? null : batch.trim(), prefix: name.trim(), count: wanted }
}

/** What the codes give; null while a field is missing. */
function grantOf(
  kind: 'discount' | 'traffic',
  typed: { amount: string; minGb: string; pool: Pool },
): Grant | null {
  if (kind === 'traffic') {
    const bytes = parseGb(typed.amount)
    return bytes === null ? null : { kind, pool: typed.pool, bytes: String(bytes) }
  }
  const discount = parsePercent(typed.amount)
  const least = wholeNumberIn(typed.minGb, maxOrderGb)
  return discount === null || least === null || least === 0
    ? null
    : { kind, discount_ppm: discount, min_gb: least }
}

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const [kind, setKind] = useState<'one' | 'batch'>('one')
  const [name, setName] = useState('')
  const [batch, setBatch] = useState('')
  const [count, setCount] = useState('10')
  const [grantKind, setGrantKind] = useState<'discount' | 'traffic'>('discount')
  const [amount, setAmount] = useState('')
  const [minGb, setMinGb] = useState('1')
  const [pool, setPool] = useState<Pool>('residential')
  const [draft, setDraft] = useState(noLimits)
  const [key] = useState(() => crypto.randomUUID())
  const { pending, fault, result, run } = useAct('create_promo_codes')
  if (result !== undefined) return <Created codes={result.codes} onClose={onClose} />
  const codes = codesOf(kind, { name, batch, count })
  const grant = grantOf(grantKind, { amount, minGb, pool })
  const limits = limitsOf(draft, grantKind)
  const onSubmit = () => {
    if (codes === null || grant === null || limits === null) return
    const { first_purchase, pools: onlyPools, ...rest } = limits
    const limited = grant.kind === 'discount' ? { ...grant, first_purchase, pools: onlyPools } : grant
    run({ codes, grant: limited, ...rest, key })
  }
  const typed = (value: string, set: (value: string) => void) => ({
    value,
    onChange: (event: { target: { value: string } }) => set(event.target.value),
    autoComplete: 'off',
    mono: true,
  })
  return (
    <ActDialog
      title={t('promo.create')}
      submit={t(kind === 'one' ? 'promo.makeOne' : 'promo.makeBatch')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={codes !== null && grant !== null && limits !== null}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <Segmented
        label={t('promo.howMany')}
        wide
        value={kind}
        options={[
          { value: 'one', label: t('promo.one') },
          { value: 'batch', label: t('promo.batch') },
        ]}
        onChange={setKind}
      />
      {kind === 'batch' && (
        <TextField
          label={t('promo.batchName')}
          hint={t('promo.batchHint')}
          maxLength={64}
          value={batch}
          onChange={(event) => setBatch(event.target.value)}
          autoComplete="off"
        />
      )}
      <div className={styles.pair}>
        <TextField
          label={t(kind === 'one' ? 'promo.code' : 'promo.prefix')}
          maxLength={32}
          {...typed(name, setName)}
        />
        {kind === 'batch' && (
          <TextField label={t('promo.count')} inputMode="numeric" {...typed(count, setCount)} />
        )}
      </div>
      <Segmented
        label={t('promo.grant')}
        wide
        value={grantKind}
        options={[
          { value: 'discount', label: t('promo.discount') },
          { value: 'traffic', label: t('promo.traffic') },
        ]}
        onChange={setGrantKind}
      />
      <div className={styles.pair}>
        <TextField
          label={t(grantKind === 'discount' ? 'promo.percent' : 'act.amountGb')}
          inputMode="decimal"
          {...typed(amount, setAmount)}
        />
        {grantKind === 'discount' ? (
          <TextField label={t('promo.minGb')} inputMode="numeric" {...typed(minGb, setMinGb)} />
        ) : (
          <SelectField<Pool>
            label={t('column.pool')}
            value={pool}
            options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
            onChange={setPool}
          />
        )}
      </div>
      <LimitFields draft={draft} kind={grantKind} onChange={setDraft} />
      <BelowCost
        discount={
          grant?.kind === 'discount'
            ? { discount_ppm: grant.discount_ppm, min_gb: grant.min_gb, pools: limits?.pools ?? null }
            : null
        }
      />
    </ActDialog>
  )
}

function Created({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const text = codes.join('\n')
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t('promo.made', { count: codes.length })}
      closeLabel={t('desk:close')}
      footer={
        <>
          <CopyButton
            text={text}
            label={t('desk:copy.act')}
            copiedLabel={t('desk:copy.done')}
            failedLabel={t('desk:copy.failed')}
          />
          <Button
            onClick={() => downloadText('promo-codes.csv', `code\r\n${codes.join('\r\n')}\r\n`, 'text/csv')}
          >
            {t('desk:table.csv')}
          </Button>
        </>
      }
    >
      <pre translate="no" tabIndex={0} className={styles.codes}>
        {text}
      </pre>
    </Dialog>
  )
}
