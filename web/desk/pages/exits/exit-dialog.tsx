import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { ExitHealthPart } from './exit-health.tsx'
import { ExitTest } from './exit-test.tsx'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

const maxWeight = 1000
const maxConnections = 1_000_000

interface ExitDialogProps {
  exit: Exit
  /** Undefined: not read yet. */
  health: DeskOutput<'exit_health'>[number] | undefined
  /** Null: the member may not see what it costs. */
  onCost: (() => void) | null
  onRemove: () => void
  onClose: () => void
}

/** The switch, share and limit of an exit, a test before saving, and its removal. */
export function ExitDialog({ exit, health, onCost, onRemove, onClose }: ExitDialogProps) {
  const { t } = useTranslation(['deskPages', 'deskExits'])
  const [state, setState] = useState<'on' | 'off'>(exit.enabled ? 'on' : 'off')
  const [weight, setWeight] = useState(String(exit.weight))
  const [limit, setLimit] = useState(exit.max_connections === null ? '' : String(exit.max_connections))
  const { pending, fault, run } = useAct('set_exit', onClose)
  const test = useAct('test_exit')
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
      ready={wantedWeight !== null}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      {health !== undefined && <ExitHealthPart health={health} />}
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
          hint={t('exits.weightHint')}
          value={weight}
          end={
            weight !== '0' && (
              <button type="button" className={styles.zero} onClick={() => setWeight('0')}>
                {t('exits.weightZero')}
              </button>
            )
          }
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
      <ExitTest {...test} onTest={(settings) => test.run({ id: exit.id, ...settings })} />
      <div className={styles.further}>
        {onCost !== null && (
          <Button size="small" onClick={onCost}>
            {t('deskExits:cost.open')}
          </Button>
        )}
        <Button size="small" onClick={onRemove}>
          {t('deskExits:exit.removeThis')}
        </Button>
      </div>
    </ActDialog>
  )
}
