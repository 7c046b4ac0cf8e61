import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

const maxWeight = 1000
const maxConnections = 1_000_000

/** On or off, its share, its limit; and a test of it before anything is saved. */
export function ExitDialog({ exit, onClose }: { exit: Exit; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const [state, setState] = useState<'on' | 'off'>(exit.enabled ? 'on' : 'off')
  const [weight, setWeight] = useState(String(exit.weight))
  const [limit, setLimit] = useState(exit.max_connections === null ? '' : String(exit.max_connections))
  const { pending, fault, run } = useAct('set_exit', onClose)
  const wantedWeight = wholeNumberIn(weight, maxWeight)
  const onSubmit = (reason: string) =>
    wantedWeight !== null &&
    run({
      id: exit.id,
      enabled: state === 'on',
      weight: wantedWeight,
      max_connections: wholeNumberIn(limit, maxConnections),
      ...(reason === '' ? {} : { reason }),
    })
  return (
    <ActDialog
      title={exit.name}
      submit={t('exits.save')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={wantedWeight !== null && wantedWeight > 0}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <Segmented
        label={t('column.state')}
        wide
        value={state}
        options={[
          { value: 'on', label: t('exits.on') },
          { value: 'off', label: t('exits.off') },
        ]}
        onChange={setState}
      />
      <div className={styles.pair}>
        <TextField
          label={t('exits.weight')}
          value={weight}
          onChange={(event) => setWeight(event.target.value)}
          inputMode="numeric"
          mono
        />
        <TextField
          label={t('exits.limit')}
          hint={t('exits.limitHint')}
          value={limit}
          onChange={(event) => setLimit(event.target.value)}
          inputMode="numeric"
          mono
        />
      </div>
      <ExitTest id={exit.id} />
    </ActDialog>
  )
}

/** Gets the shop's echo through the exit. */
function ExitTest({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  const { number } = useFigures()
  const [line, setLine] = useState('')
  const { pending, fault, result, run } = useAct('test_exit')
  return (
    <div className={styles.test}>
      <div className={styles.line}>
        <TextField
          label={t('exits.testLine')}
          placeholder="cc-us"
          value={line}
          onChange={(event) => setLine(event.target.value)}
          spellCheck={false}
          mono
        />
        <Button
          pending={pending}
          onClick={() => run({ id, ...(line.trim() === '' ? {} : { line: line.trim() }) })}
        >
          {t('exits.test')}
        </Button>
      </div>
      {fault !== undefined && <Fault text={fault} />}
      {result !== undefined && !result.worked && <Fault text={result.fault ?? t('exits.testFailed')} />}
      {result?.worked === true && (
        <p role="status">
          {t('exits.testWorked', { ms: number(Math.round(result.took_ms)), address: result.seen_from ?? '' })}
        </p>
      )}
    </div>
  )
}
