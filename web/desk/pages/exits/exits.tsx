import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PlainTable } from '../../table/plain-table.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Accounts } from './accounts/accounts.tsx'
import { AddDialog } from './add-dialog.tsx'
import { CostDialog } from './cost-dialog.tsx'
import { useExitColumns } from './exit-columns.tsx'
import { ExitDialog } from './exit-dialog.tsx'
import type { Opened } from './opened.ts'
import { StockDialog } from './stock-dialog.tsx'
import { RefusalsDialog } from './refusals-dialog.tsx'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

const tabs = ['exits', 'accounts'] as const

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
      <div className={styles.page}>
        <Segmented
          label={t('deskSellers:sellers.show')}
          value={tab}
          options={tabs.map((value) => ({ value, label: t(`deskSellers:sellers.tab.${value}`) }))}
          onChange={(next) => setParameter('tab', next === 'exits' ? null : next)}
        />
        {tab === 'exits' ? <ExitList /> : <Accounts />}
      </div>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function ExitList() {
  const { t } = useTranslation('deskPages')
  const exits = useQuery(query('exits', {}))
  const [open, setOpen] = useState<Opened | null>(null)
  const columns = useExitColumns(setOpen)
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
              rows={rows}
              rowId={(exit) => exit.id}
            />
          )
        }
      </Loaded>
      {chosen !== undefined && open?.dialog === 'set' && (
        <ExitDialog
          exit={chosen}
          onRemove={() => setOpen({ id: chosen.id, dialog: 'remove' })}
          onClose={close}
        />
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

function RemoveDialog({ exit, onClose }: { exit: Exit; onClose: () => void }) {
  const { t } = useTranslation('deskExits')
  const { pending, fault, run } = useAct('remove_exit', onClose)
  return (
    <ActDialog
      title={t('exit.removeTitle', { name: exit.name })}
      description={t('exit.removeText')}
      submit={t('exit.remove')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: exit.id, reason })}
    />
  )
}
