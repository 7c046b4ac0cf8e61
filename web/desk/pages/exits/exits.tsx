import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PlainTable } from '../../table/plain-table.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useToldRead } from '../../state/told-read.ts'
import { useAct } from '../../state/use-act.ts'
import { HealthBoard } from '../../subjects/health/board.tsx'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Accounts } from './accounts/accounts.tsx'
import { AddDialog } from './add-dialog.tsx'
import { CostDialog } from './cost-dialog.tsx'
import { useExitColumns } from './exit-columns.tsx'
import { ExitDialog } from './exit-dialog.tsx'
import { ExitHealthPart } from './exit-health.tsx'
import type { Opened } from './opened.ts'
import { StockDialog } from './stock-dialog.tsx'
import { RefusalsDialog } from './refusals-dialog.tsx'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

const tabs = ['exits', 'accounts'] as const
const healthMs = 10_000

/** The exits, and the accounts at the sellers of some of them. */
export function ExitsPage() {
  const { t } = useTranslation(['deskPages', 'deskExits', 'deskSellers'])
  const may = useMay()
  const [search, setParameter] = useSearchParameter()
  const [isAdding, setAdding] = useState(false)
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'exits'
  return (
    <>
      <PageHead
        title={t('exits.title')}
        actions={
          may('add_exit') &&
          tab === 'exits' && (
            <Button variant="primary" onClick={() => setAdding(true)}>
              {t('deskExits:exit.add')}
            </Button>
          )
        }
      />
      {!may('exits') ? (
        <SupportView />
      ) : (
        <div className={styles.page}>
          <Segmented
            label={t('deskSellers:sellers.show')}
            value={tab}
            options={tabs.map((value) => ({ value, label: t(`deskSellers:sellers.tab.${value}`) }))}
            onChange={(next) => setParameter('tab', next === 'exits' ? null : next)}
          />
          {tab === 'exits' ? <ExitList /> : <Accounts />}
        </div>
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function ExitList() {
  const { t } = useTranslation('deskPages')
  const exits = useQuery(query('exits', {}))
  const health = useToldRead({ ...query('exit_health', {}), refetchInterval: healthMs })
  const [search, setParameter] = useSearchParameter()
  const [opened, setOpened] = useState<Opened | null>(null)
  const may = useMay()
  // An alert leads here with the exit in the address.
  const linked = search.get('exit')
  const open: Opened | null =
    opened ?? (linked === null ? null : { id: linked, dialog: may('set_exit') ? 'set' : 'health' })
  const setOpen = (next: Opened | null) => {
    if (linked !== null) setParameter('exit', null)
    setOpened(next)
  }
  const ofExit = useMemo(() => new Map(health.data?.map((one) => [one.id, one])), [health.data])
  const columns = useExitColumns(setOpen, ofExit)
  const chosen = exits.data?.find(({ id }) => id === open?.id)
  const close = () => setOpen(null)
  return (
    <>
      <Loaded query={exits}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('exits.none')}</p>
          ) : (
            <PlainTable
              table="exits"
              label={t('exits.title')}
              columns={columns}
              rows={worstFirst(rows, health.data)}
              rowId={(exit) => exit.id}
            />
          )
        }
      </Loaded>
      {chosen !== undefined && open?.dialog === 'set' && (
        <ExitDialog
          exit={chosen}
          health={ofExit.get(chosen.id)}
          onCost={may('exit_costs') ? () => setOpen({ id: chosen.id, dialog: 'cost' }) : null}
          onRemove={() => setOpen({ id: chosen.id, dialog: 'remove' })}
          onClose={close}
        />
      )}
      {chosen !== undefined && open?.dialog === 'health' && (
        <HealthDialog name={chosen.name} health={ofExit.get(chosen.id)} onClose={close} />
      )}
      {chosen !== undefined && open?.dialog === 'cost' && <CostDialog exit={chosen} onClose={close} />}
      {chosen !== undefined && open?.dialog === 'stock' && <StockDialog exit={chosen} onClose={close} />}
      {chosen !== undefined && open?.dialog === 'remove' && <RemoveDialog exit={chosen} onClose={close} />}
      {chosen !== undefined && open?.dialog === 'refusals' && (
        <RefusalsDialog id={chosen.id} name={chosen.name} onClose={close} />
      )}
    </>
  )
}

type Health = DeskOutput<'exit_health'>[number]

/** The exits in the order of `health`, which lists the worst first. */
function worstFirst(exits: readonly Exit[], health: readonly Health[] | undefined): readonly Exit[] {
  const place = new Map(health?.map(({ id }, index) => [id, index]))
  return exits.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0))
}

/** The page for members who may not see the settings of exits. */
function SupportView() {
  const [search, setParameter] = useSearchParameter()
  const health = useToldRead(query('exit_health', {}))
  const linked = health.data?.find(({ id }) => id === search.get('exit'))
  return (
    <>
      <HealthBoard />
      {linked !== undefined && (
        <HealthDialog name={linked.name} health={linked} onClose={() => setParameter('exit', null)} />
      )}
    </>
  )
}

function HealthDialog({
  name,
  health,
  onClose,
}: {
  name: string
  health: Health | undefined
  onClose: () => void
}) {
  const { t } = useTranslation('desk')
  return (
    <Dialog open compact onClose={onClose} title={name} closeLabel={t('close')}>
      {health !== undefined && <ExitHealthPart health={health} />}
    </Dialog>
  )
}

function RemoveDialog({ exit, onClose }: { exit: Exit; onClose: () => void }) {
  const { t } = useTranslation('deskExits')
  const { pending, fault, run } = useAct('remove_exit', onClose)
  return (
    <ActDialog
      title={t('exit.removeTitle', { name: exit.name })}
      description={t('exit.removeText')}
      submit={t('exit.remove')}
      isDanger
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: exit.id, reason })}
    />
  )
}
